package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gamedex/internal/api"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// The benchmarks request 1000 ids of a catalog of 100,000 cards in four
// regions, another thousand each time, so that the cards are not in the
// processor's caches:
//
//	go test -run '^$' -bench BulkRatios -benchtime 200x -count 5 ./internal/api
//
// Every way builds the same answer: the whole handler, the encoder alone, the
// structs of plain_test.go with encoding/json, and copies of items that were
// encoded in advance.
const (
	bulkCards = 100_000
	bulkIDs   = 1000
	bulkSets  = 64
)

// bulkView returns a catalog with the distribution of a store's: a few hundred
// price points a region, a tenth of the rows discounted, 3 % not for sale, one
// game in seven with a Russian title, one card in ten an edition, all with titles in four
// languages.
func bulkView(tb testing.TB, cards int) *index.View {
	tb.Helper()
	s, rng := newSample(), rand.New(rand.NewPCG(1, 2))
	for i := range cards {
		s.bulkCard(rng, i)
	}
	return index.NewView(s.open(tb), sampleManifest(tb))
}

var bulkRegions = []struct {
	code     string
	currency money.Currency
	level    money.Amount // hundredths for one dollar of list price
}{{"IN", "INR", 6200}, {"PL", "PLN", 410}, {"TR", "TRY", 2400}, {"UA", "UAH", 2600}}

func (s *sample) bulkCard(rng *rand.Rand, i int) {
	dollars := money.Amount(5 + rng.IntN(66))
	c := catalog.Card{ID: gameID(i), Family: fmt.Sprint(i), Type: catalog.Game, Title: fmt.Sprintf("The %s Road Home %d", []string{"Long", "Silent", "Broken"}[i%3], i)}
	if i%7 == 0 {
		c.Title = fmt.Sprintf("Долгая дорога домой %d", i)
	}
	c.Texts = []catalog.Texts{{Language: "en", Title: fmt.Sprintf("The Road Home %d", i)}, {Language: "pl", Title: fmt.Sprintf("Droga do domu %d", i)},
		{Language: "ru", Title: c.Title}, {Language: "uk", Title: c.Title}}
	edition := ""
	if i%10 == 0 {
		edition = "Deluxe Edition"
	}
	var offers []offer
	for _, r := range bulkRegions {
		offers = append(offers, offer{r.code, bulkPrice(rng, r.currency, dollars*r.level)})
	}
	s.console(c, fmt.Sprintf("EP%04d-PPSA%05d_00-GAME%012d", i%9000, i, i), edition, offers...)
}

func bulkPrice(rng *rand.Rand, currency money.Currency, base money.Amount) *catalog.Price {
	switch n := rng.IntN(100); {
	case n < 3:
		return nil
	case n < 13:
		return number(currency, base, off(base*3/4, start+catalog.Millis(1+n)*hour))
	}
	return number(currency, base)
}

// bulkWays holds the data that all ways need.
type bulkWays struct {
	view *index.View
	api  *api.API
	now  int64
	w    *world
	sets [][]string
	next int
}

var bulkWorld = sync.OnceValue(func() *bulkWays {
	b, rng := &bulkWays{}, rand.New(rand.NewPCG(3, 4))
	for range bulkSets {
		var set []string
		for range bulkIDs {
			set = append(set, gameID(rng.IntN(bulkCards)))
		}
		b.sets = append(b.sets, set)
	}
	return b
})

func newBulkWays(tb testing.TB) *bulkWays {
	b := bulkWorld()
	if b.view == nil {
		b.view = bulkView(tb, bulkCards)
	}
	b.w = newWorld(tb, unlimited, func(w *world, c *api.Config) {
		w.live.Swap(b.view)
		b.api, b.now = api.New(*c), c.Clock().UnixMilli()
	})
	return b
}

func (b *bulkWays) set() []string {
	b.next++
	return b.sets[b.next%bulkSets]
}

// cards returns the cards of a set of ids.
func (b *bulkWays) cards(ids []string) (list []index.Card) {
	for _, id := range ids {
		c, _ := b.view.Lookup(0, id)
		list = append(list, c)
	}
	return list
}

// handler sends a request through the API as the server would.
func (b *bulkWays) handler(tb testing.TB, change string) func() int {
	bodies := make([]string, bulkSets)
	for i, set := range b.sets {
		raw, err := json.Marshal(set)
		if err != nil {
			tb.Fatal(err)
		}
		bodies[i] = `{"ids":` + string(raw) + change + `}`
	}
	body := strings.NewReader("")
	r, err := http.NewRequest("POST", "/api/v1/catalog/prices", io.NopCloser(body))
	if err != nil {
		tb.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+b.w.token)
	out := &sink{}
	return func() int {
		b.next++
		body.Reset(bodies[b.next%bulkSets])
		r.ContentLength = body.Size()
		out.header, out.bytes = http.Header{}, 0
		b.api.ServeHTTP(out, r)
		return out.bytes
	}
}

