package subjects

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/valkey-io/valkey-go"

	"gamedex/bench/alternatives"
	"gamedex/bench/harness"
	"gamedex/bench/report"
	"gamedex/internal/quota"
	"gamedex/internal/quota/shared"
)

const (
	countersOurs    = "gamedex, shared"
	countersOwned   = "gamedex, shared, keys with an owner"
	countersRefused = "gamedex, refused requests"
	countersScript  = "valkey-go + Redis, EVALSHA"

	redisCPU harness.Metric = "Redis CPU µs/check"
)

// measureCounters compares the counter of several nodes with a plain script on two
// keys, on one server.
func measureCounters(ctx context.Context, r *harness.Run) (report.Section, error) {
	redis, err := r.Redis(ctx)
	if err != nil {
		return report.Section{}, err
	}
	defer redis.Stop()
	client, err := valkey.NewClient(valkey.ClientOption{InitAddress: []string{redis.Addr()}, DisableCache: true, ForceSingleClient: true})
	if err != nil {
		return report.Section{}, fmt.Errorf("connect to redis: %w", err)
	}
	defer client.Close()
	var counters [3]*shared.Shared
	for db := range counters {
		counters[db], err = shared.Open(ctx, shared.Config{Address: shared.Address{Host: redis.Addr(), DB: db}, Nodes: func() int { return 1 }, Now: time.Now, Rand: rand.Float64, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			return report.Section{}, err
		}
		defer counters[db].Close()
		background, stop := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() { ended <- counters[db].Run(background) }()
		defer func() { stop(); <-ended }()
	}
	none := func(string) quota.Owner { return quota.Owner{} }
	drive := func(ctx context.Context, take limiter, long time.Duration) (harness.Values, error) {
		return driveCounters(ctx, redis, take, long)
	}
	results, err := compareLimiters(ctx, r, drive,
		limiterSide{countersOurs, sharedLimiter(counters[0], none), checkCounter},
		limiterSide{countersOwned, sharedLimiter(counters[1], ownerOfTen), checkCounter},
		limiterSide{countersScript, alternatives.NewRedisLimiter(client).Take, checkCounter},
		limiterSide{countersRefused, refusing(counters[2]), useAllKeys}) // it says itself what it let pass
	if err != nil {
		return report.Section{}, err
	}
	return report.Section{
		Title: "Counters of several nodes",
		Intro: fmt.Sprintf("%d concurrent callers, %d keys, over TCP on this machine. All callers read the clock before and after every check. The plain script counts "+
			"each window in a key of its own, by the clock of the caller. Ours counts both in one key, by the server's clock, with a deadline for each call. It "+
			"refuses a key that is over its limit without asking the server. An owner has ten keys. Every key was used before.", limiterCallers, limiterKeys),
		Goals: []report.Goal{
			{What: "checks/s against the plain script", Limit: 0.95, Stretch: 1.2, Unit: "x", Figure: results.Ratio(checksRate, countersOurs, countersScript)},
			{What: "Redis CPU against the plain script", AtMost: true, Limit: 1, Unit: "x", Figure: results.Ratio(redisCPU, countersOurs, countersScript)},
			{What: "a refused request against an allowed one", Limit: 20, Stretch: 100, Unit: "x", Figure: results.Ratio(checksRate, countersRefused, countersOurs)},
		},
		Tried:  "Nothing yet: the two scripts differ by less than the rounds do.",
		Tables: []report.Table{report.Compare("Ratios are to the plain script. Times are those of every 16th check.", results, countersScript, checksRate, redisCPU, harness.P50, harness.P99)},
	}, nil
}

// sharedLimiter returns a limiter that counts on a server. On a machine that is too busy
// to answer in time it waits for the server.
func sharedLimiter(c *shared.Shared, owner func(key string) quota.Owner) limiter {
	return func(ctx context.Context, key string, l quota.Limits, now int64) (bool, error) {
		for c.Alone() && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		d, err := c.Take(ctx, key, l, owner(key), now)
		return d.Allowed, err
	}
}

// ownerOfTen returns the owner of a key. Keys that differ in the last digit only have
// the same one.
func ownerOfTen(key string) quota.Owner {
	return quota.Owner{ID: key[:len(key)-1], Limits: quota.Limits{Minute: 10 * quota.MaxMinute, Day: 10 * quota.MaxDay}}
}

// refusing returns a limiter whose requests are refused, but for the first of each key.
// It returns true if one is refused as it should be.
func refusing(c *shared.Shared) limiter {
	take := sharedLimiter(c, func(string) quota.Owner { return quota.Owner{} })
	return func(ctx context.Context, key string, _ quota.Limits, now int64) (bool, error) {
		l := quota.Limits{Minute: quota.MaxMinute, Day: 1}
		allowed, err := take(ctx, key, l, now)
		if allowed && err == nil {
			allowed, err = take(ctx, key, l, now)
		}
		return !allowed, err
	}
}

// checkCounter checks a limiter that counts by the clock of a server, and uses all keys.
func checkCounter(ctx context.Context, take limiter) error {
	awaitCalmMinute()
	return errors.Join(checkLimiter(ctx, take), useAllKeys(ctx, take))
}

// useAllKeys makes a request with each key, so that none is new when they are measured.
func useAllKeys(ctx context.Context, take limiter) error {
	for i := range limiterKeys {
		if _, err := take(ctx, limiterKey(i), quota.Limits{Minute: quota.MaxMinute, Day: quota.MaxDay}, time.Now().UnixMilli()); err != nil {
			return err
		}
	}
	return nil
}

// awaitCalmMinute waits until the minute does not end soon.
func awaitCalmMinute() {
	const enough = 10 * time.Second
	if now := time.Now(); now.Add(enough).Truncate(time.Minute).After(now) {
		time.Sleep(enough)
	}
}

// driveCounters is driveLimiter, and measures the server.
func driveCounters(ctx context.Context, redis *harness.Redis, take limiter, long time.Duration) (harness.Values, error) {
	before, err := harness.CPUTime(redis.PID)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	v, err := driveLimiter(ctx, take, long)
	if err != nil {
		return nil, err
	}
	checks := v[checksRate] * time.Since(began).Seconds()
	after, err := harness.CPUTime(redis.PID)
	v[redisCPU] = float64((after - before).Microseconds()) / checks
	return v, err
}
