package quota

import "context"

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

// UsageRow is the number of requests that one run of a process answered for a
// key, in an hour, on a route, with an outcome. Count is absolute: saving a row
// replaces the row whose other fields are the same, so a repeated flush counts
// once.
type UsageRow struct {
	KeyID   string
	Hour    int64 // hours since 1970, UTC
	Route   string
	Outcome Outcome
	Run     string
	Count   int64
}

// HourCount is the number of requests in one hour.
type HourCount struct {
	Hour  int64 // hours since 1970, UTC
	Count int64
}

// Store is what a [Flusher] and [Usage] need of the database.
type Store interface {
	// SaveQuota stores one state per key and owner. It ignores a state whose Minute is
	// up to [MaxAhead] lower than the stored one; if it is lower by more, the clock
	// was set back, and the state replaces the stored one. At the same Minute it
	// keeps the higher value of each count.
	SaveQuota(ctx context.Context, states []State) error

	// LoadQuota returns the stored states with Minute >= sinceMinute.
	LoadQuota(ctx context.Context, sinceMinute int64) ([]State, error)

	// SaveUsage upserts rows by (key, hour, route, outcome, run).
	SaveUsage(ctx context.Context, rows []UsageRow) error

	// SumUsage returns the requests of a key by hour since sinceHour, over all
	// runs, in any order, without refused requests and without empty hours. Of
	// the run ownRun it counts only the hours before ownBefore: its later
	// hours are in memory.
	SumUsage(ctx context.Context, keyID string, sinceHour int64, ownRun string, ownBefore int64) ([]HourCount, error)
}
