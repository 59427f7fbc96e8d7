package webhook

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"gamedex/internal/api/bulk"
	"gamedex/internal/api/selection"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// TestRules sends random histories of prices through snapshots and compares what fires with a naive evaluator,
// which knows the whole history and none of the states. A change that does not concern the filter neither fires nor
// changes what is remembered.
func TestRules(t *testing.T) {
	regions := []string{"KZ", "TR", "UA"} // KZ is not active
	rapid.Check(t, func(rt *rapid.T) {
		filter := Filter{Games: []string{"consolestore/GAME0001"}, When: rapid.SampledFrom([]When{WhenChange, WhenDrop, WhenDeal, WhenBelow}).Draw(rt, "when")}
		switch {
		case filter.When == WhenBelow:
			filter.Amount, filter.Regions.Codes = 1500, []catalog.Region{catalog.MustRegion("TR")}
		case rapid.Bool().Draw(rt, "all regions"):
			filter.Regions = selection.Regions{All: true}
		}
		seen := map[string]bool{"TR": true, "UA": filter.When != WhenBelow, "KZ": filter.Regions.All}
		s := &Shop{Games: map[string]map[string]Offer{"GAME0001": {}}}
		var history []map[string]Offer
		var stored []byte
		var earlier *index.View
		last := map[string]Offer{} // of WhenDrop: what was last sent
		for step := range rapid.IntRange(2, 7).Draw(rt, "steps") {
			prices := map[string]Offer{}
			for _, region := range regions {
				if region == "UA" || rapid.IntRange(0, 4).Draw(rt, "sold") > 0 {
					prices[region] = Offer{
						Amount:   rapid.SampledFrom([]money.Amount{money.None, 0, 1000, 1499, 1500, 2000}).Draw(rt, "amount"),
						Currency: rapid.SampledFrom([]money.Currency{"TRY", "TRY", "TRY", "USD"}).Draw(rt, "currency"),
						Percent:  rapid.SampledFrom([]int{0, 0, 50}).Draw(rt, "percent"),
						kind:     rapid.SampledFrom([]kind{forAll, forAll, forAll, trial, subscription, doubtful}).Draw(rt, "kind"),
					}
				}
			}
			s.Games["GAME0001"] = prices
			history = append(history, prices)
			v := s.Publish(t, "db")
			c, ok := find(v, filter.Games[0])
			if !ok {
				rt.Fatal("the game is not served")
			}
			var answer bulk.Answer
			filter.begin(&answer, v, 0)
			now := served(&answer, c, 0)
			remembered := stored
			before, _ := parseState(stored)
			fires, after := filter.next(&before, &now)
			stored = after.append(nil)
			if step > 0 {
				compared := newComparison(earlier, 0, v, 0)
				former, _ := find(earlier, filter.Games[0])
				compared.game(former, c)
				if changed := fires || !bytes.Equal(remembered, stored); changed && !compared.concerns(&filter, rule{}) {
					rt.Errorf("step %d of %s: the change does not concern it, but fires %v, remembered %x, then %x\n%+v", step, filter.When, fires, remembered, stored, history)
				}
			}
			earlier = v
			if read, ok := parseState(stored); !ok {
				rt.Fatal("the state cannot be read")
			} else if diff := cmp.Diff(after, read, cmp.AllowUnexported(price{}, state{}), cmpopts.EquateEmpty()); diff != "" {
				rt.Fatalf("the state is read otherwise:\n%s", diff)
			}
			want := false
			for _, region := range regions {
				if seen[region] && naive(filter, history, region, last) {
					want = true
				}
			}
			if step > 0 && fires != want {
				rt.Errorf("step %d of %s: fires %v, want %v\n%+v", step, filter.When, fires, want, history)
			}
			for _, region := range regions {
				if o, sold := prices[region]; sold && o.kind == forAll && o.Amount.Known() {
					if old, known := last[region]; !known || old.Currency != o.Currency || want {
						last[region] = o
					}
				}
			}
		}
	})
}

// naive reports whether the last prices of a region fire. last is what was last sent of each.
func naive(f Filter, history []map[string]Offer, region string, last map[string]Offer) bool {
	now, sold := history[len(history)-1][region]
	earlier := history[:len(history)-1]
	if sold && now.kind != forAll || !sold && f.When != WhenChange {
		return false
	}
	// before returns the newest earlier price that passes, or false if there is none.
	before := func(passes func(o Offer, sold bool) bool) (Offer, bool) {
		for i := len(earlier) - 1; i >= 0; i-- {
			if o, sold := earlier[i][region]; passes(o, sold) {
				return o, true
			}
		}
		return Offer{}, false
	}
	discounted := func(o Offer) bool { return o.Percent > 0 && o.Amount.Known() }
	switch f.When {
	case WhenChange:
		was, known := before(func(o Offer, sold bool) bool { return !sold || o.kind == forAll })
		wasSold := known && was != (Offer{})
		if !sold || !wasSold {
			return sold != wasSold
		}
		if !now.Amount.Known() && !was.Amount.Known() {
			return false // a text without a currency
		}
		return now.Amount != was.Amount || now.Currency != was.Currency || discounted(now) != discounted(was)
	case WhenDrop:
		was, known := last[region]
		return now.Amount.Known() && known && was.Currency == now.Currency && now.Amount < was.Amount
	case WhenDeal:
		was, known := before(func(o Offer, sold bool) bool { return sold && o.kind == forAll })
		return discounted(now) && !(known && discounted(was))
	}
	was, known := before(func(o Offer, sold bool) bool { return sold && o.kind == forAll && o.Amount.Known() })
	return now.Amount.Known() && int64(now.Amount) < f.Amount && !(known && int64(was.Amount) < f.Amount)
}

// FuzzParseState checks that no bytes make the reader fail, and that what it reads is written again as it was.
func FuzzParseState(f *testing.F) {
	s := state{title: 7, prices: []price{{region: catalog.MustRegion("TR"), amount: 1999, currency: "TRY", discounted: true, shown: 9}, {region: catalog.MustRegion("UA"), amount: unknown}}}
	f.Add(s.append(nil))
	f.Add([]byte{stateVersion})
	f.Fuzz(func(t *testing.T, b []byte) {
		read, ok := parseState(b)
		if !ok {
			return
		}
		again, ok := parseState(read.append(nil))
		if diff := cmp.Diff(read, again, cmp.AllowUnexported(price{}, state{}), cmpopts.EquateEmpty()); diff != "" || !ok {
			t.Errorf("read again: %v\n%s", ok, diff)
		}
	})
}
