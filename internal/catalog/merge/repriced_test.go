package merge_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	"gamedex/internal/money"
	. "gamedex/internal/testing/catalogtest"
)

// anyListings draws what the rules depend on: products whose listings have
// several families, slugs whose offers compete by price.
func anyListings(t *rapid.T) Table {
	pick := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
	var s Listings
	for range rapid.IntRange(1, 20).Draw(t, "listings") {
		options := []Option{
			On(rapid.IntRange(1, 3).Draw(t, "day")), Family(pick("family", "", "1", "2")),
			Name(pick("name", "Star", "Dust")), Edition(pick("edition", "", "Gold")), Title(pick("title", "x", "y")),
			Type(rapid.SampledFrom([]catalog.Type{catalog.Base, catalog.Game, catalog.EditionType, catalog.DLC}).Draw(t, "type")),
		}
		if rapid.Bool().Draw(t, "priced") {
			options = append(options, Price("USD", anyAmount(t)))
		}
		if rapid.IntRange(0, 5).Draw(t, "withdrawn") == 0 {
			options = append(options, Withdrawn())
		}
		region, product := pick("region", places...), pick("product", "a", "b", "c")
		if rapid.Bool().Draw(t, "pc") {
			s.Apply(PC(region, product, pick("slug", "s1", "s2"), options...))
		} else {
			s.Apply(Console(region, product, options...))
		}
	}
	return s.Table()
}

func anyAmount(t *rapid.T) money.Amount {
	return money.Amount(rapid.IntRange(-1, 3).Draw(t, "amount")) // None among them
}

// reprice changes the fields that OnlyRepriced ignores, of some entries.
func reprice(t *rapid.T, entries []catalog.Entry) []catalog.Entry {
	now := slices.Clone(entries)
	for range rapid.IntRange(1, 4).Draw(t, "changes") {
		e := &now[rapid.IntRange(0, len(now)-1).Draw(t, "entry")]
		e.Price = rapid.SampledFrom([]*catalog.Price{nil, {Current: anyAmount(t), Base: 7, DiscountEndsAt: 9, Trial: true}}).Draw(t, "price")
		e.PricedAt, e.ObservedAt = Day(9), Day(rapid.IntRange(1, 5).Draw(t, "seen"))
	}
	return now
}

// families returns FamilyOf for every product of Merge.
func families(entries []catalog.Entry) map[string]string {
	listings := map[string][]*catalog.Entry{}
	for i := range entries {
		e := &entries[i]
		key := fmt.Sprint(e.Platform, e.Product)
		if e.Platform == catalog.PCStore {
			key += e.Facts.Slug
		}
		listings[key] = append(listings[key], e)
	}
	given := map[string]string{}
	for key, list := range listings {
		given[key] = merge.FamilyOf(list)
	}
	return given
}

// leads returns the result of Lead for the offers of every PC card.
func leads(cards []catalog.Card, entries []catalog.Entry) map[string]string {
	said := map[string]string{}
	for i := range cards {
		c := &cards[i]
		if c.Platform != catalog.PCStore {
			continue
		}
		var offers []catalog.Offer
		for _, o := range slices.Backward(c.Offers) { // their order does not count
			offers = append(offers, catalog.Offer{ID: o.ID, Type: o.Type, Demo: o.Demo, Rows: o.Rows})
		}
		id, rows := merge.Lead(offers, entries, Regions("TR", "US"))
		said[c.ID] = fmt.Sprint(id, rows)
	}
	return said
}

func merged(table Table) []catalog.Card {
	return merge.Compose(merge.Merge(table.Entries, override.Set{}), table.Entries, Regions("TR", "US"), table.Fields)
}

// TestOnlyRepricedChangesNoCard checks that the cards stay the same when only
// the ignored fields of an entry change.
func TestOnlyRepricedChangesNoCard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := anyListings(t)
		cards := merged(table)
		now := reprice(t, table.Entries)
		for i := range now {
			if !merge.OnlyRepriced(&table.Entries[i], &now[i]) {
				now[i] = table.Entries[i]
			}
		}
		if !cmp.Equal(families(table.Entries), families(now)) || !cmp.Equal(leads(cards, table.Entries), leads(cards, now)) {
			return
		}
		table.Entries = now
		if d := cmp.Diff(cards, merged(table)); d != "" {
			t.Fatalf("cards (-want +got):\n%s", d)
		}
	})
}

// TestLeadAgreesWithCards checks that Card.Lead and Card.Rows agree with Lead.
func TestLeadAgreesWithCards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := anyListings(t)
		cards := merged(table)
		said := leads(cards, table.Entries)
		for i := range cards {
			if c := &cards[i]; c.Platform == catalog.PCStore && said[c.ID] != fmt.Sprint(c.Lead, c.Rows) {
				t.Errorf("card %s: lead %s, rows %v; Lead says %s", c.ID, c.Lead, c.Rows, said[c.ID])
			}
		}
	})
}

// TestOnlyRepricedIgnoresThreeFields checks that every field of an entry but
// three counts, and that a withdrawn listing counts as a whole.
func TestOnlyRepricedIgnoresThreeFields(t *testing.T) {
	was := catalog.Entry{Product: "p", Facts: &catalog.Facts{}}
	for i := range reflect.TypeFor[catalog.Entry]().NumField() {
		field := reflect.TypeFor[catalog.Entry]().Field(i)
		now := was
		v := reflect.ValueOf(&now).Elem().Field(i)
		switch v.Kind() {
		case reflect.String:
			v.SetString("other")
		case reflect.Pointer:
			v.Set(reflect.New(field.Type.Elem()))
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Float64:
			v.SetFloat(1)
		case reflect.Array:
			v.Set(reflect.ValueOf(catalog.MustRegion("UA")))
		case reflect.Int64:
			v.SetInt(1)
		default:
			v.SetUint(1)
		}
		want := slices.Contains([]string{"Price", "PricedAt", "ObservedAt"}, field.Name)
		if got := merge.OnlyRepriced(&was, &now); got != want {
			t.Errorf("another %s: OnlyRepriced = %v, want %v", field.Name, got, want)
		}
	}
	gone := was
	gone.Withdrawn = true
	if seen := gone; merge.OnlyRepriced(&gone, &seen) {
		t.Error("a withdrawn listing was only repriced")
	}
}
