package demo_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/demo"
	"gamedex/internal/feed"
	"gamedex/internal/history"
	"gamedex/internal/money"
)

const (
	baseURL = "http://127.0.0.1:8080"
	now     = catalog.Millis(1795143600000) // 2026-11-20T03:00:00Z
)

func open(t *testing.T) *demo.Catalog {
	t.Helper()
	c, err := demo.New()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func listings(t *testing.T) []catalog.Listing {
	t.Helper()
	return slices.Collect(open(t).Listings(baseURL, now))
}

func TestSize(t *testing.T) {
	families := map[catalog.Platform]map[string]bool{catalog.ConsoleStore: {}, catalog.PCStore: {}}
	regions := make(map[string]int)
	for _, l := range listings(t) {
		families[l.Platform][l.Facts.Family] = true
		regions[l.Platform.String()+" "+l.Region.String()]++
	}
	for p, f := range families {
		if len(f) < 250 {
			t.Errorf("%s: %d games, want at least 250", p, len(f))
		}
	}
	for _, r := range []string{"UA", "TR", "PL", "IN", "US", "DE", "JP", "KZ"} {
		for _, p := range catalog.Platforms() {
			if n := regions[p.String()+" "+r]; n < 300 {
				t.Errorf("%s %s: %d listings, want at least 300", p, r, n)
			}
		}
	}
}

// TestFeedRules checks every listing like an imported line. The check must not have to
// complete anything.
func TestFeedRules(t *testing.T) {
	for _, l := range listings(t) {
		checked := l
		if l.Price != nil {
			price := *l.Price
			checked.Price = &price
		}
		if err := feed.Check(&checked, now); err != nil {
			t.Errorf("%v: %v", l.Key, err)
		}
		if diff := cmp.Diff(l, checked); diff != "" {
			t.Fatalf("%v was completed (-listing +checked):\n%s", l.Key, diff)
		}
	}
}

func TestKeysAreUnique(t *testing.T) {
	seen := make(map[catalog.Key]string)
	families := make(map[string]string)
	for _, l := range listings(t) {
		if other, twice := seen[l.Key]; twice {
			t.Errorf("%v has the titles %q and %q", l.Key, other, l.Facts.Title)
		}
		seen[l.Key] = l.Facts.Title
		family := l.Platform.String() + l.Facts.Family
		if name, ok := families[family]; ok && name != l.Facts.FamilyName {
			t.Errorf("family %s has the names %q and %q", family, name, l.Facts.FamilyName)
		}
		families[family] = l.Facts.FamilyName
	}
}

// TestEveryKind checks that the sample has an example of each kind of data.
func TestEveryKind(t *testing.T) {
	console := func(l catalog.Listing) bool { return l.Platform == catalog.ConsoleStore }
	typed := func(want catalog.Type) func(catalog.Listing) bool {
		return func(l catalog.Listing) bool { return l.Facts.Type == want }
	}
	priced := func(is func(p catalog.Price) bool) func(catalog.Listing) bool {
		return func(l catalog.Listing) bool { return l.Price != nil && is(*l.Price) }
	}
	titled := func(region, word string) func(catalog.Listing) bool {
		return func(l catalog.Listing) bool {
			return l.Region.String() == region && strings.Contains(l.Facts.Title, word)
		}
	}
	kinds := []struct {
		name  string
		least int
		is    func(catalog.Listing) bool
	}{
		{"game", 1000, typed(catalog.Game)},
		{"base offer", 1000, typed(catalog.Base)},
		{"edition", 500, typed(catalog.EditionType)},
		{"dlc", 300, typed(catalog.DLC)},
		{"season pass", 100, typed(catalog.SeasonPass)},
		{"bundle", 50, typed(catalog.Bundle)},
		{"bundle with members", 50, func(l catalog.Listing) bool { return len(l.Facts.Members) > 1 }},
		{"subscription", 50, typed(catalog.Subscription)},
		{"demo product", 50, func(l catalog.Listing) bool { return l.Facts.Demo && l.Price.Trial }},
		{"trial of the game", 5, func(l catalog.Listing) bool { return !l.Facts.Demo && l.Price != nil && l.Price.Trial }},
		{"announced only", 10, func(l catalog.Listing) bool { return l.Price == nil }},
		{"free", 50, priced(func(p catalog.Price) bool { return p.Current == 0 && !p.Trial && !p.Subscription })},
		{"included for subscribers", 5, priced(func(p catalog.Price) bool { return p.Current == 0 && p.Subscription })},
		{"reduced for subscribers", 5, priced(func(p catalog.Price) bool { return p.Current > 0 && p.Subscription })},
		{"running sale", 1000, priced(func(p catalog.Price) bool { return p.Current < p.Base && p.DiscountEndsAt > now })},
		{"sale without end", 50, priced(func(p catalog.Price) bool { return p.Current < p.Base && p.DiscountEndsAt == 0 && !p.Subscription })},
		{"ended sale", 10, priced(func(p catalog.Price) bool {
			return p.Current < p.Base && 0 < p.DiscountEndsAt && p.DiscountEndsAt < now
		})},
		{"text only", 10, priced(func(p catalog.Price) bool { return !p.Current.Known() && p.CurrentText != "" })},
		{"doubtful source", 2, priced(func(p catalog.Price) bool { return p.Source == catalog.SourceDoubtful })},
		{"store's own text", 500, priced(func(p catalog.Price) bool { return strings.HasSuffix(p.CurrentText, " TL") })},
		{"one product for both consoles", 500, func(l catalog.Listing) bool { return len(l.Facts.Platforms) == 2 }},
		{"further titles", 50, func(l catalog.Listing) bool { return len(l.Facts.Titles) > 0 }},
		{"aliases", 10, func(l catalog.Listing) bool { return len(l.Facts.Aliases) > 0 }},
		{"local edition name", 30, func(l catalog.Listing) bool { return console(l) && strings.HasPrefix(l.Facts.Edition, "Edycja") }},
		{"russian title", 5, titled("KZ", "Ведьмак")},
		{"ukrainian title", 5, titled("UA", "Відьмак")},
		{"turkish title", 1, titled("TR", "Mirası")},
		{"polish title", 5, titled("PL", "Wiedźmin")},
		{"japanese title", 5, titled("JP", "ファイナルファンタジー")},
	}
	all := listings(t)
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			n := 0
			for _, l := range all {
				if k.is(l) {
					n++
				}
			}
			if n < k.least {
				t.Errorf("%d listings, want at least %d", n, k.least)
			}
		})
	}
}

