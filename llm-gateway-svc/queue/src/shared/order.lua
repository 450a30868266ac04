-- The order: classes, pupils and entries, and who is next. As in order/, under the same names.

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
