package browse

import (
	"slices"
	"sort"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/index/cardset"
	"gamedex/internal/lists"
)

// Query selects cards and a page of them.
type Query struct {
	Cards lists.Filter
	// Regions keeps the cards that are listed in one of these regions, by number;
	// nil: all cards.
	Regions []uint8
	// Priced keeps the cards with a price that is a number in one of Regions, or if
	// that is nil in an active region.
	Priced bool
	// ReleasedFrom and ReleasedTo keep the cards released in that period, both
	// included, as in index.Columns; 0: no bound.
	ReleasedFrom, ReleasedTo int32
	AddedAfter               catalog.Millis // 0: no bound
	Distinct                 bool           // only the first card of each game, see index.Games
	Sort                     Sort
	Facets                   []Facet
	Limit                    int
	After                    *lists.Position // nil: the first page
}

// Sort is an order of cards.
type Sort uint8

// The orders. Popularity begins with the highest, Released and Added with the newest.
const (
	ByID Sort = iota
	ByPopularity
	ByTitle
	ByReleased
	ByAdded
)

// SortNames are the names of the orders, in the order of the constants.
var SortNames = [...]string{"id", "popularity", "title", "released", "added"}

// Page is a part of the list of cards that a query selects.
type Page struct {
	Cards  []index.Card
	Total  int             // cards of the whole list
	Next   *lists.Position // where the next page begins; nil: this is the last one
	Facets []FacetCounts   // of all selected cards, in the order of Query.Facets
}

// Find returns a page of the cards that a query selects, as they are at now (Unix
// milliseconds).
func Find(v *index.View, q Query, now int64) Page {
	if q.Priced && q.Regions == nil {
		q.Regions = []uint8{}
		for _, r := range v.Active() {
			q.Regions = append(q.Regions, r.No)
		}
	}
	f := finder{View: v, Query: q, now: now, columns: v.Columns()}
	var page Page
	selected := f.selectCards()
	for _, facet := range q.Facets {
		page.Facets = append(page.Facets, countValues(v, facet, selected))
	}
	if q.Distinct {
		f.removeRepeats(selected)
	}
	page.Total = selected.Len()
	items := f.first(selected)
	if len(items) > q.Limit {
		items = items[:q.Limit]
		last := items[q.Limit-1].Position(v.Snapshot)
		page.Next = &last
	}
	for _, it := range items {
		page.Cards = append(page.Cards, v.Card(int(it.Card)))
	}
	return page
}

// first returns the selected cards that follow the previous page, in their order. It
// returns one more than the page has, if there is a next page.
func (f *finder) first(selected cardset.Bits) []lists.Item {
	if f.Sort == ByID {
		return f.firstByID(selected)
	}
	top := lists.NewTop(f.Limit+1, lists.Item.Compare)
	for n := range selected.Cards() {
		if it := f.item(n); it.IsAfter(f.After, f.Snapshot) {
			top.Add(it)
		}
	}
	return top.Sorted()
}

// firstByID is first for the order of ids, which the columns have.
func (f *finder) firstByID(selected cardset.Bits) []lists.Item {
	order := f.columns.ByID
	order = order[sort.Search(len(order), func(i int) bool { return f.item(order[i]).IsAfter(f.After, f.Snapshot) }):]
	var items []lists.Item
	for _, n := range order {
		if selected.Has(n) {
			items = append(items, f.item(n))
		}
		if len(items) > f.Limit {
			break
		}
	}
	return items
}

// finder is one run of Find.
type finder struct {
	*index.View
	Query
	now     int64
	columns *index.Columns
}

// selectCards returns the cards that pass all filters.
func (f *finder) selectCards() cardset.Bits {
	selected := f.Cards.Select(f.Snapshot)
	if f.ReleasedFrom == 0 && f.ReleasedTo == 0 && f.AddedAfter == 0 && f.Regions == nil {
		return selected
	}
	for n := range selected.Cards() {
		if !f.match(f.Card(int(n))) {
			selected.Remove(n)
		}
	}
	return selected
}

// removeRepeats removes all but the first of the selected cards of each game.
func (f *finder) removeRepeats(selected cardset.Bits) {
	games := f.Games()
	first := make([]uint32, f.Len()) // by Games.First: the first card so far, plus one
	for n := range selected.Cards() {
		at := &first[games.First(n)]
		switch {
		case *at == 0:
			*at = n + 1
		case f.item(n).Compare(f.item(*at-1)) < 0:
			selected.Remove(*at - 1)
			*at = n + 1
		default:
			selected.Remove(n)
		}
	}
}

// match reports whether a card passes the filters besides Query.Cards.
func (f *finder) match(c index.Card) bool {
	released := f.columns.Released[c.Number()]
	return (f.ReleasedFrom == 0 || released >= f.ReleasedFrom) &&
		(f.ReleasedTo == 0 || released != 0 && released <= f.ReleasedTo) &&
		(f.AddedAfter == 0 || c.AddedAt() > int64(f.AddedAfter)) &&
		f.matchRegions(c)
}

func (f *finder) matchRegions(c index.Card) bool {
	rows := c.Rows()
	return f.Regions == nil || slices.ContainsFunc(f.Regions, func(no uint8) bool {
		i, ok := rows.Find(no)
		return ok && (!f.Priced || rows.At(i).At(f.now).Current.Known())
	})
}

func (f *finder) item(n uint32) lists.Item {
	c, it := f.Card(int(n)), lists.Item{Card: n, Rank: f.columns.Ranks[n]}
	switch f.Sort {
	case ByPopularity:
		it.Number = lists.HighestFirst(c.Popularity())
	case ByTitle:
		it.Text = f.columns.SortTitles[n]
	case ByReleased:
		it.Number = -int64(f.columns.Released[n])
	case ByAdded:
		it.Number = -c.AddedAt()
	default:
		it.Text = c.ID()
	}
	return it
}
