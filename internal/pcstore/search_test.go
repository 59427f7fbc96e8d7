package pcstore_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"gamedex/internal/pcstore"
	"gamedex/internal/sweep"
	"gamedex/internal/testing/golden"
	"gamedex/internal/upstream"
)

// TestSearchPage reads every kind of recorded element, on one page.
func TestSearchPage(t *testing.T) {
	for _, name := range []string{"search", "search-old", "search-partial"} {
		t.Run(name, func(t *testing.T) {
			answer := fixture(t, name+".json")
			s := (&shop{images: true, texts: true, search: func(int, int, string) string { return answer }}).open(t)
			golden.Check(t, "testdata/"+name+".golden", written(s.mustRead("DE", sweep.Prices, "")))
		})
	}
}

// listed is a catalog that serves pages of a list of ids.
func listed(ids ...string) func(int, int, string) string {
	return func(start, count int, _ string) string {
		from := min(start, len(ids))
		elements := []any{}
		for _, id := range ids[from:min(from+count, len(ids))] {
			elements = append(elements, offer(id))
		}
		return searched(len(ids), elements...)
	}
}

func ids(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint("offer", i)
	}
	return list
}

// readSweep reads to the end; meanwhile is called between pages.
func readSweep(s *shop, meanwhile func(page int)) (products []string, interrupted bool) {
	from := ""
	for n := 0; n == 0 || from != ""; n++ {
		page := s.mustRead("UA", sweep.Prices, from)
		for _, p := range page.Parts {
			products = append(products, p.Product)
		}
		interrupted = interrupted || page.Interrupted
		from = page.Next
		meanwhile(n)
	}
	return products, interrupted
}

func TestPaging(t *testing.T) {
	for n := range 15 {
		if n == 0 {
			continue // no country's store is empty: TestNoAnswer
		}
		s := (&shop{search: listed(ids(n)...)}).open(t)
		got, interrupted := readSweep(s, func(int) {})
		if fmt.Sprint(got) != fmt.Sprint(ids(n)) || interrupted {
			t.Errorf("of %d offers came %v, interrupted %v", n, got, interrupted)
		}
	}
}

func TestShiftingPages(t *testing.T) {
	all := ids(12)
	for _, tt := range []struct {
		name        string
		then        []string // the catalog after the first page
		total       int      // total in the answer; 0: its length
		interrupted bool
	}{
		{"nothing", all, 0, false},
		{"one goes that was read", all[1:], 0, true},
		{"one comes before all", append([]string{"new"}, all...), 0, true},
		{"one goes and one comes", append(append([]string{}, all[1:]...), "new"), 0, true},
		{"one goes that is still to come", append(append([]string{}, all[:8]...), all[9:]...), 0, true},
		{"one comes last", append(append([]string{}, all...), "new"), 0, true}, // only the total shows it
		{"the rest goes", all[:3], 0, true},
		{"the end is missing", all[:8], 12, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := (&shop{search: listed(all...)}).open(t)
			_, interrupted := readSweep(s, func(page int) {
				if page > 0 {
					return
				}
				s.search = listed(tt.then...)
				if tt.total != 0 {
					s.search = func(start, count int, country string) string {
						return strings.Replace(listed(tt.then...)(start, count, country), `"total":8`, `"total":12`, 1)
					}
				}
			})
			if interrupted != tt.interrupted {
				t.Errorf("interrupted is %v, want %v", interrupted, tt.interrupted)
			}
		})
	}
}

// TestSmallerPages reads from a store that returns fewer elements than
// requested.
func TestSmallerPages(t *testing.T) {
	all := listed(ids(8)...)
	s := (&shop{search: func(start, count int, country string) string {
		return strings.Replace(all(start, min(count, 3), country), `"count":1000`, `"count":3`, 1)
	}}).open(t)
	if got, interrupted := readSweep(s, func(int) {}); len(got) != 8 || interrupted {
		t.Errorf("of 8 offers came %v, interrupted %v", got, interrupted)
	}
}

