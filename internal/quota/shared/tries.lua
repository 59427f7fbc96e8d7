-- Counts tries in windows that begin with their first try, by the server's clock, as
-- account.Throttle does.
--
-- KEYS: 1: the result of this call, for a few seconds. Then the windows, which expire when
--       they end.
-- ARGV: 1: how many tries are added; a negative number is taken off, down to none.
--       Then for each window how many tries it has room for, and its milliseconds.
-- Adds to all windows and returns 0 if all have room. Otherwise it adds to none and
-- returns how many milliseconds to wait. A call that arrives again changes nothing.
local call, n = redis.call, tonumber(ARGV[1])
local result = call('GET', KEYS[1])
if result then return tonumber(result) end

local tries, wait = {}, 0
for i = 2, #KEYS do
  local key, limit, span = KEYS[i], tonumber(ARGV[2 * i - 2]), tonumber(ARGV[2 * i - 1])
  tries[i] = tonumber(call('GET', key) or 0)
  local left = call('PTTL', key)
  if left < 0 or left > 2 * span then -- there is none, or the clock was set back: a wrong clock locks nobody out for long
    tries[i], left = 0, span
  end
  if tries[i] >= limit then wait = math.max(wait, left, 1) end
end
call('SET', KEYS[1], n > 0 and wait or 0, 'PX', 5000)
if n > 0 and wait > 0 then return wait end
for i = 2, #KEYS do
  local key = KEYS[i]
  if tries[i] + n <= 0 then
    call('DEL', key)
  elseif tries[i] == 0 then
    call('SET', key, n, 'PX', ARGV[2 * i - 1])
  else
    call('INCRBY', key, n)
  end
end
return 0
