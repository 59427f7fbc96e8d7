package api

import (
	"net/http"
	"slices"

	"gamedex/internal/api/bulk"
	"gamedex/internal/api/cards"
	"gamedex/internal/api/params"
	"gamedex/internal/api/respond"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/lists"
	"gamedex/internal/lists/browse"
	"gamedex/internal/lists/deals"
)

// The bounds of a page of browse.
const defaultBrowseLimit, maxBrowseLimit = 100, 1000

// browseFilters are the parameters of browse with whose values a cursor is valid.
var browseFilters = []string{
	"platform", "regions", "types", "platforms", "genres", "publishers", "releasedFrom", "releasedTo", "addedAfter", "priced", "distinct", "sort",
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
		Distinct:     p.Distinct(),
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
		q.Regions = regions.Numbers(v)
	}
	page := browse.Find(v, q, rq.now)
	out := unreadPlatforms(v, platform)
	if rq.unchanged(tagOfPage(rq.newTagIn(language), page).Texts(out)) {
		return nil
	}
	forPages, release := rq.forPages(v, language, q.Cards)
	defer release()
	return rq.sendEnvelope(http.StatusOK, appendUnavailable(nil, out), func(b *respond.Body) {
		cards.Encoder{Body: b, View: v, Now: rq.now, Language: v.Language(language), Pages: forPages}.EncodePage(page, lists.Cursor(page.Next, list))
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

// The bounds of a page of deals.
const defaultDealsLimit, maxDealsLimit = 50, 200

// deals answers GET /catalog/deals.
func (rq *request) deals() error {
	p := rq.params()
	q, regions := p.Deals()
	q.Limit = p.Integer("limit", defaultDealsLimit, 1, maxDealsLimit)
	list := rq.route.pattern + p.Canonical(params.DealsFilters...)
	q.After = p.Cursor("cursor", list)
	currency, language := p.Currency("currency"), p.Language("lang")
	v, err := rq.checkedView(p)
	if err != nil {
		return err
	}
	q.Regions = regions.NumbersOrFirst(v)
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
		cards.Encoder{Body: b, View: v, Now: rq.now, Language: v.Language(language), Pages: forPages}.EncodeDeals(page, lows, lists.Cursor(page.Next, list), &br.answer)
	})
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
