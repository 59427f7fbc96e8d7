package storesim_test

import (
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/money"
	"gamedex/internal/testing/catalogtest"
	"gamedex/internal/testing/storesim"
)

var start = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

func eight() []catalog.Region {
	return catalogtest.Regions("UA", "TR", "PL", "IN", "US", "DE", "FR", "JP")
}

// clock is a wall clock that a test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func newWorld(seed uint64, console, pc int, in []catalog.Region) (*storesim.World, *clock) {
	c := &clock{now: start}
	return storesim.New(storesim.Config{Seed: seed, ConsoleGames: console, PCGames: pc, Regions: in, Start: start, Now: c.Now}), c
}

func TestSameConfigMakesSameWorld(t *testing.T) {
	a, _ := newWorld(5, 15, 20, eight())
	b, _ := newWorld(5, 15, 20, eight())
	other, _ := newWorld(6, 15, 20, eight())
	for range 3 {
		if diff := cmp.Diff(a.Truth(start), b.Truth(start)); diff != "" {
			t.Fatalf("day %d differs: %s", a.Day(), diff)
		}
		if cmp.Equal(a.Truth(start), other.Truth(start)) {
			t.Fatalf("day %d: a world with another seed is the same", a.Day())
		}
		a.Advance()
		b.Advance()
		other.Advance()
	}
	if a.Day() != 3 {
		t.Errorf("day is %d after three days, want 3", a.Day())
	}
}

func TestTruthIsValid(t *testing.T) {
	w, _ := newWorld(1, 80, 120, append(eight(), catalogtest.Regions("KR", "HK", "GB", "AT")...))
	for range 3 {
		truth := w.Truth(start)
		if !slices.IsSortedFunc(truth, func(a, b catalog.Listing) int {
			return slices.Compare([]string{a.Platform.String(), a.Region.String(), a.Product}, []string{b.Platform.String(), b.Region.String(), b.Product})
		}) {
			t.Error("the truth is not sorted by key")
		}
		keys := make(map[catalog.Key]bool)
		for i := range truth {
			l := truth[i]
			if keys[l.Key] {
				t.Errorf("%v is listed twice", l.Key)
			}
			keys[l.Key] = true
			checked := l
			if l.Price != nil {
				p := *l.Price
				checked.Price = &p
			}
			if err := feed.Check(&checked, catalog.MillisOf(start)); err != nil {
				t.Errorf("%v: %v", l.Key, err)
			}
			if diff := cmp.Diff(l, checked); diff != "" {
				t.Errorf("%v is not complete: %s", l.Key, diff)
			}
			checkPrice(t, &l)
		}
		w.Advance()
	}
}

// checkPrice checks what feed.Check does not: that texts and numbers agree, and
// that no discount ends while a test runs.
func checkPrice(t *testing.T, l *catalog.Listing) {
	t.Helper()
	p := l.Price
	if p == nil {
		return
	}
	if p.DiscountEndsAt != 0 && p.DiscountEndsAt.Time().Before(start.AddDate(0, 0, 40)) {
		t.Errorf("%v: its discount ends %s, less than 40 days after the start", l.Key, p.DiscountEndsAt.Time())
	}
	fits := p.Currency.Agrees(p.Current, p.CurrentText) && (!p.Base.Known() || p.Currency.Agrees(p.Base, p.BaseText))
	if numbers := p.Current.Known(); numbers && !fits && p.Source != catalog.SourceDoubtful {
		t.Errorf("%v: %d and %d contradict %q and %q", l.Key, p.Base, p.Current, p.BaseText, p.CurrentText)
	}
}

