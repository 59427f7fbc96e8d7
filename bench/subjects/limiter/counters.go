package limiter

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/valkey-io/valkey-go"

	"gamedex/internal/quota"
)

const (
	minute = int64(time.Minute / time.Millisecond)
	day    = int64(24 * time.Hour / time.Millisecond)
)

// script charges a request to both windows or to none.
const script = `
local minute, day = tonumber(redis.call('GET', KEYS[1]) or 0), tonumber(redis.call('GET', KEYS[2]) or 0)
if minute >= tonumber(ARGV[1]) or day >= tonumber(ARGV[2]) then return {0, minute, day} end
minute, day = redis.call('INCR', KEYS[1]), redis.call('INCR', KEYS[2])
if minute == 1 then redis.call('PEXPIREAT', KEYS[1], ARGV[3]) end
if day == 1 then redis.call('PEXPIREAT', KEYS[2], ARGV[4]) end
return {1, minute, day}
`

// remote is the counter in Redis.
type remote struct {
	client valkey.Client
	script *valkey.Lua
}

func newRemote(client valkey.Client) *remote {
	return &remote{client, valkey.NewLuaScript(script)}
}

// take sends one command, EVALSHA.
func (r *remote) take(ctx context.Context, key string, l quota.Limits, now int64) (bool, error) {
	minuteNo, dayNo := now/minute, now/day
	keys := []string{
		"{" + key + "}:m:" + strconv.FormatInt(minuteNo, 10),
		"{" + key + "}:d:" + strconv.FormatInt(dayNo, 10),
	}
	args := []string{
		strconv.Itoa(l.Minute), strconv.Itoa(l.Day),
		strconv.FormatInt((minuteNo+1)*minute, 10), strconv.FormatInt((dayNo+1)*day, 10),
	}
	said, err := r.script.Exec(ctx, r.client, keys, args).AsIntSlice()
	if err != nil {
		return false, fmt.Errorf("redis: %w", err)
	}
	return said[0] == 1, nil
}

// local is the service's own counter, flushed as the program does it.
type local struct{ memory *quota.Memory }

// newLocal has what changed taken away every half second until ctx ends.
func newLocal(ctx context.Context) *local {
	memory := quota.NewMemory()
	now := func() int64 { return time.Now().UnixMilli() }
	flusher := quota.NewFlusher(memory, quota.NewUsage("bench", nowhere{}), nowhere{}, now, slog.New(slog.DiscardHandler))
	go flusher.Run(ctx) // nowhere fails never
	return &local{memory}
}

func (l *local) take(ctx context.Context, key string, limits quota.Limits, now int64) (bool, error) {
	d, err := l.memory.Take(ctx, key, limits, now)
	return d.Allowed, err
}

// nowhere is a store that is as fast as can be.
type nowhere struct{}

func (nowhere) SaveQuota(context.Context, []quota.State) error          { return nil }
func (nowhere) LoadQuota(context.Context, int64) ([]quota.State, error) { return nil, nil }
func (nowhere) SaveUsage(context.Context, []quota.UsageRow) error       { return nil }
func (nowhere) SumUsage(context.Context, string, int64, string, int64) ([]quota.HourCount, error) {
	return nil, nil
}
