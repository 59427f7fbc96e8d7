package api_test

import (
	cryptorand "crypto/rand"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gamedex/internal/account"
	"gamedex/internal/api"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
	"gamedex/internal/quota"
	"gamedex/internal/serve"
)

// BenchmarkEndpoints requests small answers, as net/http would call: the whole
// stack as the program wires it, logging only errors, over 100,000 cards, with
// a fresh header map each time. "bare" answers a fixed small body. Header lines
// are missing.
func BenchmarkEndpoints(b *testing.B) {
	handler, tokens := benchStack(b)
	for _, c := range benchSubjects(handler) {
		b.Run(c.name, func(b *testing.B) {
			requests := make([]*http.Request, max(len(c.paths), len(tokens)))
			for i := range requests {
				requests[i] = httptest.NewRequest(http.MethodGet, "/api/v1"+c.paths[i%len(c.paths)], nil)
				requests[i].Header.Set("Authorization", "Bearer "+tokens[i%len(tokens)])
			}
			w, i := new(discard), 0
			b.ReportAllocs()
			for b.Loop() {
				w.header, w.status = make(http.Header), http.StatusOK
				r := requests[i%len(requests)]
				c.handler.ServeHTTP(w, r)
				if i++; w.status != http.StatusOK {
					b.Fatalf("%s: status %d", r.URL, w.status)
				}
			}
		})
	}
}

// benchSubject is a list of requests sent in turn, each with another key: one
// key would exhaust its minute.
type benchSubject struct {
	name    string
	handler http.Handler
	paths   []string
}

func benchSubjects(handler http.Handler) []benchSubject {
	return []benchSubject{
		{"bare", bareHandler, []string{"/"}},
		{"health", handler, []string{"/health"}},
		{"me", handler, []string{"/account/me"}},
		{"rates", handler, []string{"/catalog/exchange-rates"}},
		{"search", handler, benchQueries("/catalog/search?q=")},
		{"suggest", handler, benchQueries("/catalog/suggest?q=")},
		{"card", handler, benchCards()},
	}
}

var bareHandler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"ok":true}`))
})

// discard is a response writer that discards what is written.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(status int)      { d.status = status }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }

// benchStack is the API behind the whole middleware stack, with keys for it.
func benchStack(b *testing.B) (handler http.Handler, tokens []string) {
	b.Helper()
	snap, err := benchSnapshot()
	must(b, err)
	live, store := new(index.Live), newMemoryKeys()
	live.Swap(index.NewView(snap, sampleManifest(b)))
	for range 256 {
		key, token, err := account.Draft{Name: "bench"}.Issue(start, store)
		must(b, err)
		store.save(key)
		tokens = append(tokens, token)
	}
	log := slog.New(slog.NewTextHandler(b.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	wire := api.New(api.Config{
		Limits: quota.Limits{Minute: quota.MaxMinute, Day: quota.MaxDay}, Clock: time.Now, Live: live,
		Keys:    account.NewCache(store, func() int64 { return time.Now().UnixMilli() }, log),
		Counter: quota.NewMemory(), Usage: quota.NewUsage("run", noHistory{}),
	})
	return &serve.Front{Next: wire, Log: log, Metrics: serve.NewMetrics(prometheus.NewRegistry()), Rand: cryptorand.Reader, Now: time.Now,
		OnPanic: wire.InternalError}, tokens
}

const benchSize = 100_000

var (
	benchAdjectives = strings.Fields("Silent Broken Golden Frozen Crimson Hollow Endless Iron Lost Burning Emerald Distant Savage Radiant Hidden Eternal Fallen Sunken Lunar Stormy")
	benchNouns      = strings.Fields("Empire Horizon Forge Legend Kingdom Odyssey Frontier Shadow Echo Citadel Harvest Voyage Dominion Oath Labyrinth Tempest Crusade Arena Tactics Chronicles")
)

func benchTitle(i int) string {
	rng := rand.New(rand.NewPCG(uint64(i), 3))
	return fmt.Sprintf("%s %s %s %d", benchAdjectives[rng.IntN(len(benchAdjectives))],
		benchNouns[rng.IntN(len(benchNouns))], benchNouns[rng.IntN(len(benchNouns))], i/100)
}

func benchID(i int) string { return fmt.Sprintf("B%07d", i) }

// benchSnapshot returns cards with the data of real ones: texts, pictures, four
// regions, some discounts.
var benchSnapshot = sync.OnceValues(func() (*index.Snapshot, error) {
	s := newSample()
	s.prose[1] = &catalog.Prose{Description: strings.Repeat("What the store says of the game. ", 12), Publisher: "Forge Works",
		ReleaseDate: "2025-03-14", Genres: []string{"Strategy"}, Cover: "https://images.example/forge.jpg"}
	known := catalog.ProseChoice{Description: 1, Publisher: 1, ReleaseDate: 1, Genres: 1, Cover: 1}
	for i := range benchSize {
		base := money.Amount(10_000 + i)
		var change []func(*catalog.Price)
		if i%10 == 0 {
			change = append(change, off(base/2, start+2*day))
		}
		s.console(catalog.Card{ID: benchID(i), Family: fmt.Sprint(i / 2), Type: catalog.Game, Title: benchTitle(i),
			InvariantName: benchTitle(i), Platforms: []string{"PS5"}, TitleIDs: []string{"PPSA00001"},
			Popularity: float64(i % 1000), Prose: known, StoreURL: "https://store.example/UA/" + benchID(i)},
			"EP0001-PPSA00001_00-"+benchID(i), "",
			offer{"UA", number("UAH", base, change...)}, offer{"TR", number("TRY", base, change...)},
			offer{"PL", number("PLN", base)}, offer{"IN", number("INR", base)})
	}
	return s.snapshot()
})

// benchQueries returns queries of two words of a title and of the prefix of
// one, in turn.
func benchQueries(path string) (paths []string) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 400 {
		title := benchTitle(rng.IntN(benchSize))
		words := strings.Fields(title)
		q := words[rng.IntN(2)] + " " + words[2]
		if i%2 == 0 {
			q = title[:3+rng.IntN(9)]
		}
		paths = append(paths, path+url.QueryEscape(q))
	}
	return paths
}

func benchCards() (paths []string) {
	for i := range 400 {
		paths = append(paths, "/catalog/games/"+benchID(i*211%benchSize))
	}
	return paths
}
