-- Stores a new thread, or answers the one that the same idempotency key stored before.
--
-- KEYS  1 answer of the idempotency key (hash)   2 thread (hash)
--       3 threads of the student, by the order in which they were made (sorted set)
--       4 number of threads ever made by the student (counter)
-- ARGV  1 fingerprint   2 thread id   3 thread record   4 course id   5 time of update
--       6 time to keep the answer, in milliseconds   7 answer
-- Returns  {'answered', answer}  {'other_request'}  {'done'}

local stored = redis.call('HMGET', KEYS[1], 'fingerprint', 'outcome')
if stored[1] then
  if stored[1] ~= ARGV[1] then
    return { 'other_request' }
  end
  return { 'answered', stored[2] }
end

redis.call('ZADD', KEYS[3], redis.call('INCR', KEYS[4]), ARGV[2])
redis.call('HSET', KEYS[2], 'record', ARGV[3], 'course', ARGV[4], 'count', 0, 'updated', ARGV[5], 'locked', 0)
redis.call('HSET', KEYS[1], 'fingerprint', ARGV[1], 'outcome', ARGV[7])
redis.call('PEXPIRE', KEYS[1], ARGV[6])
return { 'done' }
