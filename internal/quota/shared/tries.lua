-- Counts tries in windows that begin with their first try, by the server's clock, as
-- account.Throttle does.
--
-- KEYS: the windows, which expire when they end.
-- ARGV: 1: how many tries are added; a negative number is taken off, down to none.
--       Then for each of KEYS how many tries it has room for, and its milliseconds.
-- Adds to all windows and returns 0 if all have room. Otherwise it adds to none and
-- returns how many milliseconds to wait.
local call, n = redis.call, tonumber(ARGV[1])
local tries, wait = {}, 0
for i, key in ipairs(KEYS) do
  local limit, span = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  tries[i] = tonumber(call('GET', key) or 0)
  local left = call('PTTL', key)
  if left < 0 or left > 2 * span then -- there is none, or the clock was set back: a wrong clock locks nobody out for long
    tries[i], left = 0, span
  end
  if tries[i] >= limit then wait = math.max(wait, left, 1) end
end
if n > 0 and wait > 0 then return wait end
for i, key in ipairs(KEYS) do
  if tries[i] + n <= 0 then
    call('DEL', key)
  elseif tries[i] == 0 then
    call('SET', key, n, 'PX', ARGV[2 * i + 1])
  else
    call('INCRBY', key, n)
  end
end
return 0