// encoder finds the cards and encodes them, without a request.
func (b *bulkWays) encoder(tb testing.TB) func() int {
	e, out := api.NewBulkEncoder(b.api), &sink{header: http.Header{}}
	return func() int {
		e.Resolve(b.view, b.now, b.set())
		out.bytes = 0
		if err := e.Encode(out); err != nil {
			tb.Fatal(err)
		}
		return out.bytes
	}
}

// structs builds structs and marshals them.
func (b *bulkWays) structs(tb testing.TB) func() int {
	p := plainPrices{v: b.view, now: b.now, regions: []string{"UA", "TR", "PL", "IN"}}
	return func() int {
		var items []plainItem[map[string]*plainRegion]
		for _, c := range b.cards(b.set()) {
			items = append(items, p.mapped(c))
		}
		raw, err := json.Marshal(items)
		if err != nil {
			tb.Fatal(err)
		}
		return len(raw)
	}
}

// fragments copies items that were encoded in advance into one buffer.
func (b *bulkWays) fragments(tb testing.TB) func() int {
	p := plainPrices{v: b.view, now: b.now, regions: []string{"UA", "TR", "PL", "IN"}}
	store := make([][]byte, b.view.Len())
	for _, set := range b.sets {
		for _, c := range b.cards(set) {
			raw, err := json.Marshal(p.ordered(c))
			if err != nil {
				tb.Fatal(err)
			}
			store[c.Number()] = raw
		}
	}
	numbers := make([][]int, bulkSets)
	for i, set := range b.sets {
		for _, c := range b.cards(set) {
			numbers[i] = append(numbers[i], c.Number())
		}
	}
	buf := make([]byte, 0, 4<<20)
	return func() int {
		b.next++
		buf = buf[:0]
		for _, n := range numbers[b.next%bulkSets] {
			buf = append(append(buf, store[n]...), ',')
		}
		return len(buf)
	}
}

// bulkWay is one way to build an answer. The function that it prepares returns
// the number of bytes it produced.
type bulkWay struct {
	name    string
	prepare func(testing.TB) func() int
}

func (b *bulkWays) list() []bulkWay {
	return []bulkWay{
		{"handler", func(tb testing.TB) func() int { return b.handler(tb, "") }},
		{"encoder", b.encoder},
		{"fragments", b.fragments},
		{"encoding-json", b.structs},
		{"handler-lang", func(tb testing.TB) func() int { return b.handler(tb, `,"lang":"pl"`) }},
		{"handler-includes", func(tb testing.TB) func() int { return b.handler(tb, `,"include":["image","url","meta","fx"]`) }},
	}
}

func BenchmarkBulk(b *testing.B) {
	for _, way := range newBulkWays(b).list() {
		b.Run(way.name, func(b *testing.B) {
			run := way.prepare(b)
			b.SetBytes(int64(run()))
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
		})
	}
}

// BenchmarkBulkRatios runs the ways in turn, so that other work on the machine
// affects all of them, and reports medians in microseconds: of each way, and of
// the time per microsecond of the fragments and of encoding/json.
func BenchmarkBulkRatios(b *testing.B) {
	ways := newBulkWays(b).list()
	took, run := make([][]float64, len(ways)), make([]func() int, len(ways))
	for i, way := range ways {
		run[i] = way.prepare(b)
	}
	for b.Loop() {
		for i := range ways {
			began := time.Now()
			run[i]()
			took[i] = append(took[i], float64(time.Since(began).Nanoseconds())/1000)
		}
	}
	median := map[string]float64{}
	for i, way := range ways {
		slices.Sort(took[i])
		median[way.name] = took[i][len(took[i])/2]
		b.ReportMetric(median[way.name], way.name+"-µs")
	}
	for _, name := range []string{"encoder", "handler"} {
		b.ReportMetric(median[name]/median["fragments"], name+"/fragments")
		b.ReportMetric(median["encoding-json"]/median[name], "encoding-json/"+name)
	}
	b.ReportMetric(0, "ns/op")
}

// TestBenchmarksMakeTheSameAnswer checks that all benchmarked ways produce the
// same answer.
func TestBenchmarksMakeTheSameAnswer(t *testing.T) {
	v := bulkView(t, 300)
	w := newWorld(t, unlimited, func(w *world, _ *api.Config) { w.live.Swap(v) })
	got := w.post(idsBody(300, "")).want(200).body
	p := plainPrices{v: v, now: start, regions: []string{"UA", "TR", "PL", "IN"}}
	var want bytes.Buffer
	for i := range 300 {
		c, _ := v.Lookup(0, gameID(i))
		raw, err := json.Marshal(p.ordered(c))
		if err != nil {
			t.Fatal(err)
		}
		want.Write(append(raw, ','))
	}
	want.Truncate(want.Len() - 1)
	if !bytes.Contains(got, append(want.Bytes(), ']')) {
		t.Error("the handler's items are not, byte by byte, those of encoding/json")
	}
}
