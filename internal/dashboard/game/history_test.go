package game

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/money"
)

// visit returns a visit at second 1000.
func visit(t *testing.T) *web.Visit {
	t.Helper()
	resources, err := web.Load(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	site, err := web.New(web.Config{PublicURL: "http://localhost", Now: func() time.Time { return time.Unix(1000, 0) }}, resources)
	if err != nil {
		t.Fatal(err)
	}
	return site.NewVisit(nil, httptest.NewRequest(http.MethodGet, "/", nil))
}

// priced returns a step in hryvnias from a second on.
func priced(second, base, current int64) pastStep {
	return pastStep{At: explore.Timestamp(second * 1000), State: "priced", Currency: "UAH", Base: &base, Current: &current}
}

// ukraine returns the history of a country with these steps.
func ukraine(steps ...pastStep) []series {
	var answer historyAnswer
	answer.Data.Items = append(answer.Data.Items, struct {
		Regions map[string]historyRegion `json:"regions"`
	}{map[string]historyRegion{"UA": {Alpha2: "UA", Steps: steps}}})
	return seriesOf(&answer, []*regionRow{{Code: "UA", Region: "Ukraine", price: &explore.RegionPrice{}}}, false)
}

// TestStepsThatLookAlike checks that the page has one row for steps that show the same,
// newest first.
func TestStepsThatLookAlike(t *testing.T) {
	var view historyView
	view.show(visit(t), ukraine(priced(1, 100, 100), priced(2, 100, 100), priced(3, 100, 50), priced(4, 100, 100)), 0)
	var got []int64
	for _, row := range view.Rows {
		got = append(got, row.At)
	}
	if diff := cmp.Diff([]int64{4000, 3000, 1000}, got); diff != "" {
		t.Error(diff)
	}
}

// TestStepsInAFormerCurrency checks that amounts of a former currency are in the table, and
// not on the axis of another one.
func TestStepsInAFormerCurrency(t *testing.T) {
	dollars := priced(1, 5_000_000, 5_000_000)
	dollars.Currency = "USD"
	var view historyView
	view.show(visit(t), ukraine(dollars, priced(500, 9000, 9000), priced(700, 9000, 4500)), 0)
	if len(view.Rows) != 3 || view.Rows[2].Price != "$50,000.00" || view.Rows[2].Y != -1 {
		t.Errorf("rows %+v", view.Rows)
	}
	levels := view.Chart.Levels
	if highest := levels[len(levels)-1].Text; highest != "100\u00a0₴" {
		t.Errorf("the highest level is %q", highest)
	}
}

// TestUnchangedPrice checks that a price which never changed is a sentence, not a chart.
func TestUnchangedPrice(t *testing.T) {
	var view historyView
	view.show(visit(t), ukraine(priced(1, 9000, 9000)), 0)
	if view.Chart != nil || view.Unchanged == nil || view.Unchanged.Price != "90,00\u00a0₴" {
		t.Errorf("%+v", view)
	}
}

// TestManySteps checks that thousands of steps are thinned, and that the lowest price is
// neither lost in the table nor in the chart.
func TestManySteps(t *testing.T) {
	var steps []pastStep
	for i := range int64(5000) {
		steps = append(steps, priced(i/5, 9000, 5000+(i*7919)%4000))
	}
	*steps[3210].Current = 99
	var view historyView
	view.show(visit(t), ukraine(steps...), 0)
	if n := len(view.Rows); n > listedSteps || view.Left != len(steps)-n {
		t.Errorf("%d rows, %d left", n, view.Left)
	}
	lowest := 0
	for _, row := range view.Rows {
		if row.Price == "0,99\u00a0₴" {
			lowest++
		}
	}
	if lowest != 1 {
		t.Errorf("the lowest price is in the table %d times", lowest)
	}
	for _, m := range view.Chart.Marks {
		if len(m.Path) > 30<<10 {
			t.Errorf("%s has %d bytes", m.Class, len(m.Path))
		}
	}
}

// TestSeveralCountries checks that countries are compared in dollars, and that a price
// without a rate is a gap, not a zero.
func TestSeveralCountries(t *testing.T) {
	dollars := func(s pastStep, usd float64) pastStep {
		s.USD = &usd
		return s
	}
	list := append(ukraine(dollars(priced(1, 9000, 9000), 2.19), priced(2, 9000, 4500), dollars(priced(3, 9000, 9000), 2.2)),
		ukraine(dollars(priced(2, 9000, 8000), 1.9))...)
	for i := range list {
		list[i].usd = true
	}
	view := historyView{Several: true, USD: true}
	view.show(visit(t), list, 0)
	var got []string
	for _, row := range view.Rows {
		got = append(got, fmt.Sprint(row.At/1000, " ", row.Country, " ", row.USD, " ", row.Y >= 0))
	}
	want := []string{"3 Ukraine $2.20 true", "2 Ukraine  false", "2 Ukraine $1.90 true", "1 Ukraine $2.19 true"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(view.Chart.Legend) != 2 || view.Chart.Levels[0].Text != "$0" {
		t.Errorf("legend %v, levels %v", view.Chart.Legend, view.Chart.Levels)
	}
}

func TestWithoutDecimals(t *testing.T) {
	for text, want := range map[string]string{
		"$1,000.00": "$1,000", "₹1,00,000.00": "₹1,00,000", "1.000,00 TL": "1.000 TL", "¥1,000": "¥1,000", "$0.50": "$0.50", "": "", "27\u00a0990,00\u00a0₸": "27\u00a0990\u00a0₸",
	} {
		if got := withoutDecimals(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestWordsAboutLows reads every sentence about lows and discounts.
func TestWordsAboutLows(t *testing.T) {
	v := visit(t)
	at := func(day int) explore.Timestamp {
		return explore.Timestamp(time.Date(2026, 3, day, 12, 0, 0, 0, time.UTC).UnixMilli())
	}
	amount := func(a int64) string { return v.Amount(money.USD, money.Amount(a)) }
	reference := int64(1000)
	for _, tt := range []struct{ got, want string }{
		{lowSentence(v, &explore.Low{Current: 500, FirstAt: at(1), Times: 1}, amount), "$5.00, the current price since 1 Mar 2026"},
		{lowSentence(v, &explore.Low{Current: 500, FirstAt: at(1), Times: 2}, amount), "$5.00, the current price; seen 2 times since 1 Mar 2026"},
		{lowSentence(v, &explore.Low{Current: 500, FirstAt: at(1), LastAt: at(3), Times: 1}, amount), "$5.00, last on 3 Mar 2026"},
		{lowSentence(v, &explore.Low{Current: 500, FirstAt: at(1), LastAt: at(3), Times: 4}, amount), "$5.00, last on 3 Mar 2026; seen 4 times since 1 Mar 2026"},
		{lowsOf(v, &explore.Lows{WatchedSince: at(1), AllTime: &explore.Low{Current: 500, FirstAt: at(2), Times: 1}}, money.USD).Facts[0].Name, "Lowest since 1 Mar 2026"},
		{verdictSentence(v, &explore.Discount{Reference: &reference, Days: 30, ClaimedPercent: 50, RealPercent: 50, Verdict: "unknown", Since: 1}, amount), "It is not known whether the discount is real: prices have been recorded for less than 30 days."},
		{verdictSentence(v, &explore.Discount{Reference: &reference, Days: 30, ClaimedPercent: 50, RealPercent: 50, Verdict: "real", Since: 1}, amount), "A real discount: 50% below $10.00, the lowest price of the 30 days before it."},
		{verdictSentence(v, &explore.Discount{Reference: &reference, Days: 30, ClaimedPercent: 60, RealPercent: 20, Verdict: "smaller", Since: 1}, amount), "A smaller discount than claimed: 20% below $10.00, the lowest price of the 30 days before it. The store claims 60%."},
		{verdictSentence(v, &explore.Discount{Reference: &reference, Days: 30, ClaimedPercent: 60, Verdict: "none", Since: 1}, amount), "No real discount: the price is not below $10.00, the lowest of the 30 days before it. The store claims 60%."},
		{verdictSentence(v, &explore.Discount{Reference: &reference, Days: 12, ClaimedPercent: 60, RealPercent: 20, Verdict: "unknown", Since: 1}, amount), "It is not known whether the discount is real: prices were seen on only 12 of the 30 days before it."},
		{verdictSentence(v, &explore.Discount{Days: 30, ClaimedPercent: 60, Verdict: "unknown", Since: 1}, amount), "It is not known whether the discount is real: there is no comparable price from the 30 days before it."},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}

// TestPeriodsThatExist checks that only periods in which prices were seen can be chosen, and that
// the shortest one that shows everything is marked.
func TestPeriodsThatExist(t *testing.T) {
	v := visit(t)
	card, row := &gameCard{ID: "ABCD1234", Game: explore.Game{Titles: []string{"A", "A", "A"}}}, &regionRow{Code: "UA"}
	for _, tt := range []struct {
		days   int64 // since the first price
		period string
		want   string
	}{
		{0, "1y", ""}, {10, "1y", ""}, {10, "1m", ""}, {40, "1y", "1 month, *All"}, {40, "1m", "*1 month, All"}, {200, "6m", "1 month, *6 months, All"},
		{400, "1y", "1 month, 6 months, *1 year, All"}, {400, "all", "1 month, 6 months, 1 year, *All"},
	} {
		view := historyView{Period: tt.period}
		view.addLinks(v, card, []regionRow{*row}, []*regionRow{row}, v.Now()-tt.days*explore.MillisPerDay)
		var names []string
		for _, p := range view.Periods {
			names = append(names, map[bool]string{true: "*"}[p.Chosen]+p.Name)
		}
		if got := strings.Join(names, ", "); got != tt.want {
			t.Errorf("%s after %d days: %q, want %q", tt.period, tt.days, got, tt.want)
		}
	}
}
