package dashboard_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/catalogtest"
	"gamedex/internal/dashboard"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/money"
	"gamedex/internal/quota"
	"gamedex/internal/sqldb/listings"
)

// BenchmarkGamePage compares the page of a game with the card's JSON, over 100,000 cards: the
// sample, whose games are looked at, and others in one country. Both are answered in turn,
// by the whole stack, without a connection. "kept" is a page that was made before, "made" one
// that is made for the request; both are reported as multiples of the JSON.
func BenchmarkGamePage(b *testing.B) {
	w := newWorld(b, func(w *world, c *dashboard.Config) {
		c.Web.PublicPages, c.Web.PublicLimits = true, web.PublicLimits{Each: 1 << 40, All: 1 << 40}
		w.fillUp(100_000)
	})
	token := w.addTirelessKey()
	var games, cards []string
	view := w.live.View()
	for n := range view.Len() {
		if c := view.Card(n); c.Platform() == catalog.ConsoleStore && c.Rows().Len() > 4 && len(games) < 50 {
			place := web.Place{Lang: "en", Public: true, Market: web.Market{Currency: "USD"}}
			games = append(games, place.Game(c.Platform(), c.ID(), c.TitleIn(view.Language("en")), nil))
			cards = append(cards, "/api/v1/catalog/games/"+c.ID())
		}
	}
	var spent [3]time.Duration // of the JSON, kept pages, made pages
	var bytes int
	i := 0
	for b.Loop() {
		for subject, path := range []string{cards[i%len(cards)], games[i%len(games)], fmt.Sprint(games[i%len(games)], "?x=", i)} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Header.Set("Authorization", "Bearer "+token)
			answer := &unread{header: http.Header{}}
			begin := time.Now()
			w.server.Config.Handler.ServeHTTP(answer, r)
			if i >= len(games) { // pages are kept from then on
				spent[subject] += time.Since(begin)
			}
			if answer.status > http.StatusOK {
				b.Fatalf("%s: status %d", path, answer.status)
			}
			bytes = max(bytes, answer.bytes)
		}
		i++
	}
	b.ReportMetric(float64(view.Len()), "cards")
	b.ReportMetric(float64(bytes), "bytes/page")
	if n := float64(i - len(games)); n > 0 {
		b.ReportMetric(float64(spent[0].Microseconds())/n, "µs/json")
		b.ReportMetric(float64(spent[1])/float64(spent[0]), "kept/json")
		b.ReportMetric(float64(spent[2])/float64(spent[0]), "made/json")
	}
}

// fillUp adds games to the sample until there are so many cards.
func (w *world) fillUp(cards int) {
	w.t.Helper()
	var more []catalog.Listing
	for i := range cards - w.live.View().Len() {
		more = append(more, catalogtest.Console("UA", fmt.Sprintf("EP9999-PPSA%05d_00-FILLER%010d", i%100_000, i), catalogtest.Family(fmt.Sprint(9_000_000+i)),
			catalogtest.Title(fmt.Sprint("Filler ", i)), catalogtest.Price("UAH", money.Amount(10_000+i))))
	}
	for batch := range slices.Chunk(more, listings.MaxBatch) {
		if _, err := w.db.Listings.Save(w.t.Context(), batch); err != nil {
			w.t.Fatal(err)
		}
	}
	view, err := buildOnce(w.t.Context(), w.db, filepath.Join(w.t.TempDir(), "snapshots"))
	if err != nil {
		w.t.Fatal(err)
	}
	w.live.Swap(view)
}

// addTirelessKey returns the token of a key with the highest limits.
func (w *world) addTirelessKey() string {
	w.t.Helper()
	key, token, err := account.Draft{Name: "bench", LimitMinute: quota.MaxMinute, LimitDay: quota.MaxDay}.Issue(millis(), rand.Reader)
	if err == nil {
		err = w.db.Accounts.CreateKey(w.t.Context(), key, account.By{At: millis(), Actor: "cli:test"})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return token
}

// unread is a response that nobody reads.
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

// TestPublicPagesAreLight weighs the public pages in the longer language, without pictures, styles
// and scripts, which browsers keep.
func TestPublicPagesAreLight(t *testing.T) {
	const most = 60 << 10
	v := passerby(t)
	for _, path := range v.w.publicPages() {
		if strings.HasPrefix(path, "/en/games/") { // its address has the title in the language
			continue
		}
		path = "/ru" + strings.TrimPrefix(path, "/en")
		if p := v.get(path); p.status != http.StatusOK || len(p.body) > most {
			t.Errorf("%s: status %d, %d bytes", path, p.status, len(p.body))
		}
	}
	heaviest := 0
	for n := range v.w.live.View().Len() {
		c := v.w.live.View().Card(n)
		if c.Variants().Len()+c.Related().Len() < 2 && n%40 != 0 {
			continue
		}
		place := web.Place{Lang: "ru", Public: true, Market: web.Market{Country: "UA", Currency: "EUR"}}
		path := place.Game(c.Platform(), c.ID(), c.TitleIn(v.w.live.View().Language("ru")), nil)
		p := v.get(path)
		heaviest = max(heaviest, len(p.body))
		if p.status != http.StatusOK || len(p.body) > most {
			t.Errorf("%s: status %d, %d bytes", path, p.status, len(p.body))
		}
	}
	t.Logf("the heaviest page of a game has %d bytes", heaviest)
}
