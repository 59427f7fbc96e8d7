package webhook

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/index/pack"
	"gamedex/internal/money"
)

// Offer is a price of a game of the shop in a region.
type Offer struct {
	Amount   money.Amount // of the current price; money.None: a text
	Currency money.Currency
	Percent  int            // 0: no discount
	EndsAt   catalog.Millis // of the discount
	kind     kind
}

// kind is what a price is for.
type kind int

const (
	forAll kind = iota
	trial
	subscription
	doubtful
)

// Shop is a catalog that changes and is published.
type Shop struct {
	Games map[string]map[string]Offer // id of the console store → region → price
	Moved map[string][]string
	Seq   int64 // of the last snapshot
	blobs pack.Blobs
}

// Publish builds the next snapshot; source names its database.
func (s *Shop) Publish(t testing.TB, source string) *index.View {
	t.Helper()
	in := pack.Input{Active: []catalog.Region{catalog.MustRegion("UA"), catalog.MustRegion("TR")}, Moved: s.Moved}
	s.Seq++
	in.Seq = s.Seq
	for _, id := range slices.Sorted(maps.Keys(s.Games)) {
		c := catalog.Card{Platform: catalog.ConsoleStore, ID: id, Family: "f" + id, Class: catalog.GameClass, Type: catalog.Game,
			Title: "Game " + id, Titles: []string{"Game " + id}, Names: []catalog.Name{{Text: "Game " + id}}}
		for _, region := range slices.Sorted(maps.Keys(s.Games[id])) {
			o := s.Games[id][region]
			p := &catalog.Price{Currency: o.Currency, Base: o.Amount, Current: o.Amount, DiscountPercent: catalog.NoPercent, Source: catalog.SourceExact,
				Trial: o.kind == trial, Subscription: o.kind == subscription, DiscountEndsAt: o.EndsAt, CurrentText: fmt.Sprint(o.Amount), BaseText: fmt.Sprint(o.Amount)}
			if o.Percent > 0 && o.Amount.Known() {
				p.Base, p.DiscountPercent = o.Amount+100, o.Percent
			}
			if o.kind == doubtful {
				p.Source = catalog.SourceDoubtful
			}
			if !o.Amount.Known() {
				p.Currency = ""
			}
			c.Rows = append(c.Rows, uint32(len(in.Entries)))
			in.Entries = append(in.Entries, catalog.Entry{Product: "P" + id, Region: catalog.MustRegion(region), Facts: &catalog.Facts{}, Price: p, PricedAt: 1_700_000_000_123})
		}
		in.Cards = append(in.Cards, c)
	}
	if s.blobs.Catalog != nil {
		former, err := pack.ReadFormer(s.blobs.Catalog, s.blobs.Prices)
		Must(t, err)
		in.Former = former
	}
	blobs, _, err := pack.Build(in)
	Must(t, err)
	s.blobs = blobs
	snap, err := index.Open(blobs.Catalog, blobs.Prices)
	Must(t, err)
	return index.NewView(snap, index.Published{Seq: s.Seq, Source: source})
}

// Doubtful returns the price as a doubtful one.
func (o Offer) Doubtful() Offer {
	o.kind = doubtful
	return o
}

// Trial returns the price as that of a trial.
func (o Offer) Trial() Offer {
	o.kind = trial
	return o
}

// ForAll reports whether the price is neither doubtful nor of a trial or for subscribers.
func (o Offer) ForAll() bool { return o.kind == forAll }
