package mcp

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gamedex/internal/catalog"
)

type findGames struct {
	Query    string   `json:"query" jsonschema:"words of a title in any language, 2 to 200 characters"`
	Platform string   `json:"platform,omitempty" jsonschema:"consolestore or pcstore; both by default"`
	Types    []string `json:"types,omitempty" jsonschema:"only these: game, edition, bundle, dlc, season-pass, subscription"`
	Devices  []string `json:"devices,omitempty" jsonschema:"only cards for one of these, such as PS5 or Windows"`
	Limit    int      `json:"limit,omitempty" jsonschema:"most cards, 1 to 100; 10 by default"`
	size
}

type foundGames struct {
	Games []card `json:"games" jsonschema:"best first"`
	Total int    `json:"total" jsonschema:"number of all matches"`
	rest
}

// card is a game, an edition or an add-on in an answer.
type card struct {
	ID       string   `json:"id" jsonschema:"for the other tools"`
	Title    string   `json:"title"`
	Edition  string   `json:"edition,omitempty" jsonschema:"absent: the standard edition"`
	Type     string   `json:"type,omitempty"`
	Platform string   `json:"platform" jsonschema:"the store"`
	Devices  []string `json:"devices,omitempty"`
	Year     string   `json:"year,omitempty" jsonschema:"of the release"`
}

// apiCard is a card of the API, as search, deals and bulk prices have it.
type apiCard struct {
	ID, Platform, Title, Type, EditionName string
	Platforms                              []string
	Meta                                   struct {
		EditionName, ReleaseDate string
		Platforms                []string
	}
}

// shown returns the card with texts that are not too long.
func (c apiCard) shown() card {
	out := card{ID: cleaned(c.ID, 200), Title: cleaned(c.Title, maxTitle), Edition: cleaned(c.EditionName+c.Meta.EditionName, 60),
		Type: cleaned(c.Type, 20), Platform: cleaned(c.Platform, 20), Year: cleaned(c.Meta.ReleaseDate[:min(4, len(c.Meta.ReleaseDate))], 4)}
	for _, d := range append(c.Platforms, c.Meta.Platforms...) {
		if len(out.Devices) < 6 {
			out.Devices = append(out.Devices, cleaned(d, 20))
		}
	}
	return out
}

// maxTitle is the most bytes of a title in an answer.
const maxTitle = 160

func (s *Service) findGames(ctx context.Context, in findGames) (a foundGames, err error) {
	if err := in.check(); err != nil {
		return a, err
	}
	if in.Limit == 0 {
		in.Limit = 10
	}
	query := parameters{"q": in.Query, "platform": in.Platform, "types": strings.Join(in.Types, ","), "platforms": strings.Join(in.Devices, ","), "limit": strconv.Itoa(in.Limit)}
	var found struct {
		Data struct {
			Results []apiCard
			Total   int
		}
		Meta struct {
			Relaxed     bool
			Corrected   *struct{}
			Unavailable []string
		}
	}
	if err := s.ask(ctx, "/catalog/search?"+query.encode(), nil, &found); err != nil {
		return a, err
	}
	var keys []string
	for _, r := range found.Data.Results {
		keys = append(keys, r.key())
	}
	known, err := s.bulk(ctx, keys, "US")
	if err != nil {
		return a, err
	}
	all, r := []card{}, rest{Note: incomplete(found.Meta.Unavailable)}
	for _, c := range found.Data.Results {
		c.Meta.ReleaseDate = known[c.key()].Meta.ReleaseDate
		all = append(all, c.shown())
	}
	switch {
	case len(all) == 0:
		r.Note += "Nothing found: try fewer words, another spelling or no filters. "
	case found.Meta.Relaxed || found.Meta.Corrected != nil:
		r.Note += "No title has the words as written; these are similar: check that one of them is meant. "
	}
	total := max(len(all), min(found.Data.Total, 100))
	next := func(kb int) any { in.MaxKB, in.Limit = kb, total; return in }
	return fit(in.size, len(all), total, r, next, func(n int, r rest) foundGames { return foundGames{all[:n], found.Data.Total, r} }), nil
}

