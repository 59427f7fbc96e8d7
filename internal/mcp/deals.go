package mcp

import (
	"cmp"
	"context"
	"strconv"
	"strings"
)

type findDeals struct {
	Regions     []string `json:"regions,omitempty" jsonschema:"countries as codes (UA, UKR) or English names, eu or all; by default the first country of the service"`
	Platform    string   `json:"platform,omitempty" jsonschema:"consolestore or pcstore; both by default"`
	Types       []string `json:"types,omitempty" jsonschema:"only these: game, edition, bundle, dlc, season-pass, subscription"`
	Devices     []string `json:"devices,omitempty" jsonschema:"only cards for one of these, such as PS5 or Windows"`
	Genres      []string `json:"genres,omitempty"`
	MinDiscount int      `json:"minDiscount,omitempty" jsonschema:"in percent"`
	MaxUSD      float64  `json:"maxUsd,omitempty" jsonschema:"highest price, in US dollars"`
	Low         string   `json:"low,omitempty" jsonschema:"only prices that are the lowest of: allTime, year or days90"`
	Real        bool     `json:"real,omitempty" jsonschema:"only discounts that are as large as claimed, by the prices of the 30 days before"`
	EndsWithin  string   `json:"endsWithin,omitempty" jsonschema:"only discounts that end soon, such as 48h or 7d"`
	Free        string   `json:"free,omitempty" jsonschema:"no: nothing that is free now; only: only that"`
	Sort        string   `json:"sort,omitempty" jsonschema:"discount (default), usd, saving, ends, started, popularity or title"`
	Limit       int      `json:"limit,omitempty" jsonschema:"most deals, 1 to 200; 10 by default"`
	size
}

type foundDeals struct {
	Deals  []deal `json:"deals"`
	Total  int    `json:"total" jsonschema:"number of all deals that pass the filters"`
	ReadAt string `json:"readAt,omitempty" jsonschema:"when the prices shown were last read from the stores, at the earliest"`
	rest
}

type deal struct {
	card
	Price   price  `json:"price"`
	Started string `json:"startedAt"`
	Verdict string `json:"verdict,omitempty" jsonschema:"by the prices of the 30 days before: real, smaller (than claimed), none (no discount at all) or unknown"`
	Low     string `json:"low,omitempty" jsonschema:"the price is the lowest of allTime, year or days90"`
}

type apiDeal struct {
	apiCard
	StartedAt string
	Price     apiPrice
	Lows      struct {
		Meets string
		Real  struct{ Verdict string }
	}
}

func (api *Client) findDeals(ctx context.Context, in findDeals) (a foundDeals, err error) {
	read := api.readTimes(ctx)
	regions, err := codes(in.Regions, read)
	if err != nil {
		return a, err
	}
	in.Limit = cmp.Or(in.Limit, 10)
	query := parameters{
		"regions": regions, "platform": in.Platform, "types": strings.Join(in.Types, ","), "platforms": strings.Join(in.Devices, ";"), "genres": strings.Join(in.Genres, ";"),
		"low": in.Low, "endsWithin": in.EndsWithin, "free": in.Free, "sort": in.Sort, "distinct": "games", "limit": strconv.Itoa(in.Limit), "real": strconv.FormatBool(in.Real),
	}
	if in.MinDiscount != 0 {
		query["minDiscount"] = strconv.Itoa(in.MinDiscount)
	}
	if in.MaxUSD != 0 {
		query["maxUsd"] = strconv.FormatFloat(in.MaxUSD, 'f', -1, 64)
	}
	var found apiAnswer[apiDeal]
	if err := api.get(ctx, "/catalog/deals", query, &found); err != nil {
		return a, err
	}
	all, keys, r := []deal{}, []string{}, rest{Note: found.incomplete()}
	for _, item := range found.Data.Items {
		d := deal{card: item.apiCard.shown(), Started: seconds(item.StartedAt), Verdict: cleaned(item.Lows.Real.Verdict, 20), Low: cleaned(item.Lows.Meets, 20)}
		d.Price = item.Price.shown(d.Edition)
		all, keys = append(all, d), append(keys, d.Platform+" "+d.Price.Alpha2)
	}
	if len(all) == 0 {
		r.Note += "No deal passes: try other regions (all is every country) or fewer filters. "
	}
	total := max(len(all), min(found.Data.Total, 200))
	next := func(kb int) any { in.MaxKB, in.Limit = kb, total; return in }
	return fit(in.size, len(all), total, r, next, func(n int, r rest) foundDeals {
		return foundDeals{all[:n], found.Data.Total, earliest(read, keys[:n]), r}
	}), nil
}
