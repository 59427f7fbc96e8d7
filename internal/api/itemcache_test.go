package api_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"gamedex/internal/api"
	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index"
)

// TestItemsFromTheCache sends the same requests to an API that keeps items and to one that does
// not, from several clients at once, some compressed. There is too little memory for all items.
func TestItemsFromTheCache(t *testing.T) {
	v := bulkView(t, 3000)
	worlds := map[bool]*world{}
	for _, keeps := range []bool{false, true} {
		worlds[keeps] = newWorld(t, unlimited, func(w *world, c *api.Config) {
			w.live.Swap(v)
			c.AnswerCache = 0
			if keeps {
				c.AnswerCache = 2 << 20
			}
		})
	}
	ask := func(w *world, body string, zip bool) (string, error) {
		r := httptest.NewRequest(http.MethodPost, "/api/v1/catalog/prices", strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+w.token)
		if zip {
			r.Header.Set("Accept-Encoding", "gzip")
		}
		out := httptest.NewRecorder()
		w.server.Config.Handler.ServeHTTP(out, r)
		text := out.Body.Bytes()
		if zip {
			z, err := gzip.NewReader(out.Body)
			if err != nil {
				return "", err
			}
			if text, err = io.ReadAll(z); err != nil {
				return "", err
			}
		}
		var parts struct{ Filters, Counts, Data, Regions json.RawMessage }
		if err := json.Unmarshal(text, &parts); err != nil {
			return "", err
		}
		return string(bytes.Join([][]byte{parts.Filters, parts.Counts, parts.Data, parts.Regions}, []byte("\n"))), nil
	}
	var all sync.WaitGroup
	for client := range 6 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(client)))
			for range 40 {
				var ids []string
				for first := rng.IntN(8) * 150; len(ids) < 300; {
					ids = append(ids, gameID(first+rng.IntN(200)))
				}
				raw, err := json.Marshal(ids)
				if err != nil {
					t.Error(err)
					return
				}
				change := []string{``, `,"regions":["UA","IN"]`, `,"lang":"pl"`, `,"currency":"PLN","include":["url","meta"]`}[rng.IntN(4)]
				body, zip := `{"ids":`+string(raw)+change+`}`, rng.IntN(2) == 0
				want, err := ask(worlds[false], body, false)
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := ask(worlds[true], body, zip); err != nil || got != want {
					t.Errorf("%s, gzip %v: %v, %.300s, want %.300s", change, zip, err, got, want)
					return
				}
			}
		})
	}
	all.Wait()
	hits, misses := worlds[true].api.ItemCounts()
	t.Logf("%d items from the cache, %d others", hits, misses)
	if hits < misses/20 || misses == 0 {
		t.Errorf("%d items from the cache, %d others", hits, misses)
	}
	if hits, misses := worlds[false].api.ItemCounts(); hits+misses > 0 {
		t.Errorf("without a cache: %d items from it, %d others", hits, misses)
	}
}

// TestItemsOutlivePublications publishes other prices of some games: items of the others stay in the
// cache, and those of the changed ones are made again.
func TestItemsOutlivePublications(t *testing.T) {
	const games = 60
	s, rng := newSample(), rand.New(rand.NewPCG(1, 2))
	var ids []string
	for i := range games {
		s.bulkCard(rng, i)
		ids = append(ids, gameID(i))
	}
	w := newWorld(t, unlimited)
	body := `{"ids":` + marshal(t, ids) + `}`
	publish := func() { w.live.Swap(index.NewView(s.open(t), sampleManifest(t))) }
	misses := func() int64 {
		_, before := w.api.ItemCounts()
		w.post(body).want(200)
		_, after := w.api.ItemCounts()
		return after - before
	}
	publish()
	for range 40 {
		misses()
	}
	if n := misses(); n > games/10 {
		t.Fatalf("%d of %d items are not in the cache after 40 requests", n, games)
	}
	changed := 0
	for n := range s.in.Entries {
		if p := s.in.Entries[n].Price; p != nil && n%40 == 0 {
			p.Base, p.Current, changed = p.Base+100, p.Base+100, changed+1
		}
	}
	publish()
	if n := misses(); changed == 0 || n < int64(changed) || n > int64(changed)+games/10 {
		t.Errorf("%d items are not in the cache after %d prices changed", n, changed)
	}
}

// TestItemsDependOn covers what an item depends on besides its card: each question is asked until its
// item is in the cache, and then again where the answer has to differ.
func TestItemsDependOn(t *testing.T) {
	catalogOf := func(change func(*sample)) *index.View {
		s := newSample()
		s.console(catalog.Card{ID: gameID(1), Title: "A game", Type: catalog.Game}, "P1", "",
			offer{"IN", number("INR", 100)}, offer{"PL", number("PLN", 100)}, offer{"UA", number("UAH", 100)}, offer{"US", number("USD", 100)})
		if change != nil {
			change(s)
		}
		return index.NewView(s.open(t), sampleManifest(t))
	}
	one := catalogOf(nil)
	var active []string
	for _, r := range one.Active() {
		active = append(active, r.Alpha2)
	}
	ids := `{"ids":["` + gameID(1) + `"]`
	for name, c := range map[string]struct {
		first, second     *index.View
		question, another string
	}{
		"lows": {one, catalogOf(func(s *sample) {
			s.past(t, 0, []history.Step{history.StepOf(start-400*day, number("INR", 100))})
		}), ids + `,"include":["lows"]}`, ids + `,"include":["lows"]}`},
		"all regions": {one, one, ids + `,"regions":` + marshal(t, active) + `}`, ids + `,"regions":["all"]}`},
		"numbers of regions": {one, catalogOf(func(s *sample) {
			s.console(catalog.Card{ID: gameID(2), Title: "Another", Type: catalog.Game}, "P2", "", offer{"KZ", number("KZT", 100)}, offer{"UA", number("UAH", 100)})
		}), ids + `,"regions":["PL"]}`, ids + `,"regions":["KZ"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			cached := newWorld(t, unlimited)
			plain := newWorld(t, unlimited, func(_ *world, c *api.Config) { c.AnswerCache = 0 })
			cached.live.Swap(c.first)
			for hits := int64(0); hits == 0; hits, _ = cached.api.ItemCounts() {
				cached.post(c.question).want(200)
			}
			cached.live.Swap(c.second)
			plain.live.Swap(c.second)
			got, want := cached.post(c.another).want(200), plain.post(c.another).want(200)
			if a, b := marshal(t, got.at("data")), marshal(t, want.at("data")); a != b {
				t.Errorf("data %s, want %s", a, b)
			}
		})
	}
}
