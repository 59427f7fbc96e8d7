package api_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gamedex/internal/api"
	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/nodes"
)

// pastIn is the past in a database, as the program reads it.
type pastIn struct{ *sqldb.DB }

func (p pastIn) Histories(ctx context.Context, keys []catalog.Key, since, until catalog.Millis, fn func(history.Part) error) error {
	return p.Listings.Histories(ctx, keys, since, until, fn)
}

func (p pastIn) EachDayRates(ctx context.Context, first, last int64, fn func(history.DayRates) error) error {
	return p.Nodes.EachDayRates(ctx, first, last, fn)
}

// samplePast is the past of the sample catalog, which is stored when it is read first.
type samplePast struct{}

func (samplePast) Histories(ctx context.Context, keys []catalog.Key, since, until catalog.Millis, fn func(history.Part) error) error {
	db, err := storedPast()
	return cmp.Or(err, pastIn{db}.Histories(ctx, keys, since, until, fn))
}

func (samplePast) EachDayRates(ctx context.Context, first, last int64, fn func(history.DayRates) error) error {
	db, err := storedPast()
	return cmp.Or(err, pastIn{db}.EachDayRates(ctx, first, last, fn))
}

var pastFolder string

func TestMain(m *testing.M) {
	var err error
	if pastFolder, err = os.MkdirTemp("", "gamedex-api-test-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(pastFolder)
	os.Exit(code)
}

const forgeProduct = "EP0001-PPSA00001_00-STARFORGE0000000"

// storedPast returns a database with past prices of a few cards.
var storedPast = sync.OnceValues(func() (*sqldb.DB, error) {
	db, err := sqldb.Open(context.Background(), "sqlite:"+filepath.Join(pastFolder, "past.db"), engine.Options{Create: true})
	if err != nil {
		return nil, err
	}
	forgeUA := catalog.Key{Platform: catalog.ConsoleStore, Region: catalog.MustRegion("UA"), Product: forgeProduct}
	forgeTR := catalog.Key{Platform: catalog.ConsoleStore, Region: catalog.MustRegion("TR"), Product: forgeProduct}
	full := number("UAH", 199900)
	past := []catalog.Listing{
		pastLine(forgeUA, -400, number("UAH", 219900)),
		pastLine(forgeUA, -120, number("UAH", 219900, off(109950, start-110*day))), // ends by its clock
		pastLine(forgeUA, -100, full),
		pastLine(forgeUA, -80, nil), // not for sale
		pastLine(forgeUA, -70, full),
		pastLine(forgeUA, -60, number("UAH", 100, doubtful)),
		pastLine(forgeUA, -59, full),
		pastLine(forgeUA, -50, nil),
		pastLine(forgeUA, -40, full),
		pastLine(forgeUA, -2, number("UAH", 199900, off(149900, start+2*day))),
		pastLine(forgeTR, -30, number("TRY", 129900)),
		pastLine(forgeTR, -10, number("TRY", 129900, trial, off(0, start-hour))),
		pastLine(catalog.Key{Platform: catalog.PCStore, Region: catalog.MustRegion("UA"), Product: "sf-base"}, -20, number("UAH", 89900)),
		pastLine(catalog.Key{Platform: catalog.ConsoleStore, Region: catalog.MustRegion("UA"), Product: "EP0010-TEXT"}, -9, onlyText("UAH", "Скоро")),
	}
	past[7].Withdrawn = true
	for _, line := range past {
		if _, err := db.Listings.Save(context.Background(), []catalog.Listing{line}); err != nil {
			return nil, err
		}
	}
	for day, rate := range map[int]string{-122: "40", -72: "41", -2: "42"} {
		if err := saveRates(db, catalog.Millis(start+day*24*hour), rate); err != nil {
			return nil, err
		}
	}
	return db, nil
})

// pastLine returns what a listing showed some days after start.
func pastLine(key catalog.Key, days int, p *catalog.Price) catalog.Listing {
	return catalog.Listing{Key: key, Facts: catalog.Facts{Title: "Star Forge", Type: catalog.Game, Slug: "star-forge"}, Price: p,
		ObservedAt: catalog.Millis(start + days*day)}
}

// saveRates saves a table with hryvnias and liras a dollar.
func saveRates(db *sqldb.DB, at catalog.Millis, rate string) error {
	r, err := money.NewRates("USD", map[money.Currency]string{"USD": "1", "UAH": rate, "TRY": rate}, int64(at))
	if err == nil {
		_, err = db.Nodes.SaveRates(context.Background(), nodes.Rates{Body: r.AppendJSON(nil), UpdatedAt: int64(at), Source: "test"}, true, at)
	}
	return err
}

func newPast(t testing.TB) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "past.db"), engine.Options{Create: true})
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// manySteps makes the answer for one card too long.
func manySteps(w *world, c *api.Config) {
	w.t.Helper()
	db := newPast(w.t)
	var batch []history.Series
	var lines []catalog.Listing
	for _, region := range []string{"UA", "TR", "PL", "JP", "US"} {
		key := catalog.Key{Platform: catalog.ConsoleStore, Region: catalog.MustRegion(region), Product: forgeProduct}
		lines = append(lines, pastLine(key, -1, number("USD", 1)))
		series := history.Series{Key: key}
		for i := range 4001 {
			series.Steps = append(series.Steps, history.StepOf(catalog.Millis(start-100*day+i), number("USD", money.Amount(i%2))))
		}
		batch = append(batch, series)
	}
	_, err := db.Listings.Save(w.t.Context(), lines)
	must(w.t, err)
	_, err = db.Listings.SaveHistory(w.t.Context(), batch)
	must(w.t, err)
	c.Past = pastIn{db}
}

