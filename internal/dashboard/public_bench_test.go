//go:build unix

package dashboard_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/history"
	"gamedex/internal/money"
	"gamedex/internal/quota"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/testing/catalogtest"
)

// BenchmarkGamePage compares the page of a game with the card's JSON, over 100,000 cards: the
// sample's games, sold in 60 countries and with two years of past prices, are looked at; the others
// are sold in one. Each request passes the whole stack of the program; none asks for compression.
// "kept" is a page that was made before, "made" one that is made for the request, with the prices
// of all countries, and "chosen" a made one of a country in a currency. "answers" are the API's
// answers that a made page shows: the card, its prices in all countries, and a year of past prices
// in one. Each is a multiple of the CPU time of the JSON, which batches in turn take, with that of
// the garbage collector.
func BenchmarkGamePage(b *testing.B) {
	w := newWorld(b, func(w *world, c *dashboard.Config) {
		c.Web.PublicPages, c.Web.PublicLimits = true, web.PublicLimits{Each: 1 << 40, All: 1 << 40}
		w.sellEverywhere("")
		w.fillUp(100_000)
	})
	_, token := w.issue(millis(), "cli:test", account.Draft{Name: "bench", LimitMinute: quota.MaxMinute, LimitDay: quota.MaxDay})
	var games, cards, answers []string
	since := time.Now().UTC().AddDate(-1, 0, 0).Format(time.DateOnly)
	view := w.live.View()
	for n := range view.Len() {
		if c := view.Card(n); c.Platform() == catalog.ConsoleStore && c.Rows().Len() >= 60 && len(games) < 50 {
			place := web.Locale{Lang: "en", Market: web.Market{Currency: money.USD}}
			games = append(games, place.Game(c.Platform(), c.ID(), c.TitleIn(view.Language("en")), nil))
			card := "/api/v1/catalog/games/" + c.ID()
			cards = append(cards, card)
			answers = append(answers, card, "/api/v1/catalog/prices?platform=consolestore&regions=all&include=url,lows&currency=USD&ids="+c.ID(),
				"/api/v1/catalog/history?platform=consolestore&regions=UA&since="+since+"&ids="+c.ID())
		}
	}
	var asked, heaviest int
	batch := func(paths []string, suffix string) time.Duration {
		used := ownCPU(b)
		for _, path := range paths {
			if asked++; strings.HasSuffix(suffix, "=") { // an address that no request had
				path += fmt.Sprint(suffix, asked)
			}
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Header.Set("Authorization", "Bearer "+token)
			answer := &unread{header: http.Header{}}
			w.server.Config.Handler.ServeHTTP(answer, r)
			if answer.status > http.StatusOK {
				b.Fatalf("%s: status %d", path, answer.status)
			}
			if strings.HasPrefix(path, "/en/") {
				heaviest = max(heaviest, answer.bytes)
			}
		}
		return ownCPU(b) - used
	}
	batch(games, "") // pages are kept from now on
	var json, kept, made, chosen, shown time.Duration
	for b.Loop() {
		for range 10 { // one batch is too short to measure
			json += batch(cards, "")
			kept += batch(games, "")
		}
		made += batch(games, "?x=")
		chosen += batch(games, "?country=UA&currency=EUR&x=")
		shown += batch(answers, "")
	}
	b.ReportMetric(float64(view.Len()), "cards")
	b.ReportMetric(float64(heaviest), "bytes/page")
	b.ReportMetric(float64(json.Microseconds())/float64(b.N*10*len(cards)), "µs/json")
	b.ReportMetric(float64(kept)/float64(json), "kept/json")
	b.ReportMetric(10*float64(made)/float64(json), "made/json")
	b.ReportMetric(10*float64(chosen)/float64(json), "chosen/json")
	b.ReportMetric(10*float64(shown)/float64(json), "answers/json")
}

func ownCPU(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// sellEverywhere sells the sample's games, or one family of them, in 60 countries: in each new one
// as in one of the sample, today and in the past. [world.fillUp] builds the catalog with them.
func (w *world) sellEverywhere(family string) {
	w.t.Helper()
	donors := strings.Fields("UA TR PL IN DE KZ") // the others have products of their own
	sample, now := sampleCatalog(), catalog.MillisOf(time.Now())
	sold, past, products := map[catalog.Region][]catalog.Listing{}, map[catalog.Region][]history.Series{}, map[catalog.Key]bool{}
	for l := range sample.demo.Listings(sampleURL, now) {
		if l.Platform == catalog.ConsoleStore && (family == "" || l.Facts.FamilyName == family) {
			sold[l.Region] = append(sold[l.Region], l)
			products[l.Key] = true
		}
	}
	for s := range sample.demo.Past(now) {
		if products[s.Key] {
			past[s.Key.Region] = append(past[s.Key.Region], s)
		}
	}
	for i, code := range strings.Fields("AE AR AT AU BE BG BH BO BR CA CH CL CO CR CY CZ DK EC EE ES FI FR GB GR GT HK HN HR HU ID IE IL IT KR KW LB LT LU LV MT MX MY NI NL NO NZ OM PA PE PT QA RO SA") {
		region, donor := catalog.MustRegion(code), catalog.MustRegion(donors[i%len(donors)])
		copied, moved := slices.Clone(sold[donor]), slices.Clone(past[donor])
		for i := range copied {
			copied[i].Region = region
		}
		for i := range moved {
			moved[i].Key.Region = region
		}
		w.save(copied)
		for batch := range slices.Chunk(moved, listings.MaxBatch) {
			if _, err := w.db.Listings.SaveHistory(w.t.Context(), batch); err != nil {
				w.t.Fatal(err)
			}
		}
	}
}

func (w *world) save(lines []catalog.Listing) {
	w.t.Helper()
	for batch := range slices.Chunk(lines, listings.MaxBatch) {
		if _, err := w.db.Listings.Save(w.t.Context(), batch); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) fillUp(cards int) {
	w.t.Helper()
	var more []catalog.Listing
	for i := range cards - w.live.View().Len() {
		more = append(more, catalogtest.Console("UA", fmt.Sprintf("EP9999-PPSA%05d_00-FILLER%010d", i%100_000, i), catalogtest.Family(fmt.Sprint(9_000_000+i)),
			catalogtest.Title(fmt.Sprint("Filler ", i)), catalogtest.Price("UAH", money.Amount(10_000+i))))
	}
	w.save(more)
	view, err := buildOnce(w.t.Context(), w.db, filepath.Join(w.t.TempDir(), "snapshots"))
	if err != nil {
		w.t.Fatal(err)
	}
	w.live.Swap(view)
}

type unread struct {
	header http.Header
	status int
	bytes  int
}

func (u *unread) Header() http.Header { return u.header }

func (u *unread) WriteHeader(status int) { u.status = status }

func (u *unread) Write(b []byte) (int, error) {
	u.bytes += len(b)
	return len(b), nil
}
