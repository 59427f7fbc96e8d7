package cardfilter

import (
	"slices"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// Filter selects cards that have one of the values of each list (contract, section 11). An
// empty list selects all cards.
type Filter struct {
	Platform catalog.Platform // 0: all
	Types    []catalog.Type
	// Devices, Genres and Publishers are compared in any case. An entry that is no
	// value as a whole is divided at its commas.
	Devices, Genres, Publishers []string
}

// SelectsAll reports whether the filter selects all cards of its platform.
func (f Filter) SelectsAll() bool {
	return len(f.Types)+len(f.Devices)+len(f.Genres)+len(f.Publishers) == 0
}

// Matcher is a Filter for one snapshot.
type Matcher struct {
	columns                     *index.Columns
	platform                    catalog.Platform
	types                       []catalog.Type
	devices, genres, publishers terms
}

// Compile returns the filter for the cards of a snapshot.
func (f Filter) Compile(s *index.Snapshot) *Matcher {
	columns := s.Columns()
	return &Matcher{
		columns:  columns,
		platform: f.Platform, types: f.Types,
		devices:    compile(&columns.Devices, f.Devices),
		genres:     compile(&columns.Genres, f.Genres),
		publishers: compile(&columns.Publishers, f.Publishers),
	}
}

// Match reports whether the filter selects a card.
func (m *Matcher) Match(c index.Card) bool {
	return (m.platform == 0 || m.platform == m.columns.Platforms[c.Number()]) &&
		(len(m.types) == 0 || slices.Contains(m.types, m.columns.Types[c.Number()])) &&
		m.devices.match(c) && m.genres.match(c) && m.publishers.match(c)
}

// terms is the filter of one field.
type terms struct {
	of      *index.Terms
	matches []bool // by number of the value; nil: all cards match
}

func compile(of *index.Terms, entries []string) terms {
	t := terms{of: of}
	for _, entry := range entries {
		if t.matches == nil {
			t.matches = make([]bool, len(of.Values))
		}
		if t.add(strings.TrimSpace(entry)) {
			continue
		}
		for part := range strings.SplitSeq(entry, ",") {
			t.add(strings.TrimSpace(part))
		}
	}
	return t
}

// add adds the cards that have a value, and reports whether there is one.
func (t *terms) add(value string) bool {
	number, ok := t.of.Find(value)
	if ok {
		t.matches[number] = true
	}
	return ok
}

func (t *terms) match(c index.Card) bool {
	return t.matches == nil || slices.ContainsFunc(t.of.Of(c), func(number uint32) bool { return t.matches[number] })
}