// TestHistoryPeriods checks which steps a period has, at its bounds.
func TestHistoryPeriods(t *testing.T) {
	w := newWorld(t, unlimited)
	at := func(days, millis int) string {
		return time.UnixMilli(int64(start + days*day + millis)).UTC().Format("2006-01-02T15:04:05.000Z")
	}
	for _, c := range []struct {
		since, until string
		want         string // the base prices, in hundreds
	}{
		{at(-500, 0), at(-401, 0), ""},
		{at(-500, 0), at(-400, -1), ""},
		{at(-500, 0), at(-400, 0), "2199"},
		{at(-300, 0), at(-300, 0), "2199"},
		{at(-120, -1), at(-120, -1), "2199"},
		{at(-120, -1), at(-120, 0), "2199 2199-50%"},
		{at(-120, 0), at(-110, -1), "2199-50%"},
		{at(-120, 0), at(-110, 0), "2199-50% 2199!"},
		{at(-110, 0), at(-101, 0), "2199!"},
		{at(-81, 0), at(-70, 0), "1999 unpriced 1999"},
		{at(-60, 0), at(-60, 0), "1?"},
		{at(-50, 0), at(-40, -1), "gone"},
		{at(-3, 0), at(100, 0), "1999 1999-25%"},
		{"", at(-110, 0), "2199 2199-50% 2199!"},
		{at(-60, 0), "", "1? 1999 gone 1999 1999-25%"},
		{"", "", "2199 2199-50% 2199! 1999 unpriced 1999 1? 1999 gone 1999 1999-25%"},
	} {
		r := w.get("/catalog/history?" + url.Values{"ids": {forge}, "regions": {"UA"}, "since": {c.since}, "until": {c.until}}.Encode()).want(200)
		var got []string
		steps := r.at("data.items.0.regions.UA.steps").([]any)
		for i, step := range steps {
			s := step.(map[string]any)
			text := s["state"].(string)
			if base, ok := s["base"].(float64); ok {
				text = fmt.Sprint(base / 100)
			}
			if percent, ok := s["discountPercent"].(float64); ok {
				text += fmt.Sprintf("-%v%%", percent)
			}
			if s["inferred"].(bool) {
				text += "!"
			}
			if s["doubtful"].(bool) {
				text += "?"
			}
			got = append(got, text)
			if i > 0 && steps[i-1].(map[string]any)["until"] != s["at"] {
				t.Errorf("%s to %s: step %d does not begin where the one before ended", c.since, c.until, i)
			}
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s to %s: %q, want %q", c.since, c.until, text, c.want)
		}
		r.is("counts.steps", fmt.Sprint(len(steps))).is("data.items.0.regions.UA.watchedSince", `"`+at(-400, 0)+`"`)
	}
}

