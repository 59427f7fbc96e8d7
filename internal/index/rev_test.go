package index_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/index/pack"
	"gamedex/internal/money"
)

// changedCards lists the ids of the cards whose rev differs from that in a
// catalog without the change, and of those that say that they have changed since.
func changedCards(t *testing.T, change func(*sample)) (revs, shown string) {
	t.Helper()
	f, s := family(), family()
	blobs := f.build(t)
	before, former := open(t, blobs), formerOf(t, blobs)
	change(s)
	s.in.Seq, s.in.Former = f.in.Seq+1, former
	after := index.NewView(s.open(t), index.Published{Seq: s.in.Seq})
	since := after.Since(f.in.Seq, 0, 0)
	var changed, differ []string
	for _, id := range []string{"GAME0000", "DELUXE00", "DLC00000", "DEMO0000", "SUB00000", "OTHER000", "star"} {
		c := find(t, after.Snapshot, id)
		if find(t, before, id).Rev() != c.Rev() {
			changed = append(changed, id)
		}
		if since.Changed(c) {
			differ = append(differ, id)
		}
	}
	return strings.Join(changed, " "), strings.Join(differ, " ")
}

func formerOf(t *testing.T, blobs pack.Blobs) pack.Former {
	t.Helper()
	former, err := pack.ReadFormer(blobs.Catalog, blobs.Prices)
	must(t, err)
	return former
}

// The cards of family that list its games and add-ons.
const wholeFamily = "GAME0000 DELUXE00 DLC00000 DEMO0000 SUB00000"

// TestRev changes one thing at a time. The last column has the cards that say that they
// have changed: times and other cards do not count, but which cards are their editions.
func TestRev(t *testing.T) {
	priceOf := func(s *sample, card int, change func(*catalog.Price)) {
		e := &s.in.Entries[s.in.Cards[card].Rows[0]]
		p := *e.Price
		change(&p)
		e.Price = &p
	}
	for _, tt := range []struct {
		name   string
		change func(*sample)
		want   string
		shown  string
	}{
		{"nothing", func(*sample) {}, "", ""},
		{"a game's price", func(s *sample) { priceOf(s, 0, func(p *catalog.Price) { p.Current-- }) }, wholeFamily, "GAME0000"},
		{"an add-on's title", func(s *sample) { s.in.Cards[5].Title = "Map" }, wholeFamily, "DLC00000"},
		{"a demo's description", func(s *sample) {
			s.in.Cards[3].Prose.Description = 1
			s.prose[1] = &catalog.Prose{Description: "Try it."}
		}, "DEMO0000", ""},
		{"a price's end", func(s *sample) { priceOf(s, 3, func(p *catalog.Price) { p.DiscountEndsAt = 7 }) }, "DEMO0000", "DEMO0000"},
		{"a price's text", func(s *sample) { priceOf(s, 3, func(p *catalog.Price) { p.CurrentText = "x" }) }, "DEMO0000", "DEMO0000"},
		{"a price's time", func(s *sample) { s.in.Entries[s.in.Cards[3].Rows[0]].PricedAt++ }, "DEMO0000", ""},
		{"an amount beyond 32 bits", func(s *sample) { priceOf(s, 3, func(p *catalog.Price) { p.Base = 1 << 40 }) }, "DEMO0000", "DEMO0000"},
		{"a link", func(s *sample) { s.in.Entries[s.in.Cards[7].Rows[0]].URL = "https://x.example/" }, "OTHER000", "OTHER000"},
		{"an offer's title", func(s *sample) { s.in.Cards[8].Offers[2].Title = "Cap" }, "star", "star"},
		{"an add-on's title in another language", func(s *sample) {
			s.in.Cards[5].Texts = []catalog.Texts{{Language: "en", Title: "Map"}}
		}, wholeFamily, "DLC00000"},
		{"a demo's description in another language", func(s *sample) {
			s.in.Cards[3].Texts = []catalog.Texts{{Language: "en", Description: 1}}
			s.prose[1] = &catalog.Prose{Description: "Try it."}
		}, "DEMO0000", "DEMO0000"},
		{"an offer's edition in another language", func(s *sample) {
			s.in.Cards[8].Offers[2].Texts = []catalog.Texts{{Language: "en", EditionName: "Gold"}}
		}, "star", "star"},
		{"a genre", func(s *sample) {
			s.in.Cards[7].Prose.Genres = 1
			s.prose[1] = &catalog.Prose{Genres: []string{"Action"}}
		}, "OTHER000", "OTHER000"},
		{"a new card elsewhere", func(s *sample) {
			s.console("AAAAAAAA", "9", "Aaa", s.rows("N", "UA", "AR"), func(c *catalog.Card) { c.Popularity = 99 })
		}, "", ""},
		{"another order of the input", func(s *sample) { s.in.Cards[0], s.in.Cards[7] = s.in.Cards[7], s.in.Cards[0] }, "", ""},
		{"popularity", func(s *sample) { s.in.Cards[7].Popularity = 3 }, "", ""},
		{"a new variant", func(s *sample) {
			s.console("BBBBBBBB", "8", "Moon 2", s.rows("N", "US", "UA"))
		}, "OTHER000", "OTHER000"},
		{"the active regions", func(s *sample) { s.in.Active = append(s.in.Active, catalog.MustRegion("US")) }, wholeFamily + " OTHER000 star", wholeFamily + " OTHER000 star"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, shown := changedCards(t, tt.change); got != tt.want || shown != tt.shown {
				t.Errorf("changed %q and %q, want %q and %q", got, shown, tt.want, tt.shown)
			}
		})
	}
}

