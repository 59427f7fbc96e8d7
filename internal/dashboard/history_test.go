package dashboard_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gamedex/internal/api/overview"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// pricesThat returns the address of the page of a card with the history in a region whose
// past prices are as wanted.
func (w *world) pricesThat(what string, wanted func(*history.Summary) bool) string {
	w.t.Helper()
	live := w.live.View()
	var row index.Row
	var sum history.Summary
	for i := range live.Len() {
		card := live.Card(i)
		rows := card.Rows()
		for j := range rows.Len() {
			if rows.Read(j, &row); row.Lows(millis(), &sum) && wanted(&sum) {
				return fmt.Sprintf("/en/games/%s/%s?period=all&region=%s", card.Platform(), card.ID(), live.Region(row.Region).Alpha2)
			}
		}
	}
	w.t.Fatalf("no price of the sample is %s", what)
	return ""
}

// TestWordsAboutPastPrices finds a price of the sample for each thing that its past can say,
// and reads it in both languages.
func TestWordsAboutPastPrices(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	verdict := func(wanted history.Verdict) func(*history.Summary) bool {
		return func(s *history.Summary) bool { return s.Reduction.Since != 0 && s.Reduction.Verdict == wanted }
	}
	for _, tt := range []struct {
		name   string
		wanted func(*history.Summary) bool
		en, ru string
	}{
		{"real", verdict(history.Real), "A real discount: ", "Настоящая скидка: "},
		{"smaller", verdict(history.Smaller), "A smaller discount than claimed: ", "Скидка меньше заявленной: "},
		{"none", verdict(history.None), "No real discount: ", "Реальной скидки нет: "},
		{"unknown", verdict(history.Unknown), "It is not known whether the discount is real: ", "Неизвестно, реальна ли скидка: "},
		{"low several times", func(s *history.Summary) bool { return s.AllTime.Times > 1 && s.AllTime.LastAt != 0 }, "times since ", "последний раз "},
		{"given away", func(s *history.Summary) bool { return s.Free.Ever && s.Free.LastAt != 0 }, "Free last on ", "Бесплатно последний раз "},
	} {
		path := v.w.pricesThat(tt.name, tt.wanted)
		for language, want := range map[string]string{"en": tt.en, "ru": tt.ru} {
			v.lang = language
			hasAll(t, shownText(historySection(t, v.get(path).body)), want)
		}
	}
}

// TestHistoryThatCannotBeRead checks that the page shows everything else, and says why
// there are no past prices.
func TestHistoryThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status     int
		body, want string
	}{
		{http.StatusServiceUnavailable, `{"ok":false,"error":{"code":"SERVICE_UNAVAILABLE"}}`, "Past prices cannot be read right now."},
		{http.StatusBadRequest, `{"ok":false,"error":{"code":"TOO_MANY_STEPS"},"limit":20000,"received":20001}`, "There were too many changes in this period."},
		{http.StatusOK, `{"ok":true,"data":{"items":[]}}`, "No prices have been recorded here."},
		{http.StatusOK, `{"ok":true,"data":{"items":[{"regions":{"UKR":{"alpha2":"UA","steps":[]}}}]}}`, "No prices have been recorded here."},
	} {
		v := explorer(t, func(_ *world, c *dashboard.Config) {
			real := c.API
			c.API = func(visitor overview.Visitor) http.Handler {
				return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					if !strings.HasSuffix(r.URL.Path, "/history") {
						real(visitor).ServeHTTP(rw, r)
						return
					}
					rw.WriteHeader(tt.status)
					fmt.Fprint(rw, tt.body)
				})
			}
		})
		p := v.get(pcWitcher + "?region=UA")
		text := shownText(p.body)
		if p.status != http.StatusOK || !strings.Contains(text, tt.want) || !strings.Contains(text, "Prices by country") {
			t.Errorf("%d: status %d\n%s", tt.status, p.status, text)
		}
		if strings.Contains(p.body, "data-past") {
			t.Errorf("%d: there is a chart", tt.status)
		}
	}
}

