package merge

import (
	"maps"
	"slices"

	"gamedex/internal/catalog"
)

// Compose makes the card of a group. Every single fact comes from the first
// active region, in their order, whose listing has it; if none has, from the
// other regions alphabetically. has tells by ProseID what each prose has.
// The card points into entries and shares memory with the group.
func Compose(g *Group, entries []catalog.Entry, active []catalog.Region, has []catalog.ProseFields) catalog.Card {
	c := composer{group: g, entries: entries, active: active, has: has}
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
		applyLead(&card, lead)
	} else {
		card.EditionName, card.Pinned = c.editionName(), g.Edition != nil
		if card.EditionName != "" && card.Class == catalog.GameClass && card.Type == catalog.Game {
			card.Type = catalog.EditionType
		}
	}
	c.preferred = c.prefer(facts)
	c.addFacts(&card)
	c.addTexts(&card)
	c.addUnions(&card)
	return card
}

// ComposeAll composes the groups, in their order, on all processors.
func ComposeAll(groups []Group, entries []catalog.Entry, active []catalog.Region, has []catalog.ProseFields) []catalog.Card {
	cards := make([]catalog.Card, len(groups))
	parallel(len(groups), func(from, to int) {
		for i := from; i < to; i++ {
			cards[i] = Compose(&groups[i], entries, active, has)
		}
	})
	return cards
}

// composer holds what one card is made of.
type composer struct {
	group   *Group
	entries []catalog.Entry
	active  []catalog.Region
	has     []catalog.ProseFields
	// preferred are the listings that give the card's facts, best first.
	preferred []uint32
}

// prefer orders listings, given by region, as facts are taken from them.
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

// demoEdition is the edition of every demo.
const demoEdition = "Demo"

// editionName is the edition as the first active region shows it, else as the
// invariant name has it, else as any region shows it.
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

// shownEdition is empty for the standard edition.
func shownEdition(s string) string {
	if foldEdition(s) == "" {
		return ""
	}
	return s
}

// addFacts takes what the first listing has.
func (c *composer) addFacts(card *catalog.Card) {
	for _, i := range c.preferred {
		e := &c.entries[i]
		f := e.Facts
		if card.InvariantName == "" {
			card.InvariantName = f.InvariantName
		}
		if card.StoreURL == "" && e.URL != "" {
			card.StoreURL = e.URL.URL(e.Product, f.Slug)
		}
		if len(card.Members) == 0 {
			card.Members = f.Members
		}
		if int(e.Prose) < len(c.has) {
			takeProse(&card.Prose, e.Prose, c.has[e.Prose])
		}
	}
}

// takeProse fills the fields of p that are still open and that this prose has.
func takeProse(p *catalog.ProseChoice, id catalog.ProseID, has catalog.ProseFields) {
	for _, field := range [...]struct {
		flag catalog.ProseFields
		at   *catalog.ProseID
	}{
		{catalog.HasDescription, &p.Description}, {catalog.HasPublisher, &p.Publisher}, {catalog.HasDeveloper, &p.Developer},
		{catalog.HasReleaseDate, &p.ReleaseDate}, {catalog.HasGenres, &p.Genres}, {catalog.HasRating, &p.Rating},
		{catalog.HasThumbnail, &p.Thumbnail}, {catalog.HasCover, &p.Cover}, {catalog.HasLogo, &p.Logo},
		{catalog.HasScreenshots, &p.Screenshots},
	} {
		if *field.at == 0 && has&field.flag != 0 {
			*field.at = id
		}
	}
}

// addUnions collects what all regions, active or not, and all offers have.
func (c *composer) addUnions(card *catalog.Card) {
	platforms, titleIDs, aliases := stringSet{}, stringSet{}, stringSet{}
	var last *catalog.Facts
	for _, i := range c.group.Entries {
		e := &c.entries[i]
		card.Popularity = max(card.Popularity, e.Popularity)
		if e.Facts == last {
			continue
		}
		last = e.Facts
		platforms.add(last.Platforms)
		titleIDs.add(last.TitleIDs)
		aliases.add(last.Aliases)
	}
	delete(aliases, card.ID)
	card.Platforms, card.TitleIDs = platforms.sorted(), titleIDs.sorted()
	if card.Platform == catalog.PCStore {
		card.Aliases = aliases.sorted()
	}
}

type stringSet map[string]struct{}

func (s stringSet) add(list []string) {
	for _, text := range list {
		s[text] = struct{}{}
	}
}

// sorted returns nil for an empty set.
func (s stringSet) sorted() []string { return slices.Sorted(maps.Keys(s)) }
