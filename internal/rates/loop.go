package rates

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"gamedex/internal/lease"
	"gamedex/internal/money"
)

// The leases of the work: what a refresh remembers is its own, because the
// loop's lease cannot be had before it is due.
const (
	LeaseName        = "rates"
	refreshLeaseName = "rates/refresh"
)

// Stored is a table as the database has it.
type Stored struct {
	Rates    money.Rates
	Imported bool   // by hand
	Source   string // a provider's name, or who imported it
}

// Store keeps the one table.
type Store interface {
	// LoadRates returns the table; found is false before any was saved.
	LoadRates(ctx context.Context) (s Stored, found bool, err error)
	// SaveRates replaces the table, in one step; an imported one only if
	// overImported. It returns whether it did.
	SaveRates(ctx context.Context, s Stored, overImported bool) (saved bool, err error)
}

// Loop keeps the stored table fresh. It may run in any number of processes; one
// at a time asks.
type Loop struct {
	Providers []Provider // the first one's tables are taken; the others are asked when those are doubted
	Store     Store
	Leases    lease.Holder
	Active    func() []money.Currency // of the active regions
	Now       func() time.Time
	Rand      func() float64 // [0,1): spreads the hours of many installations
	Log       *slog.Logger
	// Observe is told of every request: taken, unchanged, refused, failed, or
	// asked for a second opinion. It may be nil.
	Observe func(provider, outcome string, took time.Duration)
}

// Result is what a provider's table came to.
type Result struct {
	Provider string
	Rates    money.Rates
	Changed  bool   // the stored table is another one now
	Most     Move   // what moved most against the table before; zero: nothing did
	Warning  string // of a table that was taken, but not lightly; "" none
}

// Refresh asks now, whether due or not, and replaces an imported table, too. It
// judges as the loop does; while the table that came is refused, the stored one
// stays, and the error says why.
func (l Loop) Refresh(ctx context.Context) (Result, error) {
	var result Result
	held, err := l.Leases.Hold(ctx, refreshLeaseName, func(ctx context.Context, held *lease.Lease) error {
		stored, _, err := l.Store.LoadRates(ctx)
		if err != nil {
			return err
		}
		result, err = l.ask(ctx, stored, true, &held.Cursor)
		return err
	})
	if err == nil && !held {
		err = errors.New("another refresh of exchange rates is at work: wait until it is done")
	}
	return result, err
}

// ask fetches, judges and saves. The memory is text that it reads and replaces.
func (l Loop) ask(ctx context.Context, stored Stored, overImported bool, memory *string) (Result, error) {
	if len(l.Providers) == 0 {
		return Result{}, errors.New("no provider of exchange rates is set up")
	}
	first, began := l.Providers[0], l.Now()
	result := Result{Provider: first.Name()}
	fetched, err := first.Fetch(ctx)
	took := l.Now().Sub(began)
	if err != nil {
		l.observe(first, "failed", took)
		return result, err
	}
	result.Rates = fetched
	if !stored.Imported && stored.Source == first.Name() && fetched.UpdatedAt() < stored.Rates.UpdatedAt() {
		l.observe(first, "unchanged", took) // some cache answered with a table of before
		result.Rates = stored.Rates
		return result, nil
	}
	in := Judgement{New: fetched, Last: stored.Rates, Active: l.Active(), Memory: ParseMemory(*memory), Now: l.Now()}
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
	*memory = v.Memory.String()
	if len(v.Moves) > 0 {
		result.Most = v.Moves[0]
	}
	if v.Err != nil {
		l.observe(first, "refused", took)
		return result, fmt.Errorf("%s: %w", first.Name(), v.Err)
	}
	result.Warning = v.Warning
	if stored.Imported || stored.Source != first.Name() || stored.Rates.Hash() != fetched.Hash() {
		result.Changed, err = l.Store.SaveRates(ctx, Stored{Rates: fetched, Source: first.Name()}, overImported)
	}
	switch {
	case err != nil:
		err = fmt.Errorf("save exchange rates: %w", err)
		l.observe(first, "failed", took)
	case result.Changed:
		l.observe(first, "taken", took)
	default:
		l.observe(first, "unchanged", took)
	}
	return result, err
}

func (l Loop) observe(p Provider, outcome string, took time.Duration) {
	if l.Observe != nil {
		l.Observe(p.Name(), outcome, took)
	}
}