// TestHistoryTags checks that the tag changes with the steps, and not with time.
func TestHistoryTags(t *testing.T) {
	db := newPast(t)
	w := newWorld(t, unlimited, func(_ *world, c *api.Config) { c.Past = pastIn{db} })
	key := catalog.Key{Platform: catalog.ConsoleStore, Region: catalog.MustRegion("UA"), Product: forgeProduct}
	path := "/catalog/history?ids=" + forge
	seen := map[string]string{}
	expectNew := func(what string) {
		t.Helper()
		tag := w.get(path).want(200).header.Get("ETag")
		if before, ok := seen[tag]; ok {
			t.Errorf("%s: the tag is that of %s", what, before)
		}
		seen[tag] = what
		w.now.Add(60_000)
		w.get(path, header("If-None-Match", tag)).want(304)
	}
	save := func(days int, p *catalog.Price) {
		t.Helper()
		_, err := db.Listings.Save(t.Context(), []catalog.Listing{pastLine(key, days, p)})
		must(t, err)
	}
	expectNew("nothing is stored")
	save(-3, number("UAH", 199900))
	expectNew("a price")
	must(t, saveRates(db, start-3*day, "40"))
	expectNew("rates of its day")
	save(-2, number("UAH", 199900, off(99900, start+hour)))
	expectNew("a discount")
	w.now.Add(hour)
	expectNew("the end of the discount has passed")
	must(t, saveRates(db, start, "50"))
	expectNew("rates of today")
	path += "&since=2026-11-20"
	expectNew("another period")
}

// TestHistoryInDollars checks that past prices in dollars have usd on days without a table.
func TestHistoryInDollars(t *testing.T) {
	db := newPast(t)
	key := catalog.Key{Platform: catalog.ConsoleStore, Region: catalog.MustRegion("UA"), Product: forgeProduct}
	for i, p := range []*catalog.Price{number("USD", 1999), number("UAH", 99900), nil} {
		_, err := db.Listings.Save(t.Context(), []catalog.Listing{pastLine(key, i-3, p)})
		must(t, err)
	}
	newWorld(t, unlimited, func(_ *world, c *api.Config) { c.Past = pastIn{db} }).get("/catalog/history?ids="+forge).want(200).
		is("data.items.0.regions.UA.steps.0.usd", "19.99").is("data.items.0.regions.UA.steps.1.usd", "null").
		is("data.items.0.regions.UA.steps.2.usd", "null")
}

// brokenPast fails as a database that is away.
type brokenPast struct{ err error }

func (p brokenPast) Histories(context.Context, []catalog.Key, catalog.Millis, catalog.Millis, func(history.Part) error) error {
	return p.err
}

func (p brokenPast) EachDayRates(context.Context, int64, int64, func(history.DayRates) error) error {
	return p.err
}

func TestHistoryWithoutTheDatabase(t *testing.T) {
	away := errors.New("the database is away")
	w := newWorld(t, unlimited, func(_ *world, c *api.Config) { c.Past = brokenPast{away} })
	r := w.get("/catalog/history?ids="+forge).code(503, "SERVICE_UNAVAILABLE")
	if r.header.Get("Retry-After") == "" {
		t.Errorf("headers %v: want Retry-After", r.header)
	}
	if err := <-w.failed; !errors.Is(err, away) {
		t.Errorf("Failed was called with %v", err)
	}
	w.get("/catalog/prices?ids=" + forge).want(200)
}

// TestHistoryBodies checks that a POST is read like a GET.
func TestHistoryBodies(t *testing.T) {
	w := newWorld(t, unlimited)
	post := func(body string) reply {
		return w.do(http.MethodPost, "/catalog/history", body, header("Content-Type", "application/json"))
	}
	get := w.get("/catalog/history?regions=ua,tr&since=2026-08-01&ids=" + forge).want(200)
	r := post(`{"ids":["` + forge + `"],"regions":["ua","tr"],"since":"2026-08-01","until":null}`).want(200)
	if string(get.body) == "" || strings.Split(string(get.body), `"meta"`)[0] != strings.Split(string(r.body), `"meta"`)[0] || r.header.Get("ETag") != "" {
		t.Errorf("POST: %s\nGET: %s", r.body, get.body)
	}
	for body, want := range map[string]wrong{
		`{}`:                               {"ids", "null", "required"},
		`{"ids":[]}`:                       {"ids", "[]", "required"},
		`{"ids":["a"],"since":5}`:          {"since", "5", "string"},
		`{"ids":["a"],"until":["x"]}`:      {"until", `["x"]`, "string"},
		`{"ids":["a"],"since":"tomorrow"}`: {"since", `"tomorrow"`, "date"},
		`{"ids":`:                          {"body", `"{\"ids\":"`, "json"},
	} {
		post(body).invalid(want)
	}
}
