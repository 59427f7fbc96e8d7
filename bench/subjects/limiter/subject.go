package limiter

import (
	"context"
	"fmt"
	"time"

	"gamedex/bench/lab"
	"gamedex/bench/measure"
	"gamedex/bench/report"
)

const (
	ours   = "gamedex, in memory"
	theirs = "valkey-go + Redis, EVALSHA"
)

// Subject compares checks a second of both counters.
func Subject() lab.Subject {
	return lab.Subject{Name: "limiter", Measure: compare}
}

func compare(ctx context.Context, l *lab.Lab) (report.Section, error) {
	redis, err := l.Redis(ctx)
	if err != nil {
		return report.Section{}, err
	}
	defer redis.Stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	memory := newLocal(ctx)
	var names [keys]string
	for i := range names {
		names[i] = fmt.Sprintf("key_%020d", i)
	}
	long := lab.Pick(l, 500*time.Millisecond, 2*time.Second)
	var candidates []measure.Candidate
	for _, side := range []struct {
		name string
		counter
	}{{ours, memory}, {theirs, newRemote(redis.Client)}} {
		if err := check(ctx, side); err != nil {
			return report.Section{}, fmt.Errorf("%s does not limit: %w", side.name, err)
		}
		candidates = append(candidates, measure.Candidate{Name: side.name, Round: func(ctx context.Context) (measure.Sample, error) {
			return drive(ctx, side, &names, long)
		}})
	}
	runs, err := l.Rounds(ctx, candidates...)
	if err != nil {
		return report.Section{}, err
	}
	return section(runs), nil
}

func section(runs measure.Runs) report.Section {
	return report.Section{
		Title: "Both windows of the limiter",
		Intro: fmt.Sprintf("%d callers at once, %d keys, one driver for both: the clock is read before and behind every check. Redis keeps nothing on disk, "+
			"listens on a Unix socket, and charges both windows in one script; the client sends what is waiting in one write. "+
			"Both let exactly as many requests pass as the limit says, by the minute and by the day.", callers, keys),
		Goals: []report.Goal{
			{What: "checks/s against valkey-go + Redis", Limit: 30, Stretch: 60, Unit: "x", Figure: runs.Ratio(opsRate, ours, theirs)},
		},
		Tables: []report.Table{report.Compare("Ratios are to Redis. Times are of every 16th check.", runs, theirs, opsRate, measure.P50, measure.P99)},
	}
}
