-- The line that replicas share: who has a slot, who is next, and whose slots may be given out. What is not about several
-- processes is as in order/, under the same names.
--
-- KEYS  1 the line's name in braces. All records are in keys that begin with it, so a cluster keeps them on one node.
-- ARGV  1 what to do
--       2 the process that asks: its replica's index, a dot, and a name of its own
--       3 the epoch that it has joined; 0 for none
--       4 the time after which nothing is to be done any more, as the process has given up by then; 0 for none
--       5... the arguments
-- Times are those of Redis' clock, in microseconds; so are spans.
--
-- Returns  {status, now, epoch, version, changes, what is told..., what the operation returns...}, all in one list but for what is
--          told and returned, which are lists of their own. Status:
--            ok    it is done
--            join  nothing is done: the process has not joined this epoch
--            late  nothing is done: the time is over
--          The version rises whenever somebody starts or leaves; `changes` whenever anything does.
--
-- What is told to a process: to the one that asks in the answer, to others on the channel KEYS[1]:PROCESS. The last word
-- is the time. That a slot is lent is told on the channel in any case: an answer may be lost together with the connection,
-- and a home that does not know whom its slot is lent to would use it by itself.
--   run ID SLOT FENCE NOW            the entry has this slot
--   waiting ID PLACE ARRIVAL NOW     the entry is in line
--   superseded ID NOW                another request has taken over the entry's place
--   full ID NOW                      there is no room for the entry
--   forget ID NOW                    the entry is not in line (any more), nor is its place held
--   held ID UNTIL NOW                the entry is absent, and its place is held until then
--   lent SLOT FENCE PROCESS NOW      to the slot's home: another process has it
--   back SLOT FENCE NOW              to the slot's home: it is free again
--
-- Operations
--   join   index, slots, replicas, lease, aging, entries, service time, ticket key, tick, fence, new, n; then n times
--          slot, fence, since, holder, what is left of its lease, id, purpose, class.
--          The process begins to take part, or again after an epoch ended. It tells which calls it runs, and what it knows
--          of others' calls in its own slots. `new`: 1 if it has never joined before. What it had in line is forgotten.
--          Returns {whether there is more to forget: then it is called again, slots that it lost..., ticket key, settings
--          that were other ones before}
--   enter  n times: id, band (i or b), class token, pupil token, owner token or nothing, weight, since (0: now), place and
--          arrival (0: new ones), until (0: present; else its place is held), room (0: only if
--          it starts at once), purpose, class. With a place it has been in
--          line before.
--          Tokens are hashes of 22 signs. An entry that is known already stays what it is.
--          Returns {how many are in line, the mean service time}
--   leave  ids. Those that run by now are released.
--   hold   id, span: the entry becomes absent, and its place is held so long
--   release slot, fence, service time or nothing
--   tick   how many entries the process has in line. Its leases are renewed.
--          Returns {leases of the process: slot, fence, id..., own slots: slot, fence, holder (0 and nothing if free)...,
--          the ids that it has in line if it has not so many, or nil, whether another process has the same index}
--   view   Returns {state, classes, pupils, entries, slots: what is kept, as it is kept; the free slots that may be used}
--   away   the process takes no part from now on, as it hears nothing of its slots any more
--          Returns {own slots, as above}
--   hello  asks for nothing but the time
--   gone   the process ends, and none of its calls runs any more
--
-- A slot is only given out if its home, the replica whose index is the slot's number modulo the replicas, takes part or is
-- certainly dead. For a home that is cut off uses its own slots by itself, and nobody here knows of those calls.
--
-- An epoch ends when this may not be all the truth: on another server (which may lack the last writes, as may the same one
-- that was started again), or if nobody has asked for anything for a while, so that all are cut off. Then everybody joins
-- again and tells what it knows.

local call, sub, match, format = redis.call, string.sub, string.match, string.format

-- Whoever has been silent for longer does not take part. Processes tick every second at least.
local FRESH = 3000000
-- What a call adds to the tag of a class of weight 1.
local SCALE = 1000000
-- How many calls the mean service time remembers.
local MEMORY = 32
-- How many entries of a process that is gone are forgotten in one call, how many leases and held places end in one, and
-- how many slots are given out.
local FORGET, REAP, GRANTS = 500, 64, 64
-- A number in what is sorted as text.
local WIDE = '%016.0f'

