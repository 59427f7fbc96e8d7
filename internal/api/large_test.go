package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"gamedex/internal/api"
	"gamedex/internal/api/bulk"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

const allRegions = "UA TR PL IN US DE FR IT ES PT NL BE LU AT CH CZ SK HU RO BG GR SE NO FI DK IS IE GB JP KR " +
	"HK SG MY TH ID AU NZ CA MX BR AR CL PE CO UY IL SA AE KW QA BH OM ZA KZ GE HR SI CY MT EE"

// largeSample has games in the first regions of a long list.
func largeSample(games, regions int) *sample {
	s := newSample()
	codes := strings.Fields(allRegions)[:regions]
	for i := range games {
		var offers []offer
		for j, code := range codes {
			offers = append(offers, offer{code, number("USD", money.Amount(999+i*7+j), off(money.Amount(500+i), start+day))})
		}
		s.console(catalog.Card{ID: gameID(i), Family: fmt.Sprint(i), Type: catalog.Game, Title: fmt.Sprint("The Long Way Home ", i)},
			fmt.Sprintf("EP%04d-PPSA%05d_00-LONGWAYHOME%05d", i, i, i), "", offers...)
	}
	return s
}

func gameID(i int) string { return fmt.Sprintf("G%07d", i) }

func idsBody(n int, more string) string {
	var ids []string
	for i := range n {
		ids = append(ids, gameID(i))
	}
	raw, err := json.Marshal(ids)
	if err != nil {
		panic(err)
	}
	return `{"ids":` + string(raw) + more + `}`
}

// largeWorld serves a catalog whose largest answer is about 7 MB. Its answers
// are too long to be checked against the reference: they bypass it.
func largeWorld(t *testing.T, memory int64) *world {
	w := newWorld(t, unlimited, func(w *world, c *api.Config) {
		w.live.Swap(index.NewView(largeSample(300, 60).open(t), sampleManifest(t)))
		c.AnswerMemory = memory
	})
	w.client = &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}
	return w
}

func TestLargeAnswersAreWhole(t *testing.T) {
	w := largeWorld(t, 0)
	body := idsBody(300, `,"regions":"all","include":["url","image","meta"]`)
	plain := w.post(body).want(200)
	if len(plain.body) < 6<<20 || !json.Valid(plain.body) {
		t.Fatalf("%d bytes, valid JSON: %v", len(plain.body), json.Valid(plain.body))
	}
	items := plain.at("data.items").([]any)
	if len(items) != 300 {
		t.Errorf("%d items, want 300", len(items))
	}
	for i, item := range items {
		if id := item.(map[string]any)["id"]; id != gameID(i) {
			t.Fatalf("item %d is %v", i, id)
		}
	}
	for _, coding := range []string{"gzip", "zstd"} {
		packed := w.post(body, header("Accept-Encoding", coding)).want(200)
		if packed.header.Get("Content-Encoding") != coding {
			t.Errorf("%s: Content-Encoding %q", coding, packed.header.Get("Content-Encoding"))
		}
		head := bytes.LastIndex(packed.body, []byte(`,"meta":{`)) // the rest changes with each request
		if !bytes.HasPrefix(plain.body, packed.body[:head]) {
			t.Errorf("%s: the answer differs from the one without coding", coding)
		}
	}
}

func TestLengthOfAnswers(t *testing.T) {
	w := largeWorld(t, 0)
	small := w.post(idsBody(10, "")).want(200)
	if small.length != int64(len(small.body)) {
		t.Errorf("an answer of one chunk: Content-Length %d, body %d", small.length, len(small.body))
	}
	if large := w.post(idsBody(300, `,"regions":"all"`)).want(200); large.length != -1 {
		t.Errorf("an answer of many chunks has Content-Length %d", large.length)
	}
}

// TestSlowReadersHoldOneBufferEach lets clients request the largest answer and not read
// it until they hold their owner's share, and checks the memory.
func TestSlowReadersHoldOneBufferEach(t *testing.T) {
	const readers, each = 44, 288 << 10
	w := largeWorld(t, 4*readers*each) // a quarter of it is one owner's share
	body := idsBody(300, `,"regions":"all"`)
	w.post(idsBody(10, "")).want(200)
	before := heap()
	request := fmt.Sprintf("POST /api/v1/catalog/prices HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", w.token, len(body), body)
	var stuck []net.Conn
	defer func() {
		for _, conn := range stuck {
			_ = conn.Close()
		}
	}()
	for range readers {
		conn, err := net.Dial("tcp", w.server.Listener.Addr().String())
		must(t, err)
		stuck = append(stuck, conn)
		// Otherwise the kernel takes most of the answer from the server.
		must(t, conn.(*net.TCPConn).SetReadBuffer(4096))
		if _, err := io.WriteString(conn, request); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if held := heap() - before; held > readers*512<<10 {
		t.Errorf("%d slow readers hold %d KiB", readers, held>>10)
	}
	w.get("/catalog/games/" + gameID(1)).want(200)
	began := time.Now()
	refused := w.post(body).code(503, "SERVICE_UNAVAILABLE")
	if waited := time.Since(began); waited < 900*time.Millisecond || refused.header.Get("Retry-After") == "" {
		t.Errorf("refused after %v with Retry-After %q", waited, refused.header.Get("Retry-After"))
	}
	for _, conn := range stuck {
		_ = conn.Close()
	}
	for range 100 { // until the server has noticed
		if w.post(body).status == 200 {
			return
		}
	}
	t.Error("the memory of disconnected clients is not released")
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// sink is a response writer that discards everything.
type sink struct {
	header http.Header
	bytes  int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(int)             {}
func (s *sink) Write(p []byte) (int, error) { s.bytes += len(p); return len(p), nil }

// fewestAllocs returns the minimum of many runs: pools are emptied now and
// then, under the race detector on purpose.
func fewestAllocs(f func() int) float64 {
	least := testing.AllocsPerRun(1, func() { f() })
	for range 40 {
		least = min(least, testing.AllocsPerRun(1, func() { f() }))
	}
	return least
}

// TestBulkAllocations checks that an answer about a thousand games allocates
// only for the request's body, what holds it and the account of its owner, and nothing for what it finds
// and writes.
func TestBulkAllocations(t *testing.T) {
	view := index.NewView(largeSample(1000, 4).open(t), sampleManifest(t))
	of := newWorld(t, unlimited).api
	for _, tt := range []struct {
		name, body string
		most       float64
	}{
		{"prices", idsBody(1000, ""), 6},
		{"everything", idsBody(200, `,"regions":"all","include":"`+strings.Join(bulk.BlockNames[:], ",")+`"`), 11},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, out, text := api.NewBulkEncoder(of), &sink{header: http.Header{}}, strings.NewReader("")
			r := &http.Request{Method: http.MethodPost, Body: io.NopCloser(text), ContentLength: int64(len(tt.body)), Header: http.Header{}}
			allocs := fewestAllocs(func() int {
				text.Reset(tt.body)
				out.bytes = 0
				if err := e.Answer(view, start, r, out); err != nil {
					t.Fatal(err)
				}
				return out.bytes
			})
			if out.bytes < 100_000 {
				t.Fatalf("the answer has %d bytes", out.bytes)
			}
			if allocs > tt.most {
				t.Errorf("%v allocations, want %v at most", allocs, tt.most)
			}
		})
	}
}
