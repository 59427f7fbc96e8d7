package search

// Likeness is how much the name that matched is like the query; less is more.
type Likeness uint8

// The likenesses.
const (
	// Same is for a name that is the query once both are folded, and Numerals for one that is
	// the query with Arabic numerals for Roman ones or the reverse.
	Same Likeness = iota
	Numerals
	// StandsFor is for a name that is the query but for an article before it, or with the
	// words that acronyms stand for.
	StandsFor
	// Begins is for a name that begins with the query, and Has for any other that matches.
	Begins
	Has
)

// likeness returns the likeness of the names of a rank that match without typos.
func (r rank) likeness() Likeness {
	r %= afterOwn
	switch r % afterWritten {
	case asTyped, exact:
		if r < afterWritten {
			return Same
		}
		return Numerals
	case exactButArticle, wholeAcronym, acronymExact:
		return StandsFor
	case wholeAcronymPrefix, titlePrefix, acronymPrefix:
		return Begins
	}
	return Has
}
