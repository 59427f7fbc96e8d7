package quota

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
)

const (
	hourMillis   = 3_600_000
	historyHours = 30 * 24
)

// Usage counts the requests that this run answered, by key, hour, route and outcome,
// until they are stored.
//
// It keeps them in numbered batches. Before a batch is sent to the [Repository] it is frozen, so
// that it can be sent again if nobody knows whether it was stored. Until then requests are
// added to it, so an outage of the database costs no more memory than there are keys, hours
// and routes. Create it with [NewUsage].
type Usage struct {
	run  string
	repo Repository

	mu      sync.Mutex
	number  int64           // of the last batch
	batches []*usageBatch   // all that are not known to be stored, by number
	open    map[slot]*int64 // of the batches that are not frozen
	lost    int64
}

type slot struct {
	keyID   string
	hour    int64
	route   string
	outcome Outcome
}

type usageBatch struct {
	number int64
	frozen bool
	counts map[slot]*int64
}

// maxOpenRows bounds the memory for requests that wait to be stored: about 100 MB.
const maxOpenRows = 500_000

// NewUsage returns a Usage without any requests. No earlier run may have used
// the name run in this database.
func NewUsage(run string, repo Repository) *Usage {
	return &Usage{run: run, repo: repo, open: make(map[slot]*int64)}
}

// Add counts one answered request. The route is one of a fixed set of patterns,
// never a path.
func (u *Usage) Add(keyID, route string, outcome Outcome, now int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	at := slot{keyID, now / hourMillis, route, outcome}
	count := u.open[at]
	if count == nil {
		if len(u.open) >= maxOpenRows {
			u.lost++
			return
		}
		count = new(int64)
		u.open[at] = count
		u.last().counts[at] = count
	}
	*count++
}

// last returns the batch that takes new rows.
func (u *Usage) last() *usageBatch {
	if n := len(u.batches); n > 0 && !u.batches[n-1].frozen && len(u.batches[n-1].counts) < flushBatch {
		return u.batches[n-1]
	}
	u.number++
	u.batches = append(u.batches, &usageBatch{number: u.number, counts: make(map[slot]*int64)})
	return u.batches[len(u.batches)-1]
}

// freeze freezes all batches, unless some are frozen already and not known to be stored.
// It reports whether all are frozen now.
func (u *Usage) freeze() (all bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.batches) > 0 && u.batches[0].frozen {
		return u.batches[len(u.batches)-1].frozen
	}
	for _, b := range u.batches {
		b.frozen = true
	}
	u.open = make(map[slot]*int64)
	return true
}

// next returns the first frozen batch. Its rows are sorted, so that databases lock them in
// one order.
func (u *Usage) next(now int64) (b UsageBatch, found bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.batches) == 0 || !u.batches[0].frozen {
		return UsageBatch{}, false
	}
	first := u.batches[0]
	b = UsageBatch{Run: u.run, Number: first.number, At: now, Rows: make([]UsageRow, 0, len(first.counts))}
	for at, count := range first.counts {
		b.Rows = append(b.Rows, UsageRow{KeyID: at.keyID, Hour: at.hour, Route: at.route, Outcome: at.outcome, Count: *count})
	}
	slices.SortFunc(b.Rows, func(a, b UsageRow) int {
		return cmp.Or(cmp.Compare(a.KeyID, b.KeyID), cmp.Compare(a.Hour, b.Hour), cmp.Compare(a.Route, b.Route), cmp.Compare(a.Outcome, b.Outcome))
	})
	return b, true
}

// stored removes the first batch, which is stored.
func (u *Usage) stored() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.batches = slices.Delete(u.batches, 0, 1)
}

// takeLost returns how many requests were not counted since the last call, because too
// many waited to be stored.
func (u *Usage) takeLost() int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	lost := u.lost
	u.lost = 0
	return lost
}

// History is the number of requests of a key over all runs, without refused
// ones. Each span is whole hours: the current one and the 24, 168 or 720 before
// it, so it covers at least the time of its name.
type History struct{ Last24h, Last7d, Last30d int64 }