// TestPeriodsAndCurrencies follows the links of the history, and compares countries.
func TestPeriodsAndCurrencies(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	path := v.w.consoleAddress("Cyberpunk 2077")
	section := func(query string) string { return historySection(t, v.get(path+query).body) }
	short, long := strings.Count(section("?region=UA&period=1m"), "<tr "), strings.Count(section("?region=UA&period=all"), "<tr ")
	if short < 1 || long < 10 || short >= long {
		t.Errorf("%d steps in a month, %d in all", short, long)
	}
	own, dollars := section("?region=UA"), section("?region=UA&units=usd")
	if !strings.Contains(own, "₴</text>") || strings.Contains(own, ">US dollars</th>") || !strings.Contains(own, `class="base"`) {
		t.Errorf("the own currency: %s", own)
	}
	if !strings.Contains(dollars, ">$60</text>") || !strings.Contains(dollars, ">US dollars</th>") || strings.Contains(dollars, `class="base"`) {
		t.Errorf("US dollars: %s", dollars)
	}
	several := shownText(section("?region=UA&region=JP&region=PL&period=1y"))
	hasAll(t, several, "Price history: Ukraine, Japan, Poland", "Ukraine $", "Japan $", "¥7,980")
	all := section("?region=UA&region=JP&region=PL&region=DE&region=KZ&region=US&region=TR&region=IN")
	if chosen := strings.Count(all, " checked>"); chosen != 6 {
		t.Errorf("%d countries are chosen, want the first six", chosen)
	}
	for _, link := range links(section("?region=UA&region=JP&period=6m&units=usd"), path) {
		if !strings.Contains(link, "region=UA&region=JP") || !strings.HasSuffix(link, "#history") {
			t.Errorf("the link %s leaves the choice", link)
		}
	}
}

// TestHistoryInTheVisitorsCountry checks that the country which the visitor chose for all
// pages is the one whose history is shown first.
func TestHistoryInTheVisitorsCountry(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	v.market = "country=PL&currency=PLN"
	hasAll(t, shownText(v.get(pcWitcher).body), "Price history: Poland")
	hasAll(t, shownText(v.get(pcWitcher+"?region=IN").body), "Price history: India")
}

// TestLongHistories records thousands of changes in a year: the page stays light and shows
// the lowest price; beyond what the API answers, it says so.
func TestLongHistories(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	w := v.w
	key := catalog.Key{Platform: catalog.PCStore, Region: catalog.MustRegion("UA"), Product: w.productOf("the-witcher-3-wild-hunt", "UA")}
	before, err := w.db.Listings.History(t.Context(), key)
	if err != nil || len(before) == 0 {
		t.Fatal(len(before), err)
	}
	for _, tt := range []struct {
		steps int
		want  string
	}{
		{3000, "changes in between are not shown"},
		{20_000, "There were too many changes in this period."},
	} {
		series := history.Series{Key: key}
		first := before[0].At - 400*24*3_600_000
		for i := range tt.steps {
			price := money.Amount(50_000 + i*7919%40_000)
			if i == tt.steps/3 {
				price = 199
			}
			series.Steps = append(series.Steps, history.Step{At: first - catalog.Millis(tt.steps-i)*60_000, State: history.Priced, Currency: "UAH", Base: 90_000, Current: price})
		}
		if _, err := w.db.Listings.SaveHistory(t.Context(), []history.Series{series}); err != nil {
			t.Fatal(err)
		}
		before[0].At = series.Steps[0].At
		p := v.get(pcWitcher + "?region=UA&period=all")
		text := shownText(historySection(t, p.body))
		if p.status != http.StatusOK || !strings.Contains(text, tt.want) {
			t.Errorf("%d steps: status %d, %q is not in\n%.2000s", tt.steps, p.status, tt.want, text)
		}
		if found := strings.Contains(text, "1,99 ₴"); found != (tt.steps == 3000) {
			t.Errorf("%d steps: the lowest price is shown: %v", tt.steps, found)
		}
		if len(p.body) > 60_000 {
			t.Errorf("%d steps: the page has %d bytes", tt.steps, len(p.body))
		}
		t.Logf("%d steps: %d bytes", tt.steps, len(p.body))
	}
}

func (w *world) productOf(slug, region string) string {
	w.t.Helper()
	live := w.live.View()
	card, ok := live.Lookup(catalog.PCStore, slug)
	if !ok {
		w.t.Fatalf("there is no PC game %s", slug)
	}
	no, ok := live.RegionNo(catalog.MustRegion(region))
	if !ok {
		w.t.Fatalf("there is no region %s", region)
	}
	row, ok := card.Rows().InRegion(no)
	if !ok {
		w.t.Fatalf("%s is not sold in %s", slug, region)
	}
	return row.Product()
}
