package index_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// describe formats a row like an answer.
func describe(s *index.Snapshot, r index.Row) string {
	text := fmt.Sprintf("%s %d→%d %q→%q", s.Region(r.Region).Alpha2, r.Base, r.Current, plain(r.BaseText()), plain(r.CurrentText()))
	if r.Percent >= 0 {
		text += fmt.Sprintf(" -%d%%", r.Percent)
	}
	if r.EndsAt > 0 {
		text += fmt.Sprintf(" until %d", r.EndsAt)
	}
	if r.Label() != "" {
		text += " " + r.Label()
	}
	if r.Trial {
		text += " trial"
	}
	if r.Subscription {
		text += " subscription"
	}
	return text
}

func texts(p *catalog.Price, base, current string) *catalog.Price {
	p.BaseText, p.CurrentText = base, current
	return p
}

func subscription(p *catalog.Price) { p.Subscription = true }
func trial(p *catalog.Price)        { p.Trial = true }

func TestDiscountThatHasEnded(t *testing.T) {
	free := func(change ...func(*catalog.Price)) *catalog.Price {
		p := price(5000, change...)
		p.Current, p.DiscountPercent, p.DiscountEndsAt = 0, 100, 1000
		return texts(p, "50 ₴", "")
	}
	for _, tt := range []struct {
		name          string
		price         *catalog.Price
		before, after string
	}{
		{"a discount", texts(discounted(5000, 2500, 1000), "50 ₴", "25 ₴"),
			`UA 5000→2500 "50 ₴"→"25 ₴" -50% until 1000 Sale`, `UA 5000→5000 "50 ₴"→"50 ₴"`},
		{"without a known end", texts(discounted(5000, 2500, 0), "50 ₴", "25 ₴"),
			`UA 5000→2500 "50 ₴"→"25 ₴" -50% Sale`, `UA 5000→2500 "50 ₴"→"25 ₴" -50% Sale`},
		{"included in a subscription for a while", free(subscription),
			`UA 5000→0 "50 ₴"→"У складі підписки" -100% until 1000 subscription`, `UA 5000→5000 "50 ₴"→"50 ₴"`},
		{"a free weekend", free(trial),
			`UA 5000→0 "50 ₴"→"Пробна версія" until 1000 trial`, `UA 5000→5000 "50 ₴"→"50 ₴"`},
		{"a trial of what costs nothing", price(0, trial, func(p *catalog.Price) { p.DiscountEndsAt = 1000 }),
			`UA 0→0 "Пробна версія"→"Пробна версія" until 1000 trial`, `UA 0→0 "Пробна версія"→"Пробна версія" trial`},
		{"only texts", func() *catalog.Price {
			p := textPrice("")
			p.BaseText, p.CurrentText, p.DiscountPercent, p.DiscountEndsAt = "50 ₴", "25 ₴", 50, 1000
			return p
		}(), `UA -1→-1 "50 ₴"→"25 ₴" -50% until 1000`, `UA -1→-1 "50 ₴"→"50 ₴"`},
		{"a subscriber's price without base", price(2500, subscription, func(p *catalog.Price) {
			p.Base, p.BaseText, p.DiscountEndsAt = money.None, "", 1000
		}), `UA -1→2500 ""→"25,00 ₴" until 1000 subscription`, `UA -1→-1 ""→"" subscription`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSample("UA")
			s.console("AAAAAAAA", "1", "Star", []uint32{s.row("UA", "P", tt.price)})
			snap := s.open(t)
			row := inRegion(t, snap, find(t, snap, "AAAAAAAA").Rows(), "UA")
			if got := describe(snap, row.At(999)); got != tt.before {
				t.Errorf("before\n got %s\nwant %s", got, tt.before)
			}
			if got := describe(snap, row.At(1000)); got != tt.after {
				t.Errorf("after\n got %s\nwant %s", got, tt.after)
			}
		})
	}
}

