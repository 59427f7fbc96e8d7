package feed_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/history"
	"gamedex/internal/money"
)

// past is what readHistory read.
type past struct {
	all     []history.Series
	rates   []history.DayRates
	refused []string
}

// readHistory reads a whole text on 2026-11-20.
func readHistory(text string) (p past, err error) {
	clock := func() time.Time { return time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC) }
	r, err := feed.NewHistoryReader(strings.NewReader(text), clock)
	if err != nil {
		return p, err
	}
	for {
		record, err := r.Next()
		refused, ok := errors.AsType[*feed.LineError](err)
		switch {
		case err == io.EOF:
			return p, nil
		case ok:
			p.refused = append(p.refused, refused.Error())
		case err != nil:
			return p, err
		case record.Rates != nil:
			p.rates = append(p.rates, *record.Rates)
		default:
			p.all = append(p.all, record.Series)
		}
	}
}

// drawSeries draws a series that can be stored.
func drawSeries(t *rapid.T) history.Series {
	s := history.Series{Key: catalog.Key{Platform: rapid.SampledFrom([]catalog.Platform{catalog.ConsoleStore, catalog.PCStore}).Draw(t, "platform"),
		Region: catalog.MustRegion("TR"), Product: rapid.StringMatching(`[A-Za-z0-9_-]{1,20}`).Draw(t, "product")}}
	at := catalog.Millis(1_600_000_000_000)
	amount := rapid.OneOf(rapid.Just(money.None), rapid.Custom(func(t *rapid.T) money.Amount {
		return money.Amount(rapid.Int64Range(0, 1_000_000_000_000).Draw(t, "amount"))
	}))
	for range rapid.IntRange(1, 20).Draw(t, "steps") {
		at += catalog.Millis(rapid.Int64Range(1, 1e9).Draw(t, "later"))
		step := history.Step{At: at, State: history.State(rapid.IntRange(1, 4).Draw(t, "state")), Base: amount.Draw(t, "base"), Current: amount.Draw(t, "current"),
			Trial: rapid.Bool().Draw(t, "trial"), Subscription: rapid.Bool().Draw(t, "subscription"), Doubtful: rapid.Bool().Draw(t, "doubtful"),
			Currency: rapid.SampledFrom([]money.Currency{"TRY", "USD", "HRK"}).Draw(t, "currency"), EndsAt: catalog.Millis(rapid.SampledFrom([]int64{0, 1_700_000_000_123}).Draw(t, "ends"))}
		if step.State == history.Priced && !step.Current.Known() {
			step.Current = 5
		}
		s.Steps = append(s.Steps, step)
	}
	return s
}

func TestHistoryIsReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Custom(drawSeries), 0, 5).Draw(t, "series")
		var text bytes.Buffer
		w := feed.NewHistoryWriter(&text)
		for _, s := range want {
			if err := w.Write(s); err != nil {
				t.Fatal(err)
			}
		}
		got, err := readHistory(text.String())
		if diff := cmp.Diff(want, append([]history.Series{}, got.all...)); diff != "" || err != nil || len(got.refused) > 0 {
			t.Fatalf("refused %q, %v (-want +got):\n%s", got.refused, err, diff)
		}
	})
}

// TestRatesAreReadAsWritten writes exchange rates of days before series, with a currency
// that was in use then.
func TestRatesAreReadAsWritten(t *testing.T) {
	var want []history.DayRates
	var text bytes.Buffer
	w := feed.NewHistoryWriter(&text)
	for i, body := range []string{`{"base":"USD","rates":{"BGN":1.7,"UAH":41.50,"USD":1},"updatedAt":"2025-11-18T01:00:00.000Z"}`, `{"base":"EUR","rates":{"USD":1.1},"updatedAt":"2025-11-19T01:00:00.000Z"}`} {
		at := catalog.MillisOf(time.Date(2025, 11, 18+i, 0, 0, 0, 0, time.UTC))
		want = append(want, history.DayRates{Day: at.Day(), Body: []byte(body), Source: []string{"ecb", ""}[i], TakenAt: at})
		if err := w.WriteRates(want[i]); err != nil {
			t.Fatal(err)
		}
	}
	series := rapid.Custom(drawSeries).Example(1)
	if err := w.Write(series); err != nil {
		t.Fatal(err)
	}
	got, err := readHistory(text.String())
	if diff := cmp.Diff(want, got.rates); diff != "" || err != nil || len(got.refused) > 0 {
		t.Errorf("refused %q, %v (-want +got):\n%s", got.refused, err, diff)
	}
	if diff := cmp.Diff([]history.Series{series}, got.all); diff != "" {
		t.Errorf("series (-want +got):\n%s", diff)
	}
}

