package params

import (
	"gamedex/internal/api/selection"
	"gamedex/internal/history"
	"gamedex/internal/lists/deals"
	"gamedex/internal/money"
)

// DealsFilters are the parameters that Deals reads.
var DealsFilters = []string{
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

// Deals reads the filters of deals and their order. The query has no page, and its regions are
// those that are returned, see [selection.Regions.NumbersOrFirst].
func (q *Query) Deals() (list deals.Query, regions selection.Regions) {
	platform := q.Platform("platform")
	regions = q.Regions("regions")
	list = deals.Query{
		Cards:       q.Cards(platform),
		MinDiscount: q.Integer("minDiscount", 0, 0, 100),
		MaxDiscount: q.Integer("maxDiscount", 100, 0, 100),
		MaxPrice:    q.Hundredths("maxPrice"),
	}
	if list.MaxPrice != money.None {
		q.OneRegion("maxPrice", regions)
	}
	list.MaxUSD = q.Dollars("maxUsd")
	list.Low = lowWindows[q.Enum("low", len(lowNames), lowNames)]
	list.NearLow = q.Integer("nearLow", deals.Anywhere, 0, maxNearLow)
	list.Real = q.Boolean("real")
	list.EndsWithin, list.StartedWithin = q.Duration("endsWithin"), q.Duration("startedWithin")
	list.Free = deals.Choice(q.Enum("free", int(deals.Any), deals.ChoiceNames[:]))
	list.Subscription = deals.Choice(q.Enum("subscription", int(deals.No), deals.ChoiceNames[:]))
	list.Distinct = q.Distinct()
	list.Sort = deals.Sort(q.Enum("sort", int(deals.ByDiscount), deals.SortNames[:]))
	if list.Sort == deals.ByPrice {
		q.OneRegion("sort", regions)
	}
	return list, regions
}

// distinctNames are the values of the parameter distinct.
var distinctNames = []string{"games"}

// Distinct reports whether a list is to have only one card of each game.
func (q *Query) Distinct() bool { return q.Enum("distinct", len(distinctNames), distinctNames) == 0 }
