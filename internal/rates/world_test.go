package rates_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"gamedex/internal/lease"
	"gamedex/internal/money"
	"gamedex/internal/rates"
)

// world is the state that several processes share: a database with leases and the
// table.
type world struct {
	mu     sync.Mutex
	leases map[string]lease.Lease
	stored *rates.Stored
	saves  int
	down   error
	log    bytes.Buffer
}

func newWorld() *world { return &world{leases: make(map[string]lease.Lease)} }

func (w *world) LoadRates(context.Context) (rates.Stored, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stored == nil {
		return rates.Stored{}, false, w.down
	}
	return *w.stored, w.down == nil, w.down
}

func (w *world) SaveRates(_ context.Context, s rates.Stored, overImported bool) (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.down != nil || w.stored != nil && w.stored.Imported && !overImported {
		return false, w.down
	}
	w.stored = &s
	w.saves++
	return true, nil
}

func (w *world) Claim(_ context.Context, name, holder string, ttl time.Duration) (lease.Lease, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l, now := w.leases[name], time.Now().UnixMilli()
	if now < l.Until || now < l.DueAt {
		return lease.Lease{}, false, nil
	}
	l.Name, l.Holder, l.Until = name, holder, now+ttl.Milliseconds()
	l.Token++
	w.leases[name] = l
	return l, true, nil
}

func (w *world) Renew(_ context.Context, l lease.Lease, ttl time.Duration) (bool, error) {
	return w.change(l, func(stored *lease.Lease) { stored.Until, stored.Cursor = time.Now().Add(ttl).UnixMilli(), l.Cursor })
}

func (w *world) Release(_ context.Context, l lease.Lease) (bool, error) {
	return w.change(l, func(stored *lease.Lease) { *stored = l; stored.Holder, stored.Until = "", 0 })
}

func (w *world) FindLease(_ context.Context, name string) (lease.Lease, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l, found := w.leases[name]
	return l, found, nil
}

func (w *world) change(l lease.Lease, change func(*lease.Lease)) (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	stored := w.leases[l.Name]
	if stored.Token != l.Token || stored.Holder != l.Holder {
		return false, nil
	}
	change(&stored)
	w.leases[l.Name] = stored
	return true, nil
}

func (w *world) set(change func(*world)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(w)
}

// kept returns the stored table and the number of saves.
func (w *world) kept() (rates.Stored, int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stored == nil {
		return rates.Stored{}, w.saves
	}
	return *w.stored, w.saves
}

func (w *world) table() string {
	stored, _ := w.kept()
	return string(stored.Rates.AppendJSON(nil))
}

func (w *world) lease(name string) lease.Lease {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.leases[name]
}

// Write records the log.
func (w *world) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(line)
}

// lines returns what was logged since the last call.
func (w *world) lines() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := strings.TrimSpace(w.log.String())
	w.log.Reset()
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// loop returns the loop of one process, without random delays.
func (w *world) loop(id string, providers ...rates.Provider) rates.Loop {
	return rates.Loop{
		Providers: providers, Repository: w,
		Leases: lease.Holder{Repository: w, ID: id, TTL: 30 * time.Second},
		Active: func(context.Context) ([]money.Currency, error) { return active, nil },
		Now:    time.Now, Rand: func() float64 { return 0 },
		Log: slog.New(slog.NewTextHandler(w, nil)),
	}
}

// fake is a provider that takes two seconds and returns what a test sets.
type fake struct {
	name string
	mu   sync.Mutex
	text string // UAH 44 TRY 40, of now; unless err
	age  time.Duration
	err  error
	asks []time.Time
}

func (f *fake) Name() string { return f.name }

func (f *fake) Fetch(ctx context.Context) (money.Rates, error) {
	f.mu.Lock()
	f.asks = append(f.asks, time.Now())
	text, age, err := f.text, f.age, f.err
	f.mu.Unlock()
	select {
	case <-ctx.Done():
		return money.Rates{}, ctx.Err()
	case <-time.After(2 * time.Second):
	}
	if err != nil {
		return money.Rates{}, err
	}
	return parseTable(text, time.Now().Add(-age).Truncate(time.Hour))
}

func (f *fake) say(text string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.text, f.err = text, err
}

// asked returns the times of requests since the last call.
func (f *fake) asked() []time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	asks := f.asks
	f.asks = nil
	return asks
}

// run starts a loop; stop ends it and waits.
func run(t *testing.T, l rates.Loop) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.Run(ctx)
	}()
	return func() { cancel(); <-done }
}

// constant is a fake that always returns the same table.
type constant struct {
	*fake
	table money.Rates
}

func (c constant) Fetch(ctx context.Context) (money.Rates, error) {
	if _, err := c.fake.Fetch(ctx); err != nil {
		return money.Rates{}, err
	}
	return c.table, nil
}