func kindOf(t *testing.T, err error) upstream.Kind {
	t.Helper()
	failed, ok := errors.AsType[*upstream.Error](err)
	if !ok {
		t.Fatalf("%v is not an error of the store", err)
	}
	return failed.Kind
}

func TestNoAnswer(t *testing.T) {
	timedOut := object{"message": "Operation timed out!", "path": []any{"Catalog", "searchStore"}}
	for _, tt := range []struct {
		name, answer string
		kind         upstream.Kind
		says         string
	}{
		{"no elements", searched(0), upstream.Broken, "no data"},
		{"an empty list of them", answered(object{"searchStore": object{"elements": []any{}}}), upstream.Broken, "no offers in DE"},
		{"null", answered(object{"searchStore": null}, timedOut), upstream.Broken, "Operation timed out!"},
		{"no search", `{"data": {"Catalog": {}}}`, upstream.Broken, "no data"},
		{"no data", text(object{"data": null, "errors": []any{timedOut}}), upstream.Broken, "Operation timed out!"},
		{"another country", fixture(t, "invalid-country.json"), upstream.Refused, "the store does not know the country DE"},
		{"other words", `{"data": {"Catalog": {"searchStore": {"elements": "none"}}}}`, upstream.Broken, ""},
		{"elements without end", searched(1, make([]any, 10_001)...), upstream.Broken, "the answer has 10001"},
		{"nothing readable", searched(2, object{"id": "a"}, 7), upstream.Broken, "no element of the page can be read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := (&shop{search: func(int, int, string) string { return tt.answer }}).open(t)
			page, err := s.read("DE", sweep.Prices, "")
			if err == nil {
				t.Fatalf("page is %s", written(page))
			}
			if got := kindOf(t, err); got != tt.kind || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), "pcstore/DE/prices") {
				t.Errorf("%s: %v; want %s: %s", got, err, tt.kind, tt.says)
			}
		})
	}
}

// TestSamePageAgain checks that the sweep ends at a page that repeats forever.
func TestSamePageAgain(t *testing.T) {
	s := (&shop{search: func(int, int, string) string { return listed(ids(9)...)(0, 4, "") }}).open(t)
	first := s.mustRead("UA", sweep.Prices, "")
	if _, err := s.read("UA", sweep.Prices, first.Next); err == nil || kindOf(t, err) != upstream.Broken {
		t.Errorf("error %v", err)
	}
}

func TestBadCursor(t *testing.T) {
	s := (&shop{}).open(t)
	for _, from := range []string{"x", "1", "1|2", "1|2|", "0|2|a", "-1|2|a", "1|b|a", "9999999|2|a"} {
		if _, err := s.read("UA", sweep.Prices, from); err == nil {
			t.Errorf("cursor %q was accepted", from)
		}
	}
}

// TestGarbageElements checks that an unreadable element leaves its listing
// unchanged; without an id the listing is unknown.
func TestGarbageElements(t *testing.T) {
	for _, tt := range []struct {
		name        string
		garbage     any
		present     string
		interrupted bool
	}{
		{"no title", offer("x", "title", nil), "[x]", false},
		{"a blank title", offer("x", "title", "  "), "[x]", false},
		{"no namespace", offer("x", "namespace", nil), "[x]", false},
		{"tags of another sort", offer("x", "tags", "action"), "[x]", false},
		{"attributes of another sort", offer("x", "customAttributes", object{"a": 1}), "[x]", false},
		{"countries of another sort", offer("x", "countriesBlacklist", 7), "[x]", false},
		{"a date of another sort", offer("x", "effectiveDate", 1715510520000), "[x]", false},
		{"no id", offer("x", "id", nil), "[]", true},
		{"an id of another sort", offer("x", "id", 7), "[]", true},
		{"null", null, "[]", true},
		{"a list", []any{1}, "[]", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := (&shop{search: finds(tt.garbage, offer("a"))}).open(t)
			page := s.mustRead("UA", sweep.Prices, "")
			if len(page.Parts) != 1 || page.Parts[0].Product != "a" || fmt.Sprint(page.Present) != tt.present || page.Interrupted != tt.interrupted {
				t.Errorf("page is %s", written(page))
			}
		})
	}
}

