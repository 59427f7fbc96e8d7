package api

import (
	"slices"

	"gamedex/internal/api/bulk"
	"gamedex/internal/api/cards"
	"gamedex/internal/api/params"
	"gamedex/internal/api/respond"
	"gamedex/internal/api/selection"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/lists/deals"
	"gamedex/internal/money"
)

// The bounds of a page of deals.
const defaultDealsLimit, maxDealsLimit = 50, 200

// dealsFilters are the parameters that a cursor of deals belongs to.
var dealsFilters = []string{
	"platform", "regions", "types", "platforms", "genres", "publishers", "minDiscount", "maxDiscount", "maxPrice", "maxUsd",
	"low", "nearLow", "real", "endsWithin", "startedWithin", "free", "subscription", "distinct", "sort",
}

// lowNames are the names of windows, and lowWindows the windows; the last is none.
var (
	lowNames   = []string{"allTime", "year", "days90"}
	lowWindows = [...]history.Window{history.AllTime, history.Year, history.Days90, 0}
)

// maxNearLow is the most percent above a low that nearLow takes.
const maxNearLow = 50

// deals answers GET /catalog/deals.
func (rq *request) deals() error {
	p := rq.params()
	q, regions := dealsQuery(p)
	list := rq.route.pattern + p.Canonical(dealsFilters...)
	q.After = p.Cursor("cursor", list)
	currency, language := p.Currency("currency"), p.Language("lang")
	v, err := rq.checkedView(p)
	if err != nil {
		return err
	}
	q.Regions = dealsRegions(v, regions)
	page := deals.Find(v, q, rq.now)
	lows := make([]history.Summary, len(page.Items))
	for i := range page.Items {
		page.Items[i].Row.Lows(rq.now, &lows[i])
	}

	br := rq.api.bulkRequests.Get().(*bulkRequest)
	defer rq.api.releaseBulk(br)
	br.answer.Begin(v, currency, language, rq.now, &rq.api.forms)
	tag := rq.newTagIn(language).Text(list).Text(string(currency)).Number(v.Rates.Hash()).Number(uint64(v.PassedEnds(rq.now)))
	if rq.unchanged(tagOfDeals(tag, v, page, lows)) {
		return nil
	}
	return rq.sendData(func(b *respond.Body) {
		cards.Encoder{Body: b, View: v, Now: rq.now, Language: v.Language(language)}.EncodeDeals(page, lows, cursorOf(page.Next, list), &br.answer)
	})
}

// dealsQuery reads the parameters before cursor.
func dealsQuery(p *params.Query) (q deals.Query, regions selection.Regions) {
	platform := p.Platform("platform", anyPlatform)
	regions = p.Regions("regions")
	q = deals.Query{
		Cards:       p.Cards(platform),
		MinDiscount: p.Integer("minDiscount", 0, 0, 100),
		MaxDiscount: p.Integer("maxDiscount", 100, 0, 100),
		MaxPrice:    p.Hundredths("maxPrice"),
	}
	if q.MaxPrice != money.None {
		p.OneRegion("maxPrice", regions)
	}
	q.MaxUSD = p.Dollars("maxUsd")
	q.Low = lowWindows[p.Enum("low", len(lowNames), lowNames)]
	q.NearLow = p.Integer("nearLow", deals.Anywhere, 0, maxNearLow)
	q.Real = p.Boolean("real")
	q.EndsWithin, q.StartedWithin = p.Duration("endsWithin"), p.Duration("startedWithin")
	q.Free = deals.Choice(p.Enum("free", int(deals.Any), deals.ChoiceNames[:]))
	q.Subscription = deals.Choice(p.Enum("subscription", int(deals.No), deals.ChoiceNames[:]))
	q.Distinct = distinct(p)
	q.Sort = deals.Sort(p.Enum("sort", int(deals.ByDiscount), deals.SortNames[:]))
	if q.Sort == deals.ByPrice {
		p.OneRegion("sort", regions)
	}
	q.Limit = p.Integer("limit", defaultDealsLimit, 1, maxDealsLimit)
	return q, regions
}

// dealsRegions returns the numbers of the regions that were sent, by default the first
// active one.
func dealsRegions(v *index.View, sent selection.Regions) []uint8 {
	if len(sent.Codes) == 0 && !sent.All && len(v.Active()) > 0 {
		return []uint8{v.Active()[0].No}
	}
	return regionNumbers(v, sent)
}

// dealTagSize is about how many bytes of a tag one deal takes.
const dealTagSize = 256

// tagOfDeals adds what a page shows besides the rates and the passed ends.
func tagOfDeals(t respond.Tag, v *index.View, page deals.Page, lows []history.Summary) respond.Tag {
	t = slices.Grow(t, dealTagSize*len(page.Items))
	t = t.Number(uint64(v.LowsDay())).Number(uint64(page.Total)).Number(uint64(len(page.Items)))
	for i := range page.Items {
		deal := &page.Items[i]
		t = t.Text(deal.Card.ID()).Number(deal.Card.Rev()).Number(uint64(deal.StartedAt)).Text(v.Region(deal.Row.Region).Alpha2)
		for _, region := range deal.Regions {
			t = t.Text(v.Region(region).Alpha2)
		}
		t = bulk.TagLows(t, &lows[i])
	}
	if page.Next != nil {
		t = t.Number(uint64(page.Next.Number)) // the rest of it is in the last card
	}
	return t
}
