-- Replaces the evidence if its version is still the expected one; never touches the turn state.
--
-- KEYS  1 answer of the idempotency key (hash)   2 snapshot (hash)   3 questions of the course (hash)
-- ARGV  1 fingerprint   2 expected version   3 evidence   4 time to keep the answer, in milliseconds
--       5... question id, question record, and so on
-- Returns  {'done', new version}  {'other_request'}  {'conflict', turn state, evidence, version}

local stored = redis.call('HMGET', KEYS[1], 'fingerprint', 'outcome')
if stored[1] then
  if stored[1] ~= ARGV[1] then
    return { 'other_request' }
  end
  return { 'done', stored[2] }
end

local snapshot = redis.call('HMGET', KEYS[2], 'turn', 'evidence', 'version')
if (snapshot[3] or '0') ~= ARGV[2] then
  return { 'conflict', snapshot[1], snapshot[2], snapshot[3] }
end

local version = string.format('%.0f', tonumber(ARGV[2]) + 1)
redis.call('HSET', KEYS[2], 'evidence', ARGV[3], 'version', version)
if #ARGV > 4 then
  redis.call('HSET', KEYS[3], unpack(ARGV, 5))
end
redis.call('HSET', KEYS[1], 'fingerprint', ARGV[1], 'outcome', version)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return { 'done', version }
