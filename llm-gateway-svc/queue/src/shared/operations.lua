-- What a process can ask for.

-- Epochs.

-- Begins a new epoch if what is kept may not be all the truth.
local function check_epoch()
  local server = match(call('INFO', 'server'), 'run_id:(%x+)')
  local other = state.server ~= server
  if other or math.abs(now - get('touched')) > HEARTBEAT_TIMEOUT then
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
  local before, renumbered = {}, call('ZCARD', FREE) == 1
  for offset, name in ipairs({ 'slots', 'replicas', 'lease', 'aging', 'entries' }) do
    local value = ARGV[at + offset]
    if name == 'replicas' and value == '0' then value = state[name] or value end
    if state[name] ~= value then
      renumbered = true
      -- Of leased indexes there may be more or fewer at any time.
      local is_set = name ~= 'replicas' or not is_leased(me)
      if state[name] and is_set then before[#before + 1] = name .. ' ' .. state[name] end
      set(name, value)
    end
  end
  if renumbered then
    call('ZREMRANGEBYSCORE', FREE, '-inf', '(inf')
    for slot = 0, get('slots') - 1 do
      if call('HEXISTS', SLOTS, slot) == 0 then call('ZADD', FREE, home_of(slot), format('%04d', slot)) end
    end
  end
  return before
end

-- What a process tells of a slot: a call of its own, or one of another process in a slot that is its own.
local function claim(slot, fence, since, holder, left, id, purpose, class)
  local running = load_call(slot)
  local claimed = { slot = slot, process = holder, fence = fence, id = id, since = since, purpose = purpose, class = class }
  if running and running.fence == fence then
    if holder == me then
      -- Its home may have claimed it before, and knows less.
      call('HDEL', RUNNING, running.id)
      occupy(claimed, left)
    end
    return true
  end
  if holder ~= me and call('HGET', JOINED, holder) == number(get('epoch')) then
    return true -- it has claimed what it runs by itself
  end
  if running then
    -- Of two, the later one knows that the earlier one has ended.
    if tonumber(fence) <= tonumber(running.fence) then return false end
    free(running)
  end
  set('fence', math.max(get('fence'), tonumber(fence)))
  occupy(claimed, left)
  return true
end

function operations.join()
  local index, fresh = tonumber(ARGV[5]), ARGV[15] == '1'
  plant()
  local before = configure(5)
  if get('count') == 0 then
    local prior = tonumber(ARGV[11])
    set('mean', prior)
    set('variance', format('%.17g', (PRIOR_VARIATION * prior) ^ 2))
  end
  if not state.key then set('key', ARGV[12]) end
  set('tick', math.max(get('tick'), tonumber(ARGV[13])))
  set('fence', math.max(get('fence'), tonumber(ARGV[14])))
  call('HSET', INDEXES, me, ARGV[5])
  local epoch, home = number(get('epoch')), index and load_home(index)
  local stranger = home and not is_leased(me) and is_other(home)
  -- Somebody else may run a call in a slot of this home and not have claimed it yet; its predecessor would have known.
  local from = fresh and get('lost') == 1 and get('replicas') > 1 and get('began') + HEARTBEAT_TIMEOUT or 0
  if stranger then
    home.duplicate = now
    store_home(home)
  elseif index then
    if (not home or home.epoch ~= epoch) and index < get('replicas') then add('joined', 1) end
    local duplicate = home and home.duplicate or 0
    store_home({ index = index, process = me, epoch = epoch, from = from, gone = '-', duplicate = duplicate })
  end
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
  for _, slot in ipairs(taken_slots()) do
    local running = load_call(slot)
    if running.process == me and not claimed[running.slot] then free(running) end
  end
  local more = forget_process(me)
  call('HSET', JOINED, me, epoch)
  i_take_part = true
  return more and 1 or 0, lost, state.key, before, stranger and 1 or 0
end

function operations.enter()
  for at = 5, #ARGV, 13 do
    local id, band, class, student, owner, weight, since, place, arrival, untl, room, purpose, name =
      unpack(ARGV, at, at + 12)
    local entry = {
      id = id, band = band, class = class, student = student, owner = owner == '' and '-' or owner, purpose = purpose,
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
      notify(me, 'run', id, running.slot, running.fence)
    elseif spare and entries() == 0 then
      -- Nobody is in the queue, so there is nothing that the order would have to remember.
      give(spare, entry, name)
    elseif call('HEXISTS', ENTRIES, id) == 1 then
      -- The answer to an earlier call was lost.
      notify_waiting(load_entry(id))
    elseif not spare and (room == '0' or (not older and entries() >= get('entries'))) then
      notify(me, 'full', id, entries())
    elseif older and again and entry.held_until > 0 then
      notify(me, 'forget', id)
    elseif older and again and older.held_until == 0 and older.since >= entry.since then
      notify(me, 'superseded', id)
    elseif older and older.band == band then
      take_over(older, entry)
      notify_waiting(entry)
      notify(older.process, older.held_until > 0 and 'forget' or 'superseded', older.id)
    else
      if older then
        remove(older)
        notify(older.process, older.held_until > 0 and 'forget' or 'superseded', older.id)
      end
      local at_place = again and tonumber(place) or tick()
      entry.arrival = again and tonumber(arrival) or at_place
      set('tick', math.max(get('tick'), at_place, entry.arrival))
      insert(entry, tonumber(weight), name, at_place)
      if entry.held_until == 0 then notify_waiting(entry) end
    end
  end
  return entries(), state.mean
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
    notify(me, 'run', id, slot, load_call(tonumber(slot)).fence)
  elseif not entry then
    notify(me, 'forget', id)
  else
    if entry.held_until == 0 then hold(entry, now + span) end
    notify(me, 'held', id, number(entry.held_until))
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
  local home = index and load_home(index)
  if not home or home.process ~= me then return own end
  for slot = index, get('slots') - 1, get('replicas') do
    local running = load_call(slot)
    own[#own + 1] = slot .. ' ' .. (running and running.fence .. ' ' .. running.process or '0 -')
  end
  return own
end

function operations.detach()
  call('HDEL', JOINED, me)
  i_take_part = false
  return own_slots()
end

function operations.heartbeat()
  reap_processes()
  local leases, own, index = {}, own_slots(), index_of(me)
  -- What is given out below is in the notices besides, so that nothing is missed.
  for _, slot in ipairs(taken_slots()) do
    local running = load_call(slot)
    if running.process == me then
      leases[#leases + 1] = slot .. ' ' .. running.fence .. ' ' .. running.id
      call('ZADD', LEASES, now + get('lease'), slot)
    end
  end
  local home, duplicate = index and load_home(index), 0
  if home and home.process ~= me then
    if is_other(home) then
      home.duplicate, duplicate = now, 2
    else
      if home.epoch ~= number(get('epoch')) and home.index < get('replicas') then add('joined', 1) end
      home.process, home.epoch, home.gone = me, number(get('epoch')), '-'
    end
    store_home(home)
  elseif home and home.duplicate >= now - HEARTBEAT_TIMEOUT then
    duplicate = 1
  end
  local ids = false
  local from = me .. ' '
  if call('ZLEXCOUNT', BY_PROCESS, '[' .. from, '[' .. from .. '\255') ~= tonumber(ARGV[5]) then
    ids = call('ZRANGEBYLEX', BY_PROCESS, '[' .. from, '[' .. from .. '\255')
    for at, member in ipairs(ids) do ids[at] = sub(member, #from + 1) end
  end
  return leases, own, ids, duplicate
end

function operations.snapshot()
  local usable, free = {}, call('ZRANGE', FREE, '-inf', '(inf', 'BYSCORE', 'WITHSCORES')
  for at = 1, #free, 2 do
    if may_use(tonumber(free[at + 1])) then usable[#usable + 1] = free[at] end
  end
  return kept, call('HGETALL', CLASSES), call('HGETALL', STUDENTS), call('HGETALL', ENTRIES), call('HGETALL', SLOTS), usable
end

function operations.shut_down()
  for _, slot in ipairs(taken_slots()) do
    local running = load_call(slot)
    if running.process == me then free(running) end
  end
  local more = forget_process(me)
  if not more then
    local index = index_of(me)
    local home = index and load_home(index)
    if home and home.process == me then
      home.gone = state.server
      store_home(home)
    end
    call('HDEL', JOINED, me)
    call('HDEL', INDEXES, me)
    call('ZREM', SEEN, me)
    i_take_part = false
  end
  return more and 1 or 0
end

local what, not_after = ARGV[1], tonumber(ARGV[4])
if not_after > 0 and now > not_after then return answer('late') end
if what == 'time' then return answer('ok') end
check_epoch()
if what ~= 'join' and (ARGV[3] ~= number(get('epoch')) or call('HGET', JOINED, me) ~= ARGV[3]) then
  save()
  return answer('join')
end
call('ZADD', SEEN, now, me)
i_take_part = what ~= 'join'
reap()
local returned = { operations[what]() }
note_batch()
dispatch()
note_batch()
save()
return answer('ok', unpack(returned))
