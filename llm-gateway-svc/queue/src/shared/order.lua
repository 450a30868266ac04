-- The order: classes, students and entries, and who is next. As in order/, under the same names.

-- Keeps account of since when the batch band is passed over.
local function note_batch()
  if get('present:b') == 0 then
    if get('passed_over_since') ~= 0 then set('passed_over_since', 0) end
  elseif get('passed_over_since') == 0 then
    set('passed_over_since', now)
  end
end

-- Classes. A record: tag, stamp, weight, entries, those present, name.

local function load_class(band, hash)
  local record = call('HGET', CLASSES, band .. hash)
  if not record then return nil end
  local class = { band = band, hash = hash }
  local tag, stamp, weight, count, present, name = match(record, '^(%d+) (%d+) (%d+) (%d+) (%d+) (.*)$')
  class.tag, class.stamp, class.weight = tonumber(tag), tonumber(stamp), tonumber(weight)
  class.count, class.present, class.name = tonumber(count), tonumber(present), name
  if class.present > 0 then class.ready = format(PADDED, class.stamp) .. hash end
  class.ready_tag = class.tag
  return class
end

-- Brings a class into the queue.
local function open_class(band, hash, name, stamp)
  local finished = call('ZSCORE', FINISHED[band], hash)
  if finished then call('ZREM', FINISHED[band], hash) end
  add('classes:' .. band, 1)
  return {
    band = band, hash = hash, name = name, weight = 1, stamp = stamp, count = 0, present = 0,
    tag = math.max(tonumber(finished or 0), get('v:' .. band)),
  }
end

-- Takes a class out of the queue; a band with nobody left forgets everything.
local function close_class(class)
  local band = class.band
  call('HDEL', CLASSES, band .. class.hash)
  add('classes:' .. band, -1)
  if get('classes:' .. band) == 0 then
    set('v:' .. band, 0)
    call('ZREMRANGEBYSCORE', FINISHED[band], '-inf', '(inf')
  else
    call('ZREMRANGEBYSCORE', FINISHED[band], '-inf', get('v:' .. band))
    if class.tag > get('v:' .. band) then call('ZADD', FINISHED[band], class.tag, class.hash) end
  end
end

local function store_class(class)
  local ready = class.present > 0 and format(PADDED, class.stamp) .. class.hash or nil
  if class.ready and class.ready ~= ready then call('ZREM', READY[class.band], class.ready) end
  if ready and (class.ready ~= ready or class.ready_tag ~= class.tag) then
    call('ZADD', READY[class.band], class.tag, ready)
  end
  if class.count == 0 then return close_class(class) end
  call('HSET', CLASSES, class.band .. class.hash, table.concat({
    number(class.tag), number(class.stamp), class.weight, class.count, class.present, class.name,
  }, ' '))
end

-- Students of a class. A record: place, entries, those present.

local function load_student(class, hash)
  local record = call('HGET', STUDENTS, class.band .. class.hash .. hash)
  if not record then return nil end
  local place, count, present = match(record, '^(%d+) (%d+) (%d+)$')
  local student = { class = class, hash = hash, place = tonumber(place) }
  student.count, student.present = tonumber(count), tonumber(present)
  if student.present > 0 then student.rotation = class.band .. class.hash .. format(PADDED, student.place) .. hash end
  return student
end

local function store_student(student)
  local class, hash = student.class, student.hash
  local rotation = student.present > 0 and class.band .. class.hash .. format(PADDED, student.place) .. hash or nil
  if student.rotation and student.rotation ~= rotation then call('ZREM', ROTATION, student.rotation) end
  if rotation and student.rotation ~= rotation then call('ZADD', ROTATION, 0, rotation) end
  if student.count == 0 then
    call('HDEL', STUDENTS, class.band .. class.hash .. hash)
  else
    call('HSET', STUDENTS, class.band .. class.hash .. hash,
      number(student.place) .. ' ' .. student.count .. ' ' .. student.present)
  end
end

-- Entries. A record: band, class hash, student hash, owner hash or a dash, arrival, since, until, process, purpose.

local function load_entry(id)
  local record = call('HGET', ENTRIES, id)
  if not record then return nil end
  local entry = { id = id }
  local arrival, since, untl
  entry.band, entry.class, entry.student, entry.owner, arrival, since, untl, entry.process, entry.purpose =
    match(record, '^(%S+) (%S+) (%S+) (%S+) (%d+) (%d+) (%d+) (%S+) (%S+)$')
  entry.arrival, entry.since, entry.held_until = tonumber(arrival), tonumber(since), tonumber(untl)
  return entry
