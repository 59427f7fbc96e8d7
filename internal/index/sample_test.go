package index_test

import (
	"fmt"
	"slices"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/index/pack"
	"gamedex/internal/money"
	"gamedex/internal/snapshot"
)

// sample is a pack.Input that is put together card by card.
type sample struct {
	in    pack.Input
	prose map[catalog.ProseID]*catalog.Prose
}

// newSample starts an input with the given active regions ("UA TR").
func newSample(active ...string) *sample {
	s := &sample{prose: map[catalog.ProseID]*catalog.Prose{}}
	for _, code := range active {
		s.in.Active = append(s.in.Active, catalog.MustRegion(code))
	}
	s.in.Prose = s.prose
	return s
}

// console adds a console game of a family; change adjusts it.
func (s *sample) console(id, family, title string, rows []uint32, change ...func(*catalog.Card)) {
	s.card(catalog.Card{Platform: catalog.ConsoleStore, ID: id, Family: family, Class: catalog.GameClass,
		Type: catalog.Game, Title: title, Rows: rows}, change)
}

// pc adds a PC card; its rows are those of its first offer.
func (s *sample) pc(slug, title string, offers []catalog.Offer, change ...func(*catalog.Card)) {
	s.card(catalog.Card{Platform: catalog.PCStore, ID: slug, Class: catalog.GameClass, Type: catalog.Game,
		Title: title, Offers: offers, Rows: offers[0].Rows}, change)
}

func (s *sample) card(c catalog.Card, change []func(*catalog.Card)) {
	for _, f := range change {
		f(&c)
	}
	if c.Titles == nil {
		c.Titles = []string{c.Title}
	}
	if c.Names == nil {
		c.Names = []catalog.Name{{Text: c.Title}}
	}
	s.in.Cards = append(s.in.Cards, c)
}

// row adds an entry and returns its number. A nil price is a product that is
// not for sale.
func (s *sample) row(region, product string, price *catalog.Price, change ...func(*catalog.Entry)) uint32 {
	e := catalog.Entry{Product: product, Region: catalog.MustRegion(region), Facts: &catalog.Facts{},
		Price: price, PricedAt: 1_700_000_000_123}
	for _, f := range change {
		f(&e)
	}
	s.in.Entries = append(s.in.Entries, e)
	return uint32(len(s.in.Entries) - 1)
}

// rows adds one priced entry per region ("TR UA": sorted).
func (s *sample) rows(product string, regions ...string) []uint32 {
	slices.Sort(regions)
	var list []uint32
	for _, r := range regions {
		list = append(list, s.row(r, product, price(199900)))
	}
	return list
}

func (s *sample) open(t testing.TB) *index.Snapshot {
	t.Helper()
	return open(t, s.build(t))
}

func (s *sample) build(t testing.TB) pack.Blobs {
	t.Helper()
	blobs, _, err := pack.Build(s.in)
	must(t, err)
	return blobs
}

func open(t testing.TB, blobs pack.Blobs) *index.Snapshot {
	t.Helper()
	snap, err := index.Open(blobs.Catalog, blobs.Prices)
	must(t, err)
	return snap
}

// find returns a card that must exist.
func find(t testing.TB, s *index.Snapshot, id string) index.Card {
	t.Helper()
	c, ok := s.Lookup(0, id)
	if !ok {
		t.Fatalf("Lookup(%q) finds nothing", id)
	}
	return c
}

// inRegion returns a row that must exist.
func inRegion(t testing.TB, s *index.Snapshot, rows index.Rows, region string) index.Row {
	t.Helper()
	no, ok := s.RegionNo(catalog.MustRegion(region))
	if !ok {
		t.Fatalf("region %s has no number", region)
	}
	row, ok := rows.InRegion(no)
	if !ok {
		t.Fatalf("no row in %s", region)
	}
	return row
}

// price is a plain price in hryvnias without discount.
func price(a money.Amount, change ...func(*catalog.Price)) *catalog.Price {
	p := &catalog.Price{Currency: "UAH", Base: a, Current: a, DiscountPercent: catalog.NoPercent, Source: "graphql"}
	for _, f := range change {
		f(p)
	}
	return p
}

// textPrice is a price without a number.
func textPrice(text string) *catalog.Price {
	return &catalog.Price{Base: money.None, Current: money.None, BaseText: text, CurrentText: text,
		DiscountPercent: catalog.NoPercent}
}

// discounted is a price with a discount until a time; 0 is unknown.
func discounted(base, current money.Amount, until catalog.Millis) *catalog.Price {
	return price(base, func(p *catalog.Price) {
		p.Current, p.DiscountEndsAt = current, until
		p.DiscountPercent, p.DiscountLabel = money.DiscountPercent(base, current), "Sale"
	})
}

func ids(list index.Cards) []string {
	out := []string{}
	for i := range list.Len() {
		out = append(out, list.At(i).ID())
	}
	return out
}

func allIDs(s *index.Snapshot) []string {
	out := []string{}
	for i := range s.Len() {
		out = append(out, s.Card(i).ID())
	}
	return out
}

func strs(l index.List) []string {
	var out []string
	for i := range l.Len() {
		out = append(out, l.At(i))
	}
	return out
}

// gameID makes an id that looks like a console card's.
func gameID(n int) string { return fmt.Sprintf("G%07d", n) }

func buildErr(s *sample) (pack.Blobs, error) {
	blobs, _, err := pack.Build(s.in)
	return blobs, err
}

// catalogPrice is a price that few cards and regions share.
func catalogPrice(card, region int) money.Amount { return money.Amount(1000 + 97*card + 31*region) }

func sectionSize(t testing.TB, blob []byte, name string) int {
	t.Helper()
	f, err := snapshot.Open(blob, "prices", index.Formats())
	must(t, err)
	b, err := f.Section(name)
	must(t, err)
	return len(b)
}

// must ends a test that cannot go on.
func must(t failer, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
