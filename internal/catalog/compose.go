package catalog

import (
	"maps"
	"slices"
)

// Compose makes the card of a group. Every single fact comes from the first
// active region, in their order, whose listing has it; if none has, from the
// other regions alphabetically. has tells by ProseID what each prose has.
// The card points into entries and shares memory with the group.
func Compose(g *Group, entries []Entry, active []Region, has []ProseFields) Card {
	c := composer{group: g, entries: entries, active: active, has: has}
	card := Card{
		ID: g.ID, Platform: g.Platform, Class: g.Class, Type: g.Type, Family: g.Family,
		FirstSeen: g.FirstSeen, Rows: g.Entries,
	}
	facts := g.Entries
	if g.Platform == PCStore {
		card.Offers = c.offers()
		lead := c.lead(card.Offers)
		facts, card.Lead = lead.Rows, lead.ID
		card.Rows = c.pcRows(card.Offers, lead)
		lead.led(&card)
	} else {
		card.EditionName, card.Pinned = c.editionName(), g.Edition != nil
		if card.EditionName != "" && card.Class == GameClass && card.Type == Game {
			card.Type = EditionType
		}
	}
	c.preferred = c.prefer(facts)
	c.addFacts(&card)
	c.addTexts(&card)
	c.addUnions(&card)
	return card
}

// ComposeAll composes the groups, in their order, on all processors.
func ComposeAll(groups []Group, entries []Entry, active []Region, has []ProseFields) []Card {
	cards := make([]Card, len(groups))
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
	entries []Entry
	active  []Region
	has     []ProseFields
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

func (c *composer) isActive(r Region) bool { return slices.Contains(c.active, r) }

// demoEdition is the edition of every demo.
const demoEdition = "Demo"

// editionName is the edition as the first active region shows it, else as the
// invariant name has it, else as any region shows it.
func (c *composer) editionName() string {
	switch {
	case c.group.Edition != nil:
		return shownEdition(*c.group.Edition)
	case c.group.Class == DemoClass:
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
func (c *composer) addFacts(card *Card) {
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
			card.Prose.take(e.Prose, c.has[e.Prose])
		}
	}
}

// take fills the fields that are still open and that this prose has.
func (p *ProseChoice) take(id ProseID, has ProseFields) {
	for _, field := range [...]struct {
		flag ProseFields
		at   *ProseID
	}{
		{HasDescription, &p.Description}, {HasPublisher, &p.Publisher}, {HasDeveloper, &p.Developer},
		{HasReleaseDate, &p.ReleaseDate}, {HasGenres, &p.Genres}, {HasRating, &p.Rating},
		{HasThumbnail, &p.Thumbnail}, {HasCover, &p.Cover}, {HasLogo, &p.Logo},
		{HasScreenshots, &p.Screenshots},
	} {
		if *field.at == 0 && has&field.flag != 0 {
			*field.at = id
		}
	}
}

// addUnions collects what all regions, active or not, and all offers have.
func (c *composer) addUnions(card *Card) {
	platforms, titleIDs, aliases := stringSet{}, stringSet{}, stringSet{}
	var last *Facts
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
	if card.Platform == PCStore {
		card.Aliases = aliases.sorted()
	}
}

type stringSet map[string]struct{}

func (s stringSet) add(list []string) {
	for _, text := range list {
		s[text] = struct{}{}
	}
}

// sorted gives nil for an empty set.
func (s stringSet) sorted() []string { return slices.Sorted(maps.Keys(s)) }
