-- Makes a lease last its full time again.
--
-- KEYS  1 lease (hash)
-- ARGV  1 fencing token   2 time of the lease, in milliseconds
-- Returns  {'done'}  {'lease_lost'}

if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[1] then
  return { 'lease_lost' }
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return { 'done' }
