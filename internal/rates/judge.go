package rates

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"gamedex/internal/money"
)

// The bounds of a judgement.
const (
	maxAge   = 6 * 24 * time.Hour // covers the longest bank holidays
	maxAhead = time.Hour          // allows for differing clocks
	maxMove  = 25                 // percent, of the larger by the smaller rate
	agrees   = 5                  // percent, between two providers
	maxDoubt = 24 * time.Hour     // after which a refused move is accepted
	maxGap   = 48 * time.Hour     // without a sighting; then a move counts as new
)

const remedy = "to import a table without these checks: gamedex rates import FILE"

// ErrRefused means that Judge refused a provider's table. Fetching it again soon would
// have the same result.
var ErrRefused = errors.New("exchange rates refused")

// Judgement is the input of Judge.
type Judgement struct {
	New    money.Rates
	Last   money.Rates      // the table to replace; zero: none
	Active []money.Currency // currencies that every table must have
	Others []money.Rates    // tables of other providers
	Memory Memory           // of the last judgement
	Now    time.Time
}

// Verdict is the result of Judge.
type Verdict struct {
	Err     error  // why the table is refused, an ErrRefused; nil: accepted
	Doubted []Move // moves that another provider could confirm; then Err is not nil
	Moves   []Move // all moves since the last table, the largest first
	Warning string // about an accepted table; "": none
	Memory  Memory // for the next judgement
}

// rateOf is the value of one unit of a currency, by default the dollar, in units of
// each other currency.
type rateOf = map[money.Currency]*big.Rat

// Judge decides whether a table replaces the last one. It refuses a table that lacks
// USD or an active currency, or that is older than 6 days or in the future. It refuses
// a table in which a rate moved by more than 25% since the last one, unless another
// provider has that rate within 5%, or the move was first seen over 24 hours ago.
func Judge(in Judgement) Verdict {
	var missing []string
	for _, c := range append([]money.Currency{money.USD}, in.Active...) {
		if !in.New.USD(c).Known() {
			missing = append(missing, string(c))
		}
	}
	var lacks error
	if len(missing) > 0 {
		slices.Sort(missing)
		lacks = fmt.Errorf("the table has no rate of %s, which the active regions need", strings.Join(slices.Compact(missing), ", "))
	}
	if err := errors.Join(lacks, checkAge(in.New, in.Now)); err != nil {
		return Verdict{Err: refused(err), Memory: in.Memory}
	}
	v := Verdict{Moves: movesBetween(in.Last, in.New)}
	after, now, bound := perUSD(in.New), in.Now.UnixMilli(), big.NewRat(100+maxMove, 100)
	large := slices.DeleteFunc(slices.Clone(v.Moves), func(m Move) bool { return size(m.ratio).Cmp(bound) <= 0 })
	var unconfirmed []Move
	for _, m := range large {
		if slices.ContainsFunc(in.Others, func(other money.Rates) bool {
			theirs, ok := perUSD(other)[m.Currency]
			return ok && checkAge(other, in.Now) == nil && near(after[m.Currency], theirs, agrees)
		}) {
			continue
		}
		if s, ok := in.Memory.sighting(in.Last, m.Currency, after, now); ok && now-s.Since >= maxDoubt.Milliseconds() {
			unconfirmed = append(unconfirmed, m)
		} else {
			v.Doubted = append(v.Doubted, m)
		}
	}
	if len(v.Doubted) > 0 {
		v.Memory = in.Memory.withMoves(in.Last, large, after, now)
		since := time.UnixMilli(v.Memory.Refused[v.Doubted[0].Currency].Since).UTC()
		v.Err = refused(fmt.Errorf("%s: moves of more than 25%% are refused until a second provider agrees or 24 hours have passed; first seen %s",
			several(v.Doubted), since.Format(time.RFC3339)))
		return v
	}
	if len(unconfirmed) > 0 {
		v.Warning = fmt.Sprintf("%s: no second provider confirms it, but it was first seen more than 24 hours ago", several(unconfirmed))
	}
	return v
}

func refused(err error) error { return fmt.Errorf("%w: %w; %s", ErrRefused, err, remedy) }

func checkAge(table money.Rates, now time.Time) error {
	at := time.UnixMilli(table.UpdatedAt()).UTC()
	switch {
	case table.IsZero():
		return nil // it has no rate of USD
	case now.Sub(at) > maxAge:
		return fmt.Errorf("the table is of %s, older than 6 days", at.Format(time.RFC3339))
	case at.Sub(now) > maxAhead:
		return fmt.Errorf("the table is of %s, which is in the future", at.Format(time.RFC3339))
	}
	return nil
}

func several(moves []Move) string {
	if len(moves) == 1 {
		return moves[0].String()
	}
	return fmt.Sprintf("%s, and %d more", moves[0], len(moves)-1)
}

