package rates

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"gamedex/internal/money"
)

// The bounds of a judgement.
const (
	maxAge   = 6 * 24 * time.Hour // the longest holidays of a bank, and its hours
	maxAhead = time.Hour          // clocks differ
	maxMove  = 25                 // percent, larger by smaller
	agrees   = 5                  // percent, of a second provider
	stands   = 24 * time.Hour     // after which a refused move is believed
	silence  = 48 * time.Hour     // after which it counts as new
)

// wayOut ends what is said about a refusal.
const wayOut = "to take a table without these checks: gamedex rates import FILE"

// ErrRefused means that a provider's table was judged and not taken. Asking again
// soon would give the same.
var ErrRefused = errors.New("exchange rates refused")

// Judgement is what there is to judge a table by.
type Judgement struct {
	New    money.Rates
	Last   money.Rates      // the one to be replaced; zero: none
	Active []money.Currency // without these no table is taken
	Others []money.Rates    // second opinions
	Memory Memory           // of the judgement before
	Now    time.Time
}

// Verdict is what became of it.
type Verdict struct {
	Err     error  // why the table is not to be taken: an ErrRefused; nil: take it
	Doubted []Move // what a second opinion could confirm; then Err is not nil
	Moves   []Move // all against the last table, the largest first
	Warning string // of a table that is taken, but not lightly; "" none
	Memory  Memory // for the next judgement
}

// rateOf is how many units of each currency one unit of another is worth:
// a dollar, where nothing else is said.
type rateOf = map[money.Currency]*big.Rat

// Judge decides whether a table replaces the last one. It refuses one that
// lacks an active currency or USD, that is older than 6 days or in the future,
// or in which a currency moved by more than 25 % against the last one, unless a
// second opinion has that currency within 5 %, or the move has stood for 24
// hours.
func Judge(in Judgement) Verdict {
	if err := errors.Join(in.lacks(), age(in.New, in.Now)); err != nil {
		return Verdict{Err: refused(err), Memory: in.Memory}
	}
	v := Verdict{Moves: movesBetween(in.Last, in.New)}
	var stood []Move
	after, large := perUSD(in.New), v.Moves[:largeMoves(v.Moves)]
	for _, m := range large {
		switch {
		case in.confirmed(m.Currency, after):
		case in.stood(m.Currency, after):
			stood = append(stood, m)
		default:
			v.Doubted = append(v.Doubted, m)
		}
	}
	if len(v.Doubted) > 0 {
		v.Memory = in.Memory.noted(in.Last, large, after, in.Now.UnixMilli())
		v.Err = refused(v.doubts())
		return v
	}
	if len(stood) > 0 {
		v.Warning = fmt.Sprintf("%s: nobody confirms it, but it has stood for 24 hours", several(stood))
	}
	return v
}

func refused(err error) error { return fmt.Errorf("%w: %w; %s", ErrRefused, err, wayOut) }

// lacks says what an active region would miss.
func (in Judgement) lacks() error {
	var missing []string
	for _, c := range append([]money.Currency{money.USD}, in.Active...) {
		if !in.New.USD(c).Known() {
			missing = append(missing, string(c))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return fmt.Errorf("the table has no rate of %s, which the active regions need", strings.Join(slices.Compact(missing), ", "))
}

// age judges a table's own time.
func age(table money.Rates, now time.Time) error {
	at := time.UnixMilli(table.UpdatedAt()).UTC()
	switch {
	case table.IsZero():
		return nil // lacks everything
	case now.Sub(at) > maxAge:
		return fmt.Errorf("the table is of %s, older than 6 days", at.Format(time.RFC3339))
	case at.Sub(now) > maxAhead:
		return fmt.Errorf("the table is of %s, which is in the future", at.Format(time.RFC3339))
	}
	return nil
}

// largeMoves counts those beyond the bound, which come first.
func largeMoves(moves []Move) int {
	bound := big.NewRat(100+maxMove, 100)
	n := slices.IndexFunc(moves, func(m Move) bool { return size(m.ratio).Cmp(bound) <= 0 })
	if n < 0 {
		return len(moves)
	}
	return n
}

// confirmed reports whether a second opinion, itself of these days, agrees.
func (in Judgement) confirmed(c money.Currency, after rateOf) bool {
	return slices.ContainsFunc(in.Others, func(other money.Rates) bool {
		theirs, ok := perUSD(other)[c]
		return ok && age(other, in.Now) == nil && near(after[c], theirs, agrees)
	})
}

// stood reports whether the move was first seen long enough ago.
func (in Judgement) stood(c money.Currency, after rateOf) bool {
	now := in.Now.UnixMilli()
	s, ok := in.Memory.sighting(in.Last, c, after, now)
	return ok && now-s.Since >= stands.Milliseconds()
}

// doubts is the error that lists the unconfirmed moves, and since when they are seen.
func (v Verdict) doubts() error {
	since := v.Memory.Refused[v.Doubted[0].Currency].Since
	return fmt.Errorf("%s: more than 25 %% are refused until a second provider agrees or it has stood for 24 hours, seen since %s",
		several(v.Doubted), time.UnixMilli(since).UTC().Format(time.RFC3339))
}

// several describes the first move, and how many others there are.
func several(moves []Move) string {
	if len(moves) == 1 {
		return moves[0].String()
	}
	return fmt.Sprintf("%s, and %d more", moves[0], len(moves)-1)
}
