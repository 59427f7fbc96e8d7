package index_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	"gamedex/internal/index"
	"gamedex/internal/index/pack"
	"gamedex/internal/money"
	ct "gamedex/internal/testing/catalogtest"
)

// describeSnapshot returns everything that can be read from a snapshot, as
// text. It is the same for equal snapshots, however their texts and records are
// numbered.
func describeSnapshot(s *index.Snapshot) []string {
	var all []string
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, r := range s.Active() {
		say("active %v", r)
	}
	for _, p := range catalog.Platforms() {
		say("%v has %v", p, s.Regions(p))
	}
	for now := range int64(12) {
		say("%d ends have passed at %d", s.PassedEnds(now), now)
	}
	for i := range s.Len() {
		c := s.Card(i)
		say("%d %x %+v", c.Number(), c.Rev(), readCard(s, c))
		say("lists %v %v %v %v", ids(c.Variants()), ids(c.Related()), ids(c.Members()), ids(c.Editions()))
		describeRows(s, c.Rows(), say)
		for j := range c.Offers().Len() {
			o := c.Offers().At(j)
			say("offer %s %v", o.ID(), o.InActive())
			describeRows(s, o.Rows(), say)
		}
		found, total, _ := s.Find(c.Title(), 0, 5, 0, true, nil)
		say("found %d", total)
		for _, hit := range found {
			say("%s %q", hit.Card.ID(), hit.Title)
		}
	}
	return all
}

func describeRows(s *index.Snapshot, rows index.Rows, say func(string, ...any)) {
	for i := range rows.Len() {
		for _, now := range []int64{0, 5, 11} {
			r := rows.At(i).At(now)
			say("%s %s %v %v %v %d %d %d %v %v %v %d %q %q %q %q %q %q %q", s.Region(r.Region).Code, s.Currency(r.Currency), r.Priced, r.Base, r.Current,
				r.Percent, r.EndsAt, r.PricedAt, r.Trial, r.Subscription, r.Doubtful, r.Variants,
				r.BaseText(), r.CurrentText(), r.Label(), r.Edition(), r.Product(), r.Source(), r.AppendURL(nil))
		}
	}
	if r, ok := rows.Simple(3); ok {
		say("simple in %d", r.Region)
	}
}

// drawListings draws what becomes cards of both stores, demos and unserved ones
// among them.
func drawListings(t *rapid.T) ct.Table {
	pick := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
	var s ct.Listings
	for range rapid.IntRange(1, 25).Draw(t, "listings") {
		product := pick("product", "a", "b", "c", "d")
		options := []ct.Option{
			ct.Family("f" + product[:1]), ct.Title(pick("title", "Star", "Зоря")), ct.Edition(pick("edition", "", "Gold")),
			ct.StoreURL(pick("url", "", "https://x.example/"+product, "https://x.example/other")),
			ct.Type(rapid.SampledFrom([]catalog.Type{catalog.Base, catalog.Game, catalog.EditionType, catalog.DLC}).Draw(t, "type")),
		}
		if rapid.IntRange(0, 4).Draw(t, "demo") == 0 {
			options = append(options, ct.Demo())
		}
		region := pick("region", "DE", "TR", "UA", "US")
		l := ct.Console(region, product, options...)
		if rapid.Bool().Draw(t, "pc") {
			l = ct.PC(region, product, pick("slug", "s1", "s2"), options...)
		}
		l.Price = drawPrice(t)
		s.Apply(l)
	}
	return s.Table()
}

func inputOf(table ct.Table) pack.Input {
	in := pack.Input{Entries: table.Entries, Active: ct.Regions("UA", "TR"), Prose: map[catalog.ProseID]*catalog.Prose{}}
	in.Cards = merge.Compose(merge.Merge(in.Entries, override.Set{}), in.Entries, in.Active, table.Fields)
	in.Cards = slices.DeleteFunc(in.Cards, func(c catalog.Card) bool { // not served, so not packed
		return !slices.ContainsFunc(c.Rows, func(n uint32) bool { return slices.Contains(in.Active, in.Entries[n].Region) })
	})
	return in
}

