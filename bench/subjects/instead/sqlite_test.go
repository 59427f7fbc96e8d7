package instead

import (
	"encoding/json"
	"io"
	"testing"

	"gamedex/bench/builder"
	"gamedex/bench/lab"
	"gamedex/bench/plain"
	"gamedex/bench/sample"
	"gamedex/internal/catalog"
)

// The rows of both databases hold everything of an answer: what SQLite gives
// back is what was put in, in the order asked.
func TestRowsComeBack(t *testing.T) {
	var listings []catalog.Listing
	for l := range sample.New(1, 300).Listings(4) {
		listings = append(listings, *l)
	}
	v, err := builder.Of(t.Context(), t.TempDir(), listings)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for i := range v.Len() {
		ids = append(ids, v.Card(v.Len()-1-i).ID())
	}
	items := plain.Of(v, ids, int64(sample.Observed())).Data.Items
	l, err := lab.New(t.TempDir(), "../../..", true, 1, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	s, err := startSQLite(t.Context(), l, items)
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.items(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	var got []plain.Item
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if err := plain.Compare(got, items); err != nil {
		t.Error(err)
	}
}
