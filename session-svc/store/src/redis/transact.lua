-- Runs the checks and then the writes of a transaction on one partition, as one step; and then the reads, where they are
-- not commands of their own.
--
-- KEYS  1 the last token that the partition minted (string; expires after a day)
--       2 the last ids of those logs that may expire, by their names (hash)
--       3... the names that the transaction mentions
-- ARGV  1 the plan: a byte "touch", then five bytes for each step: what to do, the place of its name in KEYS, and how
--         many of the texts are its own (N); both numbers have two bytes, the high one first
--       2 the channel of news, or nothing
--       3 the message for it
--       4... the texts, in the order in which the steps take them
--
-- Steps
--   checks     1 absent      N fields to tell
--              2 present
--              3 field is    field, value; N fields to tell
--              4 no field    field; N fields to tell
--              5 below       field, token
--              6 free        how a holder begins from whom it may be taken
--              7 held        token and a space
--   writes    11 HSET        N: fields and values
--             12 HDEL        N: fields
--             13 remove
--             14 PEXPIRE     N = 1: milliseconds; of what is no log
--             15 XADD        N: entries
--             16 XTRIM       N = 1: how many stay
--             17 ZADD        N = 2: score, member
--             18 ZREM        N: members
--             19 ZREM        N: members and the scores that they must have
--             20 ZREMRANGE   N = 1: the highest score that goes
--             21 take lease  N = 2: holder, milliseconds. A lease is a string: token, space, holder
--             22 fence       N = 1: field
--             23 expire      N = 1: milliseconds; of what may be a log
--             24 DEL         of what is no log
--             25 add         N: fields and what is added to their numbers
--   reads     31 any         N: command and, after the name, its arguments
--
-- "touch" says when to write something that every replica gets, so that a WAIT after this script covers all that was
-- written before it, by whomever: 0 never, 1 always, 2 if a check does not hold.
--
-- Returns  {0, token or nothing, what each read found...}
--          {place of the check that does not hold, milliseconds left of a lease that is not free or else -1,
--           what the check tells...}

local call, byte, keys, argv = redis.call, string.byte, KEYS, ARGV
local plan, at, found = argv[1], 4, { 0, false }
-- The last token is only there for a clock that was set back: by more than a day none is. So nothing of an erased student
-- stays for ever.
local TOKEN_KEPT = 86400000

local touch = byte(plan)

local function touched()
  call('SET', keys[1], call('GET', keys[1]) or '0', 'PX', TOKEN_KEPT)
end

local function refused(step, left, told)
  if touch ~= 0 then touched() end
  return { (step - 2) / 5 + 1, left, unpack(told) }
end

-- A token above the last one and not below the clock, so that tokens rise even if the last one was lost with its server.
local function mint()
  local clock = call('TIME')
  local now = clock[1] * 1000000 + clock[2]
  local token = string.format('%.0f', now)
  local last = call('SET', keys[1], token, 'GET', 'PX', TOKEN_KEPT)
  if last and tonumber(last) >= now then
    token = string.format('%.0f', last + 1)
    call('SET', keys[1], token, 'PX', TOKEN_KEPT)
  end
  found[2] = token
  return token
end

-- The ids of logs outlive them in KEYS[2], where few partitions have any.
local with_ids = nil

