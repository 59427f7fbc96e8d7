package explore

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/history"
	"gamedex/internal/money"
	"gamedex/internal/testing/historytest"
)

// A verdict is checked in a history that is divided into cells of ten minutes.
const (
	cell    = catalog.Millis(600_000)
	hourly  = 6 // cells
	daily   = 24 * hourly
	nothing = money.Amount(-1)
)

// past is a history, and what its last step shows at a time.
type past struct {
	t      *rapid.T
	steps  []history.Step
	now    int            // cell
	first  int            // cell of the first step
	amount []money.Amount // at which everybody could buy, by cell; nothing: nobody
	cut    []bool         // below the base
	sold   []bool
	row    *RegionPrice
}

// drawPast draws a history and what a visitor sees of it.
func drawPast(t *rapid.T) *past {
	h := &past{t: t, first: rapid.IntRange(31*daily, 33*daily).Draw(t, "first")}
	at := h.first
	last := rapid.IntRange(0, 11).Draw(t, "steps")
	for i := range last + 1 {
		s := history.Step{At: catalog.Millis(at) * cell, State: history.Priced, Currency: "USD", Base: money.Amount(rapid.SampledFrom([]int{900, 1000, 1000, 1000, 2000}).Draw(t, "base"))}
		s.Current = s.Base
		what := rapid.IntRange(0, 15).Draw(t, "what")
		if i == last { // in half of the histories a discount, and mostly one that everybody gets
			what = rapid.SampledFrom([]int{what, 6}).Draw(t, "last")
		}
		switch what {
		case 0:
			s.State, s.Base, s.Current = history.Gone, money.None, money.None
		case 1:
			s.State, s.Base, s.Current = history.Text, money.None, money.None
		case 2:
			s.Doubtful, s.Current = true, 1
		case 3, 12:
			s.Current = 0
		case 4:
			s.Current, s.Trial = 0, true
		case 5:
			s.Current, s.Subscription = s.Base/2, true
		case 6, 7, 8, 9, 10, 11:
			s.Current = s.Base * money.Amount(rapid.SampledFrom([]int{40, 50, 50, 75, 95, 95}).Draw(t, "share")) / 100
		}
		if s.Current != s.Base && rapid.IntRange(0, 3).Draw(t, "ends") == 0 {
			s.EndsAt = s.At + catalog.Millis(rapid.SampledFrom([]int{3, 6, 7 * daily, 40 * daily}).Draw(t, "end"))*cell
		}
		h.steps = append(h.steps, s)
		at += rapid.SampledFrom([]int{1, 5, 6, 7, hourly * 5, daily, 10 * daily, 30 * daily, 31 * daily, 60 * daily, 100 * daily, 200 * daily, 364 * daily}).Draw(t, "pause")
	}
	h.now = max(h.first, at-rapid.IntRange(1, 3*daily).Draw(t, "earlier"))
	for h.at(h.now) < h.steps[len(h.steps)-1].At {
		h.steps = h.steps[:len(h.steps)-1]
	}
	h.walk()
	return h
}

func (h *past) at(c int) catalog.Millis { return catalog.Millis(c) * cell }

// step returns what was shown at a time.
func (h *past) step(at catalog.Millis) (s history.Step, ok bool) {
	for i := range h.steps {
		if h.steps[i].At <= at {
			s, ok = h.steps[i], true
		}
	}
	if ok && s.EndsAt != 0 && s.EndsAt <= at && s.State == history.Priced && s.Base.Known() {
		if s.Current = s.Base; s.Base > 0 {
			s.Trial, s.Subscription = false, false
		}
	}
	return s, ok
}

