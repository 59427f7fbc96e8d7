package alternatives

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/valkey-io/valkey-go"

	"gamedex/internal/quota"
)

// limitScript counts a request in both windows, or in neither if one is full.
const limitScript = `
local minute, day = tonumber(redis.call('GET', KEYS[1]) or 0), tonumber(redis.call('GET', KEYS[2]) or 0)
if minute >= tonumber(ARGV[1]) or day >= tonumber(ARGV[2]) then return {0, minute, day} end
minute, day = redis.call('INCR', KEYS[1]), redis.call('INCR', KEYS[2])
if minute == 1 then redis.call('PEXPIREAT', KEYS[1], ARGV[3]) end
if day == 1 then redis.call('PEXPIREAT', KEYS[2], ARGV[4]) end
return {1, minute, day}
`

// RedisLimiter counts requests in Redis.
type RedisLimiter struct {
	client valkey.Client
	script *valkey.Lua
}

// NewRedisLimiter returns a limiter that uses a client.
func NewRedisLimiter(client valkey.Client) *RedisLimiter {
	return &RedisLimiter{client, valkey.NewLuaScript(limitScript)}
}

// Take counts a request, with a single EVALSHA, and returns whether both limits
// allow it.
func (r *RedisLimiter) Take(ctx context.Context, key string, l quota.Limits, now int64) (bool, error) {
	const minute, day = int64(time.Minute / time.Millisecond), int64(24 * time.Hour / time.Millisecond)
	minuteNo, dayNo := now/minute, now/day
	keys := []string{
		"{" + key + "}:m:" + strconv.FormatInt(minuteNo, 10),
		"{" + key + "}:d:" + strconv.FormatInt(dayNo, 10),
	}
	args := []string{
		strconv.Itoa(l.Minute), strconv.Itoa(l.Day),
		strconv.FormatInt((minuteNo+1)*minute, 10), strconv.FormatInt((dayNo+1)*day, 10),
	}
	reply, err := r.script.Exec(ctx, r.client, keys, args).AsIntSlice()
	if err != nil {
		return false, fmt.Errorf("redis: %w", err)
	}
	return reply[0] == 1, nil
}
