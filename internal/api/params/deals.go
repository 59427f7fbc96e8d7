package params

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

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
		MaxPrice:    money.Amount(q.Integer("maxPrice", int(money.None), 0, maxHundredths)),
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

// ReadDeals reads the filters of deals from a JSON object, a member of a body: strings, numbers, true and false are
// what they are in a query string, an array counts as a repeated parameter, and null as absent. It returns them as a
// query string, which [Query.Parse] reads again. Faults name FIELD.NAME, or FIELD for a member that is no filter.
func ReadDeals(field string, object Value) (query string, regions selection.Regions, fault *Fault) {
	if !strings.HasPrefix(string(object), "{") {
		return "", regions, &Fault{Field: field, Sent: object.Bounded(), Constraint: JSON}
	}
	var members map[string]jsontext.Value
	_ = json.Unmarshal([]byte(object), &members) // the body was parsed
	var q Query
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(DealsFilters, name) {
			return "", regions, &Fault{Field: field, Sent: textValue(name).Bounded(), Constraint: "known", Reason: "no filter of deals has this name"}
		}
		values, inArray := []jsontext.Value{members[name]}, members[name].Kind() == '['
		if inArray {
			_ = json.Unmarshal(members[name], &values)
		}
		for _, raw := range values {
			q.addValue(name, raw, inArray)
		}
	}
	_, regions = q.Deals()
	if q.fault != nil {
		fault := *q.fault
		for _, p := range q.pairs {
			if p.name == fault.Field && !strings.HasPrefix(p.raw, `"`) {
				fault.Sent = Value(p.raw)
				break
			}
		}
		fault.Field, fault.Sent = field+"."+fault.Field, fault.Sent.Bounded()
		return "", regions, &fault
	}
	sent := url.Values{}
	for _, p := range q.pairs {
		sent.Add(p.name, p.text)
	}
	return sent.Encode(), regions, nil
}

// addValue adds a value of a filter, or of an array of it. One that a query string cannot have is a fault.
func (q *Query) addValue(name string, raw jsontext.Value, inArray bool) {
	p := pair{name: name, text: string(raw), raw: string(raw)}
	switch kind := raw.Kind(); {
	case kind == '"':
		text, _ := jsontext.AppendUnquote(nil, raw)
		p.text = string(text)
	case kind == 'n' && !inArray:
		return
	case kind == '{' || kind == '[' || kind == 'n':
		q.note(&Fault{Field: name, Sent: Value(raw), Constraint: String})
		return
	}
	q.pairs = append(q.pairs, p)
}

// distinctNames are the values of the parameter distinct.
var distinctNames = []string{"games"}

// Distinct reports whether a list is to have only one card of each game.
func (q *Query) Distinct() bool { return q.Enum("distinct", len(distinctNames), distinctNames) == 0 }