local function last_id(key)
  if with_ids == nil then with_ids = call('EXISTS', keys[2]) == 1 end
  return with_ids and call('HGET', keys[2], string.sub(key, #keys[2] - 2))
end

local function keep_id(key, id)
  call('HSET', keys[2], string.sub(key, #keys[2] - 2), id)
  with_ids = true
end

local function append(key, first, last)
  local id = last_id(key)
  if id and call('EXISTS', key) == 0 then
    call('XADD', key, id, '', '')
    call('XTRIM', key, 'MAXLEN', '=', '0')
  end
  local new
  for entry = first, last do
    new = call('XADD', key, '0-*', '', argv[entry])
  end
  if id then keep_id(key, new) end
end

local function expire(key, milliseconds)
  if call('TYPE', key).ok == 'stream' then
    local about = call('XINFO', 'STREAM', key)
    for place = 1, #about, 2 do
      if about[place] == 'last-generated-id' then keep_id(key, about[place + 1]) end
    end
  end
  call('PEXPIRE', key, milliseconds)
end

for step = 2, #plan, 5 do
  local what, high, low, n_high, n = byte(plan, step, step + 4)
  local key = keys[high * 256 + low]
  n = n_high * 256 + n
  if what < 10 then
    local holds
    if what == 1 then
      holds = call('EXISTS', key) == 0
    elseif what == 2 then
      holds = call('EXISTS', key) == 1
    elseif what == 3 then
      holds = call('HGET', key, argv[at]) == argv[at + 1]
      at = at + 2
    elseif what == 4 then
      holds = not call('HGET', key, argv[at])
      at = at + 1
    elseif what == 5 then
      local fence = call('HGET', key, argv[at])
      holds = not fence or tonumber(fence) < tonumber(argv[at + 1])
      at = at + 2
    elseif what == 6 then
      local lease, start = call('GET', key), argv[at]
      if lease then
        local holder = string.sub(lease, string.find(lease, ' ', 1, true) + 1)
        if start == '' or string.sub(holder, 1, #start) ~= start then
          return refused(step, call('PTTL', key), { holder })
        end
      end
      at = at + 1
      holds = true
    else
      local lease, start = call('GET', key), argv[at]
      holds = lease and string.sub(lease, 1, #start) == start
      at = at + 1
    end
    if not holds then
      return refused(step, -1, n > 0 and call('HMGET', key, unpack(argv, at, at + n - 1)) or {})
    end
  else
    if what == 11 then
      call('HSET', key, unpack(argv, at, at + n - 1))
    elseif what == 15 then
      append(key, at, at + n - 1)
    elseif what == 14 then
      call('PEXPIRE', key, argv[at])
    elseif what == 24 then
      call('DEL', key)
    elseif what == 21 then
      call('SET', key, mint() .. ' ' .. argv[at], 'PX', argv[at + 1])
    elseif what == 17 then
      call('ZADD', key, argv[at], argv[at + 1])
    elseif what == 20 then
      call('ZREMRANGEBYSCORE', key, '-inf', argv[at])
    elseif what == 16 then
      call('XTRIM', key, 'MAXLEN', '=', argv[at])
    elseif what == 22 then
      call('HSET', key, argv[at], mint())
    elseif what == 12 then
      call('HDEL', key, unpack(argv, at, at + n - 1))
    elseif what == 18 then
      call('ZREM', key, unpack(argv, at, at + n - 1))
    elseif what == 13 then
      if last_id(key) then call('HDEL', keys[2], string.sub(key, #keys[2] - 2)) end
      call('DEL', key)
    elseif what == 23 then
      expire(key, argv[at])
    elseif what == 25 then
      for field = at, at + n - 1, 2 do
        -- Lua reads more as numbers than digits: ' 1', '0x1', '1.5'.
        local digits = string.match(call('HGET', key, argv[field]) or '', '^[+-]?%d+$')
        local now = digits and tonumber(digits) or 0
        call('HSET', key, argv[field], string.format('%.0f', now + argv[field + 1]))
      end
    elseif what == 31 then
      found[#found + 1] = call(argv[at], key, unpack(argv, at + 1, at + n - 1))
    else
      for member = at, at + n - 1, 2 do
        local score = call('ZSCORE', key, argv[member])
        if score and tonumber(score) == tonumber(argv[member + 1]) then
          call('ZREM', key, argv[member])
        end
      end
    end
  end
  at = at + n
end

if touch == 1 then touched() end
if argv[2] ~= '' then
  call('PUBLISH', argv[2], argv[3])
end
return found