func TestLongSeriesHasSeveralLines(t *testing.T) {
	s := history.Series{Key: catalog.Key{Platform: catalog.PCStore, Region: catalog.MustRegion("TR"), Product: "p"}}
	for i := range 12_000 {
		s.Steps = append(s.Steps, history.Step{At: catalog.Millis(1 + i), State: history.Priced, Currency: "TRY", Base: money.None, Current: money.Amount(i)})
	}
	var text bytes.Buffer
	if err := feed.NewHistoryWriter(&text).Write(s); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		if len(line) > 1<<20 {
			t.Errorf("a line of %d bytes cannot be imported", len(line))
		}
	}
	got, err := readHistory(text.String())
	if err != nil || len(got.refused) > 0 || len(got.all) != 3 {
		t.Fatalf("%d lines, refused %q, %v", len(got.all), got.refused, err)
	}
	var all []history.Step
	for _, part := range got.all {
		all = append(part.Steps, all...) // the newest come first
	}
	if diff := cmp.Diff(s.Steps, all); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHistoryRefuses(t *testing.T) {
	line := func(steps string) string {
		return `{"platform":"pcstore","region":"TR","product":"p","steps":` + steps + `}`
	}
	step := func(more string) string {
		return line(`[{"at":"2026-01-05T10:00:00Z","state":"priced","currency":"TRY","current":1}` + more + `]`)
	}
	rates := func(day, table string) string { return `{"day":"` + day + `","rates":` + table + `}` }
	const table = `{"base":"USD","rates":{"UAH":41,"USD":1},"updatedAt":"2026-11-18T01:00:00Z"}`
	for _, tt := range []struct{ name, text, want string }{
		{"rates of no day", `{"rates":` + table + `}`, "day: is required in a line with exchange rates"},
		{"rates of an unknown day", rates("2026-02-30", table), `day: "2026-02-30" is not a date (YYYY-MM-DD) between 1970 and today`},
		{"rates before 1970", rates("1969-12-31", table), "between 1970 and today"},
		{"rates of tomorrow", rates("2026-11-21", table), "between 1970 and today"},
		{"rates of a listing", `{"day":"2026-11-18","platform":"pcstore","rates":` + table + `}`, "exchange rates have lines of their own"},
		{"no rates", `{"day":"2026-11-18"}`, "rates: is not a table of exchange rates"},
		{"rates without dollars", rates("2026-11-18", strings.ReplaceAll(table, "USD", "EUR")), "rates: is not a table of exchange rates: "},
		{"a dollar of zero", rates("2026-11-18", strings.NewReplacer(`"base":"USD"`, `"base":"UAH"`, "41", "1", `"USD":1`, `"USD":0`).Replace(table)), "rates: is not a table of exchange rates: "},
		{"a currency that had ended", line(`[{"at":"2026-02-01T10:00:00Z","state":"priced","currency":"BGN","current":1}]`), `steps[0].currency: "BGN" is not an ISO 4217 code in use at that time`},
		{"long rates", rates("2026-11-18", `{"x":"`+strings.Repeat("x", 1<<16)+`"}`), "rates: is longer than 65536 bytes"},
		{"a long source", `{"day":"2026-11-18","source":"` + strings.Repeat("x", 5000) + `","rates":` + table + `}`, "source: "},
		{"no object", "[", "line 1: is not a JSON object"},
		{"no JSON", `{"platform";`, "line 1: is not JSON: unexpected ';' at byte 12"},
		{"a field twice", `{"region":"TR","region":"TR"}`, "line 1: region: is given twice"},
		{"half a line", `{"platform":"pcstore"`, "line 1: is not JSON: ends too early"},
		{"an unknown field", `{"platform":"pcstore","price":1}`, "price: is not a field of the format"},
		{"an unknown field of a step", line(`[{"when":1}]`), "steps.0.when: is not a field of the format"},
		{"a wrong type", line(`[{"at":"2026-01-05T10:00:00Z","state":"priced","base":"1"}]`), "steps.0.base"},
		{"a fraction", line(`[{"at":"2026-01-05T10:00:00Z","state":"priced","base":1.5}]`), "steps.0.base"},
		{"no time", line(`[{"at":"yesterday"}]`), "steps.0.at"},
		{"another platform", `{"platform":"xbox","region":"TR","product":"p","steps":[]}`, `platform: "xbox" is not consolestore or pcstore`},
		{"another region", `{"platform":"pcstore","region":"XX","product":"p","steps":[]}`, `region: "XX" is not`},
		{"no product", `{"platform":"pcstore","region":"TR","steps":[]}`, `product: "" is not a product id`},
		{"a NUL", `{"platform":"pcstore","region":"TR","product":"a\u0000","steps":[]}`, "is not a product id"},
		{"no steps", line(`[]`), "steps: is missing or empty"},
		{"an unknown state", line(`[{"at":"2026-01-05T10:00:00Z","state":"sold"}]`), `steps[0].state: "sold" is not priced, text, unpriced or gone`},
		{"in the future", line(`[{"at":"2026-11-20T00:00:00.001Z","state":"gone"}]`), "steps[0].at: 2026-11-20T00:00:00.001Z is not between 1970 and now"},
		{"before 1970", line(`[{"at":"1969-11-20T00:00:00Z","state":"gone"}]`), "steps[0].at: 1969-11-20T00:00:00Z is not between 1970 and now"},
		{"no order", step(`,{"at":"2026-01-05T10:00:00Z","state":"gone"}`), "steps: step 2: time 2026-01-05T10:00:00Z: must be after 2026-01-05T10:00:00Z"},
		{"a price without a number", line(`[{"at":"2026-01-05T10:00:00Z","state":"priced","currency":"TRY"}]`), "steps: step 1: a price without an amount or a currency"},
		{"an unknown currency", line(`[{"at":"2026-01-05T10:00:00Z","state":"text","currency":"ZZZ"}]`), `steps[0].currency: "ZZZ" is not an ISO 4217 code in use`},
		{"a negative amount", line(`[{"at":"2026-01-05T10:00:00Z","state":"text","base":-1}]`), "steps[0].base: -1 is not between 0 and"},
		{"too many steps", line("[" + strings.Repeat(`{},`, 5000) + "{}]"), "steps: has 5001 steps; a line has at most 5000"},
		{"a long line", line(strings.Repeat(" ", 1<<20)), "is longer than 1 MiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readHistory(tt.text + "\n" + step("") + "\n")
			if err != nil || len(got.refused) != 1 || !strings.HasPrefix(got.refused[0], "line 1: ") || !strings.Contains(got.refused[0], tt.want) {
				t.Errorf("refused %q, %v; want %q", got.refused, err, tt.want)
			}
			if len(got.all) != 1 {
				t.Errorf("%d lines were read; want the next one", len(got.all))
			}
		})
	}
}

func FuzzHistory(f *testing.F) {
	f.Add(`{"platform":"pcstore","region":"TR","product":"p","steps":[{"at":"2026-01-05T10:00:00Z","state":"priced","currency":"TRY","base":2,"current":1,"discountEndsAt":"2026-02-05T10:00:00Z","trial":true}]}`)
	f.Add(`{"steps":[{"at":"2026-01-05T10:00:00Z","state":"gone"},null]}`)
	f.Add(`{"day":"2026-11-18","source":"ecb","rates":{"base":"USD","rates":{"HRK":7e0,"USD":1},"updatedAt":"2026-11-18T01:00:00Z"}}`)
	f.Fuzz(func(t *testing.T, line string) {
		got, err := readHistory(line)
		if err != nil {
			return // the input is damaged, as a compressed one
		}
		for _, s := range got.all {
			if err := history.Check(s.Steps); err != nil {
				t.Errorf("accepted steps that cannot be stored: %v", err)
			}
		}
		for _, r := range got.rates {
			if _, err := money.ParsePastRates(r.Body, map[money.Currency]bool{"HRK": true, "UAH": true}); err != nil {
				t.Errorf("accepted rates of day %d that cannot be read: %v", r.Day, err)
			}
		}
	})
}
