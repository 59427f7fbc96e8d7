package explore

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
)

// Game is what one tile shows: a card of a list, and its versions for other devices and in
// the other store.
type Game struct {
	lead     ListedCard
	versions []index.Card // the lead first; none if the catalog has changed since the list
}

// VersionFilter says which versions of a game tiles show; the zero value shows all.
type VersionFilter struct {
	Platform string // only those in this store
	Device   string // only those for this device, in any case
}

// VersionFilterOf returns the store and the device by which a query of the API filters.
func VersionFilterOf(query url.Values) VersionFilter {
	return VersionFilter{query.Get("platform"), query.Get("platforms")}
}

func (only VersionFilter) include(c index.Card) bool {
	if only.Platform != "" && !strings.EqualFold(only.Platform, c.Platform().String()) {
		return false
	}
	if only.Device == "" {
		return true
	}
	list := c.Platforms()
	for i := range list.Len() {
		if strings.EqualFold(list.At(i), only.Device) {
			return true
		}
	}
	return false
}

// maxVersions bounds the versions of a tile.
const maxVersions = 8

// GameOf returns the game of a card. Its other versions have the type and the edition of the
// card.
func GameOf(live *index.View, lead ListedCard, only VersionFilter) *Game {
	g := &Game{lead: lead}
	c, ok := Lookup(live, lead.Platform, lead.ID)
	if !ok {
		return g
	}
	var others []index.Card
	for n := range live.Games().Others(uint32(c.Number())) {
		if o := live.Card(int(n)); o.Type() == c.Type() && o.EditionName() == c.EditionName() && only.include(o) {
			others = append(others, o)
		}
	}
	slices.SortFunc(others, func(a, b index.Card) int {
		return cmp.Or(cmp.Compare(a.Platform(), b.Platform()), cmp.Compare(a.Number(), b.Number()))
	})
	g.versions = append([]index.Card{c}, others[:min(len(others), maxVersions-1)]...)
	return g
}

// Versions returns the cards of the game that differ by device and store, the lead first; none
// if the catalog has changed since the list.
func (g *Game) Versions() []index.Card { return g.versions }

// gamesOf returns the games of a list of cards, each once, in the order of the list.
func gamesOf(live *index.View, cards []ListedCard, only VersionFilter) []*Game {
	var games []*Game
	seen := map[uint32]bool{}
	for _, lead := range cards {
		if c, ok := Lookup(live, lead.Platform, lead.ID); ok {
			game := live.Games().First(uint32(c.Number()))
			if seen[game] {
				continue
			}
			seen[game] = true
		}
		games = append(games, GameOf(live, lead, only))
	}
	return games
}

// editions returns how many other editions the game has in the store of the lead.
func (g *Game) editions(live *index.View) int {
	if len(g.versions) == 0 || g.versions[0].Class() != catalog.GameClass {
		return 0
	}
	lead, names := g.versions[0], map[string]bool{}
	for n := range live.Games().Others(uint32(lead.Number())) {
		c := live.Card(int(n))
		if c.Platform() == lead.Platform() && c.Class() == catalog.GameClass && (c.Type() != lead.Type() || c.EditionName() != lead.EditionName()) {
			names[c.EditionName()] = true
		}
	}
	return len(names)
}

// cheapest returns the version with the lowest price in the visitor's country, or in all
// countries, and that price. It reports false if no version has a price there.
func (g *Game) cheapest(v *web.Visit, live *index.View) (c index.Card, row index.Row, ok bool) {
	for _, version := range g.versions {
		if r, found := RowFor(v, live, version.Rows()); found && (!ok || live.IsCheaper(&r, &row)) {
			c, row, ok = version, r, true
		}
	}
	return c, row, ok
}

// RowFor returns the price in the visitor's country, as it is now, or in the cheapest one if they
// chose none. It reports false if there is none.
func RowFor(v *web.Visit, live *index.View, rows index.Rows) (row index.Row, ok bool) {
	if v.Locale.Country == "" {
		return live.Cheapest(rows, v.Now())
	}
	region, err := catalog.ParseRegion(v.Locale.Country)
	no, known := live.RegionNo(region)
	if err != nil || !known {
		return row, false
	}
	row, ok = rows.InRegion(no)
	row.Pass(v.Now())
	return row, ok && row.Priced
}

// Lookup finds the card of an answer of the API; false if the catalog has changed since, or
// if live is nil.
func Lookup(live *index.View, platform, id string) (index.Card, bool) {
	parsed, err := catalog.ParsePlatform(platform)
	if err != nil || live == nil {
		return index.Card{}, false
	}
	return live.Lookup(parsed, id)
}