// TestChangesAreKept checks that a change keeps the number of its publication when prices
// are packed again, and when a builder that knows only what is published builds all again.
func TestChangesAreKept(t *testing.T) {
	s := family()
	s.in.Seq = 5
	blobs, repricer, err := pack.Build(s.in)
	must(t, err)
	changed := func(seq, since int64) (n int) {
		v := index.NewView(open(t, blobs), index.Published{Seq: seq})
		from := v.Since(since, 0, 0)
		for i := range v.Len() {
			if from.Changed(v.Card(i)) {
				n++
			}
		}
		return n
	}
	if n := changed(5, 4); n != len(s.in.Cards) {
		t.Errorf("%d of %d cards changed with the first snapshot", n, len(s.in.Cards))
	}
	row := s.in.Cards[0].Rows[0]
	for i, dearer := range []money.Amount{1, 0} { // then seen again at the same price
		p := *s.in.Entries[row].Price
		p.Base += dearer
		s.in.Entries[row].Price, s.in.Entries[row].PricedAt = &p, s.in.Entries[row].PricedAt+1
		seq := s.in.Seq + int64(i) + 1
		if blobs.Prices, repricer, err = repricer.Reprice(slices.Clone(blobs.Prices), s.in.Entries, []uint32{row}, seq); err != nil {
			t.Fatal(err)
		}
	}
	s.in.Seq, s.in.Former = 8, formerOf(t, blobs)
	blobs = s.build(t)
	for since, want := range map[int64]int{4: len(s.in.Cards), 5: 1, 6: 0, 7: 0, 8: 0} {
		if n := changed(8, since); n != want {
			t.Errorf("%d cards changed since %d, want %d", n, since, want)
		}
	}
}

// large is a catalog with a distinct price for every card and region.
func large(cards, regions int) *sample {
	codes := []string{"AR", "AU", "BR", "CA", "DE", "ES", "FR", "GB", "IN", "IT", "JP", "KZ", "MX", "PL", "TR", "UA", "US", "ZA"}
	s := newSample("PL", "TR")
	for i := range cards {
		var rows []uint32
		for _, code := range codes[:regions] {
			rows = append(rows, s.row(code, "EP"+gameID(i), price(100*catalogPrice(i, len(rows)))))
		}
		s.console(gameID(i), gameID(i), "Title "+gameID(i), rows)
	}
	return s
}