// Memory holds the refused moves and when they were seen. It is stored between two
// judgements as text (JSON, in a lease's cursor). It is valid for one last table: once
// another table is accepted, it is cleared. The zero value is empty.
type Memory struct {
	Against string                      `json:"against,omitempty"` // the last table's hash
	Refused map[money.Currency]Sighting `json:"refused,omitempty"`
}

// Sighting is a refused rate; times are milliseconds since 1970.
type Sighting struct {
	Rate  string `json:"rate"` // units per dollar, as first seen
	Since int64  `json:"since"`
	Seen  int64  `json:"seen"` // the last time
}

// ParseMemory parses the text of [Memory.String]. For an invalid text it returns an
// empty Memory: then every move counts as new.
func ParseMemory(text string) Memory {
	var m Memory
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return Memory{}
	}
	return m
}

// String returns the text to store; "" for an empty Memory.
func (m Memory) String() string {
	if len(m.Refused) == 0 {
		return ""
	}
	text, _ := json.Marshal(m)
	return string(text)
}

// withMoves returns the memory after moves were seen at now. Known moves keep the time
// of their first sighting; moves that were not seen again are removed.
func (m Memory) withMoves(last money.Rates, moves []Move, after rateOf, now int64) Memory {
	next := Memory{Against: hashText(last), Refused: make(map[money.Currency]Sighting, len(moves))}
	for _, move := range moves {
		s := Sighting{Rate: formatRate(after[move.Currency], kept), Since: now}
		if before, ok := m.sighting(last, move.Currency, after, now); ok {
			s = before
		}
		s.Seen = now
		next.Refused[move.Currency] = s
	}
	return next
}

// sighting returns when about the same rate of c was first seen, since the same last
// table and without too long a gap.
func (m Memory) sighting(last money.Rates, c money.Currency, after rateOf, now int64) (Sighting, bool) {
	s, ok := m.Refused[c]
	if !ok || m.Against != hashText(last) || s.Since > s.Seen || s.Seen > now || now-s.Seen > maxGap.Milliseconds() {
		return Sighting{}, false
	}
	rate, err := parseRate(s.Rate)
	if err != nil || !near(rate, after[c], maxMove) {
		return Sighting{}, false
	}
	return s, true
}

func hashText(r money.Rates) string { return strconv.FormatUint(r.Hash(), 16) }

// Move is the difference of one currency's rate between two tables.
type Move struct {
	Currency      money.Currency
	Before, After string   // units per dollar, rounded
	ratio         *big.Rat // after/before
}

// Percent returns the change with its sign: "+3.2".
func (m Move) Percent() string {
	change := new(big.Rat).Sub(m.ratio, big.NewRat(1, 1))
	text := change.Mul(change, big.NewRat(100, 1)).FloatString(1)
	if change.Sign() >= 0 {
		text = "+" + text
	}
	return text
}

// String describes the move for errors.
func (m Move) String() string {
	return fmt.Sprintf("%s moved from %s to %s per USD (%s%%)", m.Currency, m.Before, m.After, m.Percent())
}

// movesBetween returns the moves of the currencies in both tables, the largest first.
func movesBetween(before, after money.Rates) []Move {
	old, moves := perUSD(before), []Move(nil)
	for c, now := range perUSD(after) {
		then, ok := old[c]
		if !ok || then.Cmp(now) == 0 {
			continue
		}
		moves = append(moves, Move{
			Currency: c, Before: formatRate(then, shown), After: formatRate(now, shown),
			ratio: new(big.Rat).Quo(now, then),
		})
	}
	slices.SortFunc(moves, func(a, b Move) int {
		return cmp.Or(size(b.ratio).Cmp(size(a.ratio)), cmp.Compare(a.Currency, b.Currency))
	})
	return moves
}

// size returns a ratio regardless of its direction: 1 or more.
func size(ratio *big.Rat) *big.Rat {
	if ratio.Cmp(big.NewRat(1, 1)) < 0 {
		return new(big.Rat).Inv(ratio)
	}
	return ratio
}

// near reports whether a and b differ by at most the given percentage, of the larger
// by the smaller.
func near(a, b *big.Rat, percent int64) bool {
	return size(new(big.Rat).Quo(a, b)).Cmp(big.NewRat(100+percent, 100)) <= 0
}

// perUSD returns the rates of a table as exact numbers per dollar, including the base.
func perUSD(r money.Rates) rateOf {
	out := make(rateOf)
	if r.IsZero() {
		return out
	}
	for _, c := range append(r.Currencies(), r.Base()) {
		out[c] = new(big.Rat).Quo(r.PerBase(c), r.PerBase(money.USD))
	}
	return out
}
