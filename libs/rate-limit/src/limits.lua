-- Counts hits on rate limits and daily budgets. The sums are those of `gcra` and `daily_budget`.
--
-- KEYS: one for each hit. A rate limit's level is the text `LEVEL MICROSECOND`, a budget's use a number that is gone at
-- midnight UTC.
-- ARGV: `take` to count all or none, `charge` to count whatever is left, `return` to undo a `take` of a moment ago; then
-- for each hit five: need, add, brim, most and drain of a rate limit; need, add and budget of a daily one, and twice 0.
-- Returns the place of the hit that must wait longest, or 0 if they were counted; its wait in microseconds; and for each
-- hit the level now, or what was used today.
local DAY = 86400
local way = ARGV[1]
local time = redis.call('TIME')
local seconds, now = tonumber(time[1]), tonumber(time[1]) * 1000000 + tonumber(time[2])
local midnight = (math.floor(seconds / DAY) + 1) * DAY

-- Lua itself writes no number in full that has more than 14 digits.
local function whole(number)
    return string.format('%.0f', number)
end

local counts, refused, longest = {}, 0, 0
for place, key in ipairs(KEYS) do
    local first = (place - 1) * 5 + 2
    local need, bound, drain = tonumber(ARGV[first]), tonumber(ARGV[first + 2]), tonumber(ARGV[first + 4])
    local kept, wait = redis.call('GET', key), 0
    if drain > 0 then
        local level = 0
        if kept then
            local before, at = string.match(kept, '^(%d+) (%d+)$')
            level = math.max(0, tonumber(before) - math.max(0, now - tonumber(at)) * drain)
        end
        counts[place] = level
        wait = math.ceil((level + need - bound) / drain)
    else
        counts[place] = tonumber(kept or 0)
        if counts[place] + need > bound then
            wait = midnight * 1000000 - now
        end
    end
    if wait > longest then
        refused, longest = place, wait
    end
end

if way ~= 'take' then
    refused, longest = 0, 0
end
if refused == 0 then
    for place, key in ipairs(KEYS) do
        local first = (place - 1) * 5 + 2
        local add, most, drain = tonumber(ARGV[first + 1]), tonumber(ARGV[first + 3]), tonumber(ARGV[first + 4])
        if way == 'return' then
            -- What has come back by itself meanwhile, or ended with its day, cannot be returned.
            add = -math.min(add, counts[place])
        end
        if add == 0 then
            -- It only asked.
        elseif drain > 0 then
            local level = math.min(counts[place] + add, most)
            counts[place] = level
            -- Gone when it is empty.
            local life = math.ceil(level / drain / 1000) + 1
            redis.call('SET', key, whole(level) .. ' ' .. whole(now), 'PX', whole(life))
        else
            counts[place] = redis.call('INCRBY', key, whole(add))
            redis.call('EXPIREAT', key, midnight)
        end
    end
end
return {refused, longest, unpack(counts)}
