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
