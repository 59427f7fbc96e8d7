package api

import (
	"slices"

	"gamedex/internal/api/cards"
	"gamedex/internal/api/params"
	"gamedex/internal/api/respond"
	"gamedex/internal/api/selection"
	"gamedex/internal/index"
	"gamedex/internal/lists"
	"gamedex/internal/lists/browse"
)

// The bounds of a page of browse.
const defaultBrowseLimit, maxBrowseLimit = 100, 1000

// browseFilters are the parameters that a cursor of browse belongs to.
var browseFilters = []string{
	"platform", "regions", "types", "platforms", "genres", "publishers", "releasedFrom", "releasedTo", "addedAfter", "priced", "distinct", "sort",
}

// distinctNames are what lists can have one of: the first card of each game.
var distinctNames = []string{"games"}

// distinct reads whether a list has only the first card of each game.
func distinct(p *params.Query) bool {
	return p.Enum("distinct", len(distinctNames), distinctNames) == 0
}

// browse answers GET /catalog/browse.
func (rq *request) browse() error {
	p := rq.params()
	platform, regions := p.Platform("platform", anyPlatform), p.Regions("regions")
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
	if rq.unchanged(tagOfPage(rq.newTagIn(language), page)) {
		return nil
	}
	return rq.sendData(func(b *respond.Body) {
		cards.Encoder{Body: b, View: v, Now: rq.now, Language: v.Language(language)}.EncodePage(page, cursorOf(page.Next, list))
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
