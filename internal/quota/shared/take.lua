-- Counts a request against what a key and its owner have spent, as quota.Pair does,
-- by the server's clock.
--
-- KEYS: the state of the key, and that of its owner if it has one. With ARGV 2 also,
--       for each of them, the number of the last batch that the node has added to it.
-- ARGV: 1: the limits of the key by minute and day, and those of its owner, then the
--         place of the charge, 8 bytes, and its number there. '': nothing is charged.
--       2 to 8, if the node knows what the server may not: whether states that are
--         missing may be made ('' or 'make'), then for key and owner a state that its own is
--         raised to, a batch that is added, and the number of the batch ('': none).
-- Returns the server's minute and the milliseconds in it, followed by the states before
-- the request unless one is missing. All numbers have four bytes, big-endian.
--
-- Behind its state a key has the places of its last charges, the newest first, each with the
-- number that was charged there last. A place has one charge at a time, and its numbers
-- rise: a charge that is sent again is found there, and so is one that arrives long after
-- it was sent again.
local call, pack, unpack, floor = redis.call, struct.pack, struct.unpack, math.floor
local find, sub = string.find, string.sub
local time = call('TIME')
local minute = floor(time[1] / 60)

-- at returns a state as of now, as Spent.At does, and its minute before that.
local function at(state)
  local m, in_minute, in_day = unpack('>I4I4I4', state)
  if m == minute then return m, in_minute, in_day, m end
  local ahead = m - minute
  if ahead > 0 and ahead <= 2 then return m, in_minute, in_day, m end
  if ahead > 0 and ahead <= 1440 or floor(m / 1440) == floor(minute / 1440) then
    return minute, 0, in_day, m
  end
  return minute, 0, 0, m
end

-- save stores a state and the places behind it instead of one of the minute before; nil:
-- there was none. A key lives for two days after the day's first request: it is still
-- there when the next day begins. Then most places are forgotten: those of processes that
-- have ended are among them.
local function save(key, m, in_minute, in_day, before, places)
  local state = pack('>I4I4I4', m, in_minute, in_day) .. places
  if m == before or before and floor(m / 1440) == floor(before / 1440) then
    call('SETRANGE', key, 0, state)
  else
    state = sub(state, 1, 12 + 8 * 12)
    call('SET', key, state, 'EX', 172800)
  end
  return state
end

local states = ARGV[2] and #KEYS / 2 or #KEYS
local key, owner = call('GET', KEYS[1])
if states == 2 then owner = call('GET', KEYS[2]) end

if ARGV[2] and (ARGV[2] ~= '' or key and owner ~= false) then
  -- join returns the later of two states, as Spent.Max and Spent.Add do.
  local function join(counts, m, in_minute, in_day, other)
    local om, o_minute, o_day = at(other)
    if m < om then
      m, in_minute, in_day, om, o_minute, o_day = om, o_minute, o_day, m, in_minute, in_day
    end
    if m == om then in_minute = counts(in_minute, o_minute) end
    if floor(m / 1440) == floor(om / 1440) then in_day = counts(in_day, o_day) end
    return m, in_minute, in_day
  end

  local function sum(a, b) return math.min(a + b, 4294967295) end

  -- learn joins a state with what the node knows, and returns it. It writes even what it
  -- does not change: a server that cannot be written to must not seem to work.
  -- It adds a batch once, although a node that got no answer reports it again. A batch that is
  -- reported again after ten minutes counts twice.
  local function learn(key, state, raise, add, last, number)
    local news = number ~= '' and tonumber(number) > tonumber(call('GET', last) or 0)
    local m, in_minute, in_day, before = at(state or raise)
    local was_m, was_in_minute, was_in_day = m, in_minute, in_day
    m, in_minute, in_day = join(math.max, m, in_minute, in_day, raise)
    if news then m, in_minute, in_day = join(sum, m, in_minute, in_day, add) end
    if state and m == was_m and in_minute == was_in_minute and in_day == was_in_day then
      call('SETRANGE', key, 0, state)
    else
      if in_day == 0 then m = 0 end -- without requests it is of no minute: the clock may be set back
      state = save(key, m, in_minute, in_day, state and before or nil, state and sub(state, 13) or '')
    end
    if news then call('SET', last, number, 'EX', 600) end
    return state
  end

  key = learn(KEYS[1], key, ARGV[3], ARGV[4], KEYS[states + 1], ARGV[5])
  if owner ~= nil then owner = learn(KEYS[2], owner, ARGV[6], ARGV[7], KEYS[4], ARGV[8]) end
end

local reply = pack('>I4I4', minute, time[1] % 60 * 1000 + floor(time[2] / 1000))
if not key or owner == false then return reply end
if ARGV[1] == '' then return reply .. sub(key, 1, 12) .. (owner or '') end

local limit_minute, limit_day, o_limit_minute, o_limit_day = unpack('>I4I4I4I4', ARGV[1])
local m, in_minute, in_day, before = at(key)
local om, o_minute, o_day, o_before
if owner then om, o_minute, o_day, o_before = at(owner) end

local charge = sub(ARGV[1], 17)
local place = find(key, sub(charge, 1, 8), 13, true)
local places
if not place then
  places = charge .. sub(key, 13, 12 + 127 * 12)
elseif unpack('>I4', key, place + 8) < unpack('>I4', charge, 9) then
  places = charge .. sub(key, 13, place - 1) .. sub(key, place + 12)
else
  -- It was charged: the states are those before the last charge, which the limits allowed.
  local function less(used, limit) return math.max(math.min(used, limit) - 1, 0) end
  reply = reply .. pack('>I4I4I4', m, less(in_minute, limit_minute), less(in_day, limit_day))
  if not owner then return reply end
  return reply .. pack('>I4I4I4', om, less(o_minute, o_limit_minute), less(o_day, o_limit_day))
end

reply = reply .. sub(key, 1, 12) .. (owner or '')
if owner and (o_day >= o_limit_day or o_minute >= o_limit_minute) then
  if om < o_before then save(KEYS[2], om, o_minute, o_day, o_before, '') end
elseif in_day >= limit_day or in_minute >= limit_minute then
  if m < before then save(KEYS[1], m, in_minute, in_day, before, sub(key, 13)) end
else
  save(KEYS[1], m, in_minute + 1, in_day + 1, before, places)
  if owner then save(KEYS[2], om, o_minute + 1, o_day + 1, o_before, '') end
end
return reply
