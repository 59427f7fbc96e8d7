package merge

import (
	"cmp"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/titles"
)

// Compose returns the cards of groups, in the same order. Each fact that has one value comes
// from the first active region whose listing has it, in the order of active; if none has it,
// from the other regions in alphabetical order. has lists the fields of each prose by ProseID.
// A card refers to entries by index and shares memory with its group. Compose uses all
// processors.
func Compose(groups []Group, entries []catalog.Entry, active []catalog.Region, has []catalog.ProseFields) []catalog.Card {
	cards := make([]catalog.Card, len(groups))
	parallel(len(groups), func(from, to int) {
		known := languages{}
		for i := from; i < to; i++ {
			cards[i] = compose(&composer{group: &groups[i], entries: entries, active: active, languages: known}, has)
		}
	})
	return cards
}

func compose(c *composer, has []catalog.ProseFields) catalog.Card {
	g := c.group
	card := catalog.Card{
		ID: g.ID, Platform: g.Platform, Class: g.Class, Type: g.Type, Family: g.Family,
		FirstSeen: g.FirstSeen, Rows: g.Entries,
	}
	facts := g.Entries
	if g.Platform == catalog.PCStore {
		card.Offers = c.offers()
		lead := c.lead(card.Offers)
		facts, card.Lead = lead.Rows, lead.ID
		card.Rows = c.pcRows(card.Offers, lead)
		card.Type, card.Class = lead.Type, catalog.ClassOf(lead.Type, lead.Demo)
		card.EditionName, card.Pinned = lead.Edition, lead.Pinned
		switch {
		case lead.Demo:
			card.Type, card.EditionName = catalog.Game, demoEdition
		case lead.Type == catalog.Base:
			card.Type = catalog.Game
		case lead.Type == catalog.Game && lead.Edition != "":
			card.Type = catalog.EditionType
		}
	} else {
		card.EditionName, card.Pinned = c.editionName(), g.Edition != nil
		if card.EditionName != "" && card.Class == catalog.GameClass && card.Type == catalog.Game {
			card.Type = catalog.EditionType
		}
	}
	c.preferred = c.prefer(facts)
	for _, i := range c.preferred {
		e := &c.entries[i]
		card.InvariantName = cmp.Or(card.InvariantName, e.Facts.InvariantName)
		if card.StoreURL == "" && e.URL != "" {
			card.StoreURL = e.URL.URL(e.Product, e.Facts.Slug)
		}
		if len(card.Members) == 0 {
			card.Members = e.Facts.Members
		}
		for n, field := range card.Prose.Fields() {
			if *field == 0 && int(e.Prose) < len(has) && has[e.Prose]>>n&1 != 0 {
				*field = e.Prose
			}
		}
	}
	c.addNames(&card)
	c.addTexts(&card, has)
	c.addUnions(&card)
	return card
}

// addUnions adds the platforms, title ids and aliases of all offers in all regions,
// active or not, and their highest popularity.
func (c *composer) addUnions(card *catalog.Card) {
	var last *catalog.Facts
	for _, i := range c.group.Entries {
		e := &c.entries[i]
		card.Popularity = max(card.Popularity, e.Popularity)
		if e.Facts == last {
			continue
		}
		last = e.Facts
		card.Platforms = append(card.Platforms, last.Platforms...)
		card.TitleIDs = append(card.TitleIDs, last.TitleIDs...)
		for _, alias := range last.Aliases {
			if alias != card.ID && card.Platform == catalog.PCStore {
				card.Aliases = append(card.Aliases, alias)
			}
		}
	}
	card.Platforms, card.TitleIDs, card.Aliases = distinct(card.Platforms), distinct(card.TitleIDs), distinct(card.Aliases)
}

// composer holds what one card is made of.
type composer struct {
	group     *Group
	entries   []catalog.Entry
	active    []catalog.Region
	languages languages
	// preferred are the listings from which the card takes its facts, best first.
	preferred []uint32
	composed  map[withEdition]string // titles that were made before
}

// prefer returns rows, which are sorted by region, in the order in which facts are
// taken from them: active regions first.
func (c *composer) prefer(rows []uint32) []uint32 {
	ordered := make([]uint32, 0, len(rows))
	for _, r := range c.active {
		for _, i := range rows {
			if c.entries[i].Region == r {
				ordered = append(ordered, i)
			}
		}
	}
	for _, i := range rows {
		if !c.isActive(c.entries[i].Region) {
			ordered = append(ordered, i)
		}
	}
	return ordered
}

func (c *composer) isActive(r catalog.Region) bool { return slices.Contains(c.active, r) }

// demoEdition is the edition's name of every demo.
const demoEdition = "Demo"

// editionName returns the edition as the first active region shows it, else as the
// invariant name has it, else as another region shows it.
func (c *composer) editionName() string {
	switch {
	case c.group.Edition != nil:
		return shownEdition(*c.group.Edition)
	case c.group.Class == catalog.DemoClass:
		return demoEdition
	}
	rows := c.prefer(c.group.Entries)
	abroad := ""
	for _, i := range rows {
		e := &c.entries[i]
		edition := shownEdition(e.Facts.Edition)
		switch {
		case edition == "":
		case c.isActive(e.Region):
			return edition
		case abroad == "":
			abroad = edition
		}
	}
	if c.group.Remainder != "" {
		return c.group.Remainder
	}
	return abroad
}

// shownEdition returns the name under which a card shows an edition: none for the
// standard edition.
func shownEdition(s string) string {
	if titles.FoldEdition(s) == "" {
		return ""
	}
	return s
}

// distinct sorts a list and removes duplicates.
func distinct(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
