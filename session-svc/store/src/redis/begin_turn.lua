-- Takes the thread's lease and reads all that a turn needs, or answers what the idempotency key stored before.
--
-- KEYS  1 answer of the idempotency key (hash)   2 thread (hash)   3 lease (hash, expires with the lease)
--       4 snapshot (hash)   5 messages (list)
-- ARGV  1 fingerprint   2 course id   3 idempotency key   4 number of latest messages wanted
--       5 time of the lease, in milliseconds
-- Returns  {'answered', answer}  {'other_request'}  {'unknown_thread'}  {'other_course'}
--          {'in_progress', rest of the lease in milliseconds}
--          {'done', fencing token, thread record, count, updated, locked, turn state, evidence, version, {message, ...}}

local stored = redis.call('HMGET', KEYS[1], 'fingerprint', 'outcome')
if stored[1] then
  if stored[1] ~= ARGV[1] then
    return { 'other_request' }
  end
  return { 'answered', stored[2] }
end

local thread = redis.call('HMGET', KEYS[2], 'record', 'course', 'count', 'updated', 'locked', 'fence')
if not thread[1] then
  return { 'unknown_thread' }
end
if thread[2] ~= ARGV[2] then
  return { 'other_course' }
end

local rest = redis.call('PTTL', KEYS[3])
if rest ~= -2 then
  local holder = redis.call('HMGET', KEYS[3], 'key', 'fingerprint')
  if holder[1] == ARGV[3] and holder[2] ~= ARGV[1] then
    return { 'other_request' }
  end
  return { 'in_progress', rest }
end

-- The token rises by the clock, so that it does not come twice even if a failover forgets the latest ones.
local time = redis.call('TIME')
local fence = math.max(time[1] * 1000000 + time[2], (tonumber(thread[6]) or 0) + 1)
fence = string.format('%.0f', fence)
local snapshot = redis.call('HMGET', KEYS[4], 'turn', 'evidence', 'version')
local messages = {}
if tonumber(ARGV[4]) > 0 then
  messages = redis.call('LRANGE', KEYS[5], -tonumber(ARGV[4]), -1)
end

redis.call('HSET', KEYS[2], 'fence', fence)
redis.call('HSET', KEYS[3], 'fence', fence, 'key', ARGV[3], 'fingerprint', ARGV[1])
redis.call('PEXPIRE', KEYS[3], ARGV[5])
return {
  'done', fence, thread[1], thread[3], thread[4], thread[5],
  snapshot[1], snapshot[2], snapshot[3], messages,
}
