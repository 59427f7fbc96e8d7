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
	longest    = 24 * time.Hour  // that an upstream's own wish delays the next request
	look       = time.Minute     // how often it is seen whether the work is due
)

// Run asks the first provider every hour until ctx ends, and sooner after a
// failure: in 5, 10, 20, 40 minutes. It leaves an imported table alone. What
// fails is logged once, and again when it changes; the last good table stays.
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
	empty  bool   // no table at all is stored
	logged string // what kind of failure; "" none
}

func (r *running) runTurn(ctx context.Context, held *lease.Lease) error {
	stored, found, err := r.Store.LoadRates(ctx)
	if err == nil && found && stored.Imported {
		held.DueAt, held.Cursor = r.due(period, nil), ""
		return nil
	}
	r.empty = err == nil && !found
	var result Result
	if err == nil {
		result, err = r.ask(ctx, stored, false, &held.Cursor)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx) // the next one starts where this one did
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

// pause is how long after a turn the next one is. What was refused would be
// again: it is asked for in an hour.
func pause(err error, attempts int) time.Duration {
	if err == nil || errors.Is(err, ErrRefused) {
		return period
	}
	return min(firstRetry<<min(attempts, 10), period)
}

// due is the moment after a pause, or later where upstream said so.
func (r *running) due(pause time.Duration, err error) int64 {
	var e *upstream.Error
	now := r.Now()
	if errors.As(err, &e) {
		pause = max(pause, min(e.Until.Sub(now), longest))
	}
	return now.Add(pause + time.Duration(r.Rand()*float64(pause)/20)).UnixMilli()
}

// logFailure logs a failure unless the one before was the same. A first start without
// network is no failure.
func (r *running) logFailure(err error) {
	kind, unreachable := "", false
	var e *upstream.Error
	switch {
	case err == nil:
	case errors.As(err, &e): // its text may differ each time
		kind, unreachable = fmt.Sprint(e.Kind, e.Host, e.Status), e.Kind == upstream.Down
	default:
		kind = err.Error()
	}
	same := kind == r.logged
	r.logged = kind
	switch {
	case same || err == nil:
	case r.empty && unreachable:
		r.Log.Info("no exchange rates yet: the provider cannot be reached; it is tried again", "error", err)
	default:
		r.Log.Warn("exchange rates were not refreshed; it is tried again", "error", err)
	}
}