// TestErrorsBesideData checks that a missing price in an answer with errors does not mean
// "not for sale".
func TestErrorsBesideData(t *testing.T) {
	code := func(number int, path ...any) object {
		return object{"message": "failed", "path": path, "serviceResponse": fmt.Sprintf(`{"errorCode":"errors.example.x","numericErrorCode":%d}`, number)}
	}
	elements := object{"searchStore": object{"elements": []any{
		offer("whole"), offer("unpriced", "price", null), offer("unmapped", "catalogNs", object{"mappings": null}, "productSlug", "forge"),
	}, "paging": object{"total": 3}}}
	for _, tt := range []struct {
		name        string
		err         object
		parts       int
		interrupted bool
	}{
		{"no mappings for an offer", code(1004, "Catalog", "searchStore", "elements", 2, "catalogNs", "mappings"), 3, false},
		{"by name", object{"message": "x", "errorCode": "errors.example.not_found", "path": []any{"a", "offerMappings"}}, 3, false},
		{"not found, but the price", code(1004, "Catalog", "searchStore", "elements", 1, "price"), 1, true},
		{"mappings failed otherwise", code(1001, "Catalog", "searchStore", "elements", 2, "catalogNs", "mappings"), 1, true},
		{"timed out", object{"message": "Operation timed out!"}, 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := (&shop{search: func(int, int, string) string { return answered(elements, tt.err) }}).open(t)
			page := s.mustRead("UA", sweep.Prices, "")
			if len(page.Parts) != tt.parts || len(page.Parts)+len(page.Present) != 3 || page.Interrupted != tt.interrupted {
				t.Errorf("page is %s", written(page))
			}
		})
	}
}

// answering is a host that sends one body to every query.
type answering []byte

func (a answering) RoundTrip(q *http.Request) (*http.Response, error) {
	body := string(a)
	if q.URL.Path == "/robots.txt" {
		body = ""
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Request: q,
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}, nil
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"search.json", "search-old.json", "search-partial.json", "invalid-country.json", "mapping.json", "product.json", "offer.json"} {
		f.Add([]byte(fixture(&testing.T{}, name)), "")
	}
	f.Add([]byte(searched(1, offer("a"))), "3|4|a")
	f.Add([]byte(`{"data":{"Catalog":{"searchStore":{"elements":[null,{"id":"a","price":{}}],"paging":{"count":-1,"total":-9}}}}}`), "")
	profile, err := pcstore.ParseProfile(json.RawMessage(goodProfile))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte, from string) {
		client, err := upstream.New(upstream.Config{
			UserAgent: "gamedex-test", HTTP: answering(body), Now: time.Now, Rand: func() float64 { return 0 },
		}, []upstream.Host{{Name: "api.pc.example", RequestsPerSecond: 1e6, Attempts: 1}, {Name: "platform.pc.example", RequestsPerSecond: 1e6, Attempts: 1}})
		if err != nil {
			t.Fatal(err)
		}
		store := pcstore.New(pcstore.Config{
			Profile: profile, Client: client, Texts: true, Images: true,
			Now: func() time.Time { return noon }, Log: slog.New(slog.DiscardHandler),
		})
		for _, job := range store.Jobs() {
			page, err := store.Read(t.Context(), job, from)
			if err != nil {
				if _, ok := errors.AsType[*upstream.Error](err); !ok && !strings.Contains(err.Error(), "cursor") {
					t.Errorf("%v is not an error of the store", err)
				}
				continue
			}
			for _, p := range page.Parts {
				if p.Product == "" || p.Facts.Title == "" || p.Facts.Slug == "" || p.Shows&p.Guesses != 0 || p.Price != nil && (p.Price.Current < 0 || p.Price.Currency == "") {
					t.Errorf("part %+v", p)
				}
			}
		}
	})
}