// key is what tells cards of both stores apart.
func (c apiCard) key() string { return c.Platform + " " + c.ID }

// parameters are those of a GET; empty ones are not sent.
type parameters map[string]string

func (p parameters) encode() string {
	query := url.Values{"lang": {"en"}}
	for name, value := range p {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query.Encode()
}

// bulkItem is an item of bulk prices.
type bulkItem struct {
	apiCard
	Regions                       map[string]apiPrice
	RegionsCount, ComparedRegions int
	Cheapest                      *struct{ Region string }
	countries                     []string // that were asked for, or "all"
}

// bulk returns cards with their prices in some countries, by key.
func (s *Service) bulk(ctx context.Context, keys []string, codes string) (map[string]bulkItem, error) {
	items := map[string]bulkItem{}
	if len(keys) == 0 {
		return items, nil
	}
	ids := make([]string, len(keys))
	for i, key := range keys {
		_, ids[i], _ = strings.Cut(key, " ")
	}
	var found struct {
		Filters struct{ Regions []string }
		Data    struct{ Items []bulkItem }
	}
	err := s.ask(ctx, "/catalog/prices", map[string]any{"ids": ids, "regions": codes, "include": "meta", "lang": "en"}, &found)
	for _, item := range found.Data.Items {
		item.countries = found.Filters.Regions
		items[item.key()] = item
	}
	return items, err
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
func (s *Service) find(ctx context.Context, games []string, codes string) ([]meant, string, error) {
	if len(games) < 1 || len(games) > 10 {
		return nil, "", fmt.Errorf("games has %d entries, and must have 1 to 10: send the others in another call", len(games))
	}
	var found struct {
		Data struct {
			Items []struct {
				Constraint string
				Matches    []struct {
					apiCard
					Candidates []apiCard
				}
			}
		}
		Meta struct{ Unavailable []string }
	}
	items := []any{}
	for _, text := range games {
		items = append(items, text, map[string]string{"id": text}) // a slug may be a title, too
	}
	if err := s.ask(ctx, "/catalog/resolve", map[string]any{"items": items}, &found); err != nil {
		return nil, "", err
	}
	all, certain, likely := make([]meant, len(games)), make([][]string, len(games)), make([][]string, len(games))
	for i, text := range games {
		if 2*i+1 >= len(found.Data.Items) {
			break
		}
		title, id := found.Data.Items[2*i], found.Data.Items[2*i+1]
		if title.Constraint != "" {
			return nil, "", fmt.Errorf("%q is not accepted (%s): send an id, a title or a link of 1 to 200 characters", cleaned(text, 60), cleaned(title.Constraint, 40))
		}
		exact := ""
		for _, m := range id.Matches {
			if m.ID == text {
				exact, all[i].exact, certain[i] = m.Platform, true, []string{m.key()}
			}
		}
		for _, m := range title.Matches {
			if m.Platform == exact || all[i].exact && strings.ContainsAny(text, "-0123456789") { // not a title
				continue
			}
			if m.ID != "" {
				certain[i] = append(certain[i], m.key())
			}
			for _, c := range m.Candidates {
				likely[i] = append(likely[i], m.Platform+" "+c.ID)
			}
		}
	}
	cards, err := s.bulk(ctx, slices.Concat(append(certain, likely...)...), codes)
	if err != nil {
		return nil, "", err
	}
	for i := range all {
		all[i].asked = cleaned(games[i], 80)
		for _, key := range certain[i] {
			if item, has := cards[key]; has {
				all[i].cards = append(all[i].cards, item)
			}
		}
		for _, key := range likely[i] {
			if item, has := cards[key]; has {
				all[i].likely = append(all[i].likely, item.shown())
			}
		}
	}
	note := incomplete(found.Meta.Unavailable)
	if len(cards) == 0 {
		return nil, "", fmt.Errorf("no such game: %s. find_games finds games by words of the title. %s", encode(games), note)
	}
	return all, note, nil
}

// incomplete says which stores may lack games.
func incomplete(platforms []string) (note string) {
	for _, p := range platforms {
		if _, err := catalog.ParsePlatform(p); err == nil {
			note += "Games of " + p + " can be missing: the service has not read it completely. "
		}
	}
	return note
}