func TestSoldApart(t *testing.T) {
	ids := make(map[string][]string)
	for _, l := range listings(t) {
		if l.Platform == catalog.ConsoleStore && l.Facts.FamilyName == "Hogwarts Legacy" && l.Facts.Type == catalog.Game {
			ids[l.Region.String()] = append(ids[l.Region.String()], strings.Join(l.Facts.Platforms, "+")+" "+l.Product)
		}
	}
	for region, products := range ids {
		if len(products) != 2 || products[0][:3] != "PS4" || products[1][:3] != "PS5" || products[0][4:] == products[1][4:] {
			t.Errorf("%s: %q, want a PS4 and a PS5 product", region, products)
		}
	}
	if slices.Equal(ids["US"], ids["DE"]) || slices.Equal(ids["US"], ids["JP"]) {
		t.Errorf("the same product ids in the US, Germany and Japan: %q", ids["US"])
	}
}

// TestMembersAreSold finds every member of every bundle in the same region.
func TestMembersAreSold(t *testing.T) {
	all := listings(t)
	known := make(map[catalog.Key]bool)
	for _, l := range all {
		known[l.Key] = true
	}
	for _, l := range all {
		for _, member := range l.Facts.Members {
			if key := (catalog.Key{Platform: l.Platform, Region: l.Region, Product: member}); !known[key] {
				t.Errorf("%v contains %s, which is not sold there", l.Key, member)
			}
		}
	}
}

func TestSampleIsMarked(t *testing.T) {
	for _, l := range listings(t) {
		if !strings.HasPrefix(l.Prose.Description, "Sample data: invented price.") {
			t.Fatalf("%v: description %q", l.Key, l.Prose.Description)
		}
		if !strings.Contains(strings.ToLower(l.Product), "sample") {
			t.Fatalf("product id %q does not look like a sample", l.Product)
		}
		if !strings.HasPrefix(l.StoreURL, "https://console.example/") && !strings.HasPrefix(l.StoreURL, "https://pc.example/") {
			t.Fatalf("%v: link %q", l.Key, l.StoreURL)
		}
	}
}