// TestWorldHasIrregularities checks that the world has some of every irregularity.
func TestWorldHasIrregularities(t *testing.T) {
	w, _ := newWorld(1, 800, 1500, eight())
	found := make(map[string]int)
	count := func(what string, is bool) {
		if is {
			found[what]++
		} else if _, counted := found[what]; !counted {
			found[what] = 0
		}
	}
	for _, l := range w.Truth(start) {
		f, p := &l.Facts, l.Price
		count("not for sale", p == nil)
		count("demo", f.Demo)
		count("edition with a name", f.Edition != "")
		count("further title", len(f.Titles) > 0)
		count("alias", len(f.Aliases) > 0)
		count("older console alone", cmp.Equal(f.Platforms, []string{"PS4"}))
		count("both consoles", len(f.Platforms) == 2)
		count("season pass", f.Type == catalog.SeasonPass)
		count("bundle on "+l.Platform.String(), f.Type == catalog.Bundle)
		count("premium edition on "+l.Platform.String(), f.Type == catalog.EditionType)
		count("no language-neutral name", l.Platform == catalog.ConsoleStore && f.InvariantName == "")
		count("no family name", l.Platform == catalog.ConsoleStore && f.FamilyName == "")
		if p == nil {
			continue
		}
		count("words only", !p.Current.Known())
		count("doubtful on "+l.Platform.String(), p.Source == catalog.SourceDoubtful)
		count("trial", p.Trial && !f.Demo)
		count("trial with a base price", p.Trial && p.Base > 0)
		count("subscribers only", p.Subscription)
		count("free on "+l.Platform.String(), p.Base == 0 && !p.Trial)
		count("giveaway", p.Current == 0 && p.Base > 0 && !p.Subscription)
		count("discount with an end", p.DiscountEndsAt != 0)
		count("discount without an end", p.Current.Known() && p.Current < p.Base && p.DiscountEndsAt == 0)
	}
	for what, n := range found {
		if n == 0 {
			t.Errorf("the world has no %s", what)
		}
	}
}

func TestDaysChangeLittle(t *testing.T) {
	w, _ := newWorld(9, 400, 700, catalogtest.Regions("UA", "US", "FR"))
	type place struct {
		platform catalog.Platform
		region   catalog.Region
	}
	moved := 0
	families := make(map[catalog.Key]string)
	after := keysOf(w.Truth(start))
	first := len(after)
	for range 8 {
		before := after
		w.Advance()
		truth := w.Truth(start)
		after = keysOf(truth)
		gone, come, all := make(map[place]int), make(map[place]int), make(map[place]int)
		for k := range before {
			p := place{k.Platform, k.Region}
			all[p]++
			if !after[k] {
				gone[p]++
			}
		}
		for k := range after {
			if !before[k] {
				come[place{k.Platform, k.Region}]++
			}
		}
		for p, n := range all {
			if gone[p] == 0 || come[p] == 0 || gone[p]*20 >= n {
				t.Errorf("day %d: %d of %d go in %v %v, and %d come", w.Day(), gone[p], n, p.platform, p.region, come[p])
			}
		}
		for _, l := range truth {
			if was, known := families[l.Key]; known && was != l.Facts.Family {
				moved++
			}
			families[l.Key] = l.Facts.Family
		}
		if n := len(after); n < first*9/10 || n > first*11/10 {
			t.Errorf("day %d: there are %d listings after %d on the first", w.Day(), n, first)
		}
	}
	if moved == 0 {
		t.Error("no product has moved to another game's page in 8 days")
	}
}

func keysOf(list []catalog.Listing) map[catalog.Key]bool {
	keys := make(map[catalog.Key]bool, len(list))
	for _, l := range list {
		keys[l.Key] = true
	}
	return keys
}

