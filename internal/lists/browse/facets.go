package browse

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gamedex/internal/index"
	"gamedex/internal/index/cardset"
)

// Facet is a field of cards whose values are counted.
type Facet uint8

// The facets.
const (
	Types Facet = iota
	Genres
	Publishers
	Devices
	Regions
	Years
)

// FacetNames are the names of the facets, in the order of the constants.
var FacetNames = [...]string{"types", "genres", "publishers", "platforms", "regions", "years"}

// FacetCounts says how many cards have each value of a field.
type FacetCounts struct {
	Facet  Facet
	Values []ValueCount // of at most 50 values, the most first; ties by value
	More   int          // further values
}

// ValueCount is how many cards have a value.
type ValueCount struct {
	Value string
	Count int
}

// maxValues is the most values of a facet.
const maxValues = 50

// countValues counts the values of the selected cards in a field.
func countValues(v *index.View, facet Facet, selected cardset.Bits) FacetCounts {
	columns := v.Columns()
	var values []ValueCount
	add := func(value string, count int) {
		if count > 0 {
			values = append(values, ValueCount{value, count})
		}
	}
	addTerms := func(t *index.Terms) {
		for number, cards := range t.Cards {
			add(t.Values[number], cards.CountIn(selected))
		}
	}
	switch facet {
	case Types:
		for t, cards := range columns.Types {
			add(t.String(), cards.CountIn(selected))
		}
	case Genres:
		addTerms(&columns.Genres)
	case Publishers:
		addTerms(&columns.Publishers)
	case Devices:
		addTerms(&columns.Devices)
	case Regions:
		for number, count := range countRegions(v, selected) {
			if count > 0 {
				add(v.Region(uint8(number)).Lower, count)
			}
		}
	case Years:
		for year, count := range countYears(columns, selected) {
			add(fmt.Sprintf("%04d", year), count)
		}
	}
	return mostFirst(facet, values)
}

// countRegions returns how many cards each region lists, by its number.
func countRegions(v *index.View, selected cardset.Bits) (counts [math.MaxUint8 + 1]int) {
	for n := range selected.Cards() {
		rows := v.Card(int(n)).Rows()
		for i := range rows.Len() {
			counts[rows.Region(i)]++
		}
	}
	return counts
}

// countYears returns how many cards were released in each year.
func countYears(columns *index.Columns, selected cardset.Bits) map[int32]int {
	counts := map[int32]int{}
	for n := range selected.Cards() {
		if date := columns.Released[n]; date != 0 {
			counts[date/10000]++
		}
	}
	return counts
}

// mostFirst returns the values with the most cards, and how many others there are.
func mostFirst(facet Facet, values []ValueCount) FacetCounts {
	slices.SortFunc(values, func(a, b ValueCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
	})
	list := FacetCounts{Facet: facet, Values: values}
	if extra := len(values) - maxValues; extra > 0 {
		list.Values, list.More = values[:maxValues], extra
	}
	return list
}
