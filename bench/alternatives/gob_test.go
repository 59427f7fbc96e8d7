package alternatives

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/bench/harness"
	"gamedex/bench/sample"
	"gamedex/internal/catalog"
)

// TestColumnsComeBack checks that the columns have every row and every text of the
// sample, and that gob decodes what it encoded.
func TestColumnsComeBack(t *testing.T) {
	type row struct {
		region, product, text string
		current               int64
		subscription          bool
	}
	want, listings := map[row]int{}, []catalog.Listing(nil)
	for l := range sample.New(1, 300).Listings(4) {
		listings = append(listings, *l)
		if p := l.Price; p != nil && p.Current.Known() {
			want[row{l.Region.String(), l.Product, p.CurrentText, int64(p.Current), p.Subscription}]++
		}
	}
	v, err := harness.BuildView(t.Context(), t.TempDir(), listings)
	if err != nil {
		t.Fatal(err)
	}
	packed := ColumnsOf(v.Snapshot)
	encoded, err := packed.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := DecodeColumns(encoded)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(packed, back); diff != "" {
		t.Errorf("gob changed (-packed +back):\n%s", diff)
	}
	if len(back.CardID) != 300 || len(back.Region) != 300*4 {
		t.Errorf("%d cards, %d rows", len(back.CardID), len(back.Region))
	}
	for i, current := range back.Current {
		if current < 0 {
			continue
		}
		r := row{v.Region(back.Region[i]).Code.String(), back.Texts[back.Product[i]], back.Texts[back.CurrentText[i]], current, back.Flags[i]&4 != 0}
		if want[r] == 0 {
			r.text = "" // the product made the text from the number
		}
		want[r]--
	}
	for r, n := range want {
		if n != 0 {
			t.Errorf("%+v: %+d", r, n)
		}
	}
}
