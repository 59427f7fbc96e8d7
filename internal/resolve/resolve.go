package resolve

import (
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/fold"
	"gamedex/internal/index"
)

// Item is a text to resolve, and what else is known of the game.
type Item struct {
	Text     string
	Kind     Kind
	Platform catalog.Platform // the store to look in; 0: all
	Devices  []string         // that the card should be for, as cards name them, in any case
	Year     int              // of the release; 0: unknown
}

// Kind is what the text of an item is.
type Kind uint8

// The kinds. A text of AnyKind is a title if any title is equal, else an id or a link if a card
// has it, else a title. An ID may be a link, too.
const (
	AnyKind Kind = iota
	Title
	ID
)

// Status is what was found in a store.
type Status uint8

// The statuses.
const (
	NotFound Status = iota
	Ambiguous
	Resolved
)

// String returns the status as the API writes it.
func (s Status) String() string { return [...]string{"not_found", "ambiguous", "resolved"}[s] }

// Way is how the card of a resolved item was found.
type Way uint8

// The ways: by an id or a link; by the title of the card; by another of its names or an
// acronym; without words of shops or editions; in spite of typing errors.
const (
	None Way = iota // not resolved
	ByID
	Exact
	Alias
	Edition
	Typo
)

// String returns the way as the API writes it.
func (w Way) String() string { return [...]string{"", "id", "exact", "alias", "edition", "typo"}[w] }

// MaxCandidates is how many candidates a match has at most.
const MaxCandidates = 3

// Match is what was found for an item in one store.
type Match struct {
	Platform  catalog.Platform
	Status    Status
	Way       Way        // if resolved; Typo if it is ambiguous and a looser reading may fit better
	Card      index.Card // if resolved
	MovedFrom string     // the former id, if the item is one

	candidates [MaxCandidates]index.Card
	count      int
}

// Candidates returns the likely cards of a match that is not resolved, the likeliest first.
func (m *Match) Candidates() []index.Card { return m.candidates[:m.count] }

// addCandidate adds a card, unless it is there already or there are enough.
func (m *Match) addCandidate(c index.Card) {
	if m.count < MaxCandidates && !slices.Contains(m.Candidates(), c) {
		m.candidates[m.count] = c
		m.count++
	}
}

// matchOf returns the match of the cards that fit equally well.
func matchOf(p catalog.Platform, w Way, cards []index.Card) Match {
	m := Match{Platform: p}
	switch {
	case len(cards) == 1:
		m.Status, m.Way, m.Card = Resolved, w, cards[0]
	case len(cards) > 1:
		m.Status = Ambiguous
		for _, c := range cards {
			m.addCandidate(c)
		}
	}
	return m
}

// doubted returns a resolved match as an ambiguous one, with its card as a candidate.
func (m Match) doubted() Match {
	if m.Status == Resolved {
		m.addCandidate(m.Card)
		m.Status, m.Card = Ambiguous, index.Card{}
	}
	return m
}

// or returns the match of a looser reading, unless it has nothing. If both are ambiguous, the
// candidates of m stay first.
func (m Match) or(looser Match) Match {
	switch {
	case looser.Status == NotFound:
		return m
	case looser.Status == Resolved || m.Status == NotFound:
		return looser
	}
	m.Way = looser.Way
	for _, c := range looser.Candidates() {
		m.addCandidate(c)
	}
	return m
}

// Resolver resolves the items of one request in one view. It reuses its memory for the next item;
// it is not safe for concurrent use.
type Resolver struct {
	View *index.View

	hits  []index.Hit
	cards []index.Card
	// bySound is how many titles were searched by their sound in vain. Those beyond [MaxBySound]
	// are only searched as they are spelled: the sounds take most of the time.
	bySound int
}

// MaxBySound is how many searches by sound that find nothing a resolver makes.
const MaxBySound = 400

