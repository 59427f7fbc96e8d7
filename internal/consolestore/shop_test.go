package consolestore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/consolestore"
	"gamedex/internal/money"
	"gamedex/internal/sweep"
	"gamedex/internal/upstream"
)

// now is when everything is seen.
var now = time.Date(2026, 11, 20, 4, 0, 0, 0, time.UTC)

// question is a query that arrived at the shop.
type question struct {
	Operation, Hash, Locale, Origin string
	Variables                       string
}

// shop is a store over HTTP with the answers of a test.
type shop struct {
	*consolestore.Store
	answer func(q question) string

	mu    sync.Mutex
	asked []question
}

// hashes name the operations in tests.
var hashes = consolestore.Operations{
	Grid: strings.Repeat("a", 64), Concept: strings.Repeat("b", 64), AddOns: strings.Repeat("c", 64), Product: strings.Repeat("d", 64),
}

// profile is of a store with one region; options change it.
func profile() consolestore.Profile {
	return consolestore.Profile{
		Origin: "https://www.store.example", Operations: hashes, Category: "all-games", PageSize: 3, AddOnPageSize: 2,
		ProductURL: "https://www.store.example/{locale}/product/{product}",
		Regions:    []consolestore.Region{region("HK", "en-hk", "HKD")},
	}
}

func region(code, locale string, currency money.Currency, titles ...string) consolestore.Region {
	return consolestore.Region{Region: catalog.MustRegion(code), Locale: locale, Currency: currency, Titles: titles}
}

// open starts a shop with descriptions and pictures.
func open(t testing.TB, p consolestore.Profile, answer func(q question) string) *shop {
	t.Helper()
	return openWith(t, p, answer, true)
}

// openWith starts a shop, with descriptions and pictures or without.
func openWith(t testing.TB, p consolestore.Profile, answer func(q question) string, all bool) *shop {
	t.Helper()
	s := &shop{answer: answer}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	client, err := upstream.New(
		upstream.Config{UserAgent: "gamedex test", Now: time.Now, Rand: func() float64 { return 0 }},
		[]upstream.Host{{Name: address.Host, RequestsPerSecond: 1e5, Attempts: 1, PrivateAddresses: true, IgnoreRobots: true}})
	if err != nil {
		t.Fatal(err)
	}
	p.GraphQL = server.URL + "/graphql/op"
	s.Store = consolestore.New(consolestore.Config{
		Profile: p, Client: client, Texts: all, Images: all, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler),
	})
	return s
}

// ServeHTTP sends the test's answer to a query.
func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := question{
		Operation: r.URL.Query().Get("operationName"), Variables: r.URL.Query().Get("variables"),
		Locale: r.Header.Get("X-Psn-Store-Locale-Override"), Origin: r.Header.Get("Origin"),
	}
	var extensions struct {
		PersistedQuery struct{ Sha256Hash string }
	}
	_ = json.Unmarshal([]byte(r.URL.Query().Get("extensions")), &extensions)
	q.Hash = extensions.PersistedQuery.Sha256Hash
	s.mu.Lock()
	s.asked = append(s.asked, q)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, s.answer(q))
}

// read reads an item, or the page at a cursor.
func (s *shop) read(t testing.TB, code string, kind sweep.Kind, from string) sweep.Page {
	t.Helper()
	page, err := s.try(t, code, kind, from)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func (s *shop) try(t testing.TB, code string, kind sweep.Kind, from string) (sweep.Page, error) {
	t.Helper()
	region := catalog.MustRegion(code)
	scope := sweep.Scope{Platform: catalog.ConsoleStore, Region: region, Kind: kind}
	return s.Read(context.Background(), sweep.Job{Scope: scope, Regions: []catalog.Region{region}}, from)
}

// begin returns what is read first of a kind: the page at no cursor, or the item 1.
func begin(kind sweep.Kind) string {
	if kind.Paged() {
		return ""
	}
	return "1"
}

// always sends the same answer to every query.
func always(body string) func(question) string { return func(question) string { return body } }