// TestRepriceEqualsBuild checks that repeated repricing equals what Build makes of
// the same input. It refuses only where prices choose another offer to lead a
// slug.
func TestRepriceEqualsBuild(t *testing.T) {
	repriced := 0
	rapid.Check(t, func(t *rapid.T) {
		table := drawListings(t)
		blobs, repricer, err := pack.Build(inputOf(table))
		must(t, err)
		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			before := inputOf(table).Cards
			changed := repriceSome(t, table.Entries)
			in := inputOf(table)
			fresh, _, err := pack.Build(in)
			must(t, err)
			prices, next, err := repricer.Reprice(slices.Clone(blobs.Prices), table.Entries, changed, 2)
			rows := cmpopts.IgnoreFields(catalog.Card{}, "Rows") // may be other entries
			if (err == nil) != cmp.Equal(before, in.Cards, rows) {
				t.Fatalf("Reprice: %v; cards (-before +after):\n%s", err, cmp.Diff(before, in.Cards, rows))
			}
			if err != nil {
				return
			}
			repriced++
			if d := cmp.Diff(describeSnapshot(openBoth(t, fresh)), describeSnapshot(openBoth(t, pack.Blobs{Catalog: blobs.Catalog, Prices: prices}))); d != "" {
				t.Fatalf("repriced (-built +repriced):\n%s", d)
			}
			blobs.Prices, repricer = prices, next
		}
	})
	if repriced == 0 {
		t.Error("nothing was ever repriced")
	}
}

func openBoth(t *rapid.T, blobs pack.Blobs) *index.Snapshot {
	s, err := index.Open(blobs.Catalog, blobs.Prices)
	must(t, err)
	return s
}

// repriceSome changes prices in place; a number may come twice.
func repriceSome(t *rapid.T, entries []catalog.Entry) (changed []uint32) {
	for range rapid.IntRange(0, 5).Draw(t, "changes") {
		n := rapid.IntRange(0, len(entries)-1).Draw(t, "entry")
		entries[n].Price, entries[n].PricedAt, entries[n].ObservedAt = drawPrice(t), drawMillis(t), ct.Day(2)
		changed = append(changed, uint32(n))
	}
	return changed
}

// TestRepriceChoosesRows covers a card whose leading offer is not sold: the
// cheapest other offer represents it. Every price may change which one that is.
func TestRepriceChoosesRows(t *testing.T) {
	var store ct.Listings
	store.Apply(
		ct.PC("UA", "base", "slug", ct.Type(catalog.Base), ct.Price("UAH", 500)),
		ct.PC("TR", "gold", "slug", ct.Edition("Gold"), ct.StoreURL("https://x.example/gold"), ct.Price("TRY", 100)),
		ct.PC("TR", "silver", "slug", ct.Edition("Silver"), ct.Price("TRY", 200)),
		ct.PC("US", "silver", "slug", ct.Edition("Silver"), ct.Price("USD", 1)),
		ct.Console("UA", "alone", ct.Price("UAH", 100)))
	table := store.Table()
	blobs, repricer, err := pack.Build(inputOf(table))
	must(t, err)
	const gold, silver = 1, 2 // entries
	for round, now := range []struct {
		gold, silver money.Amount
		want         string
	}{{300, 200, "silver"}, {50, 200, "gold"}, {60, 200, "gold"}, {60, 10, "silver"}, {10, 10, "gold"}} {
		table.Entries[gold].Price, table.Entries[silver].Price = price(now.gold), price(now.silver)
		blobs.Prices, repricer, err = repricer.Reprice(slices.Clone(blobs.Prices), table.Entries, []uint32{gold, silver}, 2)
		must(t, err)
		snap := open(t, blobs)
		if row := inRegion(t, snap, find(t, snap, "slug").Rows(), "TR"); row.Product() != now.want {
			t.Errorf("round %d: %s represents the card in TR, want %s", round, row.Product(), now.want)
		}
		if d := cmp.Diff(describeSnapshot(built(t, table)), describeSnapshot(snap)); d != "" {
			t.Errorf("round %d (-built +repriced):\n%s", round, d)
		}
	}
}

