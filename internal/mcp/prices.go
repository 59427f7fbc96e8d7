package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

type getPrices struct {
	Games   []string `json:"games" jsonschema:"1 to 10 ids of find_games; or titles or store links, of at most 200 characters"`
	Regions []string `json:"regions,omitempty" jsonschema:"countries as codes (UA, UKR) or English names; eu; by default all"`
	size
}

type gotPrices struct {
	Games     []gamePrices `json:"games"`
	Ambiguous []ambiguous  `json:"ambiguous,omitempty" jsonschema:"titles that fit several cards: choose an id"`
	NotFound  []string     `json:"notFound,omitempty" jsonschema:"try find_games"`
	Hidden    int          `json:"cardsNotShown,omitempty"`
	ReadAt    string       `json:"readAt,omitempty" jsonschema:"when the prices shown were last read from the stores, at the earliest"`
	rest
}

type gamePrices struct {
	Asked string `json:"asked"`
	card
	Cheapest string   `json:"cheapestCountry,omitempty" jsonschema:"lowest usd of all countries asked for"`
	Compared string   `json:"compared"`
	Prices   []price  `json:"prices" jsonschema:"the cheapest first, then those that cannot be compared"`
	Hidden   int      `json:"pricesNotShown,omitempty"`
	NoPrice  []string `json:"notSoldIn,omitempty"`
}

type ambiguous struct {
	Asked      string `json:"asked"`
	Candidates []card `json:"candidates"`
}

// price is what a game costs in one country, now or for some time.
type price struct {
	Country  string   `json:"country,omitempty"`
	Alpha2   string   `json:"alpha2,omitempty"`
	Since    string   `json:"since" jsonschema:"when the store first showed it"`
	Until    string   `json:"until,omitempty" jsonschema:"absent: it is the price now"`
	Text     string   `json:"text,omitempty" jsonschema:"for people"`
	Amount   *float64 `json:"amount,omitempty" jsonschema:"in whole units of the currency"`
	Currency string   `json:"currency,omitempty"`
	USD      *float64 `json:"usd,omitempty" jsonschema:"absent without an exchange rate"`
	Kind     string   `json:"kind,omitempty" jsonschema:"absent: for everybody; free; trial: a zero that is not free; subscribers: a zero is not free for others; none: no price; gone: not listed"`
	Doubtful bool     `json:"doubtful,omitempty" jsonschema:"may be wrong: say so"`
	Inferred bool     `json:"inferred,omitempty" jsonschema:"from the end of a discount; not seen in the store yet"`
	Discount int      `json:"discountPercent,omitempty"`
	Was      string   `json:"was,omitempty" jsonschema:"before the discount"`
	Ends     string   `json:"discountEnds,omitempty" jsonschema:"absent: not known"`
	Edition  string   `json:"edition,omitempty"`
}

// apiPrice is a price or a past price of the API. Amounts are in hundredths.
type apiPrice struct {
	Alpha2, Currency, CurrentText, BaseText, Edition string
	Current                                          *int64
	USD                                              *float64
	DiscountPercent                                  int
	IsTrial, IsSubPlus, Doubtful, Inferred           bool
	PricedAt, At, Until, DiscountEndAt               string // PricedAt of a price is At of a past one
	Source, State                                    string
}

// shown returns the price as an answer has it. edition is that of the card.
func (p apiPrice) shown(edition string) price {
	out := price{Alpha2: cleaned(p.Alpha2, 3), Since: seconds(p.PricedAt + p.At), Until: seconds(p.Until),
		Text: cleaned(p.CurrentText, 60), Currency: cleaned(p.Currency, 3), USD: p.USD,
		Doubtful: p.Doubtful || p.Source == "doubtful", Inferred: p.Inferred, Discount: p.DiscountPercent}
	if p.Alpha2 != "" {
		out.Country = countryName(p.Alpha2)
	}
	if p.Current != nil {
		amount := float64(*p.Current) / 100
		out.Amount = &amount
	}
	switch {
	case p.State == "gone":
		out.Kind = "gone"
	case p.IsTrial:
		out.Kind = "trial"
	case p.IsSubPlus:
		out.Kind = "subscribers"
	case p.Current == nil && p.CurrentText == "":
		out.Kind = "none"
	case p.Current != nil && *p.Current == 0:
		out.Kind = "free"
	}
	if name := cleaned(p.Edition, 60); name != edition {
		out.Edition = name
	}
	if p.DiscountPercent > 0 {
		out.Was, out.Ends = cleaned(p.BaseText, 60), seconds(p.DiscountEndAt)
	}
	return out
}