// History returns the sum of what is stored and what this run has in memory. It
// fails if the database does.
func (u *Usage) History(ctx context.Context, keyID string, now int64) (History, error) {
	thisHour := now / hourMillis
	// Memory first: a batch that is stored meanwhile is recognized by its number.
	waiting := u.waiting(keyID)
	hours, stored, err := u.repo.SumUsage(ctx, keyID, thisHour-historyHours, u.run)
	if err != nil {
		return History{}, fmt.Errorf("sum usage of key %s: %w", keyID, err)
	}
	for _, w := range waiting {
		if w.batch > stored {
			hours = append(hours, w.HourCount)
		}
	}
	var h History
	for _, hc := range hours {
		age := thisHour - hc.Hour
		if age <= 24 {
			h.Last24h += hc.Count
		}
		if age <= 7*24 {
			h.Last7d += hc.Count
		}
		if age <= historyHours {
			h.Last30d += hc.Count
		}
	}
	return h, nil
}

// waitingCount is a row that waits to be stored, and the number of its batch.
type waitingCount struct {
	batch int64
	HourCount
}

// waiting returns the requests of a key that wait to be stored, without refused ones.
func (u *Usage) waiting(keyID string) (list []waitingCount) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, b := range u.batches {
		for at, count := range b.counts {
			if at.keyID == keyID && at.outcome != OutcomeRefused {
				list = append(list, waitingCount{b.number, HourCount{Hour: at.hour, Count: *count}})
			}
		}
	}
	return list
}

// State is what a key or an owner has spent, as it is stored.
type State struct {
	ID    string
	Owner bool // the id is an owner's, not a key's
	Spent
}

// Outcome is the class of an answer, as history counts it.
type Outcome string

// The classes of answers. [History] leaves out refused requests (429).
const (
	OutcomeOK          Outcome = "ok"           // 1xx, 2xx and 3xx
	OutcomeClientError Outcome = "client_error" // 4xx except 429
	OutcomeRefused     Outcome = "refused"      // 429
	OutcomeServerError Outcome = "server_error" // 5xx
)

// OutcomeOf returns the class of an HTTP status.
func OutcomeOf(status int) Outcome {
	switch {
	case status == 429:
		return OutcomeRefused
	case status >= 500:
		return OutcomeServerError
	case status >= 400:
		return OutcomeClientError
	}
	return OutcomeOK
}

// UsageRow is a number of requests with a key, in an hour, on a route, with an outcome.
type UsageRow struct {
	KeyID   string
	Hour    int64 // hours since 1970, UTC
	Route   string
	Outcome Outcome
	Count   int64
}

// UsageBatch is requests that one run of a process answered, to be added to what is
// stored. A run numbers its batches from 1, and a batch with a number never changes.
type UsageBatch struct {
	Run    string
	Number int64
	At     int64 // when it is saved, Unix milliseconds
	Rows   []UsageRow
}

// HourCount is the number of requests in one hour.
type HourCount struct {
	Hour  int64 // hours since 1970, UTC
	Count int64
}

// Repository is what a [Flusher] and [Usage] need of the database.
type Repository interface {
	// SaveQuota stores one state per key and owner. It ignores a state whose Minute is
	// up to [MaxAhead] lower than the stored one; if it is lower by more, the clock
	// was set back, and the state replaces the stored one. At the same Minute it
	// keeps the higher value of each count.
	SaveQuota(ctx context.Context, states []State) error

	// LoadQuota returns the stored states with Minute >= sinceMinute.
	LoadQuota(ctx context.Context, sinceMinute int64) ([]State, error)

	// SaveUsage adds the rows of a batch, and stores its number with them in one
	// transaction. It adds nothing if this number of the run, or a higher one, is
	// stored: then an earlier call succeeded whose result was not known.
	SaveUsage(ctx context.Context, b UsageBatch) error

	// SumUsage returns the requests of a key by hour since sinceHour, in any order,
	// without refused requests and without empty hours. They include the batches of the
	// run up to the number stored.
	SumUsage(ctx context.Context, keyID string, sinceHour int64, run string) (hours []HourCount, stored int64, err error)
}