local line, me = KEYS[1], ARGV[2]
local STATE, CLASSES, PUPILS, ENTRIES = line .. ':state', line .. ':classes', line .. ':pupils', line .. ':entries'
-- An owner's entry; a process's present entries; the held ones by their end.
local OWNERS, MINE, HELD = line .. ':owners', line .. ':mine', line .. ':held'
-- Pupils with somebody present, by class and place; present entries by pupil and arrival.
local TURNS, QUEUE = line .. ':turns', line .. ':queue'
-- Classes with somebody present by their tags; tags of classes with nobody in line.
local READY = { i = line .. ':ready:i', b = line .. ':ready:b' }
local FINISHED = { i = line .. ':finished:i', b = line .. ':finished:b' }
-- What runs in a slot, when its lease ends, which slot an entry has, and the free slots by their homes.
local SLOTS, LEASES, RUNNING, FREE = line .. ':slots', line .. ':leases', line .. ':running', line .. ':free'
-- A process's epoch and when it was seen last; the process of an index.
local JOINED, SEEN, HOMES = line .. ':joined', line .. ':seen', line .. ':homes'

local clock = call('TIME')
local now = clock[1] * 1000000 + clock[2]

-- State: single values.

local state, changed = {}, {}
local kept = call('HGETALL', STATE)
for at = 1, #kept, 2 do state[kept[at]] = kept[at + 1] end

local function get(name) return tonumber(state[name] or 0) end

local function set(name, value)
  state[name] = value
  changed[name] = true
end

local function add(name, value) set(name, get(name) + value) end

