package pcstore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/sweep"
	"gamedex/internal/testing/golden"
	"gamedex/internal/upstream"
)

// detailed is a shop with one game of some offers.
func detailed(t *testing.T, mapping, product string, offers map[string]string) *shop {
	return (&shop{
		mapping: func(slug string) string { return mapping },
		product: func(id string) string { return product },
		offer:   func(id string) string { return offers[id] },
	}).open(t)
}

func pageOf(offers ...string) string {
	var list []any
	for _, id := range offers {
		list = append(list, object{"offerId": id, "sandboxId": "ns-forge", "store": "PC"})
	}
	return text(object{"productId": "prod-forge", "sandboxId": "ns-forge", "slug": "star-forge-1a2b3c", "modules": object{"pageOffers": list}})
}

func offered(o any, errors ...any) string { return answered(object{"catalogOffer": o}, errors...) }

func TestDetails(t *testing.T) {
	mapping, product, base := fixture(t, "mapping.json"), fixture(t, "product.json"), fixture(t, "offer.json")
	s := (&shop{
		texts: true, images: true,
		mapping: func(slug string) string { return mapping },
		product: func(id string) string { return product },
		offer: func(id string) string {
			switch id {
			case "0f0e0d0c0b0a09080706050403020100":
				return base
			case "edition0edition0edition0edition0":
				return offered(offer(id, "offerType", "EDITION", "title", "Star Forge Gold", "offerMappings", pages("star-forge-gold-77", "offer")))
			}
			return offered(null) // not sold here
		},
	}).open(t)
	golden.Check(t, "testdata/details.golden", written(s.mustRead("DE", sweep.Details, "star-forge-1a2b3c")))
	want := []string{"mapping star-forge-1a2b3c", "product prod-forge",
		"offer 0f0e0d0c0b0a09080706050403020100", "offer edition0edition0edition0edition0", "offer elsewhere"}
	if d := cmp.Diff(want, s.asked); d != "" {
		t.Errorf("asked (-want +got):\n%s", d)
	}
}

// TestSearchAndDetailsAgree checks that search and details agree: otherwise listings would
// change back and forth.
func TestSearchAndDetailsAgree(t *testing.T) {
	for name, o := range map[string]object{
		"ordinary":   offer("a"),
		"sale":       offer("a", "price", cost("EUR", 2, 1999, 599, "19,99 €", "5,99 €")),
		"attributes": offer("a", "customAttributes", attributes("publisherName", "Anvil")),
		"homeless":   offer("a", "catalogNs", object{"mappings": null}, "offerMappings", pages("forge-hat", "offer")),
		"announced":  offer("a", "effectiveDate", "2027-01-01T00:00:00.000Z"),
		"add-on":     offer("a", "offerType", "ADD_ON", "title", "Season Pass", "tags", []any{object{"name": "Action", "groupName": "genre"}}),
	} {
		t.Run(name, func(t *testing.T) {
			s := detailed(t, pageOf("a"), `{"title": "Star Forge", "developers": ["Smiths"], "publishers": ["Anvil Ltd"],
				"tags": {"genres": [{"name": "Action"}, {"name": "Crafting"}]}, "mapping": {"slug": "star-forge-1a2b3c"}}`, map[string]string{"a": offered(o)})
			s.search = finds(o)
			found := s.mustRead("UA", sweep.Prices, "").Parts[0]
			detail := s.mustRead("UA", sweep.Details, "star-forge-1a2b3c").Parts[0]
			if detail.Guesses != 0 || detail.Shows&found.Shows != found.Shows {
				t.Errorf("details show %b and guess %b, the search shows %b", detail.Shows, detail.Guesses, found.Shows)
			}
			stored, _ := sweep.Overlay(nil, &detail)
			again, ok := sweep.Overlay(&stored, &found)
			if d := cmp.Diff(stored, again); d != "" || !ok {
				t.Errorf("a search changes fields of the details (-details +after):\n%s", d)
			}
		})
	}
}

func TestGoneGames(t *testing.T) {
	s := detailed(t, "", "", nil)
	page := s.mustRead("UA", sweep.Details, "star-forge")
	if d := cmp.Diff(sweep.Page{Gone: true, Requests: 1}, page); d != "" {
		t.Errorf("page (-want +got):\n%s", d)
	}
}

func TestDetailsRefuseInvalidSlugs(t *testing.T) {
	s := (&shop{}).open(t)
	for _, from := range []string{"", "..", "a/b", "Star", "[]", "a?b"} {
		if _, err := s.read("UA", sweep.Details, from); err == nil || kindOf(t, err) != upstream.Refused {
			t.Errorf("%q: error %v", from, err)
		}
	}
}

func TestDetailsOfOffers(t *testing.T) {
	timedOut := object{"message": "Operation timed out!"}
	notFound := object{"message": "not found", "errorCode": "errors.example.catalog.offer.not_found"}
	tests := []struct {
		name, a, b string // the answers for two offers
		want       string
	}{
		{"both", offered(offer("a")), offered(offer("b")), "a b"},
		{"one is not sold here", offered(null), offered(offer("b")), "b"},
		{"one is not found", offered(null, notFound), offered(offer("b")), "b"},
		{"none is sold here", offered(null), offered(null), ""},
		{"one failed", offered(null, timedOut), offered(offer("b")), "b present [a]"},
		{"one is garbage", offered("x"), offered(offer("b")), "b present [a]"},
		{"one came in part", offered(offer("a", "price", null), timedOut), offered(offer("b")), "b present [a] interrupted"},
		{"both failed", offered(null, timedOut), offered(null, timedOut), "broken answer"},
		{"one is gone while the page was read", "", offered(offer("b")), "b"},
		{"the country is wrong", fixture(t, "invalid-country.json"), "", "refused"},
		{"the store is down", "down", offered(offer("b")), "down"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := detailed(t, pageOf("a", "b", "a"), `{}`, map[string]string{"a": tt.a, "b": tt.b})
			page, err := s.read("UA", sweep.Details, "star-forge")
			got := ""
			if err != nil {
				got = kindOf(t, err).String()
			}
			for _, p := range page.Parts {
				got += " " + p.Product
			}
			if page.Present != nil {
				got += fmt.Sprint(" present ", page.Present)
			}
			if page.Interrupted {
				got += " interrupted"
			}
			if got = strings.TrimSpace(got); got != tt.want {
				t.Errorf("got %q, want %q: %v", got, tt.want, err)
			}
		})
	}
}

func TestDetailsWithoutProduct(t *testing.T) {
	s := detailed(t, pageOf("a", "b"), "", map[string]string{
		"a": offered(offer("a", "offerType", "EDITION", "title", "Star Forge Gold")), "b": offered(offer("b")),
	})
	page := s.mustRead("UA", sweep.Details, "star-forge")
	if len(page.Parts) != 2 || page.Parts[0].Facts.Edition != "Gold" || page.Parts[0].Guesses != 0 {
		t.Errorf("page is %s", written(page))
	}
}

func TestTooManyOffers(t *testing.T) {
	offers := make(map[string]string)
	for _, id := range ids(53) {
		offers[id] = offered(offer(id))
	}
	s := detailed(t, pageOf(ids(53)...), `{}`, offers)
	if page := s.mustRead("UA", sweep.Details, "star-forge"); len(page.Parts) != 50 || !page.Interrupted || page.Requests != 52 {
		t.Errorf("%d parts, interrupted %v, %d requests", len(page.Parts), page.Interrupted, page.Requests)
	}
}