// TestPriceEndings checks that prices have the usual endings of the region.
func TestPriceEndings(t *testing.T) {
	endings := map[money.Currency]func(a money.Amount) bool{
		"UAH": func(a money.Amount) bool { return a%1000 == 900 },
		"TRY": func(a money.Amount) bool { return a%500 == 400 },
		"PLN": func(a money.Amount) bool { return a%100 == 0 },
		"INR": func(a money.Amount) bool { return a%1000 == 900 },
		"USD": func(a money.Amount) bool { return a%100 == 99 },
		"EUR": func(a money.Amount) bool { return a%50 == 49 },
		"JPY": func(a money.Amount) bool { return a%1000 == 0 },
		"KZT": func(a money.Amount) bool { return a%10000 == 9000 },
	}
	for _, l := range listings(t) {
		if l.Price == nil || l.Price.Base <= 0 {
			continue
		}
		if p := l.Price; !endings[p.Currency](p.Base) {
			t.Errorf("%v: %d %s is not a usual price", l.Key, p.Base, p.Currency)
		}
	}
}

func TestListingsAreDeterministic(t *testing.T) {
	if diff := cmp.Diff(listings(t), listings(t)); diff != "" {
		t.Errorf("two runs differ:\n%s", diff)
	}
	later := slices.Collect(open(t).Listings(baseURL, now+3_600_000))
	if later[0].Product != listings(t)[0].Product || later[0].ObservedAt == listings(t)[0].ObservedAt {
		t.Error("an hour later: want the same products, seen an hour later")
	}
}

func TestListingsStopEarly(t *testing.T) {
	n := 0
	for range open(t).Listings(baseURL, now) {
		if n++; n == 5 {
			break
		}
	}
	if n != 5 {
		t.Errorf("%d listings before the break, want 5", n)
	}
}

// TestCovers draws every picture that a listing refers to and reads it as XML.
func TestCovers(t *testing.T) {
	c, drawn := open(t), make(map[string][]byte)
	for _, l := range listings(t) {
		pictures := append([]string{l.Prose.Thumbnail, l.Prose.Cover, l.Prose.Logo}, l.Prose.Screenshots...)
		for _, url := range pictures {
			name, ok := strings.CutPrefix(url, baseURL+demo.CoverPath)
			if !ok {
				t.Fatalf("%v: picture at %s", l.Key, url)
			}
			if drawn[name] != nil {
				continue
			}
			svg, ok := c.Cover(name)
			if err := wellFormed(svg); !ok || err != nil {
				t.Errorf("%s: drawn %v, %v", name, ok, err)
			}
			drawn[name] = svg
		}
	}
	again, _ := open(t).Cover("elden-ring.svg")
	if !bytes.Equal(again, drawn["elden-ring.svg"]) {
		t.Error("elden-ring.svg differs from one drawing to the next")
	}
	if bytes.Equal(drawn["elden-ring.svg"], drawn["hades.svg"]) {
		t.Error("two games have one cover")
	}
	if cover := string(drawn["ratchet-clank.svg"]); !strings.Contains(cover, "Ratchet &amp;<") {
		t.Errorf("title is not escaped: %s", cover)
	}
}

func TestCoverRefuses(t *testing.T) {
	c := open(t)
	for _, name := range []string{"", ".svg", "elden-ring", "elden-ring.png", "no-such-game.svg", "elden-ring-screen-3.svg",
		"elden-ring-screen-.svg", "-logo.svg", "../elden-ring.svg", "Elden-Ring.svg", "elden-ring-screen-1-screen-1.svg"} {
		if svg, ok := c.Cover(name); ok || svg != nil {
			t.Errorf("Cover(%q) returned a picture", name)
		}
	}
}

