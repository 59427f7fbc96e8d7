package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gamedex/internal/api"
	"gamedex/internal/api/bulk"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// The benchmarks request 1000 ids of a catalog of 100,000 cards in four
// regions, another thousand each time, so that the cards are neither in the
// processor's caches nor in the cache of items. Those named again ask for eight thousand in turn,
// whose items are kept:
//
//	go test -run '^$' -bench Bulk/ -benchtime 200x -count 5 ./internal/api
const (
	bulkCards = 100_000
	bulkIDs   = 1000
	bulkSets  = 64
	bulkAgain = 8
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
		c.AnswerCache = 64 << 20
	})
	return b
}

// handler sends a request through the API as the server would. The answer has a coding,
// "" for none.
func (b *bulkWays) handler(tb testing.TB, sets int, change, coding string) func() int {
	bodies := make([]string, len(b.sets))
	for i, set := range b.sets {
		raw, err := json.Marshal(set)
		must(tb, err)
		bodies[i] = `{"ids":` + string(raw) + change + `}`
	}
	body := strings.NewReader("")
	r, err := http.NewRequest("POST", "/api/v1/catalog/prices", io.NopCloser(body))
	must(tb, err)
	r.Header.Set("Authorization", "Bearer "+b.w.token)
	r.Header.Set("Accept-Encoding", coding)
	out := &sink{}
	return func() int {
		b.next++
		body.Reset(bodies[b.next%sets])
		r.ContentLength = body.Size()
		out.header, out.bytes = http.Header{}, 0
		b.w.api.ServeHTTP(out, r)
		return out.bytes
	}
}

// BenchmarkBulk sends requests of several kinds. gzip is compressed with match hints.
func BenchmarkBulk(b *testing.B) {
	ways := newBulkWays(b)
	for name, run := range map[string]func() int{
		"plain":     ways.handler(b, bulkSets, "", ""),
		"again":     ways.handler(b, bulkAgain, "", ""),
		"againgzip": ways.handler(b, bulkAgain, "", "gzip"),
		"gzip":      ways.handler(b, bulkSets, "", "gzip"),
		"language":  ways.handler(b, bulkSets, `,"lang":"pl"`, ""),
		"includes":  ways.handler(b, bulkSets, `,"include":["image","url","meta","fx"]`, ""),
		"unchanged": ways.handler(b, bulkSets, `,"changedSince":"`+string(bulk.NewCursor(ways.view, api.WireVersion, start).Append(nil))+`"`, ""),
	} {
		b.Run(name, func(b *testing.B) {
			if strings.HasPrefix(name, "again") {
				for range 40 * bulkAgain {
					run()
				}
			}
			b.SetBytes(int64(run()))
			b.ReportAllocs()
			before := cpuTime(b)
			for b.Loop() {
				run()
			}
			b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
		})
	}
}

// cpuTime returns the CPU time of the process, which other work on the machine changes less than
// the time that passes.
func cpuTime(tb testing.TB) time.Duration {
	tb.Helper()
	var used syscall.Rusage
	must(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
