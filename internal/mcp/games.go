package mcp

import (
	"cmp"
	"context"
	"strconv"
	"strings"
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

// key is what tells cards of both stores apart.
func (c apiCard) key() string { return c.Platform + " " + c.ID }

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

func (api *Client) findGames(ctx context.Context, in findGames) (a foundGames, err error) {
	in.Limit = cmp.Or(in.Limit, 10)
	query := parameters{"q": in.Query, "platform": in.Platform, "types": strings.Join(in.Types, ","), "platforms": strings.Join(in.Devices, ","), "limit": strconv.Itoa(in.Limit)}
	var found apiAnswer[apiCard]
	if err := api.get(ctx, "/catalog/search", query, &found); err != nil {
		return a, err
	}
	var ids []string
	for _, c := range found.Data.Results {
		ids = append(ids, c.ID)
	}
	known, err := api.bulk(ctx, ids, "US") // for the year
	if err != nil {
		return a, err
	}
	all, r := []card{}, rest{Note: found.incomplete()}
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
