package lists

import (
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/index/cardset"
)

// Filter selects cards that have one of the values of each list (contract, section 11). An
// empty list selects all cards.
type Filter struct {
	Platform catalog.Platform // 0: all
	Types    []catalog.Type
	// Devices, Genres and Publishers are compared in any case. An entry that is not a
	// value as a whole is divided at its commas.
	Devices, Genres, Publishers []string
}

// SelectsAll reports whether the filter selects all cards of its platform.
func (f Filter) SelectsAll() bool {
	return len(f.Types)+len(f.Devices)+len(f.Genres)+len(f.Publishers) == 0
}

// Select returns the cards of a snapshot that the filter selects. The caller may change the
// set.
func (f Filter) Select(s *index.Snapshot) cardset.Bits {
	selected, columns := cardset.All(s.Len()), s.Columns()
	if f.Platform != 0 {
		keep(selected, columns.Platforms[f.Platform])
	}
	if len(f.Types) > 0 {
		var sets []cardset.Set
		for _, t := range f.Types {
			sets = append(sets, columns.Types[t])
		}
		keep(selected, sets...)
	}
	keepTerms(selected, &columns.Devices, f.Devices)
	keepTerms(selected, &columns.Genres, f.Genres)
	keepTerms(selected, &columns.Publishers, f.Publishers)
	return selected
}

// keep keeps the cards that are in one of the sets.
func keep(selected cardset.Bits, sets ...cardset.Set) {
	union := make(cardset.Bits, len(selected))
	for _, s := range sets {
		s.AddTo(union)
	}
	selected.Keep(union)
}

// keepTerms keeps the cards with a value that an entry names; all if there are no entries.
func keepTerms(selected cardset.Bits, t *index.Terms, entries []string) {
	if len(entries) == 0 {
		return
	}
	var sets []cardset.Set
	for _, entry := range entries {
		if number, ok := t.Find(strings.TrimSpace(entry)); ok {
			sets = append(sets, t.Cards[number])
			continue
		}
		for part := range strings.SplitSeq(entry, ",") {
			if number, ok := t.Find(strings.TrimSpace(part)); ok {
				sets = append(sets, t.Cards[number])
			}
		}
	}
	keep(selected, sets...)
}
