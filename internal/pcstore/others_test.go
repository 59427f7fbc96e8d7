package pcstore_test

import (
	"testing"

	"gamedex/internal/sweep"
	"gamedex/internal/upstream"
)

// TestAnswersToOtherQueries checks that answers to other queries, in their
// different shapes, are refused: they never become a page or a withdrawal.
func TestAnswersToOtherQueries(t *testing.T) {
	for name, answer := range map[string]string{
		"add-ons of a game": `{"__typename":"PaginatedOffers","data":[{"__typename":"Offer","id":"a1","title":"Ember Pack","categories":["addons","addons/durable"],"mapping":{"slug":"star-forge--ember"}}],"paging":{"count":1,"start":0,"total":1}}`,
		"no editions":       `{"__typename":"PaginatedOffers","data":[],"paging":{"count":0,"start":0,"total":0}}`,
		"an age rating":     `{"__typename":"AgeRating","ageGate":{"gate":"age-gate"},"ageRating":{"ageControl":17,"ratingSystem":"ESRB","title":"RATING PENDING"}}`,
		"an old page":       `{"_title":"star-forge","productName":"Star Forge","namespace":"forge","_slug":"star-forge","pages":[{"namespace":"forge","offer":{"hasOffer":true,"id":"a1"}}]}`,
	} {
		for kind, from := range map[sweep.Kind]string{sweep.Prices: "", sweep.Details: "star-forge"} {
			t.Run(name+" for "+kind.String(), func(t *testing.T) {
				tell := func(string) string { return answer }
				s := (&shop{search: func(int, int, string) string { return answer }, offer: tell, mapping: tell, product: tell}).open(t)
				page, err := s.read("DE", kind, from)
				if err == nil {
					t.Fatalf("page is %s", written(page))
				}
				if got := kindOf(t, err); got != upstream.Broken {
					t.Errorf("%s: %v", got, err)
				}
			})
		}
	}
}
