package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

type priceHistory struct {
	Game   string `json:"game" jsonschema:"an id of find_games, or a title"`
	Region string `json:"region" jsonschema:"one country: a code (UA, UKR) or an English name"`
	Since  string `json:"since,omitempty" jsonschema:"a day (2026-01-31) or an RFC 3339 time; by default a year before until"`
	Until  string `json:"until,omitempty" jsonschema:"likewise; by default now"`
	size
}

type pastPrices struct {
	Game       *card   `json:"game,omitempty"`
	Candidates []card  `json:"candidates,omitempty" jsonschema:"instead of game, if the title fits several cards: choose an id"`
	Country    string  `json:"country"`
	Alpha2     string  `json:"alpha2"`
	Watched    string  `json:"watchedSince,omitempty" jsonschema:"nothing is known of the time before"`
	ReadAt     string  `json:"readAt,omitempty" jsonschema:"when the store was last read"`
	Lowest     *price  `json:"lowest,omitempty" jsonschema:"the lowest price for everybody in the period"`
	Steps      []price `json:"steps" jsonschema:"newest first"`
	Total      int     `json:"total" jsonschema:"number of steps in the period"`
	rest
}

func (api *Client) priceHistory(ctx context.Context, in priceHistory) (a pastPrices, err error) {
	read := api.readTimes(ctx)
	code, err := codes([]string{in.Region}, read)
	if err != nil {
		return a, err
	}
	region, err := catalog.ParseRegion(code)
	if err != nil {
		return a, errors.New("region must be one country, such as UA or Ukraine; get_prices compares several")
	}
	found, note, err := api.find(ctx, []string{in.Game}, region.String())
	if err != nil {
		return a, err
	}
	a = pastPrices{Country: region.Name(), Alpha2: region.String(), Steps: []price{}, rest: rest{Note: note}}
	for _, c := range found[0].cards {
		a.Candidates = append(a.Candidates, c.shown())
	}
	if likely := append(a.Candidates, found[0].likely...); len(likely) > 1 && !found[0].exact || len(found[0].cards) == 0 {
		a.Candidates = likely
		return a, nil
	}
	a.Game, a.Candidates = &a.Candidates[0], nil
	a.ReadAt = read[a.Game.Platform+" "+a.Alpha2]
	if err := api.addSteps(ctx, &a, in); err != nil {
		return a, err
	}
	all := a.Steps
	for i, p := range all {
		if p.Kind == "" && !p.Doubtful && p.Amount != nil && (a.Lowest == nil || p.Currency == a.Lowest.Currency && *p.Amount < *a.Lowest.Amount) {
			a.Lowest = &all[i]
		}
	}
	next := func(kb int) any { in.MaxKB = kb; return in }
	return fit(in.size, len(all), len(all), a.rest, next, func(n int, r rest) pastPrices { a.Steps, a.rest = all[:n], r; return a }), nil
}

// pastItem is a game with its past prices, by region.
type pastItem struct {
	Regions map[string]struct {
		WatchedSince string
		Steps        []apiPrice
	}
}

var forms money.Formatter

// addSteps adds all steps of the game, newest first.
func (api *Client) addSteps(ctx context.Context, a *pastPrices, in priceHistory) error {
	var past apiAnswer[pastItem]
	query := parameters{"ids": a.Game.ID, "platform": a.Game.Platform, "regions": a.Alpha2, "since": in.Since, "until": in.Until}
	if err := api.get(ctx, "/catalog/history", query, &past); err != nil {
		return err
	}
	for _, item := range past.Data.Items {
		for _, r := range item.Regions {
			a.Watched, a.Total = seconds(r.WatchedSince), len(r.Steps)
			for _, p := range slices.Backward(r.Steps) {
				if p.Current != nil {
					p.CurrentText = forms.Format(a.Alpha2, money.Currency(p.Currency), money.Amount(*p.Current))
				}
				a.Steps = append(a.Steps, p.shown(""))
			}
			return nil
		}
	}
	return fmt.Errorf("the game is not sold in %s; get_prices without regions shows the countries that have it", named(a.Alpha2))
}
