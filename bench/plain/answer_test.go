package plain_test

import (
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/bench/builder"
	"gamedex/bench/lab"
	"gamedex/bench/plain"
	"gamedex/bench/sample"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// The structs answer what the service answers: for every card of a sample that
// has every kind of price.
func TestAnswersAreTheService(t *testing.T) {
	v, seen := view(t, 600)
	for _, kind := range []string{"discount", "text", "free", "none", "subscription"} {
		if seen[kind] == 0 {
			t.Errorf("no price of the sample is %s", kind)
		}
	}
	h := handler(t, v)
	ids := []string{"NOBODYHASIT"}
	for i := range v.Len() {
		ids = append(ids, v.Card(i).ID())
	}
	answer, err := h.Answer(h.Prices(ids))
	if err != nil {
		t.Fatal(err)
	}
	text, err := plain.Marshal(v, ids, time.Date(2026, 11, 20, 7, 0, 0, 0, time.UTC).UnixMilli())
	if err != nil {
		t.Fatal(err)
	}
	var got, want plain.Answer
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(answer, &want); err != nil {
		t.Fatal(err)
	}
	if err := plain.Compare(got.Data.Items, want.Data.Items); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("beside the items (-service +structs):\n%s", diff)
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
	v, err := builder.Of(t.Context(), t.TempDir(), listings)
	if err != nil {
		t.Fatal(err)
	}
	return v, seen
}

func handler(t *testing.T, v *index.View) *lab.Handler {
	t.Helper()
	l, err := lab.New(t.TempDir(), "../..", true, 1, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	h, err := l.Handler(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestCompareTellsWhatDiffers(t *testing.T) {
	usd := 1.5
	item := func(change func(*plain.Item)) plain.Item {
		i := plain.Item{ID: "A", Regions: map[string]plain.Price{"ua": {USD: &usd}}, Cheapest: &plain.Cheapest{Region: "ua", USD: usd}}
		change(&i)
		return i
	}
	same := func(*plain.Item) {}
	for _, c := range []struct {
		name      string
		got, want []plain.Item
		differ    bool
	}{
		{"equal", []plain.Item{item(same)}, []plain.Item{item(same)}, false},
		{"a price", []plain.Item{item(func(i *plain.Item) { i.Regions = map[string]plain.Price{"ua": {}} })}, []plain.Item{item(same)}, true},
		{"no cheapest", []plain.Item{item(func(i *plain.Item) { i.Cheapest = nil })}, []plain.Item{item(same)}, true},
		{"one missing", nil, []plain.Item{item(same)}, true},
		{"one too many", []plain.Item{item(same)}, nil, true},
	} {
		if err := plain.Compare(c.got, c.want); (err != nil) != c.differ {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