func TestHistoryHoldsEveryTruth(t *testing.T) {
	w, c := newWorld(4, 25, 40, eight())
	type snapshot struct {
		at    time.Time
		truth []catalog.Listing
	}
	var snapshots []snapshot
	everListed := make(map[catalog.Key]bool)
	for range 8 {
		c.pass(time.Hour)
		m := snapshot{c.Now(), w.Truth(c.Now())}
		snapshots = append(snapshots, m)
		for _, l := range m.truth {
			everListed[l.Key] = true
		}
		c.pass(time.Hour)
		w.Advance()
	}
	changed := 0
	for k := range everListed {
		past := w.History(k)
		changed += len(past) - 1
		if past[0].From != start || !past[len(past)-1].To.IsZero() {
			t.Fatalf("%v: history goes from %s to %s, want from the start to now", k, past[0].From, past[len(past)-1].To)
		}
		for i := 1; i < len(past); i++ {
			if past[i].From != past[i-1].To {
				t.Errorf("%v: there is a gap from %s to %s", k, past[i-1].To, past[i].From)
			}
		}
	}
	if changed == 0 {
		t.Error("nothing has changed in a week")
	}
	for _, m := range snapshots {
		listed := keysOf(m.truth)
		for _, l := range m.truth {
			if s := at(w.History(l.Key), m.at); !s.Covers(l.Price) {
				t.Errorf("%v at %s: history has %+v, the truth was %+v", l.Key, m.at, s.Price, l.Price)
			}
		}
		for k := range everListed {
			if s := at(w.History(k), m.at); s.Listed != listed[k] {
				t.Errorf("%v at %s: listed is %v in history, %v in truth", k, m.at, s.Listed, listed[k])
			}
		}
	}
}

func at(past []storesim.Shown, when time.Time) storesim.Shown {
	for _, s := range past {
		if !when.Before(s.From) && (s.To.IsZero() || when.Before(s.To)) {
			return s
		}
	}
	return storesim.Shown{}
}

func TestCovers(t *testing.T) {
	price := &catalog.Price{Currency: "TRY", Base: 10000, Current: 5000, BaseText: "100,00 TL", CurrentText: "50,00 TL"}
	with := func(set func(*catalog.Price)) *catalog.Price {
		p := *price
		set(&p)
		return &p
	}
	shown := storesim.Shown{Listed: true, Price: price}
	for name, test := range map[string]struct {
		price *catalog.Price
		want  bool
	}{
		"itself":         {price, true},
		"doubted":        {with(func(p *catalog.Price) { p.Source = catalog.SourceDoubtful }), true},
		"in words":       {with(func(p *catalog.Price) { p.Base, p.Current = money.None, money.None }), true},
		"other number":   {with(func(p *catalog.Price) { p.Current = 4999 }), false},
		"other text":     {with(func(p *catalog.Price) { p.CurrentText = "49,99 TL" }), false},
		"other currency": {with(func(p *catalog.Price) { p.Currency = "EUR" }), false},
		"a trial":        {with(func(p *catalog.Price) { p.Trial = true }), false},
		"none":           {nil, false},
	} {
		if got := shown.Covers(test.price); got != test.want {
			t.Errorf("%s: covers is %v, want %v", name, got, test.want)
		}
	}
	base := with(func(p *catalog.Price) {
		p.Current, p.CurrentText, p.Source = p.Base, p.BaseText, catalog.SourceDoubtful
	})
	if shown.Covers(base) {
		t.Error("the base price covers a discount that every page shows")
	}
	if shown.OnlyInLists = true; !shown.Covers(base) || !shown.Covers(price) {
		t.Error("a discount that only lists show is not covered by the doubtful base price, or by itself")
	}
	if base.Source = catalog.SourceExact; shown.Covers(base) {
		t.Error("the base price without a doubt covers a discount that only lists show")
	}
	if (storesim.Shown{}).Covers(nil) {
		t.Error("an unlisted period covers a price")
	}
	if !(storesim.Shown{Listed: true}).Covers(nil) {
		t.Error("a period without a sale does not cover the absence of a price")
	}
}

// profile holds the parts of the profile file that the tests read.
type profile struct {
	ConsoleStore, PCStore struct{ Operations map[string]string }
}

func readProfile(t testing.TB, w *storesim.World, base string) profile {
	t.Helper()
	text := w.Profile(base)
	text = text[slices.Index(text, '\n')+1:] // a comment
	var p profile
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	return p
}