local function save()
  local fields = {}
  for name in pairs(changed) do
    fields[#fields + 1] = name
    fields[#fields + 1] = state[name]
  end
  if #fields > 0 then call('HSET', STATE, unpack(fields)) end
end

local told = {}

local function tell(process, ...)
  local words = table.concat({ ... }, ' ') .. ' ' .. format('%.0f', now)
  if process == me then told[#told + 1] = words end
  if process ~= me or ... == 'lent' then call('PUBLISH', line .. ':' .. process, words) end
end

local function number(value) return format('%.0f', value) end

local function answer(status, ...) return { status, now, number(get('epoch')), get('version'), get('changes'), told, ... } end

local function tick()
  set('tick', math.max(now, get('tick') + 1))
  return get('tick')
end

-- Keeps account of since when the batch band is passed over.
local function note_batch()
  if get('present:b') == 0 then
    if get('passed_over_since') ~= 0 then set('passed_over_since', 0) end
  elseif get('passed_over_since') == 0 then
    set('passed_over_since', now)
  end
end

-- Classes. A record: tag, stamp, weight, entries, those present, name.

local function load_class(band, token)
  local record = call('HGET', CLASSES, band .. token)
  if not record then return nil end
  local class = { band = band, token = token }
  local tag, stamp, weight, count, present, name = match(record, '^(%d+) (%d+) (%d+) (%d+) (%d+) (.*)$')
  class.tag, class.stamp, class.weight = tonumber(tag), tonumber(stamp), tonumber(weight)
  class.count, class.present, class.name = tonumber(count), tonumber(present), name
  if class.present > 0 then class.ready = format(WIDE, class.stamp) .. token end
  class.ready_tag = class.tag
  return class
end

-- Brings a class into line.
local function open_class(band, token, name, stamp)
  local finished = call('ZSCORE', FINISHED[band], token)
  if finished then call('ZREM', FINISHED[band], token) end
  add('classes:' .. band, 1)
  return {
    band = band, token = token, name = name, weight = 1, stamp = stamp, count = 0, present = 0,
    tag = math.max(tonumber(finished or 0), get('v:' .. band)),
  }
end

-- Takes a class out of line; a band with nobody left forgets everything.
local function close_class(class)
  local band = class.band
  call('HDEL', CLASSES, band .. class.token)
  add('classes:' .. band, -1)
  if get('classes:' .. band) == 0 then
    set('v:' .. band, 0)
    call('DEL', FINISHED[band])
  else
    call('ZREMRANGEBYSCORE', FINISHED[band], '-inf', get('v:' .. band))
    if class.tag > get('v:' .. band) then call('ZADD', FINISHED[band], class.tag, class.token) end
  end
end

local function store_class(class)
  local ready = class.present > 0 and format(WIDE, class.stamp) .. class.token or nil
  if class.ready and class.ready ~= ready then call('ZREM', READY[class.band], class.ready) end
  if ready and (class.ready ~= ready or class.ready_tag ~= class.tag) then
    call('ZADD', READY[class.band], class.tag, ready)
  end
  if class.count == 0 then return close_class(class) end
  call('HSET', CLASSES, class.band .. class.token, table.concat({
    number(class.tag), number(class.stamp), class.weight, class.count, class.present, class.name,
  }, ' '))
end

-- Pupils of a class. A record: place, entries, those present.

local function load_pupil(class, token)
  local record = call('HGET', PUPILS, class.band .. class.token .. token)
  if not record then return nil end
  local place, count, present = match(record, '^(%d+) (%d+) (%d+)$')
  local pupil = { class = class, token = token, place = tonumber(place) }
  pupil.count, pupil.present = tonumber(count), tonumber(present)
  if pupil.present > 0 then pupil.turn = class.band .. class.token .. format(WIDE, pupil.place) .. token end
  return pupil
end

local function store_pupil(pupil)
  local class, token = pupil.class, pupil.token
  local turn = pupil.present > 0 and class.band .. class.token .. format(WIDE, pupil.place) .. token or nil
  if pupil.turn and pupil.turn ~= turn then call('ZREM', TURNS, pupil.turn) end
  if turn and pupil.turn ~= turn then call('ZADD', TURNS, 0, turn) end
  if pupil.count == 0 then
    call('HDEL', PUPILS, class.band .. class.token .. token)
  else
    call('HSET', PUPILS, class.band .. class.token .. token,
      number(pupil.place) .. ' ' .. pupil.count .. ' ' .. pupil.present)
  end
end

-- Entries. A record: band, class token, pupil token, owner token or a dash, arrival, since, until, process, purpose.

local function load_entry(id)
  local record = call('HGET', ENTRIES, id)
  if not record then return nil end
  local entry = { id = id }
  local arrival, since, untl
  entry.band, entry.class, entry.pupil, entry.owner, arrival, since, untl, entry.process, entry.purpose =
    match(record, '^(%S+) (%S+) (%S+) (%S+) (%d+) (%d+) (%d+) (%S+) (%S+)$')
  entry.arrival, entry.since, entry.held_until = tonumber(arrival), tonumber(since), tonumber(untl)
  return entry
end

-- Writes an entry down, under its own name, its owner's and its process's.
local function store_entry(entry)
  add('changes', 1)
  call('HSET', ENTRIES, entry.id, table.concat({
    entry.band, entry.class, entry.pupil, entry.owner, number(entry.arrival), number(entry.since),
    number(entry.held_until), entry.process, entry.purpose,
  }, ' '))
  if entry.owner ~= '-' then call('HSET', OWNERS, entry.owner, entry.id) end
  if entry.held_until > 0 then
    call('ZADD', HELD, entry.held_until, entry.id)
  else
    call('ZADD', MINE, 0, entry.process .. ' ' .. entry.id)
  end
end

local function forget(entry)
  add('changes', 1)
  call('HDEL', ENTRIES, entry.id)
  if entry.owner ~= '-' and call('HGET', OWNERS, entry.owner) == entry.id then call('HDEL', OWNERS, entry.owner) end
  if entry.held_until > 0 then
    call('ZREM', HELD, entry.id)
  else
    call('ZREM', MINE, entry.process .. ' ' .. entry.id)
  end
end

local function tell_waiting(entry)
  local place = match(call('HGET', PUPILS, entry.band .. entry.class .. entry.pupil), '^%d+')
  tell(me, 'waiting', entry.id, place, number(entry.arrival))
end

-- Counts an entry among those present (1) or not any more (-1).
local function show(class, pupil, entry, by)
  local member = class.band .. class.token .. pupil.token .. format(WIDE, entry.arrival) .. entry.id
  if by > 0 then call('ZADD', QUEUE, 0, member) else call('ZREM', QUEUE, member) end
  class.present, pupil.present = class.present + by, pupil.present + by
  add('present:' .. class.band, by)
end

-- Adds an entry. Its pupil keeps its place, unless the given one is earlier.
local function insert(entry, weight, name, place)
  local class = load_class(entry.band, entry.class) or open_class(entry.band, entry.class, name, place)
  local pupil = load_pupil(class, entry.pupil) or { class = class, token = entry.pupil, place = place, count = 0, present = 0 }
  class.weight = weight
  pupil.place = math.min(pupil.place, place)
  class.count, pupil.count = class.count + 1, pupil.count + 1
  if entry.held_until == 0 then show(class, pupil, entry, 1) end
  store_pupil(pupil)
  store_class(class)
  store_entry(entry)
end

-- Takes an entry out.
local function remove(entry)
  local class = load_class(entry.band, entry.class)
  local pupil = load_pupil(class, entry.pupil)
  class.count, pupil.count = class.count - 1, pupil.count - 1
  if entry.held_until == 0 then show(class, pupil, entry, -1) end
  store_pupil(pupil)
  store_class(class)
  forget(entry)
  add('version', 1)
end

-- Puts a present entry in the place of another of the same owner and band.
local function take_over(older, newer)
  local class = load_class(older.band, older.class)
  local pupil = load_pupil(class, older.pupil)
  newer.class, newer.pupil, newer.arrival = older.class, older.pupil, older.arrival
  forget(older)
  if older.held_until == 0 then show(class, pupil, older, -1) end
  show(class, pupil, newer, 1)
  store_pupil(pupil)
  store_class(class)
  store_entry(newer)
end

-- Makes a present entry absent, with its place held until then.
local function hold(entry, untl)
  local class = load_class(entry.band, entry.class)
  local pupil = load_pupil(class, entry.pupil)
  forget(entry)
  show(class, pupil, entry, -1)
  store_pupil(pupil)
  store_class(class)
  entry.held_until = untl
  store_entry(entry)
end

local function first_with(key, prefix)
  return call('ZRANGEBYLEX', key, '[' .. prefix, '[' .. prefix .. '\255', 'LIMIT', 0, 1)[1]
end

-- The band that the next start is from.
local function next_band()
  local interactive, batch, since = get('present:i'), get('present:b'), get('passed_over_since')
  if batch == 0 then return interactive > 0 and 'i' or nil end
  if interactive == 0 or (since > 0 and now - since >= get('aging')) then return 'b' end
  return 'i'
end

-- The next present entry.
local function next_entry()
  local band = next_band()
  if not band then return nil end
  local ready = call('ZRANGE', READY[band], 0, 0)[1]
  local prefix = band .. sub(ready, 17)
  local pupil = sub(first_with(TURNS, prefix), #prefix + 17)
  local entry = first_with(QUEUE, prefix .. pupil)
  return load_entry(sub(entry, #prefix + #pupil + 17))
end

-- Takes the next present entry out, as it starts, and returns its class's name. If others of the pupil wait on, it has a
-- new place.
local function start(entry)
  local class = load_class(entry.band, entry.class)
  local pupil = load_pupil(class, entry.pupil)
  local at, tag = tick(), class.tag
  class.count, pupil.count = class.count - 1, pupil.count - 1
  show(class, pupil, entry, -1)
  pupil.place = at
  class.tag, class.stamp = tag + math.floor(SCALE / class.weight), at
  set('v:' .. class.band, math.max(get('v:' .. class.band), tag))
  store_pupil(pupil)
  store_class(class)
  forget(entry)
  add('version', 1)
  if class.band == 'b' then set('passed_over_since', 0) end
  note_batch()
  return class.name
end

-- Processes and homes.

-- Whether a process takes part: it joined this epoch and was seen a moment ago.
local function takes_part(process)
  local seen = call('ZSCORE', SEEN, process)
  return seen and tonumber(seen) >= now - FRESH and call('HGET', JOINED, process) == number(get('epoch'))
end

-- A home's record: process, epoch, since when its slots may be used, the server on which it ended or a dash, when another
-- process of the same index was seen last.
local function load_home(index)
  local record = call('HGET', HOMES, index)
  if not record then return nil end
  local home = { index = index }
  local from, twin
  home.process, home.epoch, from, home.gone, twin = match(record, '^(%S+) (%d+) (%d+) (%S+) (%d+)$')
  home.from, home.twin = tonumber(from), tonumber(twin)
  return home
end

local function store_home(home)
  call('HSET', HOMES, home.index, table.concat({
    home.process, home.epoch, number(home.from), home.gone, number(home.twin),
  }, ' '))
end

local function home_of(slot) return slot % get('replicas') end

-- The process of a slot's home; none if nobody was there ever.
local function home_process(slot)
  local home = call('HGET', HOMES, home_of(slot))
  return home and match(home, '^%S+')
end

local usable_homes = {}

-- Whether the slots of a home may be given out: it takes part, has ended, or is certainly dead. A call that it began before
-- it died, or while it was cut off, may run for as long as a lease.
local function may_use(index)
  if usable_homes[index] == nil then
    local home, usable = load_home(index), false
    local seen = home and tonumber(call('ZSCORE', SEEN, home.process) or 0) or 0
    if home and home.gone == state.server then
      usable = true
    elseif home and takes_part(home.process) and home.epoch == number(get('epoch')) then
      usable = now >= home.from or get('joined') >= get('replicas')
    else
      usable = now - math.max(seen, get('began')) >= get('lease')
    end
    usable_homes[index] = usable
  end
  return usable_homes[index]
end

-- A free slot that may be used: one of this home's if there is one.
local function free_slot(index)
  if may_use(index) then
    local own = call('ZRANGE', FREE, index, index, 'BYSCORE', 'LIMIT', 0, 1)[1]
    if own then return tonumber(own) end
  end
  local free = call('ZRANGE', FREE, 0, -1, 'WITHSCORES')
  for at = 1, #free, 2 do
    if may_use(tonumber(free[at + 1])) then return tonumber(free[at]) end
  end
end

-- Slots. What runs in one: process, fence, id, since, purpose, class.

local function load_call(slot)
  local record = call('HGET', SLOTS, slot)
  if not record then return nil end
  local running = { slot = slot }
  local since
  running.process, running.fence, running.id, since, running.purpose, running.class =
    match(record, '^(%S+) (%d+) (%S+) (%d+) (%S+) (.*)$')
  running.since = tonumber(since)
  return running
end

-- A number above all earlier ones, even those that were lost with a server.
local function next_fence()
  set('fence', math.max(now, get('fence') + 1))
  return number(get('fence'))
end

-- Gives a slot to a call for as long as a lease, or for what is left of one.
local function occupy(running, left)
  add('changes', 1)
  call('HSET', SLOTS, running.slot, table.concat({
    running.process, running.fence, running.id, number(running.since), running.purpose, running.class,
  }, ' '))
  call('ZADD', LEASES, now + left, running.slot)
  call('ZREM', FREE, format('%04d', running.slot))
  call('HSET', RUNNING, running.id, running.slot)
end

local function free(running)
  add('changes', 1)
  local slot = running.slot
  call('HDEL', SLOTS, slot)
  call('ZREM', LEASES, slot)
  call('HDEL', RUNNING, running.id)
  if slot < get('slots') then call('ZADD', FREE, home_of(slot), format('%04d', slot)) end
  local home = home_process(slot)
  if home and home ~= running.process then tell(home, 'back', slot, running.fence) end
end

-- Gives a free slot to an entry, as a call of this class.
local function give(slot, entry, class)
  local running = { slot = slot, process = entry.process, id = entry.id, since = now, purpose = entry.purpose }
  running.fence, running.class = next_fence(), class
  occupy(running, get('lease'))
  tell(entry.process, 'run', entry.id, slot, running.fence)
  local home = home_process(slot)
  if home and home ~= entry.process then tell(home, 'lent', slot, running.fence, entry.process) end
end

local function index_of(process) return tonumber(match(process, '^%d+')) end

-- Gives the free slots that may be used to those who are next. One whose process is gone is next no more.
local function dispatch()
  local given = 0
  while given < GRANTS and get('present:i') + get('present:b') > 0 and call('ZCARD', FREE) > 0 do
    local entry = next_entry()
    if not takes_part(entry.process) then
      remove(entry)
    else
      local slot = free_slot(index_of(entry.process))
      if not slot then break end
      give(slot, entry, start(entry))
    end
    given = given + 1
  end
end

-- Forgets the entries of a process, some at a time; returns whether there are more.
local function forget_process(process)
  local from = process .. ' '
  local mine = call('ZRANGEBYLEX', MINE, '[' .. from, '[' .. from .. '\255', 'LIMIT', 0, FORGET)
  for _, member in ipairs(mine) do
    local entry = load_entry(sub(member, #from + 1))
    if entry then remove(entry) else call('ZREM', MINE, member) end
  end
  return #mine == FORGET
end

-- Ends what is over: leases, held places, and processes that have been silent.
local function reap()
  for _, slot in ipairs(call('ZRANGE', LEASES, '-inf', '(' .. number(now), 'BYSCORE', 'LIMIT', 0, REAP)) do
    free(load_call(tonumber(slot)))
  end
  for _, id in ipairs(call('ZRANGE', HELD, '-inf', '(' .. number(now), 'BYSCORE', 'LIMIT', 0, REAP)) do
    local entry = load_entry(id)
    tell(entry.process, 'forget', id)
    remove(entry)
  end
end

-- A process that was silent is out, and joins again should it come back. When it was seen last is remembered for as long
-- as its slots may be in use.
local function reap_processes()
  for _, process in ipairs(call('ZRANGE', SEEN, '-inf', '(' .. number(now - FRESH), 'BYSCORE', 'LIMIT', 0, REAP)) do
    call('HDEL', JOINED, process)
    if not forget_process(process) and tonumber(call('ZSCORE', SEEN, process)) < now - FRESH - get('lease') then
      call('ZREM', SEEN, process)
    end
  end
end

-- Learns a service time, as ServiceTimes::record.
local function record(took)
  local count, mean, variance = get('count') + 1, took, took * took / 4
  if count > 1 then
    local alpha, difference = 1 / math.min(count, MEMORY), took - get('mean')
    mean = get('mean') + alpha * difference
    variance = (1 - alpha) * (get('variance') + alpha * difference * difference)
  end
  set('count', count)
  set('mean', format('%.17g', mean))
  set('variance', format('%.17g', variance))
end

-- Epochs.

-- Begins a new epoch if what is kept may not be all the truth.
local function check_epoch()
  local server = match(call('INFO', 'server'), 'run_id:(%x+)')
  local other = state.server ~= server
  if other or math.abs(now - get('touched')) > FRESH then
    set('epoch', math.max(now, get('epoch') + 1))
    set('began', now)
    set('joined', 0)
    set('lost', other and 1 or 0)
    set('server', server)
  end
  set('touched', now)
end

-- Operations.

local operations = {}

-- The slots are numbered anew if there are more or fewer of them.
local function configure(at)
  local before = {}
  for offset, name in ipairs({ 'slots', 'replicas', 'lease', 'aging', 'entries' }) do
    local value = ARGV[at + offset]
    if state[name] and state[name] ~= value then before[#before + 1] = name .. ' ' .. state[name] end
    if state[name] ~= value then set(name, value) end
  end
  if #before > 0 or call('EXISTS', FREE) == 0 then
    call('DEL', FREE)
    for slot = 0, get('slots') - 1 do
      if call('HEXISTS', SLOTS, slot) == 0 then call('ZADD', FREE, home_of(slot), format('%04d', slot)) end
    end
  end
  return before
end

-- What a process tells of a slot: a call of its own, or one of another process in a slot that is its own.
local function claim(slot, fence, since, holder, left, id, purpose, class)
  local running = load_call(slot)
  if running and running.fence == fence then
    if holder == me then call('ZADD', LEASES, now + left, slot) end
    return true
  end
  if holder ~= me and call('HGET', JOINED, holder) == number(get('epoch')) then
    return true -- it has told by itself what it runs
  end
  if running then
    -- Of two, the later one knows that the earlier one has ended.
    if tonumber(fence) <= tonumber(running.fence) then return false end
    free(running)
  end
  set('fence', math.max(get('fence'), tonumber(fence)))
  occupy({ slot = slot, process = holder, fence = fence, id = id, since = since, purpose = purpose, class = class }, left)
  return true
end

function operations.join()
  local index, fresh = tonumber(ARGV[5]), ARGV[15] == '1'
  local before = configure(5)
  if get('count') == 0 then
    local prior = tonumber(ARGV[11])
    set('mean', prior)
    set('variance', format('%.17g', prior * prior / 4))
  end
  if not state.key then set('key', ARGV[12]) end
  set('tick', math.max(get('tick'), tonumber(ARGV[13])))
  set('fence', math.max(get('fence'), tonumber(ARGV[14])))
  local epoch, home = number(get('epoch')), load_home(index)
  if not home or home.epoch ~= epoch then add('joined', 1) end
  local from = 0
  -- Somebody else may run a call in a slot of this home and not have told of it yet; its predecessor would have known.
  if fresh and get('lost') == 1 and get('replicas') > 1 then from = get('began') + FRESH end
  store_home({ index = index, process = me, epoch = epoch, from = from, gone = '-', twin = home and home.twin or 0 })
  call('ZADD', SEEN, now, me)

  local claimed, lost = {}, {}
  for at = 17, 16 + 8 * tonumber(ARGV[16]), 8 do
    local slot, fence, since, holder, left, id, purpose, class = unpack(ARGV, at, at + 7)
    slot = tonumber(slot)
    if claim(slot, fence, tonumber(since), holder, tonumber(left), id, purpose, class) then
      if holder == me then claimed[slot] = true end
    elseif holder == me then
      lost[#lost + 1] = slot
    end
  end
  local slots = call('HKEYS', SLOTS)
  for _, slot in ipairs(slots) do
    local running = load_call(tonumber(slot))
    if running.process == me and not claimed[running.slot] then free(running) end
  end
  local more = forget_process(me)
  call('HSET', JOINED, me, epoch)
  return { more and 1 or 0, lost, state.key, before }
end

function operations.enter()
  for at = 5, #ARGV, 13 do
    local id, band, class, pupil, owner, weight, since, place, arrival, untl, room, purpose, name =
      unpack(ARGV, at, at + 12)
    local entry = {
      id = id, band = band, class = class, pupil = pupil, owner = owner == '' and '-' or owner, purpose = purpose,
      process = me, held_until = tonumber(untl), since = since == '0' and now or tonumber(since),
    }
    local again = place ~= '0'
    local slot = call('HGET', RUNNING, id)
    local spare = not slot and entry.held_until == 0 and get('present:i') + get('present:b') == 0
      and free_slot(index_of(me))
    local older = entry.owner ~= '-' and call('HGET', OWNERS, entry.owner)
    older = older and load_entry(older)
    if slot then
      local running = load_call(tonumber(slot))
      tell(me, 'run', id, running.slot, running.fence)
    elseif spare and call('EXISTS', ENTRIES) == 0 then
      -- Nobody is in line, so there is nothing that the order would have to remember.
      give(spare, entry, name)
    elseif call('HEXISTS', ENTRIES, id) == 1 then
      -- The answer to an earlier call was lost.
      tell_waiting(load_entry(id))
    elseif not spare and (room == '0' or (not older and call('HLEN', ENTRIES) >= get('entries'))) then
      tell(me, 'full', id)
    elseif older and again and entry.held_until > 0 then
      tell(me, 'forget', id)
    elseif older and again and older.held_until == 0 and older.since >= entry.since then
      tell(me, 'superseded', id)
    elseif older and older.band == band then
      take_over(older, entry)
      tell_waiting(entry)
      tell(older.process, older.held_until > 0 and 'forget' or 'superseded', older.id)
    else
      if older then
        remove(older)
        tell(older.process, older.held_until > 0 and 'forget' or 'superseded', older.id)
      end
      local at_place = again and tonumber(place) or tick()
      entry.arrival = again and tonumber(arrival) or at_place
      set('tick', math.max(get('tick'), at_place, entry.arrival))
      insert(entry, tonumber(weight), name, at_place)
      if entry.held_until == 0 then tell_waiting(entry) end
    end
  end
  return call('HLEN', ENTRIES), state.mean
end

function operations.leave()
  for at = 5, #ARGV do
    local id = ARGV[at]
    local slot = call('HGET', RUNNING, id)
    local running = slot and load_call(tonumber(slot))
    local entry = load_entry(id)
    if running and running.process == me then free(running) end
    if entry and entry.process == me and entry.held_until == 0 then remove(entry) end
  end
end

function operations.hold()
  local id, span = ARGV[5], tonumber(ARGV[6])
  local slot, entry = call('HGET', RUNNING, id), load_entry(id)
  if slot then
    tell(me, 'run', id, slot, load_call(tonumber(slot)).fence)
  elseif not entry then
    tell(me, 'forget', id)
  else
    if entry.held_until == 0 then hold(entry, now + span) end
    tell(me, 'held', id, number(entry.held_until))
  end
end

function operations.release()
  local running = load_call(tonumber(ARGV[5]))
  if running and running.fence == ARGV[6] then
    if ARGV[7] ~= '' then record(tonumber(ARGV[7])) end
    free(running)
  end
end

-- The own slots of the process, as they are.
local function own_slots()
  local own, index = {}, index_of(me)
  for slot = index, get('slots') - 1, get('replicas') do
    local running = load_call(slot)
    own[#own + 1] = slot .. ' ' .. (running and running.fence .. ' ' .. running.process or '0 -')
  end
  return own
end

function operations.away()
  call('HDEL', JOINED, me)
  return own_slots()
end

function operations.tick()
  reap_processes()
  local leases, own, index = {}, own_slots(), index_of(me)
  -- What is given out below is told besides, so that nothing is missed.
  for _, slot in ipairs(call('HKEYS', SLOTS)) do
    local running = load_call(tonumber(slot))
    if running.process == me then
      leases[#leases + 1] = slot .. ' ' .. running.fence .. ' ' .. running.id
      call('ZADD', LEASES, now + get('lease'), slot)
    end
  end
  local home, twin = load_home(index), 0
  if home and home.process ~= me then
    if takes_part(home.process) then
      home.twin, twin = now, 1
    else
      if home.epoch ~= number(get('epoch')) then add('joined', 1) end
      home.process, home.epoch = me, number(get('epoch'))
    end
    store_home(home)
  elseif home and home.twin >= now - FRESH then
    twin = 1
  end
  local ids = false
  local from = me .. ' '
  if call('ZLEXCOUNT', MINE, '[' .. from, '[' .. from .. '\255') ~= tonumber(ARGV[5]) then
    ids = call('ZRANGEBYLEX', MINE, '[' .. from, '[' .. from .. '\255')
    for at, member in ipairs(ids) do ids[at] = sub(member, #from + 1) end
  end
  return leases, own, ids, twin
end

function operations.view()
  local usable, free = {}, call('ZRANGE', FREE, 0, -1, 'WITHSCORES')
  for at = 1, #free, 2 do
    if may_use(tonumber(free[at + 1])) then usable[#usable + 1] = free[at] end
  end
  return kept, call('HGETALL', CLASSES), call('HGETALL', PUPILS), call('HGETALL', ENTRIES), call('HGETALL', SLOTS), usable
end

function operations.gone()
  for _, slot in ipairs(call('HKEYS', SLOTS)) do
    local running = load_call(tonumber(slot))
    if running.process == me then free(running) end
  end
  local more = forget_process(me)
  local home = load_home(index_of(me))
  if not more and home and home.process == me then
    home.gone = state.server
    store_home(home)
    call('HDEL', JOINED, me)
    call('ZREM', SEEN, me)
  end
  return more and 1 or 0
end

local what, not_after = ARGV[1], tonumber(ARGV[4])
if not_after > 0 and now > not_after then return answer('late') end
if what == 'hello' then return answer('ok') end
check_epoch()
if what ~= 'join' and (ARGV[3] ~= number(get('epoch')) or call('HGET', JOINED, me) ~= ARGV[3]) then
  save()
  return answer('join')
end
call('ZADD', SEEN, now, me)
reap()
local returned = { operations[what]() }
note_batch()
dispatch()
note_batch()
save()
return answer('ok', unpack(returned))
