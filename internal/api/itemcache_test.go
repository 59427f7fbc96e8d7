package api_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"gamedex/internal/api"
	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/testing/apitest"
)

// TestAskedAgain sends the same requests to an API that keeps items and lists of ids, and to one that
// keeps nothing: from several clients at once, some compressed, for two catalogs in which cards have
// other numbers. There is too little memory for all items.
func TestAskedAgain(t *testing.T) {
	worlds := map[bool]*world{}
	for _, keeps := range []bool{false, true} {
		worlds[keeps] = newWorld(t, unlimited, func(_ *world, c *api.Config) {
			c.AnswerCache = 0
			if keeps {
				c.AnswerCache = 4 << 20
			}
		})
	}
	var lists []string
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 8 {
		var ids []string
		for range 300 {
			ids = append(ids, gameID(rng.IntN(2000)))
		}
		if n%2 == 0 {
			ids = append(ids, strings.ToLower(ids[0]), ids[1], "NOSUCHID", ids[2]+", "+strings.ToLower(ids[3]))
		}
		lists = append(lists, marshal(t, ids))
	}
	for _, cards := range []int{2000, 1500} {
		v := bulkView(t, cards)
		worlds[false].live.Swap(v)
		worlds[true].live.Swap(v)
		var all sync.WaitGroup
		for client := range 6 {
			all.Go(func() {
				rng := rand.New(rand.NewPCG(3, uint64(client)))
				for range 40 {
					change := []string{``, `,"regions":["UA","IN"]`, `,"lang":"pl"`, `,"currency":"PLN","include":["url","meta"]`, `,"currency":"JPY"`, `,"currency":"UAH"`,
						`,"platform":"consolestore"`}[rng.IntN(7)]
					body, coding := `{"ids" : `+lists[rng.IntN(len(lists))]+change+`}`, []string{"", "gzip"}[rng.IntN(2)]
					want, err := askBulk(worlds[false], body, "")
					if err != nil {
						t.Error(err)
						return
					}
					if got, err := askBulk(worlds[true], body, coding); err != nil || got != want {
						t.Errorf("%s, %s: %v, %.300s, want %.300s", change, coding, err, got, want)
						return
					}
				}
			})
		}
		all.Wait()
	}
	hits, misses := worlds[true].api.ItemCounts()
	t.Logf("%d items from the cache, %d others", hits, misses)
	if hits < misses/20 || misses == 0 {
		t.Errorf("%d items from the cache, %d others", hits, misses)
	}
	if hits, misses := worlds[false].api.ItemCounts(); hits+misses > 0 {
		t.Errorf("without a cache: %d items from it, %d others", hits, misses)
	}
}

// askBulk returns what an answer has besides ok and meta.
func askBulk(w *world, body, coding string) (string, error) {
	out := w.direct(http.MethodPost, "/catalog/prices", body, header("Accept-Encoding", coding))
	text, err := apitest.Unpack(out.Header().Get("Content-Encoding"), out.Body.Bytes())
	if err != nil {
		return "", err
	}
	var parts struct{ OK, Filters, Counts, Data, Regions, Error json.RawMessage }
	if err := json.Unmarshal(text, &parts); err != nil {
		return "", err
	}
	return string(bytes.Join([][]byte{parts.OK, parts.Filters, parts.Counts, parts.Data, parts.Regions, parts.Error}, []byte("\n"))), nil
}

// TestListsAskedAgain covers bodies with a list of ids that was sent before.
func TestListsAskedAgain(t *testing.T) {
	w := newWorld(t, unlimited)
	plain := newWorld(t, unlimited, func(_ *world, c *api.Config) { c.AnswerCache = 0 })
	ids := []string{forge, "nope", strings.ToLower(deluxe)}
	for i := range 60 {
		ids = append(ids, gameID(i))
	}
	list := marshal(t, ids)
	for range 4 {
		w.post(`{"ids":`+list+`}`).want(200).is("counts.requested", `63`)
	}
	for _, body := range []string{
		`{"ids":` + list + `}`,
		"{\"ids\"\t:\n" + list + `,"platform":"pcstore"}`,
		`{"regions":["UA"],"ids":` + list + `}`,
		`{"ids":` + list + `,"ids":["` + forge + `"]}`,
		`{"other":["` + forge + `"],"ids":` + list + `}`,
		`{"other":{"ids":` + list + `},"ids":["` + forge + `"]}`,
		`{"ids":` + list + `]}`,
		`{"ids":` + list + ` "x"}`,
		`{"ids":` + list[:len(list)-1] + `,"` + deluxe + `"]}`,
		`{"ids":` + list[:len(list)-1] + `,1]}`,
		`{"ids":` + list + `,"regions":[1]}`,
		`{"ids":` + list,
		`{"ids":` + list[:len(list)-1],
		`{"ids":[` + list + `]}`,
		`{"ids":` + list + `,"include":["editions"]}`,
	} {
		got, err := askBulk(w, body, "")
		want, plainErr := askBulk(plain, body, "")
		if got != want || err != nil || plainErr != nil {
			t.Errorf("%.60s…%.40s: %.300s, %v, want %.300s, %v", body, body[len(body)-40:], got, err, want, plainErr)
		}
	}
	// More lists than are kept.
	for n := range 600 {
		body := `{"ids":` + list[:len(list)-1] + `,"` + gameID(n) + `"]}`
		for range 2 {
			got, err := askBulk(w, body, "")
			if want, plainErr := askBulk(plain, body, ""); got != want || err != nil || plainErr != nil {
				t.Fatalf("list %d: %.300s, %v, want %.300s, %v", n, got, err, want, plainErr)
			}
		}
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

// TestItemsDependOn asks a question until its item is in the cache, and then one whose answer differs
// although the card is the same.
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
