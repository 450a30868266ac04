-- Runs the checks, the writes and the short reads of a transaction on one partition, as one step.
--
-- KEYS     1 turnwise:{PARTITION}.token: the last token that the partition minted (string; expires after a day). The
--            names of all other keys begin as it does. On a cluster they follow, so that a node that gives the slot away
--            knows before anything is done whether it has them all; on one server nobody looks at them
-- ARGV     1 MessagePack of a list: when to touch; the channel of news, or nothing; how many names and steps there are; each
--            name, and 0 or the place of an earlier one that ends, from its first colon on, as this one goes on; three
--            numbers for each step, what to do, the place of its name and how many of the texts are its own (N); and the
--            texts, in the order in which the steps take them. A text is a number where it is one of the words below, or
--            a name: minus its place
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
-- Returns MessagePack of
--          {0, token or false, what each read found...}
--          {place of the check that does not hold, milliseconds left of a lease that is not free or else -1,
--           what the check tells...}

local words = {
  'HMGET', 'HGETALL', 'XRANGE', 'XREVRANGE', 'ZRANGEBYSCORE', 'ZREVRANGEBYSCORE', 'WITHSCORES', 'LIMIT', 'COUNT',
  'fingerprint', 'outcome', 'text', 'kind', 'course', 'running', 'record', 'count', 'updated',
  'locked', 'kept', 'status', 'focus', 'graded', 'turn', 'evidence', 'version', 'fence', 'floor', 'pending', 'clarified',
  'facts', 'last', 'procedure', 'run', 'overlay', 'touched', 'card', 'exam',
}
local call, argv = redis.call, cmsgpack.unpack(ARGV[1])
local touch, channel, count, steps = argv[1], argv[2], argv[3], argv[4]
local own = string.sub(KEYS[1], 1, -7)
local ids = own .. '.ids'
local names, keys, ends, found, news = {}, {}, {}, { 0, false }, {}
local plan = 5 + 2 * count
local at = plan + 3 * steps
-- The last token is only there for a clock that was set back: by more than a day none is. So nothing of an erased student
-- stays for ever.
local TOKEN_KEPT = 86400000

for place = 1, count do
  local name, other = argv[3 + 2 * place], argv[4 + 2 * place]
  if other > 0 then
    ends[other] = ends[other] or string.match(names[other], ':.*')
    name = name .. ends[other]
  end
  names[place], words[-place], keys[place] = name, name, own .. ':' .. name
end
for place = at, #argv do
  local word = words[argv[place]]
  if word then argv[place] = word end
end

local function touched()
  call('SET', KEYS[1], call('GET', KEYS[1]) or '0', 'PX', TOKEN_KEPT)
end

local function refused(step, left, told)
  if touch ~= 0 then touched() end
  return cmsgpack.pack({ step, left, unpack(told) })
end

-- A token above the last one and not below the clock, so that tokens rise even if the last one was lost with its server.
local function mint()
  local clock = call('TIME')
  local now = clock[1] * 1000000 + clock[2]
  local token = string.format('%.0f', now)
  local last = call('SET', KEYS[1], token, 'GET', 'PX', TOKEN_KEPT)
  if last and tonumber(last) >= now then
    token = string.format('%.0f', last + 1)
    call('SET', KEYS[1], token, 'PX', TOKEN_KEPT)
  end
  found[2] = token
  return token
end

-- The last ids of those logs that may expire outlive them in a hash, by their names; few partitions have any.
local with_ids = nil

local function last_id(name)
  if with_ids == nil then with_ids = call('EXISTS', ids) == 1 end
  return with_ids and call('HGET', ids, name)
end

local function keep_id(name, id)
  call('HSET', ids, name, id)
  with_ids = true
end

local function append(key, name, first, last)
  local id = last_id(name)
  if id and call('EXISTS', key) == 0 then
    call('XADD', key, id, '', '')
    call('XTRIM', key, 'MAXLEN', '=', '0')
  end
  local new
  for entry = first, last do
    new = call('XADD', key, '0-*', '', argv[entry])
  end
  if id then keep_id(name, new) end
end

local function expire(key, name, milliseconds)
  if call('TYPE', key).ok == 'stream' then
    local about = call('XINFO', 'STREAM', key)
    for place = 1, #about, 2 do
      if about[place] == 'last-generated-id' then keep_id(name, about[place + 1]) end
    end
  end
  call('PEXPIRE', key, milliseconds)
end

-- Once all is written, and before the reads: whatever they meet, the news are told.
local function tell()
  if touch == 1 then touched() end
  if news[1] then
    call('PUBLISH', channel, string.sub(own, 11, -2) .. ' ' .. table.concat(news, ' '))
  end
end

for step = 1, steps do
  local what, place, n = argv[plan], argv[plan + 1], argv[plan + 2]
  local key, name = keys[place], names[place]
  plan = plan + 3
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
    if (what == 15 or what == 13) and news[#news] ~= name then news[#news + 1] = name end
    if what == 11 then
      call('HSET', key, unpack(argv, at, at + n - 1))
    elseif what == 15 then
      append(key, name, at, at + n - 1)
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
      if last_id(name) then call('HDEL', ids, name) end
      call('DEL', key)
    elseif what == 23 then
      expire(key, name, argv[at])
    elseif what == 25 then
      for field = at, at + n - 1, 2 do
        -- Lua reads more as numbers than digits: ' 1', '0x1', '1.5'.
        local digits = string.match(call('HGET', key, argv[field]) or '', '^[+-]?%d+$')
        local now = digits and tonumber(digits) or 0
        call('HSET', key, argv[field], string.format('%.0f', now + argv[field + 1]))
      end
    elseif what == 31 then
      if tell then tell() end
      tell = nil
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

if tell then tell() end
return cmsgpack.pack(found)
