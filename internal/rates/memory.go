package rates

import (
	"encoding/json"
	"strconv"

	"gamedex/internal/money"
)

// Memory is what was refused since when, kept between two judgements as text
// (JSON, in a lease's cursor). It holds for one last table alone: once another
// was taken, all of it is forgotten. The zero value remembers nothing.
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

// ParseMemory reads what [Memory.String] wrote. What cannot be read remembers
// nothing: then a move counts as new.
func ParseMemory(text string) Memory {
	var m Memory
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return Memory{}
	}
	return m
}

// String is the text to keep; "" of what remembers nothing.
func (m Memory) String() string {
	if len(m.Refused) == 0 {
		return ""
	}
	text, err := json.Marshal(m)
	if err != nil {
		return ""
	}
	return string(text)
}

// noted is the memory after moves were seen at now: those it knows keep their
// beginning, those that were not seen again are forgotten.
func (m Memory) noted(last money.Rates, moves []Move, after rateOf, now int64) Memory {
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

// sighting is when the rate that c has now was first seen: against the same
// last table, about the same value, without too long a silence since.
func (m Memory) sighting(last money.Rates, c money.Currency, after rateOf, now int64) (Sighting, bool) {
	s, ok := m.Refused[c]
	if !ok || m.Against != hashText(last) || s.Since > s.Seen || s.Seen > now || now-s.Seen > silence.Milliseconds() {
		return Sighting{}, false
	}
	rate, err := parseRate(s.Rate)
	if err != nil || !near(rate, after[c], maxMove) {
		return Sighting{}, false
	}
	return s, true
}

func hashText(r money.Rates) string { return strconv.FormatUint(r.Hash(), 16) }
