package subjects

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"gamedex/bench/alternatives"
	"gamedex/bench/harness"
	"gamedex/bench/report"
	"gamedex/internal/quota"
)

const (
	limiterOurs    = "gamedex, in memory"
	limiterRedis   = "valkey-go + Redis, EVALSHA"
	limiterCallers = 64
	limiterKeys    = 4096 // no key reaches its limit within a minute

	checksRate harness.Metric = "checks/s"
)

// limiter counts a request and returns whether both limits allow it.
type limiter func(ctx context.Context, key string, l quota.Limits, now int64) (bool, error)

// measureLimiter compares the counter in memory with one that several processes
// can share: a script in Redis.
func measureLimiter(ctx context.Context, r *harness.Run) (report.Section, error) {
	redis, err := r.Redis(ctx)
	if err != nil {
		return report.Section{}, err
	}
	defer redis.Stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results, err := compareLimiters(ctx, r, driveLimiter,
		limiterSide{limiterOurs, newMemoryLimiter(ctx), checkLimiter},
		limiterSide{limiterRedis, alternatives.NewRedisLimiter(redis.Client).Take, checkLimiter})
	if err != nil {
		return report.Section{}, err
	}
	return report.Section{
		Title: "The rate limiter, both windows",
		Intro: fmt.Sprintf("%d concurrent callers, %d keys. All callers read the clock before and after every check. Redis writes nothing to disk, "+
			"listens on a Unix socket, and counts in both windows in one script; the client pipelines what is waiting. "+
			"Both sides allow exactly as many requests as the limits say, by minute and by day.", limiterCallers, limiterKeys),
		Goals: []report.Goal{
			{What: "checks/s against valkey-go + Redis", Limit: 30, Stretch: 60, Unit: "x", Figure: results.Ratio(checksRate, limiterOurs, limiterRedis)},
		},
		Tables: []report.Table{report.Compare("Ratios are to Redis. Times are those of every 16th check.", results, limiterRedis, checksRate, harness.P50, harness.P99)},
	}, nil
}

// limiterSide is a limiter that is compared with others.
type limiterSide struct {
	name  string
	take  limiter
	check func(context.Context, limiter) error // before it is measured
}

// compareLimiters checks all sides, and then measures them with drive, which calls a limiter
// for a time.
func compareLimiters(ctx context.Context, r *harness.Run, drive func(context.Context, limiter, time.Duration) (harness.Values, error), sides ...limiterSide) (*harness.Results, error) {
	var candidates []harness.Candidate
	for _, side := range sides {
		if err := side.check(ctx, side.take); err != nil {
			return nil, fmt.Errorf("%s: %w", side.name, err)
		}
		candidates = append(candidates, harness.Candidate{Name: side.name, Round: func(ctx context.Context) (harness.Values, error) {
			return drive(ctx, side.take, harness.Pick(r, 500*time.Millisecond, 2*time.Second))
		}})
	}
	return r.Rounds(ctx, candidates...)
}

// newMemoryLimiter returns the product's limiter, which saves its counters every
// half second until ctx ends.
func newMemoryLimiter(ctx context.Context) limiter {
	memory := quota.NewMemory()
	now := func() int64 { return time.Now().UnixMilli() }
	flusher := quota.NewFlusher(memory, quota.NewUsage("bench", discard{}), discard{}, now, slog.New(slog.DiscardHandler))
	go flusher.Run(ctx)
	return func(ctx context.Context, key string, l quota.Limits, now int64) (bool, error) {
		d, err := memory.Take(ctx, key, l, quota.Owner{}, now)
		return d.Allowed, err
	}
}

// discard stands for a database and saves nothing.
type discard struct{}

func (discard) SaveQuota(context.Context, []quota.State) error          { return nil }
func (discard) LoadQuota(context.Context, int64) ([]quota.State, error) { return nil, nil }
func (discard) SaveUsage(context.Context, quota.UsageBatch) error       { return nil }
func (discard) SumUsage(context.Context, string, int64, string) ([]quota.HourCount, int64, error) {
	return nil, 0, nil
}

func limiterKey(i int) string { return fmt.Sprintf("key_%020d", i) }

// driveLimiter calls a limiter from all callers for a time.
func driveLimiter(ctx context.Context, take limiter, long time.Duration) (harness.Values, error) {
	var keys [limiterKeys]string
	for i := range keys {
		keys[i] = limiterKey(i)
	}
	limits := quota.Limits{Minute: quota.MaxMinute, Day: quota.MaxDay}
	type caller struct {
		checks int
		took   []time.Duration
		_      [64]byte // no two callers write to a cache line
	}
	callers := make([]caller, limiterCallers)
	began := time.Now()
	err := forAllCallers(func(n int) error {
		c := &callers[n]
		for now := time.Now(); now.Sub(began) < long; c.checks++ {
			before := now
			ok, err := take(ctx, keys[(n*limiterKeys/limiterCallers+c.checks)%limiterKeys], limits, before.UnixMilli())
			if err == nil && !ok {
				err = errors.New("a request within its limits was refused")
			}
			if err != nil {
				return err
			}
			now = time.Now()
			if c.checks%16 == 0 {
				c.took = append(c.took, now.Sub(before))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	elapsed := time.Since(began)
	checks, took := 0, []time.Duration(nil)
	for i := range callers {
		checks, took = checks+callers[i].checks, append(took, callers[i].took...)
	}
	v := harness.Percentiles(took)
	v[checksRate] = float64(checks) / elapsed.Seconds()
	return v, nil
}

// forAllCallers calls f for all callers concurrently.
func forAllCallers(f func(n int) error) error {
	errs := make([]error, limiterCallers)
	var all sync.WaitGroup
	for n := range limiterCallers {
		all.Go(func() { errs[n] = f(n) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// checkLimiter checks that concurrent callers get exactly as many requests as the
// smaller limit allows. The time is fixed, a day ahead, so that no window ends.
func checkLimiter(ctx context.Context, take limiter) error {
	now := time.Now().Add(24 * time.Hour).UnixMilli()
	for _, l := range []quota.Limits{{Minute: 500, Day: 4000}, {Minute: 4000, Day: 700}} {
		key := fmt.Sprintf("check-%d", l.Minute)
		var allowed atomic.Int64
		err := forAllCallers(func(int) error {
			for range 20 {
				ok, err := take(ctx, key, l, now)
				if err != nil {
					return err
				}
				if ok {
					allowed.Add(1)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if want := int64(min(l.Minute, l.Day)); allowed.Load() != want {
			return fmt.Errorf("a limit of %d allowed %d requests", want, allowed.Load())
		}
	}
	return nil
}
