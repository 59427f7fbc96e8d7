package explore

import (
	"iter"
	"slices"

	"gamedex/internal/catalog"
	folding "gamedex/internal/fold"
	"gamedex/internal/index"
)

// Game is what one tile shows: a card of a list, and the cards that differ from it only
// by device and store.
type Game struct {
	lead     ListedCard
	versions []ListedCard // the lead first
}

// NewGame returns the game of a card.
func NewGame(lead ListedCard) *Game { return &Game{lead, []ListedCard{lead}} }

// GameKey identifies a game: the family, and for an add-on its title.
type GameKey struct {
	family int // the lowest number of a card of it
	title  string
}

// titleKey finds the same game in the other store.
type titleKey struct {
	platform catalog.Platform
	title    string
}

// groupGames puts the cards of each game together, in the order of the list. Stores share
// no id, so games of different stores are one if they have the same title.
func groupGames(live *index.View, cards []ListedCard) []*Game {
	var games []*Game
	keys, titles := map[GameKey]*Game{}, map[titleKey]*Game{}
	for _, listed := range cards {
		c, ok := Lookup(live, listed.Platform, listed.ID)
		if !ok { // the catalog has changed since
			games = append(games, NewGame(listed))
			continue
		}
		title := folding.Fold(c.Title())
		key := KeyOf(c, title)
		g := keys[key]
		if g == nil && c.Class() == catalog.GameClass {
			g = titles[titleKey{otherStore(c.Platform()), title}]
		}
		if g == nil {
			g = NewGame(listed)
			games = append(games, g)
		}
		g.Add(listed)
		keys[key] = g
		if c.Class() == catalog.GameClass {
			titles[titleKey{c.Platform(), title}] = g
		}
	}
	for _, g := range games {
		g.addVariants(live)
	}
	return games
}

// KeyOf returns the key of a card's game. The title tells the add-ons of a family apart.
func KeyOf(c index.Card, title string) GameKey {
	key := GameKey{c.Number(), title}
	for _, list := range []index.Cards{c.Variants(), c.Related()} {
		for i := range list.Len() {
			key.family = min(key.family, list.At(i).Number())
		}
	}
	if c.Class() == catalog.GameClass {
		key.title = ""
	}
	return key
}

func otherStore(p catalog.Platform) catalog.Platform {
	if p == catalog.ConsoleStore {
		return catalog.PCStore
	}
	return catalog.ConsoleStore
}

// Add adds a card to the versions, if it is of the lead's edition and not there yet.
func (g *Game) Add(c ListedCard) {
	same := func(o ListedCard) bool { return o.Platform == c.Platform && o.ID == c.ID }
	if c.Type == g.lead.Type && c.EditionName == g.lead.EditionName && !slices.ContainsFunc(g.versions, same) {
		g.versions = append(g.versions, c)
	}
}

// addVariants adds the versions for other devices that the list lacks.
func (g *Game) addVariants(live *index.View) {
	for _, version := range slices.Clone(g.versions) {
		for v := range variants(live, version) {
			g.Add(listed(v))
		}
	}
}

// listed returns what tiles show of a card, without its title and picture.
func listed(c index.Card) ListedCard {
	list := c.Platforms()
	devices := make([]string, list.Len())
	for i := range devices {
		devices[i] = list.At(i)
	}
	return ListedCard{ID: c.ID(), Platform: c.Platform().String(), Type: c.Type().String(), EditionName: c.EditionName(), Platforms: devices}
}

// editions returns how many other editions the game has.
func (g *Game) editions(live *index.View) int {
	names := map[string]bool{}
	for v := range variants(live, g.lead) {
		if v.Type().String() != g.lead.Type || v.EditionName() != g.lead.EditionName {
			names[v.EditionName()] = true
		}
	}
	return len(names)
}

// lowest returns the lowest of the prices of the versions, by platform and id; nil if
// there is none. Prices without dollars come last.
func (g *Game) lowest(prices map[string]*RegionPrice) *RegionPrice {
	var lowest *RegionPrice
	for _, c := range g.versions {
		r := prices[c.Platform+c.ID]
		if r != nil && (lowest == nil || r.USD != nil && (lowest.USD == nil || *r.USD < *lowest.USD)) {
			lowest = r
		}
	}
	return lowest
}

// variants returns the other games, editions and bundles of a card's family.
func variants(live *index.View, c ListedCard) iter.Seq[index.Card] {
	return func(yield func(index.Card) bool) {
		card, ok := Lookup(live, c.Platform, c.ID)
		if !ok {
			return
		}
		for i := range card.Variants().Len() {
			if !yield(card.Variants().At(i)) {
				return
			}
		}
	}
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
