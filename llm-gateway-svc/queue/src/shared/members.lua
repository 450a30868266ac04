-- The record of the members: it is read, and written if it is still what was read. What it says is membership.rs' matter.
--
-- KEYS  1 the record
-- ARGV  nothing; or 1 what was read, 2 what it becomes
-- Returns  {whether it was written, the time in microseconds, the run of the server, the record as it was}

local time = redis.call('TIME')
local server = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
local record = redis.call('GET', KEYS[1]) or ''
local written = ARGV[2] and ARGV[1] == record
if written then redis.call('SET', KEYS[1], ARGV[2]) end
return { written and 1 or 0, string.format('%.0f', time[1] * 1000000 + time[2]), server, record }
