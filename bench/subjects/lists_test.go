package subjects

import (
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gamedex/bench/alternatives"
	"gamedex/bench/harness"
	"gamedex/bench/sample"
)

// newTestLists returns a small catalog with past prices, on both sides.
func newTestLists(t *testing.T) *listSubject {
	t.Helper()
	s := sample.New(4, 1500)
	s.Steps = historySteps
	db := newPastDatabase(t, s, 4)
	b, err := harness.StartBuilder(t.Context(), db, filepath.Join(t.TempDir(), "snapshots"))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := b.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	v, err := b.OpenNewest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := harness.NewRun(t.TempDir(), "../..", true, 1, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	l := &listSubject{view: v, now: harness.Now.UnixMilli()}
	if l.other, err = alternatives.StartSQLiteCards(t.Context(), r, v, l.now); err != nil {
		t.Fatal(err)
	}
	return l
}

func TestBothSidesListTheSame(t *testing.T) {
	l := newTestLists(t)
	rng := rand.New(rand.NewPCG(1, 1))
	found := 0
	for _, low := range []bool{false, true} {
		for _, q := range drawDeals(rng, l.view, low) {
			if err := l.checkDeals(t.Context(), q); err != nil {
				t.Errorf("%+v: %v", q, err)
			}
			found += l.ourDeals(q).Total
		}
	}
	if found < 2*listQueries {
		t.Errorf("%d queries find only %d deals", 2*listQueries, found)
	}
	for _, f := range append(drawBrowses(rng, l.view, true), browseFilter{}) {
		if err := l.checkBrowse(t.Context(), f); err != nil {
			t.Errorf("%+v: %v", f, err)
		}
	}
	q := drawDeals(rng, l.view, false)[0]
	for q.MinPercent = 20; l.ourDeals(q).Total == 0; q.MaxCents += 1000 {
	}
	l.now += 100 * 24 * 3_600_000 // our side knows that all discounts are over
	if err := l.checkDeals(t.Context(), q); err == nil {
		t.Error("a difference is no error")
	}
}

// TestDealsPath checks that the API gives the deals that the package finds.
func TestDealsPath(t *testing.T) {
	l := newTestLists(t)
	h, err := harness.NewHandler(t.Context(), l.view)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range drawDeals(rand.New(rand.NewPCG(1, 1)), l.view, false) {
		body, err := h.Answer(h.Get(dealsPath(l.view, q)))
		if err != nil {
			t.Fatal(err)
		}
		page := l.ourDeals(q)
		if want := `"total":` + strconv.Itoa(page.Total); !strings.Contains(string(body), want) {
			t.Errorf("%s: no %s in %.300s", dealsPath(l.view, q), want, body)
		}
		for _, it := range page.Items {
			if !strings.Contains(string(body), `"id":"`+it.Card.ID()+`"`) {
				t.Errorf("%s lacks %s", dealsPath(l.view, q), it.Card.ID())
			}
		}
	}
}

func TestMiddleAnswer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"`+r.URL.Path+`"`)
		n, _ := strconv.Atoi(r.URL.Path[1:])
		io.WriteString(w, strings.Repeat("x", n))
	}))
	defer server.Close()
	body, header, size, err := middleAnswer(t.Context(), getRequests([]string{"/9", "/2", "/4"}, []string{"token"}), server.URL)
	if err != nil || len(body) != 4 || size != 5 || header.Get("ETag") != `"/4"` || header.Get("Content-Length") != "" {
		t.Errorf("%d bytes, %.1f on average, %v, %v", len(body), size, header, err)
	}
}
