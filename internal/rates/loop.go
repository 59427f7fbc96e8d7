package rates

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"gamedex/internal/lease"
	"gamedex/internal/money"
	"gamedex/internal/upstream"
)

// The names of the leases. A refresh has its own lease and memory, because the loop's
// lease cannot be claimed before it is due.
const (
	LeaseName        = "rates"
	refreshLeaseName = "rates/refresh"
)

// Stored is a table in the database.
type Stored struct {
	Rates    money.Rates
	Imported bool   // imported by hand
	Source   string // the provider, or the importer
}

// Repository keeps the one table.
type Repository interface {
	// LoadRates returns the table; found is false before any was saved.
	LoadRates(ctx context.Context) (s Stored, found bool, err error)
	// SaveRates replaces the table atomically and reports whether it did. It
	// replaces an imported table only if overImported is true.
	SaveRates(ctx context.Context, s Stored, overImported bool) (saved bool, err error)
}

// Loop keeps the stored table up to date. It may run in any number of processes; only
// one at a time sends requests.
type Loop struct {
	Providers  []Provider // the first supplies the tables; the others confirm them in doubt
	Repository Repository
	Leases     lease.Holder
	Active     func(context.Context) ([]money.Currency, error) // of the active regions
	Now        func() time.Time
	Rand       func() float64 // [0,1): spreads the requests of many installations
	Log        *slog.Logger
	// Observe is called after every request with its outcome: taken, unchanged,
	// refused, failed, or a second opinion. It may be nil.
	Observe func(provider, outcome string, took time.Duration)
}

// Result is the outcome of fetching a table.
type Result struct {
	Provider string
	Rates    money.Rates
	Changed  bool   // the stored table was replaced
	Most     Move   // the largest move since the last table; zero: none
	Warning  string // about an accepted table; "": none
}

// Refresh fetches a table now, even if it is not due, and may replace an imported
// table. It judges as the loop does: if it refuses the new table, the stored one stays
// and the error is the reason.
func (l Loop) Refresh(ctx context.Context) (Result, error) {
	var result Result
	held, err := l.Leases.Hold(ctx, refreshLeaseName, func(ctx context.Context, held *lease.Lease) error {
		stored, _, err := l.Repository.LoadRates(ctx)
		if err != nil {
			return err
		}
		result, err = l.update(ctx, stored, true, &held.Cursor)
		return err
	})
	if err == nil && !held {
		err = errors.New("another refresh of exchange rates is running: wait until it ends")
	}
	return result, err
}

// update fetches, judges and saves a table. It reads and replaces the memory.
func (l Loop) update(ctx context.Context, stored Stored, overImported bool, memory *string) (Result, error) {
	if len(l.Providers) == 0 {
		return Result{}, errors.New("no provider of exchange rates is configured")
	}
	first, began, outcome := l.Providers[0], l.Now(), "failed"
	result := Result{Provider: first.Name()}
	fetched, err := first.Fetch(ctx)
	took := l.Now().Sub(began)
	defer func() { l.observe(first, outcome, took) }()
	if err != nil {
		return result, err
	}
	result.Rates = fetched
	if !stored.Imported && stored.Source == first.Name() && fetched.UpdatedAt() < stored.Rates.UpdatedAt() {
		outcome = "unchanged" // a cache answered with an older table
		result.Rates = stored.Rates
		return result, nil
	}
	active, err := l.Active(ctx)
	if err != nil {
		return result, err
	}
	v := l.judge(ctx, Judgement{New: fetched, Last: stored.Rates, Active: active, Memory: ParseMemory(*memory), Now: l.Now()})
	*memory = v.Memory.String()
	if len(v.Moves) > 0 {
		result.Most = v.Moves[0]
	}
	if v.Err != nil {
		outcome = "refused"
		err = fmt.Errorf("%s: %w", first.Name(), v.Err)
		if skipped := fetched.Skipped(); skipped != "" {
			err = fmt.Errorf("%w; skipped entries: %s", err, skipped)
		}
		return result, err
	}
	result.Warning = v.Warning
	if stored.Imported || stored.Source != first.Name() || stored.Rates.Hash() != fetched.Hash() {
		result.Changed, err = l.Repository.SaveRates(ctx, Stored{Rates: fetched, Source: first.Name()}, overImported)
	}
	switch {
	case err != nil:
		err = fmt.Errorf("save exchange rates: %w", err)
	case result.Changed:
		outcome = "taken"
	default:
		outcome = "unchanged"
	}
	return result, err
}

// judge judges a table. As long as a rate is doubted, it asks the next provider.
func (l Loop) judge(ctx context.Context, in Judgement) Verdict {
	v := Judge(in)
	for _, p := range l.Providers[1:] {
		if len(v.Doubted) == 0 {
			break
		}
		began := l.Now()
		other, err := p.Fetch(ctx)
		took := l.Now().Sub(began)
		if err != nil {
			l.observe(p, "failed", took)
			l.Log.Debug("no second opinion on exchange rates", "provider", p.Name(), "error", err)
			continue
		}
		l.observe(p, "asked", took)
		in.Others = append(in.Others, other)
		v = Judge(in)
	}
	return v
}

func (l Loop) observe(p Provider, outcome string, took time.Duration) {
	if l.Observe != nil {
		l.Observe(p.Name(), outcome, took)
	}
}

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
	named  string // last logged skipped entries of a table
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
	if err != nil {
		return err
	}
	if skipped := result.Rates.Skipped(); skipped != "" && skipped != r.named {
		r.named = skipped
		r.Log.Warn("entries of the exchange rates are skipped", "provider", result.Provider, "skipped", skipped)
	}
	if !result.Changed {
		return nil
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