func wellFormed(svg []byte) error {
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// TestPast checks that the past prices can be stored, and that everything is in them that
// answers can show.
func TestPast(t *testing.T) {
	listed := map[catalog.Key]catalog.Listing{}
	for _, l := range listings(t) {
		listed[l.Key] = l
	}
	seen := map[string]int{}
	steps := 0
	for series := range open(t).Past(now) {
		l, ok := listed[series.Key]
		if !ok {
			t.Fatalf("%v is not listed", series.Key)
		}
		delete(listed, series.Key)
		if err := history.Check(series.Steps); err != nil {
			t.Fatalf("%v: %v", series.Key, err)
		}
		steps += len(series.Steps)
		if last := series.Steps[len(series.Steps)-1]; last.At >= l.ObservedAt || series.Steps[0].At < now-731*24*3_600_000 {
			t.Errorf("%v: steps from %d to %d", series.Key, series.Steps[0].At, last.At)
		}
		present := history.StepOf(l.ObservedAt, l.Price)
		all, added := history.Prepend([]history.Step{present}, series.Steps)
		if added != len(series.Steps) {
			t.Errorf("%v: %d of %d steps are older than the listing", series.Key, added, len(series.Steps))
		}
		released := catalog.Millis(0)
		if at, err := time.Parse(time.DateOnly, l.Prose.ReleaseDate); err == nil {
			released = catalog.MillisOf(at)
		}
		for _, span := range history.AppendSpans(nil, all, now) {
			seen["state "+span.State.String()]++
			for name, is := range map[string]bool{"inferred": span.Inferred, "doubtful": span.Doubtful, "subscription": span.Subscription,
				"nine minutes": span.Until != 0 && span.Until-span.At == 9*60_000} {
				if is {
					seen[name]++
				}
			}
		}
		sum := history.Summarize(all, released, now)
		if sum.Free.Ever {
			seen["free"]++
		}
		if sum.Meets == history.AllTime {
			seen["meets"]++
		}
		if sum.AllTime.Times > 1 {
			seen["several times"]++
		}
		if sum.Year.Times > 0 && sum.AllTime.Current < sum.Year.Current {
			seen["lower before a year"]++
		}
		if r := sum.Reduction; r.Since != 0 {
			seen[fmt.Sprint("verdict ", r.Verdict)]++
			if r.Since < present.At {
				seen["began before"]++
			}
		}
	}
	t.Logf("%d steps: %v", steps, seen)
	for _, what := range []string{"state priced", "state gone", "inferred", "doubtful", "subscription", "nine minutes", "free", "meets", "several times",
		"lower before a year", "began before", fmt.Sprint("verdict ", history.Unknown), fmt.Sprint("verdict ", history.None),
		fmt.Sprint("verdict ", history.Smaller), fmt.Sprint("verdict ", history.Real)} {
		if seen[what] < 20 {
			t.Errorf("%s: %d times, want 20 or more", what, seen[what])
		}
	}
}

// TestPastRates checks that there is a table for each past price, and that dollars of
// prices change little from week to week.
func TestPastRates(t *testing.T) {
	tables, err := demo.PastRates(now)
	if err != nil || len(tables) != 105 {
		t.Fatalf("%d tables, %v; want 105", len(tables), err)
	}
	for i, table := range tables[1:] {
		if apart := table.UpdatedAt() - tables[i].UpdatedAt(); apart != 7*24*3_600_000 {
			t.Errorf("table %d is %d ms after the one before", i+1, apart)
		}
		for _, c := range table.Currencies() {
			before, _ := tables[i].USD(c).Cents(1_000_000)
			if after, ok := table.USD(c).Cents(1_000_000); !ok || after > before || after < before*97/100 {
				t.Errorf("table %d: 10,000 %s were %d cents, and are %d", i+1, c, before, after)
			}
		}
	}
}

// TestRates converts every price of the sample.
func TestRates(t *testing.T) {
	rates, err := demo.Rates(now + 1234)
	if err != nil {
		t.Fatal(err)
	}
	if rates.UpdatedAt() != int64(now) {
		t.Errorf("updatedAt %d, want the full hour %d", rates.UpdatedAt(), now)
	}
	for _, l := range listings(t) {
		if l.Price == nil || !l.Price.Current.Known() {
			continue
		}
		cents, ok := rates.USD(l.Price.Currency).Cents(l.Price.Base)
		if !ok || cents > 20000 {
			t.Errorf("%v: %d %s are %d cents, %v", l.Key, l.Price.Base, l.Price.Currency, cents, ok)
		}
	}
}
