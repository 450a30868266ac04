-- Gives a lease back, if it is held by this turn.
--
-- KEYS  1 lease (hash)
-- ARGV  1 fencing token
-- Returns  {'done'}

if redis.call('HGET', KEYS[1], 'fence') == ARGV[1] then
  redis.call('DEL', KEYS[1])
end
return { 'done' }
