-- Counts a request against what a key and its owner have spent, as quota.Pair does,
-- by the server's clock.
--
-- KEYS: the state of the key, and that of its owner if it has one. With ARGV 5 also,
--       for each of them, the number of the last batch that the node has added to it.
-- ARGV: 1 to 4: the limits of the key by minute and day, and those of its owner.
--         Without limits nothing is charged.
--       5 to 11, if the node knows what the server may not: whether states that are
--         missing may be made ('' or 'make'), then for key and owner a state that its own is
--         raised to, a batch that is added, and the number of the batch ('': none).
-- Returns the server's minute and the milliseconds in it, followed by the states before
-- the request unless one is missing. All numbers have four bytes, big-endian.
local call, pack, unpack, floor = redis.call, struct.pack, struct.unpack, math.floor
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

-- save stores a state in place of one of the minute before; nil: there was none. A key
-- lives for two days after the day's first request: it is still there when the next day
-- begins.
local function save(key, m, in_minute, in_day, before)
  local state = pack('>I4I4I4', m, in_minute, in_day)
  if m == before or before and floor(m / 1440) == floor(before / 1440) then
    call('SETRANGE', key, 0, state)
  else
    call('SET', key, state, 'EX', 172800)
  end
  return state
end

local states = ARGV[5] and #KEYS / 2 or #KEYS
local key, owner = call('GET', KEYS[1])
if states == 2 then owner = call('GET', KEYS[2]) end

if ARGV[5] and (ARGV[5] ~= '' or key and owner ~= false) then
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
      state = save(key, m, in_minute, in_day, state and before or nil)
    end
    if news then call('SET', last, number, 'EX', 600) end
    return state
  end

  key = learn(KEYS[1], key, ARGV[6], ARGV[7], KEYS[states + 1], ARGV[8])
  if owner ~= nil then owner = learn(KEYS[2], owner, ARGV[9], ARGV[10], KEYS[4], ARGV[11]) end
end

local reply = pack('>I4I4', minute, time[1] % 60 * 1000 + floor(time[2] / 1000))
if not key or owner == false then return reply end
reply = reply .. key .. (owner or '')
if (ARGV[1] or '') == '' then return reply end

local om, o_minute, o_day, o_before
if owner then
  om, o_minute, o_day, o_before = at(owner)
  if o_day >= tonumber(ARGV[4]) or o_minute >= tonumber(ARGV[3]) then
    if om < o_before then save(KEYS[2], om, o_minute, o_day, o_before) end
    return reply
  end
end
local m, in_minute, in_day, before = at(key)
if in_day >= tonumber(ARGV[2]) or in_minute >= tonumber(ARGV[1]) then
  if m < before then save(KEYS[1], m, in_minute, in_day, before) end
  return reply
end
save(KEYS[1], m, in_minute + 1, in_day + 1, before)
if owner then save(KEYS[2], om, o_minute + 1, o_day + 1, o_before) end
return reply