end

-- Writes an entry down, under its own name, its owner's and its process's.
local function store_entry(entry)
  add('changes', 1)
  call('HSET', ENTRIES, entry.id, table.concat({
    entry.band, entry.class, entry.student, entry.owner, number(entry.arrival), number(entry.since),
    number(entry.held_until), entry.process, entry.purpose,
  }, ' '))
  if entry.owner ~= '-' then call('HSET', OWNERS, entry.owner, entry.id) end
  if entry.held_until > 0 then
    call('ZADD', HELD, entry.held_until, entry.id)
  else
    call('ZADD', BY_PROCESS, 0, entry.process .. ' ' .. entry.id)
  end
end

-- How many entries there are.
local function entries() return call('HLEN', ENTRIES) - 1 end

local function forget(entry)
  add('changes', 1)
  call('HDEL', ENTRIES, entry.id)
  if entry.owner ~= '-' and call('HGET', OWNERS, entry.owner) == entry.id then call('HDEL', OWNERS, entry.owner) end
  if entry.held_until > 0 then
    call('ZREM', HELD, entry.id)
  else
    call('ZREM', BY_PROCESS, entry.process .. ' ' .. entry.id)
  end
end

local function notify_waiting(entry)
  local place = match(call('HGET', STUDENTS, entry.band .. entry.class .. entry.student), '^%d+')
  notify(me, 'waiting', entry.id, place, number(entry.arrival))
end

-- Counts an entry among those present (1) or not any more (-1).
local function show(class, student, entry, by)
  local member = class.band .. class.hash .. student.hash .. format(PADDED, entry.arrival) .. entry.id
  if by > 0 then call('ZADD', ARRIVALS, 0, member) else call('ZREM', ARRIVALS, member) end
  class.present, student.present = class.present + by, student.present + by
  add('present:' .. class.band, by)
end

-- Adds an entry. Its student keeps its place, unless the given one is earlier.
local function insert(entry, weight, name, place)
  local class = load_class(entry.band, entry.class) or open_class(entry.band, entry.class, name, place)
  local student = load_student(class, entry.student) or { class = class, hash = entry.student, place = place, count = 0, present = 0 }
  class.weight = weight
  student.place = math.min(student.place, place)
  class.count, student.count = class.count + 1, student.count + 1
  if entry.held_until == 0 then show(class, student, entry, 1) end
  store_student(student)
  store_class(class)
  store_entry(entry)
end

-- Takes an entry out.
local function remove(entry)
  local class = load_class(entry.band, entry.class)
  local student = load_student(class, entry.student)
  class.count, student.count = class.count - 1, student.count - 1
  if entry.held_until == 0 then show(class, student, entry, -1) end
  store_student(student)
  store_class(class)
  forget(entry)
  add('version', 1)
end

-- Puts a present entry in the place of another of the same owner and band.
local function take_over(older, newer)
  local class = load_class(older.band, older.class)
  local student = load_student(class, older.student)
  newer.class, newer.student, newer.arrival = older.class, older.student, older.arrival
  forget(older)
  if older.held_until == 0 then show(class, student, older, -1) end
  show(class, student, newer, 1)
  store_student(student)
  store_class(class)
  store_entry(newer)
end

-- Makes a present entry absent, with its place held until then.
local function hold(entry, untl)
  local class = load_class(entry.band, entry.class)
  local student = load_student(class, entry.student)
  forget(entry)
  show(class, student, entry, -1)
  store_student(student)
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
  local student = sub(first_with(ROTATION, prefix), #prefix + 17)
  local entry = first_with(ARRIVALS, prefix .. student)
  return load_entry(sub(entry, #prefix + #student + 17))
end

-- Takes the next present entry out, as it starts, and returns its class's name. If others of the student wait on, it has a
-- new place.
local function start(entry)
  local class = load_class(entry.band, entry.class)
  local student = load_student(class, entry.student)
  local at, tag = tick(), class.tag
  class.count, student.count = class.count - 1, student.count - 1
  show(class, student, entry, -1)
  student.place = at
  class.tag, class.stamp = tag + math.floor(SCALE / class.weight), at
  set('v:' .. class.band, math.max(get('v:' .. class.band), tag))
  store_student(student)
  store_class(class)
  forget(entry)
  add('version', 1)
  if class.band == 'b' then set('passed_over_since', 0) end
  note_batch()
  return class.name
end
