package rates

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gamedex/internal/lease"
	"gamedex/internal/upstream"
)

// When providers are fetched.
const (
	period     = time.Hour
	firstRetry = 5 * time.Minute // doubled with every failure, up to period
	longest    = 24 * time.Hour  // by which the provider may delay the next request
	look       = time.Minute     // how often the loop checks whether a request is due
)

// Run fetches from the first provider every hour until ctx ends, and after a failure
// in 5, 10, 20, 40 minutes. It does not replace an imported table. It logs a failure
// once, and again when it changes; the last accepted table stays.
func (l Loop) Run(ctx context.Context) {
	r := &running{Loop: l}
	ticks := time.NewTicker(look)
	defer ticks.Stop()
	for ctx.Err() == nil {
		held, err := l.Leases.Hold(ctx, LeaseName, r.runTurn)
		if ctx.Err() != nil {
			return
		}
		if held || err != nil {
			r.logFailure(err)
		}
		select {
		case <-ctx.Done():
		case <-ticks.C:
		}
	}
}

type running struct {
	Loop
	empty  bool   // no table is stored
	logged string // last logged kind of failure; "": none
}

func (r *running) runTurn(ctx context.Context, held *lease.Lease) error {
	stored, found, err := r.Repository.LoadRates(ctx)
	if err == nil && found && stored.Imported {
		held.DueAt, held.Cursor = r.due(period, nil), ""
		return nil
	}
	r.empty = err == nil && !found
	var result Result
	if err == nil {
		result, err = r.update(ctx, stored, false, &held.Cursor)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx) // the next turn starts from the same state
	}
	held.DueAt = r.due(pause(err, held.Attempts), err)
	if err != nil || !result.Changed {
		return err
	}
	log := r.Log.Info
	at := time.UnixMilli(result.Rates.UpdatedAt()).UTC().Format(time.RFC3339)
	args := []any{"provider", result.Provider, "updatedAt", at, "currencies", len(result.Rates.Currencies())}
	if result.Most.Currency != "" {
		args = append(args, "most", result.Most.String())
	}
	if result.Warning != "" {
		log = r.Log.Warn
		args = append(args, "warning", result.Warning)
	}
	log("exchange rates taken", args...)
	return nil
}

// pause returns the time from a turn to the next. A refused table would be refused
// again, so the next request is in an hour.
func pause(err error, attempts int) time.Duration {
	if err == nil || errors.Is(err, ErrRefused) {
		return period
	}
	return min(firstRetry<<min(attempts, 10), period)
}

// due returns the time after a pause, or a later one that the provider demands.
func (r *running) due(pause time.Duration, err error) int64 {
	var e *upstream.Error
	now := r.Now()
	if errors.As(err, &e) {
		pause = max(pause, min(e.Until.Sub(now), longest))
	}
	return now.Add(pause + time.Duration(r.Rand()*float64(pause)/20)).UnixMilli()
}

// logFailure logs a failure unless the last one was the same. A first start without a
// network is only logged as information.
func (r *running) logFailure(err error) {
	kind, unreachable := "", false
	var e *upstream.Error
	switch {
	case err == nil:
	case errors.As(err, &e): // its text may differ every time
		kind, unreachable = fmt.Sprint(e.Kind, e.Host, e.Status), e.Kind == upstream.Down
	default:
		kind = err.Error()
	}
	same := kind == r.logged
	r.logged = kind
	switch {
	case same || err == nil:
	case r.empty && unreachable:
		r.Log.Info("no exchange rates yet: the provider cannot be reached; it will be tried again; to use your own table: gamedex rates import FILE", "error", err)
	default:
		r.Log.Warn("exchange rates were not refreshed; it will be tried again", "error", err)
	}
}
