package consolestore_test

import (
	"errors"
	"testing"

	"gamedex/internal/sweep"
	"gamedex/internal/upstream"
)

// TestAnswersToOtherQueries checks that answers to other queries, in their
// different shapes, are refused: they never become a page or a withdrawal.
func TestAnswersToOtherQueries(t *testing.T) {
	const product = `{"__typename":"Product","id":"1","name":"Star Forge","platforms":["PS4"],"price":{"basePrice":"$14.99","discountedPrice":"$14.99","skuId":"1-U001"}}`
	for name, answer := range map[string]string{
		"a wish list":              `{"data":{"storeWishlist":[` + product + `]}}`,
		"a search":                 `{"data":{"universalContextSearch":{"queryFrequency":{},"results":[{"domain":"MobileGames","next":"c","searchResults":[{"id":"1","result":` + product + `}],"totalResultCount":16}]}}}`,
		"the end of a search":      `{"data":{"universalDomainSearch":{"domain":"MobileAddOns","next":"","searchResults":[],"totalResultCount":16}}}`,
		"games of a title":         `[{"id":1,"name":"Star Forge","nameEn":"Star Forge","titleIds":["PPSA00001_00"]}]`,
		"a page's normalised data": `{"args":{"conceptId":"1"},"cache":{"Concept:1":{"id":"1","name":"Star Forge","products":[{"__ref":"Product:1"}]}}}`,
		"a query by product":       `{"data":{"productRetrieve":{"concept":{"id":"1","products":[` + product + `]}}}}`,
	} {
		for _, kind := range []sweep.Kind{sweep.Prices, sweep.Titles, sweep.Editions, sweep.AddOns, sweep.Details} {
			t.Run(name+" for "+kind.String(), func(t *testing.T) {
				page, err := open(t, world(), always(answer)).try(t, "UA", kind, begin(kind))
				if kind == sweep.Details && name == "a query by product" {
					return // the same root: fields that are missing there stay empty
				}
				if failed, ok := errors.AsType[*upstream.Error](err); !ok || failed.Kind != upstream.Broken {
					t.Errorf("error %v, page\n%s", err, text(page))
				}
			})
		}
	}
}
