package alternatives

import (
	"encoding/json"
	"io"
	"testing"

	"gamedex/bench/harness"
	"gamedex/bench/sample"
	"gamedex/internal/catalog"
)

// TestSQLiteRows checks that SQLite returns the stored items, in the requested
// order.
func TestSQLiteRows(t *testing.T) {
	var listings []catalog.Listing
	for l := range sample.New(1, 300).Listings(4) {
		listings = append(listings, *l)
	}
	v, err := harness.BuildView(t.Context(), t.TempDir(), listings)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for i := range v.Len() {
		ids = append(ids, v.Card(v.Len()-1-i).ID())
	}
	items := NewAnswer(v, ids, int64(sample.Observed())).Data.Items
	r, err := harness.NewRun(t.TempDir(), "../..", true, 1, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	s, err := StartSQLite(t.Context(), r, items)
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Items(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	var got []Item
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if err := CompareItems(got, items); err != nil {
		t.Error(err)
	}
}