// asStoresPrice is a catalog with what makes packed rows large in real ones:
// price points of each region, a sale with its end and label, localised
// editions, links by region.
func asStoresPrice(cards, regions int) *sample {
	s := large(cards, regions)
	for i := range s.in.Entries {
		e := &s.in.Entries[i]
		card, region := i/regions, i%regions
		points := money.Amount(99 + 500*(card*7919%60) + 37*region)
		e.Price = price(points)
		if card%5 == 0 {
			e.Price = discounted(points, points*money.Amount(4+card%5)/10, catalog.Millis(9_000+card%12))
		}
		if card%10 == 3 {
			e.Facts = &catalog.Facts{Edition: fmt.Sprintf("Edition %d in %d", card%40, region)}
		}
		e.URL = catalog.PatternOf(fmt.Sprintf("https://c.example/%d/%s", region, e.Product), e.Product, "")
		e.PricedAt += catalog.Millis(i)
	}
	return s
}

// TestBytesPerRow checks that packed prices take 24 bytes a row and little else
// in a realistic catalog, and no more than the sum of all records in the worst
// one.
func TestBytesPerRow(t *testing.T) {
	const cards, regions = 4000, 16
	for name, tt := range map[string]struct {
		in   *sample
		most float64
	}{
		"as stores price":               {asStoresPrice(cards, regions), 27},
		"a distinct price in every row": {large(cards, regions), 24 + 12 + 1.5},
		"everything distinct":           {worstRows(cards, regions), 24 + 2*12 + 24 + 8 + 1.5},
	} {
		blobs := tt.in.build(t)
		words := sectionSize(t, blobs.Prices, "strings")
		if got := float64(len(blobs.Prices)-words) / (cards * regions); got > tt.most {
			t.Errorf("%s: %.1f bytes per region price beside texts, want at most %.1f", name, got, tt.most)
		}
		if got := sectionSize(t, blobs.Prices, "rows"); got != 24*cards*regions {
			t.Errorf("%s: %d rows take %d bytes, want 24 each", name, cards*regions, got)
		}
	}
}

// worstRows is a catalog in which no two rows agree in anything.
func worstRows(cards, regions int) *sample {
	s := large(cards, regions)
	for i := range s.in.Entries {
		s.in.Entries[i].Price = discounted(money.Amount(1_000_000+2*i), money.Amount(2*i+1), catalog.Millis(1+i))
	}
	return s
}

func TestReadingAllocatesNothing(t *testing.T) {
	snap := large(20, 16).open(t)
	v := index.NewView(snap, index.Published{Rates: rates(t)})
	sum := 0
	buf := make([]byte, 0, 256)
	for name, read := range map[string]func(){
		"rows": func() {
			for i := range v.Len() {
				rows := v.Card(i).Rows()
				for j := range rows.Len() {
					r := rows.At(j).At(5)
					cents, _ := v.USD(&r)
					sum += int(cents) + len(r.CurrentText()) + len(v.Currency(r.Currency)) + len(v.Region(r.Region).Alpha2)
					buf = r.AppendURL(buf[:0])
				}
			}
		},
		"cards": func() {
			c, _ := v.Lookup(0, "g0000007")
			row, _ := c.Rows().Simple(5)
			sum += len(c.Title()) + c.TitleIDs().Len() + c.Variants().Len() + c.Related().Len() + row.Percent
		},
	} {
		if n := testing.AllocsPerRun(10, read); n != 0 {
			t.Errorf("reading %s allocates %v times", name, n)
		}
	}
}

// BenchmarkBuildAsStoresPrice has few prices in many rows.
func BenchmarkBuildAsStoresPrice(b *testing.B) {
	s := asStoresPrice(2000, 16)
	for b.Loop() {
		s.build(b)
	}
}

// BenchmarkOpen opens a snapshot in memory, with every check.
func BenchmarkOpen(b *testing.B) {
	blobs := asStoresPrice(30_000, 18).build(b)
	b.SetBytes(int64(len(blobs.Catalog) + len(blobs.Prices)))
	for b.Loop() {
		open(b, blobs)
	}
}
