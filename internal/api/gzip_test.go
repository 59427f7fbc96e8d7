package api_test

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	fastgzip "github.com/klauspost/compress/gzip"

	"gamedex/internal/api"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// unzip decompresses a body that must be exactly one gzip member.
func unzip(tb testing.TB, body []byte) []byte {
	tb.Helper()
	from := bufio.NewReader(bytes.NewReader(body))
	z, err := gzip.NewReader(from)
	must(tb, err)
	z.Multistream(false)
	text, err := io.ReadAll(z)
	must(tb, err)
	if rest, _ := io.ReadAll(from); len(rest) > 0 {
		tb.Errorf("%d bytes after the first gzip member", len(rest))
	}
	return text
}

// bulkRequester requests bulk prices from a handler. At one time the answer is
// always the same, because the key's limits do not count down in it.
func bulkRequester(tb testing.TB, view *index.View) func(coding, request string) *httptest.ResponseRecorder {
	w := newWorld(tb, unlimited, func(w *world, _ *api.Config) { w.live.Swap(view) })
	return func(coding, request string) *httptest.ResponseRecorder {
		return w.direct(http.MethodPost, "/catalog/prices", request, header("Accept-Encoding", coding))
	}
}

// items returns the part of an answer that does not change from request to
// request.
func items(tb testing.TB, text []byte) []byte {
	tb.Helper()
	end := bytes.LastIndex(text, []byte(`,"meta":{"version":`))
	if end < 0 {
		tb.Fatalf("no answer: %.200s", text)
	}
	return text[:end]
}

// TestAnswersWithMatchHints compares gzip with no coding, for answers from too small
// for match hints up to many chunks, several at a time: writers and buffers are
// reused.
func TestAnswersWithMatchHints(t *testing.T) {
	send := bulkRequester(t, index.NewView(largeSample(300, 60).open(t), sampleManifest(t)))
	var all sync.WaitGroup
	for _, n := range []int{1, 2, 5, 20, 80, 300, 30, 3} {
		for _, more := range []string{"", `,"regions":"all"`, `,"include":["image","url","meta","fx"]`, `,"include":"editions"`, `,"include":"editions","currency":"UAH"`, `,"include":"lows"`} {
			if n > 200 && strings.Contains(more, "editions") {
				continue
			}
			all.Go(func() {
				request := idsBody(n, more)
				want, got := send("", request), send("gzip", request)
				if !bytes.Equal(items(t, unzip(t, got.Body.Bytes())), items(t, want.Body.Bytes())) {
					t.Errorf("%d games%s: the answer with gzip differs", n, more)
				}
				if got.Header().Get("Content-Encoding") != "gzip" || got.Header().Get("Content-Length") != "" {
					t.Errorf("%d games%s: headers %v", n, more, got.Header())
				}
			})
		}
	}
	all.Wait()
}

// TestMatchHintsSaveBytes checks that answers with match hints are no longer
// than with a search for repetitions, whether all prices were seen in the same
// second or each at a different time.
func TestMatchHintsSaveBytes(t *testing.T) {
	t.Run("alike", func(t *testing.T) { wantHintsWorthIt(t, bulkView(t, 1000)) })
	t.Run("varied", func(t *testing.T) { wantHintsWorthIt(t, variedView(t, 1000)) })
}

// variedView is bulkView with times, sources and stores that differ as in a
// catalog that was swept page by page, region by region.
func variedView(tb testing.TB, cards int) *index.View {
	s, rng := newSample(), rand.New(rand.NewPCG(5, 6))
	for i := range cards {
		s.bulkCard(rng, i)
	}
	for i := range s.in.Entries {
		e := &s.in.Entries[i]
		e.PricedAt = catalog.Millis(start - 433_000*(i%4) - 1000*rng.IntN(7200))
		if e.Price != nil && rng.IntN(20) == 0 {
			e.Price.Source = ""
		}
		if i/4%10 == 0 {
			e.Platform = catalog.PCStore
		}
	}
	for i := range s.in.Cards {
		if c := &s.in.Cards[i]; i%10 == 0 {
			c.Platform, c.EditionName = catalog.PCStore, ""
			c.Offers = []catalog.Offer{{ID: s.in.Entries[c.Rows[0]].Product, Type: catalog.Base, Rows: c.Rows}}
		}
	}
	return index.NewView(s.open(tb), sampleManifest(tb))
}

func wantHintsWorthIt(t *testing.T, v *index.View) {
	t.Helper()
	send := bulkRequester(t, v)
	for _, n := range []int{1, 10, 30, 100, 1000} {
		for _, more := range []string{"", `,"include":["image","url","meta"]`, `,"currency":"JPY"`, `,"include":"lows"`} {
			request := idsBody(n, more)
			hinted, searched := send("gzip", request).Body.Len(), searchedLength(t, send("", request).Body.Bytes())
			limit := searched + 20 // meta differs each time
			if n == 1000 {
				limit = searched * 95 / 100 // a part without hints takes more than that
			}
			if hinted > limit {
				t.Errorf("%d games%s: %d bytes with hints, %d with a search", n, more, hinted, searched)
			}
		}
	}
}

// searchedLength returns the length of a text that is compressed with a search for
// repetitions, as answers without match hints are.
func searchedLength(t *testing.T, text []byte) int {
	t.Helper()
	var out sink
	zip, err := fastgzip.NewWriterLevel(&out, fastgzip.BestSpeed)
	if err == nil {
		_, err = zip.Write(text)
	}
	if err = cmp.Or(err, zip.Close()); err != nil {
		t.Fatal(err)
	}
	return out.bytes
}

// TestInterruptedAnswersLeaveNothing interrupts answers with match hints at many
// places, and checks that later answers in the same memory are whole.
func TestInterruptedAnswersLeaveNothing(t *testing.T) {
	w := worldOf(t, largeSample(300, 60))
	request := idsBody(300, `,"regions":"all"`)
	send := func(to http.ResponseWriter) (cut any) {
		r := httptest.NewRequest("POST", "/api/v1/catalog/prices", strings.NewReader(request))
		r.Header.Set("Authorization", "Bearer "+w.token)
		r.Header.Set("Accept-Encoding", "gzip")
		defer func() { cut = recover() }()
		w.api.ServeHTTP(to, r)
		return nil
	}
	whole := httptest.NewRecorder()
	if cut := send(whole); cut != nil {
		t.Fatal(cut)
	}
	want := items(t, unzip(t, whole.Body.Bytes()))
	for i := range 5 { // answers differ by a few bytes: none of the places is close to the end
		left := i * whole.Body.Len() / 5
		if cut := send(&leaver{sink{header: http.Header{}}, left}); cut != http.ErrAbortHandler {
			t.Errorf("after %d bytes: %v, want the connection cut", left, cut)
		}
		again := httptest.NewRecorder()
		if cut := send(again); cut != nil || !bytes.Equal(items(t, unzip(t, again.Body.Bytes())), want) {
			t.Errorf("the answer after a client that left at %d differs", left)
		}
	}
}

// leaver is a client that disconnects in the middle of an answer.
type leaver struct {
	sink
	left int
}

func (l *leaver) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, fmt.Errorf("the client is gone")
	}
	return len(p), nil
}
