package lab

import (
	"encoding/json"
	"math/rand/v2"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// DrawIDs gives sets of random ids of the catalog's cards, none twice in a set.
func (c *Catalog) DrawIDs(rng *rand.Rand, sets, ids int) [][]string {
	drawn := make([][]string, sets)
	for i := range drawn {
		for _, n := range rng.Perm(c.View.Len())[:ids] {
			drawn[i] = append(drawn[i], c.View.Card(n).ID())
		}
	}
	return drawn
}

// PricesBody is what bulk prices are asked with.
func PricesBody(ids []string) string {
	body, err := json.Marshal(map[string]any{"ids": ids})
	if err != nil {
		panic(err) // strings become JSON
	}
	return string(body)
}

// CardPath is where the API has a card, below /api/v1.
func CardPath(c index.Card) string {
	if c.Platform() == catalog.PCStore {
		return "/catalog/pcstore/games/" + c.ID()
	}
	return "/catalog/games/" + c.ID()
}
