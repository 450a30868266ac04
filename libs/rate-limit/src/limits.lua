-- Counts a hit on a rate limit or a daily budget. The sums are those of `gcra` and `daily_budget`.
--
-- KEYS[1]: a rate limit's level is the text `LEVEL MICROSECOND`, a budget's use a number that is gone at midnight UTC.
-- ARGV: `take` to count it if there is room, `charge` to count it whatever is left, `return` to undo a `take` of a moment
-- ago; then need, add, brim, most and drain of a rate limit; need, add and budget of a daily one, and twice 0.
-- Returns how long to wait for room in microseconds, 0 if it was counted or returned; and the level now, or what was used
-- today.
local DAY = 86400
local key, way = KEYS[1], ARGV[1]
local need, add, bound = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local most, drain = tonumber(ARGV[5]), tonumber(ARGV[6])
local time = redis.call('TIME')
local seconds, now = tonumber(time[1]), tonumber(time[1]) * 1000000 + tonumber(time[2])
local midnight = (math.floor(seconds / DAY) + 1) * DAY

-- Lua itself writes no number in full that has more than 14 digits.
local function whole(number)
    return string.format('%.0f', number)
end

local kept, count, wait = redis.call('GET', key), 0, 0
if drain > 0 then
    if kept then
        local before, at = string.match(kept, '^(%d+) (%d+)$')
        count = math.max(0, tonumber(before) - math.max(0, now - tonumber(at)) * drain)
    end
    wait = math.max(0, math.ceil((count + need - bound) / drain))
else
    count = tonumber(kept or 0)
    if count + need > bound then
        wait = midnight * 1000000 - now
    end
end

if way == 'take' and wait > 0 then
    return {wait, count}
elseif way == 'return' then
    -- What has come back by itself meanwhile, or ended with its day, cannot be returned.
    add = -math.min(add, count)
end
if add == 0 then
    -- It only asked.
elseif drain > 0 then
    count = math.min(count + add, most)
    -- Gone when it is empty.
    local life = math.ceil(count / drain / 1000) + 1
    redis.call('SET', key, whole(count) .. ' ' .. whole(now), 'PX', whole(life))
else
    count = redis.call('INCRBY', key, whole(add))
    redis.call('EXPIREAT', key, midnight)
end
return {0, count}
