package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gamedex/internal/catalog"
)

// bulkItem is an item of bulk prices.
type bulkItem struct {
	apiCard
	Regions                       map[string]apiPrice
	RegionsCount, ComparedRegions int
	Cheapest                      *struct{ Region string }
	countries                     []string // that were asked for, or "all"
}

// bulk returns cards with their prices in some countries, by key.
func (api *Client) bulk(ctx context.Context, ids []string, codes string) (map[string]bulkItem, error) {
	items := map[string]bulkItem{}
	if len(ids) == 0 {
		return items, nil
	}
	var found apiAnswer[bulkItem]
	err := api.ask(ctx, "/catalog/prices", map[string]any{"ids": ids, "regions": codes, "include": "meta", "lang": "en"}, &found)
	for _, item := range found.Data.Items {
		item.countries = found.Filters.Regions
		items[item.key()] = item
	}
	return items, err
}

// resolved is what the API finds for a title, a link or an id.
type resolved struct {
	Constraint string // that the text violates
	Matches    []struct {
		apiCard
		Candidates []apiCard
	}
}

// meant are the cards that an id, a title or a link stands for.
type meant struct {
	asked  string
	exact  bool       // the first card has this id
	cards  []bulkItem // at most one of each store
	likely []card     // if it is not certain
}

// find returns what texts stand for, with prices in some countries, and a note. At least one
// card is found.
func (api *Client) find(ctx context.Context, games []string, codes string) ([]meant, string, error) {
	if len(games) < 1 || len(games) > 10 {
		return nil, "", fmt.Errorf("games has %d entries, and must have 1 to 10: send the others in another call", len(games))
	}
	var found apiAnswer[resolved]
	if err := api.ask(ctx, "/catalog/resolve", map[string]any{"items": games}, &found); err != nil {
		return nil, "", err
	}
	items := append(found.Data.Items, make([]resolved, len(games))...)[:len(games)]
	ids := slices.Clone(games) // a slug may be a title, too
	for i, item := range items {
		if item.Constraint != "" {
			return nil, "", fmt.Errorf("%q is not accepted (%s): send an id, a title or a link of 1 to 200 characters", cleaned(games[i], 60), cleaned(item.Constraint, 40))
		}
		for _, match := range item.Matches {
			for _, c := range append(match.Candidates, match.apiCard) {
				if c.ID != "" {
					ids = append(ids, c.ID)
				}
			}
		}
	}
	cards, err := api.bulk(ctx, ids, codes)
	if err != nil {
		return nil, "", err
	}
	all, some := make([]meant, len(games)), false
	for i, item := range items {
		all[i] = item.meant(games[i], cards)
		some = some || len(all[i].cards)+len(all[i].likely) > 0
	}
	if !some {
		return nil, "", fmt.Errorf("no such game: %s. find_games finds games by words of the title. %s", encode(games), found.incomplete())
	}
	return all, found.incomplete(), nil
}

// meant returns which of the cards a text stands for. If it is an id, that card is the first.
func (r resolved) meant(text string, cards map[string]bulkItem) meant {
	m := meant{asked: cleaned(text, 80)}
	own := ""
	for _, platform := range catalog.Platforms() {
		if card, has := cards[platform.String()+" "+text]; has {
			own, m.exact, m.cards = card.Platform, true, []bulkItem{card}
		}
	}
	for _, match := range r.Matches {
		if match.Platform == own || m.exact && strings.ContainsAny(text, "-0123456789") { // not a title
			continue
		}
		if card, has := cards[match.key()]; has {
			m.cards = append(m.cards, card)
		}
		for _, c := range match.Candidates {
			if card, has := cards[match.Platform+" "+c.ID]; has {
				m.likely = append(m.likely, card.shown())
			}
		}
	}
	return m
}