func TestPriceTexts(t *testing.T) {
	for _, tt := range []struct {
		name, region string
		price        *catalog.Price
		want         string
	}{
		{"the store's own", "UA", texts(price(129900), "1 299 грн", "1 299 грн"), `"1 299 грн"→"1 299 грн"`},
		{"by CLDR", "UA", price(129900), `"1 299,00 ₴"→"1 299,00 ₴"`},
		{"one text for one amount", "UA", texts(price(129900), "", "1 299 грн"), `"1 299 грн"→"1 299 грн"`},
		{"not for two amounts", "UA", texts(discounted(129900, 64950, 0), "", "649,50 грн"), `"1 299,00 ₴"→"649,50 грн"`},
		{"free", "TR", price(0), `"Ücretsiz"→"Ücretsiz"`},
		{"zero without letters", "PL", texts(price(0), "0,00", "$0.00"), `"Za darmo"→"Za darmo"`},
		{"the store's word", "UA", texts(price(0), "", "Безплатно!"), `"Безплатно!"→"Безплатно!"`},
		{"trial", "US", price(0, trial), `"Trial"→"Trial"`},
		{"trial of something", "US", price(0, trial, func(p *catalog.Price) { p.Base, p.BaseText = 999, "$9.99" }), `"$9.99"→"Trial"`},
		{"in a subscription", "PL", price(0, subscription, func(p *catalog.Price) { p.Base, p.BaseText = 999, "9,99 zł" }), `"9,99 zł"→"W abonamencie"`},
		{"text only", "UA", texts(textPrice(""), "", "Скоро"), `"Скоро"→"Скоро"`},
		{"not for sale", "UA", nil, `""→""`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSample(tt.region)
			s.console("AAAAAAAA", "1", "Star", []uint32{s.row(tt.region, "P", tt.price)})
			row := s.open(t).Card(0).Rows().At(0)
			if got := fmt.Sprintf("%q→%q", plain(row.BaseText()), plain(row.CurrentText())); got != tt.want {
				t.Errorf("texts %s, want %s", got, tt.want)
			}
		})
	}
}

// plain replaces no-break spaces with spaces.
func plain(s string) string {
	out := []rune(s)
	for i, r := range out {
		if r == '\u00a0' || r == '\u202f' {
			out[i] = ' '
		}
	}
	return string(out)
}

func TestRowNotForSale(t *testing.T) {
	s := newSample("UA")
	s.console("AAAAAAAA", "1", "Star", []uint32{s.row("UA", "P", nil)})
	snap := s.open(t)
	row := snap.Card(0).Rows().At(0)
	if row.Priced || row.Base.Known() || row.Current.Known() || snap.Currency(row.Currency) != "UAH" {
		t.Errorf("row %+v, want no price", row)
	}
	if row.PricedAt != 1_700_000_000_123 {
		t.Errorf("priced at %d, want the time when the price was removed", row.PricedAt)
	}
	if _, ok := snap.Card(0).Rows().Simple(0); ok {
		t.Error("it has a simple price")
	}
}

// TestDemoOffer checks that the price of a PC demo is a trial, whatever its
// listing says about the price.
func TestDemoOffer(t *testing.T) {
	s := newSample("UA")
	demo := func(e *catalog.Entry) { e.Facts = &catalog.Facts{Demo: true} }
	s.pc("star", "Star", []catalog.Offer{
		{ID: "d", Type: catalog.Game, Demo: true, Rows: []uint32{s.row("UA", "d", price(0), demo)}},
		{ID: "g", Type: catalog.Game, Rows: []uint32{s.row("UA", "g", price(0))}},
	})
	offers := find(t, s.open(t), "star").Offers()
	for n, want := range []bool{true, false} {
		if row := offers.At(n).Rows().At(0); row.Trial != want {
			t.Errorf("offer %s is a trial: %t, want %t", offers.At(n).ID(), row.Trial, want)
		}
	}
}

func TestCurrencyOfATextPrice(t *testing.T) {
	s := newSample("UA", "TR")
	s.console("AAAAAAAA", "1", "Star", []uint32{s.row("TR", "P", textPrice("Yakında")), s.row("UA", "P", price(100))})
	snap := s.open(t)
	if got := snap.Currency(inRegion(t, snap, snap.Card(0).Rows(), "TR").Currency); got != "TRY" {
		t.Errorf("currency %q, want the region's own", got)
	}
}