// Resolve appends the matches of an item to dst, one for each store.
func (r *Resolver) Resolve(it Item, dst []Match) []Match {
	first := len(dst)
	for _, p := range catalog.Platforms() {
		if it.Platform == 0 || it.Platform == p {
			dst = append(dst, Match{Platform: p})
		}
	}
	r.resolve(it, dst[first:])
	return dst
}

func (r *Resolver) resolve(it Item, matches []Match) {
	t := &title{item: &it, length: len(fold.Fold(it.Text))}
	equal := false
	if it.Kind != ID {
		for i := range matches {
			var same bool
			matches[i], same = r.written(t, matches[i].Platform)
			equal = equal || same
		}
	}
	if it.Kind != Title && !equal && r.findIDs(it.Text, matches) || it.Kind == ID {
		return
	}
	resolved := false
	for i := range matches {
		m := &matches[i]
		if m.Status != Resolved && !t.tied(m) && r.View.Serves(m.Platform) {
			*m = r.rephrased(t, *m)
		}
		resolved = resolved || m.Status == Resolved || t.tied(m)
	}
	if !resolved { // else the title has no typing errors
		r.mistyped(t, matches)
	}
	for i := range matches {
		if matches[i].Status == NotFound {
			matches[i] = r.sameGame(matches[i], matches)
		}
	}
}

// findIDs puts the cards that have a text as their id, or the id in a link, into the matches of
// their stores. It returns false if there are none in any store; otherwise other stores keep
// only a match that is resolved.
func (r *Resolver) findIDs(text string, matches []Match) bool {
	for _, find := range [...]func(string, catalog.Platform) Match{r.withID, r.withLink} {
		found, any := make([]Match, len(matches)), false
		for i := range matches {
			found[i] = find(text, matches[i].Platform)
			any = any || found[i].Status != NotFound
		}
		for i := range matches {
			if any && (found[i].Status != NotFound || matches[i].Status != Resolved) {
				matches[i] = found[i]
			}
		}
		if any {
			return true
		}
	}
	return false
}

// sameGame returns the match of a title that only the other store knows: the card of the same
// game, if there is just one without an edition's name.
func (r *Resolver) sameGame(m Match, others []Match) Match {
	for i := range others {
		o := &others[i]
		c, way := o.Card, o.Way
		if o.Status == Ambiguous && o.Way == None && o.isOneGame(r.View.Games()) {
			c, way = o.candidates[0], Alias
		} else if o.Status != Resolved || way == Typo {
			continue
		}
		if c.EditionName() != "" || c.Type() != catalog.Game {
			continue
		}
		r.cards = r.cards[:0]
		for n := range r.View.Games().Others(uint32(c.Number())) {
			if same := r.View.Card(int(n)); same.Platform() == m.Platform && same.EditionName() == "" && same.Type() == catalog.Game {
				r.cards = append(r.cards, same)
			}
		}
		return matchOf(m.Platform, max(way, Alias), r.cards)
	}
	return m
}

// isOneGame reports whether all candidates are the same game, which is sold separately for several
// devices.
func (m *Match) isOneGame(games *index.Games) bool {
	for _, c := range m.Candidates() {
		if games.First(uint32(c.Number())) != games.First(uint32(m.candidates[0].Number())) {
			return false
		}
	}
	return m.count > 0
}

func (r *Resolver) withLink(link string, p catalog.Platform) Match {
	var certain bool
	r.cards, certain = r.View.WithLink(link, p, r.cards[:0])
	m := matchOf(p, ByID, r.cards)
	if !certain {
		return m.doubted()
	}
	return m
}

// withID returns the match of an id, or of the cards that have the listings of a former id now.
func (r *Resolver) withID(id string, p catalog.Platform) Match {
	r.cards = r.View.WithID(id, p, r.cards[:0])
	if len(r.cards) > 0 {
		return matchOf(p, ByID, r.cards)
	}
	r.cards = r.View.AppendMoved(r.cards, p, id)
	m := matchOf(p, ByID, r.cards)
	if len(r.cards) > 0 {
		m.MovedFrom = catalog.CardID(id)
	}
	return m
}
