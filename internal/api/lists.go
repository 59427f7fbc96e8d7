package api

import (
	"net/http"
	"slices"

	"gamedex/internal/api/bulk"
	"gamedex/internal/api/cards"
	"gamedex/internal/api/params"
	"gamedex/internal/api/respond"
	"gamedex/internal/api/selection"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/lists"
	"gamedex/internal/lists/browse"
	"gamedex/internal/lists/deals"
	"gamedex/internal/money"
)

// The bounds of a page of browse.
const defaultBrowseLimit, maxBrowseLimit = 100, 1000

// browseFilters are the parameters of browse with whose values a cursor is valid.
var browseFilters = []string{
	"platform", "regions", "types", "platforms", "genres", "publishers", "releasedFrom", "releasedTo", "addedAfter", "priced", "distinct", "sort",
}

// distinctNames are the values of the parameter distinct.
var distinctNames = []string{"games"}

// distinct reports whether a list is to have only one card of each game.
func distinct(p *params.Query) bool {
	return p.Enum("distinct", len(distinctNames), distinctNames) == 0
}

// browse answers GET /catalog/browse.
func (rq *request) browse() error {
	p := rq.params()
	platform, regions := p.Platform("platform"), p.Regions("regions")
	q := browse.Query{
		Cards:        p.Cards(platform),
		ReleasedFrom: p.Date("releasedFrom"),
		ReleasedTo:   p.Date("releasedTo"),
		AddedAfter:   p.Time("addedAfter"),
		Priced:       p.Boolean("priced"),
		Distinct:     distinct(p),
		Sort:         browse.Sort(p.Enum("sort", 0, browse.SortNames[:])),
	}
	for _, facet := range p.Enums("facets", browse.FacetNames[:]) {
		q.Facets = append(q.Facets, browse.Facet(facet))
	}
	q.Limit = p.Integer("limit", defaultBrowseLimit, 1, maxBrowseLimit)
	list := rq.route.pattern + p.Canonical(browseFilters...)
	q.After = p.Cursor("cursor", list)
	language := p.Language("lang")
	v, err := rq.checkedView(p)
	if err != nil {
		return err
	}
	if len(regions.Codes) > 0 || regions.All {
		q.Regions = regionNumbers(v, regions)
	}
	page := browse.Find(v, q, rq.now)
	out := unreadPlatforms(v, platform)
	if rq.unchanged(tagOfPage(rq.newTagIn(language), page).Texts(out)) {
		return nil
	}
	forPages, release := rq.forPages(v, language, q.Cards)
	defer release()
	return rq.sendEnvelope(http.StatusOK, appendUnavailable(nil, out), func(b *respond.Body) {
		cards.Encoder{Body: b, View: v, Now: rq.now, Language: v.Language(language), Pages: forPages}.EncodePage(page, cursorOf(page.Next, list))
	})
}

// tagOfPage adds everything that a page shows.
func tagOfPage(t respond.Tag, page browse.Page) respond.Tag {
	t = t.Number(uint64(page.Total)).Flag(page.Next != nil)
	for _, c := range page.Cards {
		t = t.Text(c.ID()).Number(c.Rev()).Number(uint64(c.AddedAt()))
	}
	if page.Next != nil {
		t = t.Number(uint64(page.Next.Number)) // the rest of it is in the last card
	}
	for _, facet := range page.Facets {
		t = t.Number(uint64(facet.Facet)).Number(uint64(facet.More)).Number(uint64(len(facet.Values)))
		for _, value := range facet.Values {
			t = t.Text(value.Value).Number(uint64(value.Count))
		}
	}
	return t
}

// cursorOf returns the cursor of a position, "" for nil.
func cursorOf(next *lists.Position, list string) string {
	if next == nil {
		return ""
	}
	return lists.Cursor(*next, list)
}

// regionNumbers returns the numbers of regions, in the order in which answers show them;
// never nil.
func regionNumbers(v *index.View, regions selection.Regions) []uint8 {
	var s selection.Selection
	s.Find(v, selection.Params{Regions: regions})
	numbers := append([]uint8{}, s.RegionNumbers()...)
	if regions.All {
		for _, code := range v.ListedRegions() {
			if no, ok := v.RegionNo(code); ok && !slices.Contains(numbers, no) {
				numbers = append(numbers, no)
			}
		}
	}
	return numbers
}

// The bounds of a page of deals.
const defaultDealsLimit, maxDealsLimit = 50, 200

// dealsFilters are the parameters of deals with whose values a cursor is valid.
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
	out := unreadPlatforms(v, q.Cards.Platform)
	if rq.unchanged(tagOfDeals(tag, v, page, lows).Texts(out)) {
		return nil
	}
	forPages, release := rq.forPages(v, language, q.Cards)
	defer release()
	return rq.sendEnvelope(http.StatusOK, appendUnavailable(appendNoRate(nil, v, currency), out), func(b *respond.Body) {
		cards.Encoder{Body: b, View: v, Now: rq.now, Language: v.Language(language), Pages: forPages}.EncodeDeals(page, lows, cursorOf(page.Next, list), &br.answer)
	})
}

// dealsQuery reads the parameters before cursor.
func dealsQuery(p *params.Query) (q deals.Query, regions selection.Regions) {
	platform := p.Platform("platform")
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
// active one that has listings.
func dealsRegions(v *index.View, sent selection.Regions) []uint8 {
	if len(sent.Codes) == 0 && !sent.All && len(v.Active()) > 0 {
		listed := v.ListedRegions()
		first := max(0, slices.IndexFunc(v.Active(), func(r index.Region) bool { return slices.Contains(listed, r.Code) }))
		return []uint8{v.Active()[first].No}
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