// walk fills in the cells, and the row.
func (h *past) walk() {
	for c := range h.now + 1 {
		s, ok := h.step(h.at(c))
		a := nothing
		if ok && s.State == history.Priced && !s.Trial && !s.Subscription && !s.Doubtful {
			a = s.Current
		}
		h.amount, h.cut, h.sold = append(h.amount, a), append(h.cut, a != nothing && a < s.Base), append(h.sold, ok && s.State == history.Priced)
	}
	for from, c := 0, 0; c <= h.now; c++ { // a price must have stood for an hour, or stand now
		if c == h.now || h.amount[c+1] != h.amount[c] {
			if c < h.now && c+1-from < hourly {
				for i := from; i <= c; i++ {
					h.amount[i] = nothing
				}
			}
			from = c + 1
		}
	}
	s, _ := h.step(h.at(h.now))
	if s.State == history.Gone {
		return
	}
	h.row = &RegionPrice{Currency: "USD", CurrentText: "some", IsTrial: s.Trial, IsSubPlus: s.Subscription}
	if s.State == history.Priced {
		base, current := int64(s.Base), int64(s.Current)
		h.row.Base, h.row.Current = &base, &current
		if current < base && !s.Trial {
			h.row.DiscountPercent, h.row.DiscountEndAt = money.DiscountPercent(s.Base, s.Current), Timestamp(s.EndsAt)
		}
	}
	if s.Doubtful {
		h.row.Source = catalog.SourceDoubtful
	}
	h.drawElsewhere()
	released := rapid.SampledFrom([]catalog.Millis{0, cell, h.at(h.now - 20*daily), h.at(h.now)}).Draw(h.t, "released")
	lows, err := json.Marshal(historytest.Shown(history.Summarize(h.steps, released, h.at(h.now))))
	if err == nil {
		err = json.Unmarshal(lows, &h.row.Lows)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// drawElsewhere draws the price in the cheapest country. Half of them are ones that everybody pays.
func (h *past) drawElsewhere() {
	if h.row.Current == nil || rapid.IntRange(0, 3).Draw(h.t, "alone") == 0 {
		return
	}
	there := *h.row.Current * rapid.SampledFrom([]int64{0, 50, 94, 95, 96, 100, 110}).Draw(h.t, "of this price") / 100
	h.row.Converted = &Converted{"USD", *h.row.Current}
	h.row.Cheapest = &RegionPrice{Alpha2: "KZ", Currency: "KZT", Converted: &Converted{"USD", there}}
	switch rapid.IntRange(0, 7).Draw(h.t, "kind elsewhere") {
	case 0:
		h.row.Cheapest.IsTrial = true
	case 1:
		h.row.Cheapest.IsSubPlus = true
	case 2:
		h.row.Cheapest.Source = catalog.SourceDoubtful
	case 3:
		h.row.Cheapest.Converted = nil
	case 4:
		h.row.Cheapest.Edition = "Ultimate Edition"
	}
}

// less returns how much less everybody pays in the cheapest country; zero if that is under 5 percent.
func (h *past) less() money.Amount {
	best := h.row.Cheapest
	if best == nil || best.IsTrial || best.IsSubPlus || best.Source != "" || best.Converted == nil || best.Edition != "" {
		return 0
	}
	here, there := money.Amount(*h.row.Current), money.Amount(best.Converted.Value)
	if there >= here || money.DiscountPercent(here, there) < 5 {
		return 0
	}
	return here - there
}

// lowest returns the lowest price above zero in cells, and when it stood last; nothing if there
// was none.
func (h *past) lowest(from, until int) (low money.Amount, last int) {
	low = nothing
	for c := max(from, 0); c < until; c++ {
		if a := h.amount[c]; a > 0 && (low == nothing || a <= low) {
			low, last = a, c
		}
	}
	return low, last
}

// neverLower reports whether nobody could buy for less than an amount since a cell: not for zero either.
func (h *past) neverLower(amount money.Amount, from int) bool {
	return !slices.ContainsFunc(h.amount[max(from, 0):], func(a money.Amount) bool { return a != nothing && a < amount })
}

// reduced returns the cell in which the present discount began. A gap of less than an hour does
// not end it.
func (h *past) reduced() int {
	since := h.now
	for c := h.now; c >= 0 && since-c <= hourly; c-- {
		s, ok := h.step(h.at(c))
		if ok && s.State == history.Priced && !s.Trial && !s.Subscription && !s.Doubtful && s.Current < s.Base {
			since = c
		}
	}
	return since
}

// TestVerdictsAreInTheHistory reads every sentence about random histories, and looks for each of its
// statements in the history itself.
func TestVerdictsAreInTheHistory(t *testing.T) {
	resources, err := web.Load(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Time{}
	site, err := web.New(web.Config{PublicURL: "http://localhost", Now: func() time.Time { return now }}, resources)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		h := drawPast(t)
		now = h.at(h.now).Time()
		v := site.NewVisit(nil, httptest.NewRequest(http.MethodGet, "/en/", nil))
		d := Judge(h.row, v.Now())
		h.check(v, d, d.Sentence(v))
		for _, path := range []string{"/en/", "/ru/", "/uk/"} {
			v := site.NewVisit(nil, httptest.NewRequest(http.MethodGet, path, nil))
			if text := d.Sentence(v) + d.Word(v); strings.Contains(text, "%!") || strings.Contains(text, "[") {
				t.Fatalf("%s: %q", path, text)
			}
		}
	})
}

// check compares a verdict and its sentence with the history.
func (h *past) check(v *web.Visit, d Verdict, text string) {
	current, base := nothing, nothing
	if h.row != nil && h.row.Current != nil {
		current, base = money.Amount(*h.row.Current), money.Amount(*h.row.Base)
	}
	today := h.now - h.now%daily
	year, last := h.lowest(today-364*daily, h.now+1)
	young := h.first > today-30*daily
	since := h.reduced()
	reference, _ := h.lowest(since-30*daily, since)
	days := 0
	for n := range 30 {
		for c := since - (n+1)*daily; c < since-n*daily; c++ {
			if c >= 0 && h.sold[c] {
				days++
				break
			}
		}
	}
	neverLower, notInYear, watched := h.neverLower(current, 0), h.neverLower(current, today-364*daily), h.now-h.first
	long := h.first <= today-365*daily
	lastFree := h.now
	for lastFree >= 0 && h.amount[lastFree] != 0 {
		lastFree--
	}
	date := func(c int) string { return v.Day(int64(h.at(c))) }
	real := 0
	if reference != nothing && current < reference && h.cut[h.now] {
		real = money.DiscountPercent(reference, current)
	}
	claims := []struct {
		pattern string
		true    func(said []string) bool
	}{
		{`real discount (?:is only )?(\d+)%`, func(said []string) bool { return h.cut[h.now] && said[1] == strconv.Itoa(real) && !young }},
		{`no real discount`, func([]string) bool { return h.cut[h.now] && reference != nothing && current >= reference && !young }},
		{`no discount now`, func([]string) bool { return !h.cut[h.now] }},
		{`the store says (\d+)%`, func(said []string) bool { return said[1] == strconv.Itoa(money.DiscountPercent(base, current)) }},
		{`lowest since (.+?)\.`, func(said []string) bool { return said[1] == date(h.first) && neverLower && real > 0 }},
		{`lowest ever seen`, func([]string) bool { return neverLower && watched >= 365*daily && real > 0 }},
		{`lowest in 12 months`, func([]string) bool { return notInYear && watched >= 364*daily && real > 0 }},
		{`not been lower since (.+?)\.`, func(said []string) bool { return said[1] == date(h.first) && neverLower && real < 10 && !young }},
		{`not been lower in 12 months`, func([]string) bool { return notInYear && watched >= 364*daily && real < 10 }},
		{`last free on (.+?)\.`, func(said []string) bool { return lastFree >= 0 && said[1] == date(lastFree) }},
		{`[Ii]t was (\S+) on (.+?)\.`, func(said []string) bool {
			return year < current && said[1] == v.Amount("USD", year) && said[2] == date(last) && h.amount[last] == year
		}},
		{`watched for less than a day`, func([]string) bool { return h.now-h.first < daily }},
		{`watched for only (\d+) days?`, func(said []string) bool { return said[1] == strconv.Itoa((h.now-h.first)/daily) && young }},
		{`on only (\d+) of the 30 days`, func(said []string) bool { return said[1] == strconv.Itoa(days) && days < 30 }},
		{`no comparable price from the 30 days before`, func([]string) bool { return reference == nothing }},
		{`free, instead of (\S+)\.`, func(said []string) bool { return current == 0 && said[1] == v.Amount("USD", base) }},
		{`discount ends on (.+?)\.`, func(said []string) bool {
			at := time.UnixMilli(int64(h.row.DiscountEndAt))
			return at.After(h.at(h.now).Time()) && current < base && said[1] == v.Day(at.UnixMilli())
		}},
		{`(\S+) less in (.+?)\.`, func(said []string) bool { return said[1] == v.Amount("USD", h.less()) && said[2] == "Kazakhstan" }},
		{`doubtful`, func([]string) bool { return h.row.Source == catalog.SourceDoubtful }},
		{`a trial`, func([]string) bool { return h.row.IsTrial }},
		{`only subscribers`, func([]string) bool { return h.row.IsSubPlus }},
		{`shows no amount in this country`, func([]string) bool { return h.row.Current == nil }},
		{`past prices in this country are not known`, func([]string) bool { return h.row.Lows == nil }},
	}
	rest := text
	for _, claim := range claims {
		if said := regexp.MustCompile(claim.pattern).FindStringSubmatch(text); said != nil {
			rest = strings.Replace(rest, strings.TrimSuffix(said[0], "."), "", 1)
			if !claim.true(said) {
				h.t.Fatalf("%q: %q is not in the history\n%s", text, said[0], h)
			}
		}
	}
	if regexp.MustCompile(`\d`).MatchString(rest) {
		h.t.Fatalf("%q: nothing checks %q", text, rest)
	}
	forAll := h.row != nil && current > 0 && !h.row.IsTrial && !h.row.IsSubPlus && h.row.Source == ""
	good := real >= 10 || real > 0 && money.DiscountPercent(base, current) >= 10 && notInYear && long
	want := map[Kind]bool{
		Good:     forAll && year == current && good && !young || current == 0 && base > 0 && d.key == "verdict.good.free",
		Ordinary: forAll && year == current && !good && !young,
		NotBest:  forAll && year < current, NotKnown: forAll && year == current, Doubtful: h.row != nil && h.row.Source != "", NoVerdict: !forAll,
	}
	if !want[d.Kind] || (text == "") != (d.key == "") || forAll && text == "" {
		h.t.Fatalf("the verdict is %q, %q\n%s", d.Kind, text, h)
	}
	if forAll && (h.less() > 0) != strings.Contains(text, " less in ") {
		h.t.Fatalf("%q: it is %d less elsewhere\n%s", text, h.less(), h)
	}
	if (d.Kind == Good && current > 0 || d.Kind == Ordinary) && !regexp.MustCompile(` lowest | been lower | last free `).MatchString(text) && (neverLower || long) {
		h.t.Fatalf("%q does not say when the price was lower\n%s", text, h)
	}
}

// String returns the steps, for a failure.
func (h *past) String() string {
	text := fmt.Sprintln("now", h.at(h.now).Time())
	for _, s := range h.steps {
		text += fmt.Sprintf("%s %+v\n", s.At.Time(), s)
	}
	return text
}
