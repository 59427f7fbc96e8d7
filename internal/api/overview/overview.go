// Package overview describes the catalog as a whole to pages: what visitors choose from, how
// fresh it is, and which games changed last. It is the part of the API's answers that only pages
// of the same process get, as Go values.
//
//	index.View ─► Catalog ─► forms, status page, sitemap
package overview

import (
	"cmp"
	"slices"
	"sync"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// Visitor is who opens a page of the catalog, and which prices and titles they see.
type Visitor struct {
	UserID    string             // "": somebody without an account
	Country   catalog.Region     // zero: the cheapest one
	Currency  money.Currency     // "": prices are not converted
	Languages []catalog.Language // of the site
}

// Catalog describes the cards, prices, rates and stores of one time. It is safe for concurrent
// use. Its fields and lists must not be changed.
type Catalog struct {
	Cards   int
	Bytes   int   // of memory that its index takes
	Seq     int64 // of its manifest
	BuiltAt int64 // Unix milliseconds

	Regions  []catalog.Region // with listings, sorted
	Active   []catalog.Region // in configured order
	Unserved []catalog.Region // with cards that have no listing in an active region, sorted
	Rates    money.Rates      // zero: none yet
	Content  Content

	// Devices and Genres return the names that cards have, sorted.
	Devices, Genres func() []string
	// Games returns how many games there are, each counted once.
	Games func() int
	// Changes returns all cards, the last changed first.
	Changes func() []Change

	view *index.View
}

// Content identifies the cards, prices and rates of a catalog: if it is equal, so are answers
// about games. Freshness, which changes every minute, is not part of it.
type Content struct {
	snapshot *index.Snapshot
	rates    uint64 // hash
}

// New returns the description of a view.
func New(v *index.View) *Catalog {
	c := &Catalog{Cards: v.Len(), Bytes: v.Size(), Seq: v.Seq, BuiltAt: v.IndexBuiltAt,
		Regions: v.ListedRegions(), Unserved: v.UnservedRegions(), Rates: v.Rates, Content: Content{v.Snapshot, v.Rates.Hash()}, view: v}
	for _, r := range v.Active() {
		c.Active = append(c.Active, r.Code)
	}
	c.Devices = sync.OnceValue(func() []string { return slices.Sorted(slices.Values(v.Columns().Devices.Values)) })
	c.Genres = sync.OnceValue(func() []string { return slices.Sorted(slices.Values(v.Columns().Genres.Values)) })
	c.Games = sync.OnceValue(func() int { return v.Games().Len() })
	c.Changes = sync.OnceValue(func() []Change { return changes(v) })
	return c
}

// Describes reports whether the catalog is that of a view.
func (c *Catalog) Describes(v *index.View) bool { return c.view == v }

// Store is what is known about a store. Its Regions are those with listings, sorted.
type Store struct {
	index.PlatformState
	Regions []catalog.Region
}

// Store returns what is known about a store; without a state it is operational.
func (c *Catalog) Store(p catalog.Platform) Store {
	s := Store{c.view.State(p), c.view.Regions(p)}
	s.Status = cmp.Or(s.Status, catalog.Operational.String())
	return s
}

// Change is a card, and when one of its prices last changed or it was added.
type Change struct {
	At   int64 // Unix milliseconds
	card index.Card
}

// Platform returns the store of the card.
func (c Change) Platform() catalog.Platform { return c.card.Platform() }

// ID returns the id of the card.
func (c Change) ID() string { return c.card.ID() }

// Title returns the title of a changed card in a language.
func (c *Catalog) Title(of Change, l catalog.Language) string {
	return of.card.TitleIn(c.view.Language(l))
}

// TitleOf returns the title of a card in a language; "" if there is none.
func (c *Catalog) TitleOf(p catalog.Platform, id string, l catalog.Language) string {
	card, ok := c.view.Lookup(p, id)
	if !ok {
		return ""
	}
	return card.TitleIn(c.view.Language(l))
}

// CurrencyOf returns the currency of the price of a card in a region; "" if there is none.
func (c *Catalog) CurrencyOf(p catalog.Platform, id string, in catalog.Region) money.Currency {
	card, ok := c.view.Lookup(p, id)
	if !ok {
		return ""
	}
	for rows, i := card.Rows(), 0; i < rows.Len(); i++ {
		if row := rows.At(i); row.Priced && c.view.Region(row.Region).Code == in {
			return c.view.Currency(row.Currency)
		}
	}
	return ""
}

func changes(v *index.View) []Change {
	list := make([]Change, v.Len())
	var row index.Row
	for n := range list {
		card := v.Card(n)
		at, rows := card.AddedAt(), card.Rows()
		for i := range rows.Len() {
			rows.Read(i, &row)
			at = max(at, row.PricedAt)
		}
		list[n] = Change{at, card}
	}
	slices.SortFunc(list, func(a, b Change) int {
		return cmp.Or(cmp.Compare(b.At, a.At), cmp.Compare(a.card.Number(), b.card.Number()))
	})
	return list
}
