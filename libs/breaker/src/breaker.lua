-- One step of a circuit breaker. It does what `machine` does; the clock is that of Redis, in microseconds.
--
-- KEYS[1]: the breaker's hash.
-- ARGV: what happened (`look`, `admit`, `renew`, `succeeded`, `failed`, `released`); how many failures open it; for how
-- long it opens; for how long a probe is waited for; the call's generation and, if it is the probe, its number, else 0;
-- the channel for news, and the breaker's name there.
-- Returns whether a call is admitted (0: no, 1: yes, 2: as the probe), and the snapshot: version, generation, failures,
-- for how long they count, 1 if it is open or half-open, for how long it is open, the probe's number, for how long it is
-- waited for.
local event, most, ttl, lease = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local generation, ticket = tonumber(ARGV[5]), tonumber(ARGV[6])
-- What was not used for a day may be forgotten: no call that began before is still running.
local KEEP = 86400000

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])

local NAMES = {'version', 'generation', 'failures', 'failures_until', 'tripped', 'open_until', 'probe', 'probe_until'}
local kept = redis.call('HMGET', KEYS[1], unpack(NAMES))
local it, new, changed = {}, not kept[1], false
for place, name in ipairs(NAMES) do
    it[name] = tonumber(kept[place] or 0)
end
-- Versions go on from the time, so that those after a loss of data are newer than those before.
local function change()
    it.version, changed = math.max(it.version + 1, now), true
end
if new then
    change()
    it.generation = generation
end
if now >= it.failures_until then
    it.failures = 0
end

local function turn(tripped)
    change()
    it.generation, it.failures, it.failures_until = it.version, 0, 0
    it.tripped, it.open_until, it.probe, it.probe_until = tripped, tripped * (now + ttl), 0, 0
end

local is_probe = ticket > 0 and ticket == it.probe
local counts = it.tripped == 0 and ticket == 0 and generation == it.generation
local admitted = 0
if event == 'admit' then
    if it.tripped == 0 then
        admitted = 1
    elseif now >= it.open_until and now >= it.probe_until then
        change()
        admitted, it.probe, it.probe_until = 2, it.version, now + lease
    end
elseif event == 'renew' then
    if is_probe then
        change()
        it.probe_until = now + lease
    end
elseif event == 'succeeded' then
    if is_probe then
        turn(0)
    elseif counts and it.failures > 0 then
        change()
        it.failures = 0
    end
elseif event == 'failed' then
    if is_probe or counts and it.failures + 1 >= most then
        turn(1)
    elseif counts then
        change()
        it.failures, it.failures_until = it.failures + 1, now + ttl
    end
elseif event == 'released' and is_probe then
    change()
    it.probe, it.probe_until = 0, 0
end

local function left(moment)
    return math.max(0, moment - now)
end
local snapshot = {
    it.version, it.generation, it.failures, left(it.failures_until),
    it.tripped, left(it.open_until), it.probe, left(it.probe_until),
}
if changed then
    local fields = {}
    for _, name in ipairs(NAMES) do
        fields[#fields + 1] = name
        -- Lua itself writes no number in full that has more than 14 digits.
        fields[#fields + 1] = string.format('%.0f', it[name])
    end
    redis.call('HSET', KEYS[1], unpack(fields))
    redis.call('PEXPIRE', KEYS[1], string.format('%.0f', KEEP + math.ceil((ttl + lease) / 1000)))

    local words = {}
    for place, number in ipairs(snapshot) do
        words[place] = string.format('%.0f', number)
    end
    words[#words + 1] = ARGV[8]
    redis.call('PUBLISH', ARGV[7], table.concat(words, ' '))
end
return {admitted, unpack(snapshot)}
