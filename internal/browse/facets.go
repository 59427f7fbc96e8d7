package browse

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
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

// counter counts the values of one facet.
type counter struct {
	facet  Facet
	counts []int // by number of the value
	value  func(number int) string
	add    func(c index.Card) // counts the values of a card
}

func newCounter(v *index.View, facet Facet) *counter {
	k := &counter{facet: facet}
	columns := v.Columns()
	switch facet {
	case Genres:
		k.countTerms(&columns.Genres)
	case Publishers:
		k.countTerms(&columns.Publishers)
	case Devices:
		k.countTerms(&columns.Devices)
	case Types:
		k.counts = make([]int, math.MaxUint8+1)
		k.value = func(number int) string { return catalog.Type(number).String() }
		k.add = func(c index.Card) { k.counts[columns.Types[c.Number()]]++ }
	case Regions:
		k.counts = make([]int, math.MaxUint8+1)
		k.value = func(number int) string { return v.Region(uint8(number)).Lower }
		k.add = func(c index.Card) {
			rows := c.Rows()
			for i := range rows.Len() {
				k.counts[rows.Region(i)]++
			}
		}
	case Years:
		k.counts = make([]int, 10000)
		k.value = func(number int) string { return fmt.Sprintf("%04d", number) }
		k.add = func(c index.Card) {
			if date := columns.Released[c.Number()]; date != 0 {
				k.counts[date/10000]++
			}
		}
	}
	return k
}

func (k *counter) countTerms(t *index.Terms) {
	k.counts = make([]int, len(t.Values))
	k.value = func(number int) string { return t.Values[number] }
	k.add = func(c index.Card) {
		for _, number := range t.Of(c) {
			k.counts[number]++
		}
	}
}

func (k *counter) facetCounts() FacetCounts {
	list := FacetCounts{Facet: k.facet}
	for number, count := range k.counts {
		if count > 0 {
			list.Values = append(list.Values, ValueCount{k.value(number), count})
		}
	}
	slices.SortFunc(list.Values, func(a, b ValueCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
	})
	if extra := len(list.Values) - maxValues; extra > 0 {
		list.Values, list.More = list.Values[:maxValues], extra
	}
	return list
}
