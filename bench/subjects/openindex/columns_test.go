package openindex

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/bench/builder"
	"gamedex/bench/sample"
	"gamedex/internal/catalog"
)

// The columns have every row of the sample and every text, and gob gives them
// back.
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
	v, err := builder.Of(t.Context(), t.TempDir(), listings)
	if err != nil {
		t.Fatal(err)
	}
	packed := gather(v.Snapshot)
	encoded, err := packed.encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(packed, back); diff != "" {
		t.Errorf("gob gives back (-packed +back):\n%s", diff)
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
			r.text = "" // the service made the text of the number
		}
		want[r]--
	}
	for r, n := range want {
		if n != 0 {
			t.Errorf("%+v: %+d", r, n)
		}
	}
}

func TestSameFindsADifference(t *testing.T) {
	c := &columns{Texts: []string{"", "free"}, CardID: []uint32{0}, Rows: []uint32{1}, Region: []byte{1}, Current: []int64{5}, CurrentText: []uint32{1}}
	encoded, err := c.encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := same(c, encoded); err != nil {
		t.Errorf("the same: %v", err)
	}
	c.Current[0] = 6
	if err := same(c, encoded); err == nil {
		t.Error("another price is the same")
	}
}