// seconds returns a time of the API without its milliseconds; "" if it is none.
func seconds(at string) string {
	parsed, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return ""
	}
	return parsed.UTC().Format(time.RFC3339)
}

// compare orders prices: those that can be compared first, the cheapest first.
func compare(a, b price) int {
	last := func(p price) int {
		if p.USD == nil {
			return 2
		}
		if p.Doubtful || p.Kind == "trial" || p.Kind == "subscribers" {
			return 1
		}
		return 0
	}
	order := cmp.Compare(last(a), last(b))
	if order == 0 && a.USD != nil {
		order = cmp.Compare(*a.USD, *b.USD)
	}
	return order
}

// prices returns the card with all prices.
func (i bulkItem) prices(asked string) gamePrices {
	g := gamePrices{Asked: asked, card: i.shown(), Prices: []price{}, Compared: fmt.Sprintf("%d of %d countries", i.ComparedRegions, i.RegionsCount)}
	sold := map[string]bool{"all": true}
	for key, p := range i.Regions {
		g.Prices = append(g.Prices, p.shown(g.Edition))
		sold[p.Alpha2] = true
		if i.Cheapest != nil && i.Cheapest.Region == key {
			g.Cheapest = named(p.Alpha2)
		}
	}
	slices.SortFunc(g.Prices, func(a, b price) int { return cmp.Or(compare(a, b), cmp.Compare(a.Alpha2, b.Alpha2)) })
	same := 0
	for same+1 < len(g.Prices) && compare(g.Prices[0], g.Prices[same+1]) == 0 {
		same++
	}
	if g.Cheapest != "" && same > 0 { // such as a game that is free everywhere
		g.Cheapest += fmt.Sprintf(" and %d more at this price", same)
	}
	for _, alpha2 := range i.countries {
		if !sold[alpha2] && len(g.NoPrice) < 12 {
			g.NoPrice = append(g.NoPrice, cleaned(alpha2, 3))
		}
	}
	return g
}

func (api *Client) getPrices(ctx context.Context, in getPrices) (a gotPrices, err error) {
	read := api.readTimes(ctx)
	regions, err := codes(in.Regions, read)
	if err != nil {
		return a, err
	}
	found, note, err := api.find(ctx, in.Games, cmp.Or(regions, "all"))
	if err != nil {
		return a, err
	}
	longest := 1
	for _, m := range found {
		for _, c := range m.cards {
			g := c.prices(m.asked)
			longest = max(longest, len(g.Prices))
			a.Games = append(a.Games, g)
		}
		if len(m.likely) > 0 {
			a.Ambiguous = append(a.Ambiguous, ambiguous{m.asked, m.likely})
		} else if len(m.cards) == 0 {
			a.NotFound = append(a.NotFound, m.asked)
		}
	}
	// The parts are first the entries with one price each, then one more price of all.
	entries := len(a.Games) + len(a.Ambiguous)
	parts, next := entries+longest-1, func(kb int) any { in.MaxKB = kb; return in }
	return fit(in.size, parts, parts, rest{Note: note}, next, func(n int, r rest) gotPrices {
		return a.cut(n, 1+max(0, n-entries), read, r)
	}), nil
}

// cut returns the first entries, and of each game so many prices.
func (a gotPrices) cut(entries, prices int, read map[string]string, r rest) gotPrices {
	a.rest, a.Hidden = r, max(0, len(a.Games)+len(a.Ambiguous)-entries)
	a.Ambiguous = a.Ambiguous[:min(entries, len(a.Ambiguous))]
	a.Games = append([]gamePrices{}, a.Games[:min(entries-len(a.Ambiguous), len(a.Games))]...)
	var keys []string
	for i, g := range a.Games {
		n := min(prices, len(g.Prices))
		a.Games[i].Prices, a.Games[i].Hidden = g.Prices[:n], len(g.Prices)-n
		for _, p := range g.Prices[:n] {
			keys = append(keys, g.Platform+" "+p.Alpha2)
		}
	}
	a.ReadAt = earliest(read, keys)
	return a
}
