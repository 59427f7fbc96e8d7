package storesim_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/testing/catalogtest"
	"gamedex/internal/testing/storesim"
)

func gridURL(t testing.TB, base string, w *storesim.World) string {
	return consoleURL(t, base, w, "categoryGridRetrieve", fmt.Sprintf(grid, 20, 0))
}

func TestFaultAnswers(t *testing.T) {
	w, _ := newWorld(2, 60, 0, catalogtest.Regions("UA", "TR"))
	server := httptest.NewServer(w.Handler())
	defer server.Close()
	address := gridURL(t, server.URL, w)
	right := fetch(t.Context(), address)
	if right.err != nil || right.status != http.StatusOK || len(right.body) < 2000 {
		t.Fatalf("without a fault: %+v", right)
	}
	html := func(g got) bool { return strings.HasPrefix(g.header.Get("Content-Type"), "text/html") }
	for fault, good := range map[storesim.Fault]func(g got) bool{
		storesim.Slow:    func(g got) bool { return bytes.Equal(g.body, right.body) },
		storesim.Cut:     func(g got) bool { return g.err != nil && len(g.body) < len(right.body) },
		storesim.TooMany: func(g got) bool { return g.status == 429 && g.header.Get("Retry-After") == "" },
		storesim.TooManyRetryAfter: func(g got) bool {
			return g.status == 429 && g.header.Get("Retry-After") == "1"
		},
		storesim.Forbidden:   func(g got) bool { return g.status == 403 && html(g) },
		storesim.ServerError: func(g got) bool { return g.status >= 500 && g.status <= 503 },
		storesim.WrongType:   func(g got) bool { return g.status == 200 && g.header.Get("Content-Type") == "text/plain" },
		storesim.GarbageGzip: func(g got) bool { return g.header.Get("Content-Encoding") == "gzip" && unpack(g.body) != nil },
		storesim.Partial: func(g got) bool {
			a := decode[gridAnswer](t, g.body)
			return len(a.Errors) == 1 && a.Errors[0].Message == "Operation timed out!" && len(a.Data.CategoryGridRetrieve.Concepts) == 10
		},
		storesim.EmptyRegion: func(g got) bool {
			a := decode[gridAnswer](t, g.body)
			return len(a.Data.CategoryGridRetrieve.Concepts) == 0 && a.Data.CategoryGridRetrieve.PageInfo.TotalCount == 0
		},
		storesim.PricesVanish: func(g got) bool {
			a := decode[gridAnswer](t, g.body)
			priced := func(c gridConcept) bool { return c.Price != nil }
			return len(a.Data.CategoryGridRetrieve.Concepts) > 0 && !slices.ContainsFunc(a.Data.CategoryGridRetrieve.Concepts, priced)
		},
		storesim.Rotated: func(g got) bool { return strings.Contains(string(g.body), "PersistedQueryNotFound") },
	} {
		w.SetFaults(storesim.Faults{Seed: 1, Share: 1, Kinds: []storesim.Fault{fault}})
		if g := fetch(t.Context(), address); !good(g) {
			t.Errorf("%s: status %d, header %v, error %v, body %.300q", fault, g.status, g.header, g.err, g.body)
		}
	}
	w.SetFaults(storesim.Faults{})
	if again := fetch(t.Context(), address); !bytes.Equal(again.body, right.body) {
		t.Errorf("after the faults: %+v", again)
	}
}

func unpack(body []byte) error {
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, z)
	return err
}

func TestHangEndsWithTheClient(t *testing.T) {
	w, _ := newWorld(2, 10, 0, catalogtest.Regions("UA"))
	server := httptest.NewServer(w.Handler())
	w.SetFaults(storesim.Faults{Share: 1, Kinds: []storesim.Fault{storesim.Hang}})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if g := fetch(ctx, gridURL(t, server.URL, w)); !errors.Is(g.err, context.DeadlineExceeded) {
		t.Errorf("answer %+v, want none", g)
	}
	server.Close() // waits for the handler
}

// TestFaultSelection draws faults by share, platform and region, and
// checks which requests fail.
func TestFaultSelection(t *testing.T) {
	w, _ := newWorld(2, 5, 5, catalogtest.Regions("UA", "TR"))
	handler := w.Handler()
	console := gridURL(t, "http://store.example", w)
	failures := func(faults storesim.Faults) map[string]int {
		w.SetFaults(faults)
		failed := make(map[string]int)
		for range 400 {
			for _, request := range [][3]string{
				{"console UA", console, "uk-ua"}, {"console TR", console, "tr-tr"},
				{"pc UA", "/pc/platform/products/prod-00000001?country=UA&locale=uk&store=PC", ""},
				{"rates", storesim.ECBPath, ""}, {"robots", "/robots.txt", ""},
			} {
				if serve(handler, request[1], request[2]).Code != http.StatusOK {
					failed[request[0]]++
				}
			}
		}
		return failed
	}
	some := []storesim.Fault{storesim.ServerError, storesim.TooMany}
	half := failures(storesim.Faults{Seed: 4, Share: 0.5, Kinds: some})
	for _, who := range []string{"console UA", "console TR", "pc UA"} {
		if n := half[who]; n < 140 || n > 260 {
			t.Errorf("%s: %d of 400 requests failed, want about half", who, n)
		}
	}
	if half["rates"]+half["robots"] > 0 {
		t.Errorf("requests to others than the stores failed: %v", half)
	}
	if diff := cmp.Diff(half, failures(storesim.Faults{Seed: 4, Share: 0.5, Kinds: some})); diff != "" {
		t.Errorf("the same seed draws other faults: %s", diff)
	}
	one := storesim.Faults{Share: 1, Kinds: some, Platform: catalog.ConsoleStore, Region: catalog.MustRegion("TR")}
	if diff := cmp.Diff(map[string]int{"console TR": 400}, failures(one)); diff != "" {
		t.Errorf("one region: %s", diff)
	}
}

// TestConcurrentRequestsAndChanges runs requests and changes concurrently for the race
// detector, and checks that no answer mixes two days.
func TestConcurrentRequestsAndChanges(t *testing.T) {
	w, _ := newWorld(2, 60, 60, catalogtest.Regions("UA", "DE", "FR"))
	server := httptest.NewServer(w.Handler())
	defer server.Close()
	address := gridURL(t, server.URL, w)
	key := w.Truth(start)[0].Key
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 30 {
				g := fetch(t.Context(), address)
				if g.err != nil {
					t.Error(g.err)
				}
				if g.status == http.StatusOK && g.header.Get("Content-Encoding") == "" && !json.Valid(g.body) {
					t.Errorf("garbage: %.200s", g.body)
				}
			}
		})
	}
	wg.Go(func() {
		for i := range 10 {
			w.Advance()
			w.SetFaults(storesim.Faults{Seed: uint64(i), Share: 0.2, Kinds: []storesim.Fault{storesim.ServerError}})
			w.SetRate("UAH", fmt.Sprint(42+i))
			w.RotateHashes()
			w.RestoreHashes()
			_, _ = w.Truth(start), w.History(key)
		}
	})
	wg.Wait()
	if w.Day() != 10 {
		t.Errorf("%d days, want 10", w.Day())
	}
}
