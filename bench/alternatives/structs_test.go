package alternatives_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/bench/alternatives"
	"gamedex/bench/harness"
	"gamedex/bench/sample"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// TestAnswerEqualsTheProducts checks that the structs make the same answer as the
// product, for every card of a sample with all kinds of prices.
func TestAnswerEqualsTheProducts(t *testing.T) {
	v, seen := view(t, 600)
	for _, kind := range []string{"discount", "text", "free", "none", "subscription"} {
		if seen[kind] == 0 {
			t.Errorf("the sample has no price of kind %s", kind)
		}
	}
	h, err := harness.NewHandler(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{"NOBODYHASIT"}
	for i := range v.Len() {
		ids = append(ids, v.Card(i).ID())
	}
	answer, err := h.Answer(h.Prices(ids, nil))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(alternatives.NewAnswer(v, ids, harness.Now.UnixMilli()))
	if err != nil {
		t.Fatal(err)
	}
	var got, want alternatives.Answer
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(answer, &want); err != nil {
		t.Fatal(err)
	}
	if err := alternatives.CompareItems(got.Data.Items, want.Data.Items); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("besides the items (-product +structs):\n%s", diff)
	}
	if len(got.Data.Items) != 600 || len(got.Data.NotFound) != 1 {
		t.Errorf("%d items, not found: %v", len(got.Data.Items), got.Data.NotFound)
	}
}

func view(t *testing.T, cards int) (*index.View, map[string]int) {
	t.Helper()
	seen, listings := map[string]int{}, []catalog.Listing(nil)
	for l := range sample.New(1, cards).Listings(4) {
		listings = append(listings, *l)
		switch p := l.Price; {
		case p == nil:
			seen["none"]++
		case p.Subscription:
			seen["subscription"]++
		case p.Base == 0:
			seen["free"]++
		case !p.Current.Known():
			seen["text"]++
		case p.DiscountLabel != "":
			seen["discount"]++
		}
	}
	v, err := harness.BuildView(t.Context(), t.TempDir(), listings)
	if err != nil {
		t.Fatal(err)
	}
	return v, seen
}

func TestCompareItems(t *testing.T) {
	usd := 1.5
	item := func(change func(*alternatives.Item)) alternatives.Item {
		i := alternatives.Item{ID: "A", Regions: map[string]alternatives.Price{"ua": {USD: &usd}}, Cheapest: &alternatives.Cheapest{Region: "ua", USD: usd}}
		change(&i)
		return i
	}
	same := func(*alternatives.Item) {}
	for _, c := range []struct {
		name      string
		got, want []alternatives.Item
		differ    bool
	}{
		{"equal", []alternatives.Item{item(same)}, []alternatives.Item{item(same)}, false},
		{"a price", []alternatives.Item{item(func(i *alternatives.Item) { i.Regions = map[string]alternatives.Price{"ua": {}} })}, []alternatives.Item{item(same)}, true},
		{"no cheapest", []alternatives.Item{item(func(i *alternatives.Item) { i.Cheapest = nil })}, []alternatives.Item{item(same)}, true},
		{"one missing", nil, []alternatives.Item{item(same)}, true},
		{"one too many", []alternatives.Item{item(same)}, nil, true},
	} {
		if err := alternatives.CompareItems(c.got, c.want); (err != nil) != c.differ {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