func TestRowEdition(t *testing.T) {
	edition := func(name string, typ catalog.Type) func(*catalog.Entry) {
		return func(e *catalog.Entry) { e.Facts = &catalog.Facts{Edition: name, Type: typ} }
	}
	s := newSample("UA")
	s.console("STANDARD", "1", "Star", []uint32{s.row("UA", "P1", nil, edition("Звичайне", catalog.Game))})
	s.console("DELUXE00", "1", "Star", []uint32{s.row("TR", "P2", nil), s.row("UA", "P2", nil, edition("Розкішне", catalog.Game))},
		func(c *catalog.Card) { c.EditionName = "Розкішне" })
	s.pc("star", "Star", []catalog.Offer{
		{ID: "b", Type: catalog.Base, Rows: []uint32{s.row("UA", "b", nil, edition("Base", catalog.Base))}},
		{ID: "g", Type: catalog.EditionType, Rows: []uint32{s.row("UA", "g", nil, edition("Gold", catalog.EditionType))}},
		{ID: "p", Type: catalog.EditionType, Pinned: true, Edition: "Own", Rows: []uint32{s.row("UA", "p", nil, edition("Gold", catalog.EditionType))}},
	})
	s.console("PINNED00", "2", "Sun", []uint32{s.row("UA", "P3", nil, edition("Gold", catalog.Game))},
		func(c *catalog.Card) { c.EditionName, c.Pinned = "Own", true })
	snap := s.open(t)
	deluxe, pc := find(t, snap, "DELUXE00").Rows(), find(t, snap, "star")
	for _, tt := range []struct {
		name, want string
		row        index.Row
	}{
		{"a standard card has none", "", inRegion(t, snap, find(t, snap, "STANDARD").Rows(), "UA")},
		{"as shown in the region", "Розкішне", inRegion(t, snap, deluxe, "UA")},
		{"the card's where the region says nothing", "Розкішне", inRegion(t, snap, deluxe, "TR")},
		{"a base offer has none", "", inRegion(t, snap, pc.Offers().At(0).Rows(), "UA")},
		{"an edition's offer", "Gold", inRegion(t, snap, pc.Offers().At(1).Rows(), "UA")},
		{"an offer's that an operator named", "Own", inRegion(t, snap, pc.Offers().At(2).Rows(), "UA")},
		{"a card's that an operator named", "Own", inRegion(t, snap, find(t, snap, "PINNED00").Rows(), "UA")},
	} {
		if got := tt.row.Edition(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestSimplePrice(t *testing.T) {
	everybody, included := price(5000), price(0, subscription)
	tied, tryout, text := price(4000, subscription), price(0, trial), textPrice("Скоро")
	ended := price(5000, trial, func(p *catalog.Price) { p.Current, p.DiscountEndsAt = 0, 1000 })
	for _, tt := range []struct {
		name       string
		ua, tr, pl *catalog.Price
		want       string
	}{
		{"the first region", everybody, everybody, everybody, "UA"},
		{"the first that has one", nil, everybody, everybody, "TR"},
		{"everybody before subscribers", included, tied, everybody, "PL"},
		{"subscribers before a trial", tryout, tied, text, "TR"},
		{"a trial before a text", text, nil, tryout, "PL"},
		{"a text is better than nothing", nil, text, text, "TR"},
		{"nothing", nil, nil, nil, ""},
		{"a trial that has ended", ended, everybody, nil, "UA"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSample("UA", "TR", "PL")
			s.console("AAAAAAAA", "1", "Star", []uint32{s.row("PL", "P", tt.pl), s.row("TR", "P", tt.tr), s.row("UA", "P", tt.ua), s.row("US", "P", everybody)})
			snap := s.open(t)
			got := ""
			if row, ok := snap.Card(0).Rows().Simple(2000); ok {
				got = snap.Region(row.Region).Alpha2
			}
			if got != tt.want {
				t.Errorf("simple price of %q, want %q", got, tt.want)
			}
		})
	}
}

// TestRowOfARegion reads cards with rows in any regions, for every region.
func TestRowOfARegion(t *testing.T) {
	codes := strings.Fields("AR AU BR CA DE ES FR GB IN IT JP KZ MX PL TR UA US ZA")
	rapid.Check(t, func(rt *rapid.T) {
		s := newSample(codes...)
		var rows []uint32
		want := map[string]bool{}
		for _, code := range codes {
			if rapid.IntRange(0, 3).Draw(rt, code) > 0 {
				rows, want[code] = append(rows, s.row(code, "in "+code, price(100))), true
			}
		}
		s.console("AAAAAAAA", "1", "Star", append(rows, s.row("ZM", "P", nil)))
		s.in.Active = append(s.in.Active, catalog.MustRegion("ZM"))
		snap := s.open(t)
		for no := range uint8(len(codes)) {
			row, ok := find(t, snap, "AAAAAAAA").Rows().InRegion(no)
			code := snap.Region(no).Alpha2
			if ok != want[code] || ok && (row.Region != no || row.Product() != "in "+code) {
				rt.Fatalf("in %s: %v, row of %q", code, ok, row.Product())
			}
		}
	})
}
