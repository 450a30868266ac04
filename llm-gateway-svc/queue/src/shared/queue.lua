-- The queue that replicas share: who has a slot, who is next, and whose slots may be given out. What is not about several
-- processes is as in order/, under the same names. The script is this file and, after it, order.lua, slots.lua and
-- operations.lua.
--
-- KEYS  the records, in the order of KEYS in script.rs. Each has the queue's name in braces, so a cluster keeps them on one
--       node. The script touches no other key, and none ends to exist once there is one (`plant`): so while a cluster moves
--       their slot, it either has all of them or says that it does not, and nobody begins an empty queue beside them.
-- ARGV  1 the operation
--       2 the process that asks: its replica's index, or a number from 1024 on if that is leased; a dot; a name of its own
--       3 the epoch that it has joined; 0 for none
--       4 a deadline: later nothing is to be done any more, as the process has given up by then; 0 for none
--       5... the arguments
-- Times are those of Redis' clock, in microseconds; so are spans.
--
-- Returns  {status, now, epoch, version, changes, {notices...}, what the operation returns...}. Status:
--            ok    it is done
--            join  nothing is done: the process has not joined this epoch
--            late  nothing is done: the deadline is over
--          The version rises whenever somebody starts or leaves; `changes` whenever anything does.
--
-- Notices to a process: in the reply to the one that asks, on the channel QUEUE:PROCESS to others. The last word is the
-- time. `lent` goes to the channel in any case: a reply may be lost together with the connection, and a home that does not
-- know whom its slot is lent to would use it by itself.
--   run ID SLOT FENCE NOW            the entry has this slot
--   waiting ID PLACE ARRIVAL NOW     the entry is in the queue
--   superseded ID NOW                another request has taken over the entry's place
--   full ID QUEUED NOW               there is no room for the entry, as so many are in the queue
--   forget ID NOW                    the entry is not in the queue (any more), nor is its place held
--   held ID UNTIL NOW                the entry is absent, and its place is held until then
--   lent SLOT FENCE PROCESS NOW      to the slot's home: another process has it
--   back SLOT FENCE NOW              to the slot's home: it is free again
--
-- Operations
--   join   index or nothing, slots, replicas (0: as they are), lease, aging, entries, service time, ticket key, tick, fence, new, n; then n times
--          slot, fence, since, holder, what is left of its lease, id, purpose, class.
--          The process begins to take part, or again after an epoch ended. It tells which calls it runs, and what it knows
--          of others' calls in its own slots. `new`: 1 if it has never joined before. What it had in the queue is forgotten.
--          Returns {whether there is more to forget: then it is called again, slots that it lost..., ticket key, settings
--          that were other ones before, whether another process that takes part has the index: then the slots are that one's}
--   enter  n times: id, band (i or b), class hash, student hash, owner hash or nothing, weight, since (0: now), place and
--          arrival (0: new ones), until (0: present; else its place is held), room (0: only if it starts at once), purpose,
--          class. With a place it has been in the queue before.
--          Hashes have 22 signs (name_hashes.rs). An entry that is known already stays what it is.
--          Returns {how many are in the queue, the mean service time}
--   leave  ids. Those that run by now are released.
--   hold   id, span: the entry becomes absent, and its place is held so long
--   release slot, fence, service time or nothing
--   heartbeat  how many entries the process has in the queue. Its leases are renewed.
--          Returns {leases of the process: slot, fence, id..., own slots: slot, fence, holder (0 and nothing if free)...,
--          the ids that it has in the queue if it has not so many, or nil, 1 if another process has the same index, 2 if
--          that one also has the slots}
--   snapshot  Returns {state, classes, students, entries, slots: what is kept, as it is kept; the free slots that may be
--          used}
--   detach the process takes no part from now on, as it hears nothing of its slots any more
--          Returns {own slots, as above}
--   time   asks for nothing but the time
--   shut_down  the process ends, and none of its calls runs any more
--
-- A slot is only given out if its home, the replica whose index is the slot's number modulo the replicas, takes part or is
-- certainly dead. For a home that is detached uses its own slots by itself, and nobody here knows of those calls.
--
-- An epoch ends when this may not be all the truth: on another server (which may lack the last writes, as may the same one
-- that was started again), or if nobody has asked for anything for a while, so that all are detached. Then everybody joins
-- again and tells what it knows.

local call, sub, match, format = redis.call, string.sub, string.match, string.format

-- Whoever has been silent for longer does not take part. Processes send a heartbeat every second at least.
local HEARTBEAT_TIMEOUT = 3000000
-- What a call adds to the tag of a class of weight 1.
local SCALE = 1000000
-- How many calls the mean service time remembers.
local MEMORY = 32
-- How much a service time is assumed to vary, as a part of the mean, before anything is known of that.
local PRIOR_VARIATION = 0.15
-- How many entries of a dead process are forgotten in one call, how many leases and held places end in one, and
-- how many slots are given out.
local FORGET_MAX, REAP_MAX, GRANTS_MAX = 500, 64, 64
-- A number that is sorted as text.
local PADDED = '%016.0f'

local me = ARGV[2]
local STATE, CLASSES, STUDENTS, ENTRIES = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
-- An owner's entry; a process's present entries; the held ones by their end.
local OWNERS, BY_PROCESS, HELD = KEYS[5], KEYS[6], KEYS[7]
-- Students with somebody present, by class and place; present entries by student and arrival.
local ROTATION, ARRIVALS = KEYS[8], KEYS[9]
-- Classes with somebody present by their tags; tags of classes with nobody in the queue.
local READY = { i = KEYS[10], b = KEYS[11] }
local FINISHED = { i = KEYS[12], b = KEYS[13] }
-- What runs in a slot, when its lease ends, which slot an entry has, and the free slots by their homes.
local SLOTS, LEASES, RUNNING, FREE = KEYS[14], KEYS[15], KEYS[16], KEYS[17]
-- A process's epoch and when it was seen last; the process of an index.
local JOINED, SEEN, HOMES = KEYS[18], KEYS[19], KEYS[20]
-- The index with which a process joined; empty: it has none, and no slot is its own.
local INDEXES = KEYS[21]

-- Redis removes a key whose last field is removed. So each has a field with no name, or a member with none, that is never
-- removed: after all others where they are sorted by scores, before all others where they are sorted as text.
local function plant()
  for _, key in ipairs({ CLASSES, STUDENTS, ENTRIES, OWNERS, SLOTS, RUNNING, JOINED, HOMES, INDEXES }) do call('HSET', key, '', '') end
  for _, key in ipairs({ BY_PROCESS, ROTATION, ARRIVALS }) do call('ZADD', key, 0, '') end
  for _, key in ipairs({ HELD, READY.i, READY.b, FINISHED.i, FINISHED.b, LEASES, FREE, SEEN }) do
    call('ZADD', key, 'inf', '')
  end
end

local clock = call('TIME')
local now = clock[1] * 1000000 + clock[2]
local now_text = format('%.0f', now)

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

local notices = {}

local function notify(process, ...)
  local words = table.concat({ ... }, ' ') .. ' ' .. now_text
  if process == me then notices[#notices + 1] = words end
  if process ~= me or ... == 'lent' then call('PUBLISH', sub(STATE, 1, -#'state' - 1) .. process, words) end
end

local function number(value) return format('%.0f', value) end

local function answer(status, ...) return { status, now, number(get('epoch')), get('version'), get('changes'), notices, ... } end

local function tick()
  set('tick', math.max(now, get('tick') + 1))
  return get('tick')
end
