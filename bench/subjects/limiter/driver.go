package limiter

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"gamedex/bench/measure"
	"gamedex/internal/quota"
)

const (
	callers = 64
	keys    = 4096 // enough that no key comes to its limit in a minute
	opsRate = measure.Metric("checks/s")
)

// counter is what both sides can do.
type counter interface {
	take(ctx context.Context, key string, l quota.Limits, now int64) (bool, error)
}

// drive has all callers ask for the given time, one request after another, each
// with the clock read before and behind it.
func drive(ctx context.Context, c counter, names *[keys]string, long time.Duration) (measure.Sample, error) {
	limits := quota.Limits{Minute: quota.MaxMinute, Day: quota.MaxDay}
	began := time.Now()
	done := make([]work, callers)
	err := together(func(n int) error {
		w := &done[n]
		for now := time.Now(); now.Sub(began) < long; w.ops++ {
			asked := now
			ok, err := c.take(ctx, names[(n*keys/callers+w.ops)%keys], limits, asked.UnixMilli())
			if err == nil && !ok {
				err = errors.New("a check was refused that is within its limits")
			}
			if err != nil {
				return err
			}
			now = time.Now()
			if w.ops%16 == 0 {
				w.took = append(w.took, now.Sub(asked))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return sum(done, time.Since(began)), nil
}

// work is what one caller did: every 16th time is kept.
type work struct {
	ops  int
	took []time.Duration
	_    [64]byte // callers do not write to one another's cache lines
}

func sum(done []work, elapsed time.Duration) measure.Sample {
	ops, all := 0, []time.Duration(nil)
	for _, w := range done {
		ops, all = ops+w.ops, append(all, w.took...)
	}
	s := measure.Times(all)
	s[opsRate] = float64(ops) / elapsed.Seconds()
	return s
}

// together runs f for every caller at once and gives the first error.
func together(f func(n int) error) error {
	errs := make([]error, callers)
	var all sync.WaitGroup
	for n := range callers {
		all.Go(func() { errs[n] = f(n) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// check has all callers run into each of the limits: exactly that many requests
// may pass. The clock stands, a day ahead, so that no window ends meanwhile.
func check(ctx context.Context, c counter) error {
	now := time.Now().Add(24 * time.Hour).UnixMilli()
	for _, l := range []quota.Limits{{Minute: 500, Day: 4000}, {Minute: 4000, Day: 700}} {
		key := fmt.Sprintf("check-%d", l.Minute)
		var passed atomic.Int64
		err := together(func(int) error {
			for range 20 {
				ok, err := c.take(ctx, key, l, now)
				if err != nil {
					return err
				}
				if ok {
					passed.Add(1)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if want := int64(min(l.Minute, l.Day)); passed.Load() != want {
			return fmt.Errorf("%d requests passed a limit of %d", passed.Load(), want)
		}
	}
	return nil
}
