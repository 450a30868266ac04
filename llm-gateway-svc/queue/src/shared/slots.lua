-- Processes, homes and slots: which slots may be given out, and who has them.

-- Processes and homes.

-- Whether the process that asks takes part, which is known.
local i_take_part = false

-- Whether a process takes part: it joined this epoch and was seen a moment ago.
local function takes_part(process)
  if process == me then return i_take_part end
  local seen = call('ZSCORE', SEEN, process)
  return seen and tonumber(seen) >= now - HEARTBEAT_TIMEOUT and call('HGET', JOINED, process) == number(get('epoch'))
end

-- A home's record: process, epoch, since when its slots may be used, the server on which it ended or a dash, when another
-- process of the same index was seen last.
local function load_home(index)
  local record = call('HGET', HOMES, index)
  if not record then return nil end
  local home = { index = index }
  local from, duplicate
  home.process, home.epoch, from, home.gone, duplicate = match(record, '^(%S+) (%d+) (%d+) (%S+) (%d+)$')
  home.from, home.duplicate = tonumber(from), tonumber(duplicate)
  return home
end

local function store_home(home)
  call('HSET', HOMES, home.index, table.concat({
    home.process, home.epoch, number(home.from), home.gone, number(home.duplicate),
  }, ' '))
end

-- Without replicas that have indexes there is one home, which nobody has.
local function home_of(slot)
  local replicas = get('replicas')
  return replicas > 0 and slot % replicas or 0
end

-- The index of a process; nil: no slot is its own. One of an earlier release says it with its name.
local function index_of(process)
  return tonumber(call('HGET', INDEXES, process) or match(process, '^%d+'))
end

-- Whether the index of a process is leased. Then no other one has it; a home's record that says so is an earlier one.
local function is_leased(process) return tonumber(match(process, '^%d+')) > 1023 end

-- Whether a home's process is another one that takes part, with the same index.
local function is_other(home)
  return home.process ~= me and takes_part(home.process) and index_of(home.process) == home.index
end

-- The process of a slot's home; none if nobody was there ever.
local function home_process(slot)
  local home = call('HGET', HOMES, home_of(slot))
  return home and match(home, '^%S+')
end

local usable_homes = {}

-- Whether the slots of a home may be given out: it takes part, has ended, or is certainly dead. A call that it began before
-- it died, or while it was detached, may run for as long as a lease.
local function may_use(index)
  if usable_homes[index] == nil then
    local home, usable = load_home(index), false
    if get('replicas') == 0 or home and home.gone ~= '-' and home.gone ~= state.server then
      -- Who has it is back soon after Redis lost something, or nobody has.
      usable = now - get('began') >= HEARTBEAT_TIMEOUT
    elseif home and home.gone == state.server then
      usable = true
    elseif home and takes_part(home.process) and home.epoch == number(get('epoch')) then
      usable = now >= home.from or get('joined') >= get('replicas')
    else
      local seen = home and tonumber(call('ZSCORE', SEEN, home.process) or 0) or 0
      usable = now - math.max(seen, get('began')) >= get('lease')
    end
    usable_homes[index] = usable
  end
  return usable_homes[index]
end

-- A free slot that may be used: one of this home's if there is one.
local function free_slot(index)
  if index and may_use(index) then
    local own = call('ZRANGE', FREE, index, index, 'BYSCORE', 'LIMIT', 0, 1)[1]
    if own then return tonumber(own) end
  end
  local beyond = '-inf'
  while true do
    local slot, home = unpack(call('ZRANGE', FREE, beyond, '(inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES'))
    if not slot then return nil end
    if may_use(tonumber(home)) then return tonumber(slot) end
    beyond = '(' .. home
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

-- The slots in which something runs.
local function taken_slots()
  local slots = {}
  for _, slot in ipairs(call('HKEYS', SLOTS)) do
    if slot ~= '' then slots[#slots + 1] = tonumber(slot) end
  end
  return slots
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
  if home and home ~= running.process then notify(home, 'back', slot, running.fence) end
end

-- Gives a free slot to an entry, as a call of this class.
local function give(slot, entry, class)
  local running = { slot = slot, process = entry.process, id = entry.id, since = now, purpose = entry.purpose }
  running.fence, running.class = next_fence(), class
  occupy(running, get('lease'))
  notify(entry.process, 'run', entry.id, slot, running.fence)
  local home = home_process(slot)
  if home and home ~= entry.process then notify(home, 'lent', slot, running.fence, entry.process) end
end

-- Gives the free slots that may be used to those who are next. One whose process is gone is next no more.
local function dispatch()
  local given = 0
  while given < GRANTS_MAX and get('present:i') + get('present:b') > 0 and call('ZCARD', FREE) > 1 do
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
  local mine = call('ZRANGEBYLEX', BY_PROCESS, '[' .. from, '[' .. from .. '\255', 'LIMIT', 0, FORGET_MAX)
  for _, member in ipairs(mine) do
    local entry = load_entry(sub(member, #from + 1))
    if entry then remove(entry) else call('ZREM', BY_PROCESS, member) end
  end
  return #mine == FORGET_MAX
end

-- Ends what is over: leases, held places, and processes that have been silent.
local function reap()
  for _, slot in ipairs(call('ZRANGE', LEASES, '-inf', '(' .. now_text, 'BYSCORE', 'LIMIT', 0, REAP_MAX)) do
    free(load_call(tonumber(slot)))
  end
  for _, id in ipairs(call('ZRANGE', HELD, '-inf', '(' .. now_text, 'BYSCORE', 'LIMIT', 0, REAP_MAX)) do
    local entry = load_entry(id)
    notify(entry.process, 'forget', id)
    remove(entry)
  end
end

-- A process that was silent takes no part any more, and joins again should it return. When it was seen last is remembered for as long
-- as its slots may be in use.
local function reap_processes()
  for _, process in ipairs(call('ZRANGE', SEEN, '-inf', '(' .. number(now - HEARTBEAT_TIMEOUT), 'BYSCORE', 'LIMIT', 0, REAP_MAX)) do
    call('HDEL', JOINED, process)
    if not forget_process(process) and tonumber(call('ZSCORE', SEEN, process)) < now - HEARTBEAT_TIMEOUT - get('lease') then
      call('ZREM', SEEN, process)
      call('HDEL', INDEXES, process)
    end
  end
end

-- Learns a service time, as ServiceTimes::record.
local function record(took)
  local count, mean, variance = get('count') + 1, took, (PRIOR_VARIATION * took) ^ 2
  if count > 1 then
    local alpha, difference = 1 / math.min(count, MEMORY), took - get('mean')
    mean = get('mean') + alpha * difference
    variance = (1 - alpha) * (get('variance') + alpha * difference * difference)
  end
  set('count', count)
  set('mean', format('%.17g', mean))
  set('variance', format('%.17g', variance))
end