func built(t *testing.T, table ct.Table) *index.Snapshot {
	t.Helper()
	blobs, _, err := pack.Build(inputOf(table))
	must(t, err)
	return open(t, blobs)
}

// TestRepriceIsBounded checks that readers do not see prices, ends and texts
// that no row has, and that the tables keep a bounded number of them.
func TestRepriceIsBounded(t *testing.T) {
	s := large(300, 16)
	blobs, repricer, err := pack.Build(s.in)
	must(t, err)
	prices, first := blobs.Prices, len(blobs.Prices)
	for round := 0; ; round++ {
		var changed []uint32
		for i := round % 3; i < len(s.in.Entries); i += 3 {
			p := *s.in.Entries[i].Price
			p.CurrentText, p.DiscountEndsAt = fmt.Sprint("price ", round, i), catalog.Millis(1000*(round+1)+i%7)
			s.in.Entries[i].Price, changed = &p, append(changed, uint32(i))
		}
		next, renewed, err := repricer.Reprice(slices.Clone(prices), s.in.Entries, changed, 2)
		if err != nil {
			if round == 0 || !strings.Contains(err.Error(), "tables") {
				t.Fatalf("round %d: %v", round, err)
			}
			break
		}
		snap := open(t, pack.Blobs{Catalog: blobs.Catalog, Prices: next})
		if n, most := snap.PassedEnds(1<<40), 3*7; n < 7 || n > most {
			t.Fatalf("round %d: %d ends, want those of the last three rounds at most", round, n)
		}
		prices, repricer = next, renewed
	}
	if len(prices) > 2*first {
		t.Errorf("the blob grew from %d to %d bytes", first, len(prices))
	}
}

// TestRepriceRefuses covers what Reprice must leave to Build.
func TestRepriceRefuses(t *testing.T) {
	var store ct.Listings
	store.Apply(
		ct.PC("UA", "one", "slug", ct.Price("UAH", 100)),
		ct.PC("UA", "two", "slug", ct.Price("UAH", 200)),
		ct.PC("TR", "one", "slug", ct.Price("TRY", 100)),
		ct.Console("UA", "alone", ct.Price("UAH", 100)))
	for _, tt := range []struct {
		name   string
		change func(e []catalog.Entry) uint32
		harm   func(prices []byte) []byte
		want   string
	}{
		{"another price leads", func(e []catalog.Entry) uint32 { e[1].Price = price(50); return 1 }, nil, "other offers"},
		{"a price that leads anyway", func(e []catalog.Entry) uint32 { e[0].Price = price(50); return 0 }, nil, ""},
		{"no price now", func(e []catalog.Entry) uint32 { e[3].Price = nil; return 3 }, nil, ""},
		{"a damaged blob", nil, func(b []byte) []byte { b[len(b)-1]++; return b }, "wrong checksum"},
		{"nothing", nil, func([]byte) []byte { return nil }, "too few"},
		{"prices of another catalog", nil, func([]byte) []byte { return everything().build(t).Prices }, "belong to catalog"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			table := store.Table()
			blobs, repricer, err := pack.Build(inputOf(table))
			must(t, err)
			var changed []uint32
			if tt.change != nil {
				changed = []uint32{tt.change(table.Entries)}
			}
			if tt.harm != nil {
				blobs.Prices = tt.harm(blobs.Prices)
			}
			_, _, err = repricer.Reprice(blobs.Prices, table.Entries, changed, 2)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
