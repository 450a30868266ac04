-- Writes a turn and gives its lease back. Sent again it changes nothing.
--
-- KEYS  1 answer of the idempotency key (hash)   2 thread (hash)   3 lease (hash)   4 snapshot (hash)
--       5 messages (list)
-- ARGV  1 fingerprint   2 course id   3 fencing token   4 time to keep the answer, in milliseconds
--       5 time of update   6 target locked: 1 or 0   7 id of the first message
--       8 turn state, or nothing   9 answer   10... messages
-- Returns  {'done'}  {'other_request'}  {'unknown_thread'}  {'other_course'}  {'lease_lost'}
--          {'message_ids', the id that the first message must have}

local stored = redis.call('HGET', KEYS[1], 'fingerprint')
if stored then
  if stored ~= ARGV[1] then
    return { 'other_request' }
  end
  return { 'done' }
end

local thread = redis.call('HMGET', KEYS[2], 'course', 'count')
if not thread[1] then
  return { 'unknown_thread' }
end
if thread[1] ~= ARGV[2] then
  return { 'other_course' }
end
if redis.call('HGET', KEYS[3], 'fence') ~= ARGV[3] then
  return { 'lease_lost' }
end
local expected = tonumber(thread[2]) + 1
if tonumber(ARGV[7]) ~= expected then
  return { 'message_ids', expected }
end

redis.call('RPUSH', KEYS[5], unpack(ARGV, 10))
redis.call('HSET', KEYS[2], 'count', expected + #ARGV - 10, 'updated', ARGV[5])
if ARGV[6] == '1' then
  redis.call('HSET', KEYS[2], 'locked', 1)
end
if ARGV[8] ~= '' then
  redis.call('HSET', KEYS[4], 'turn', ARGV[8])
end
redis.call('HSET', KEYS[1], 'fingerprint', ARGV[1], 'outcome', ARGV[9])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
redis.call('DEL', KEYS[3])
return { 'done' }
