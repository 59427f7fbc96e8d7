package subjects

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gamedex/bench/harness"
	"gamedex/bench/sample"
)

func TestFindAskedFindsAPriceThatChanged(t *testing.T) {
	s, all := unchanged()
	c := &priceChanges{sample: s, regions: changeRegions, at: sample.Observed(), rng: rand.New(rand.NewPCG(1, 1))}
	changed := c.firstListings(100)
	if n := countRepriced(t, all, changed); len(changed) != 100 || n < 90 {
		t.Errorf("%d of %d listings are repriced, want nearly all of 100", n, len(changed))
	}
	for i := range changed {
		all[changed[i].Key] = changed[i]
	}
	lines := changed[:0:0]
	for _, l := range all {
		lines = append(lines, l)
	}
	v, err := harness.BuildView(t.Context(), t.TempDir(), lines)
	if err != nil {
		t.Fatal(err)
	}
	asked, err := findAsked(v, changed, []string{"token"})
	if err != nil {
		t.Fatal(err)
	}
	h, err := harness.NewHandler(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := h.Answer(h.Get(strings.TrimPrefix(r.URL.String(), apiPath)))
		if err != nil {
			t.Error(err)
		}
		if _, err := w.Write(body); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	got, err := asked.from(t.Context(), &harness.Service{URL: server.URL})
	if err != nil || got != asked.want {
		t.Errorf("%s answers %v, %v, want %v", asked.request.Path, got, err, asked.want)
	}
	asked.region = sample.Codes(9)[8] // not in the sample
	if _, err := asked.from(t.Context(), &harness.Service{URL: server.URL}); err == nil {
		t.Error("an answer without the price is no error")
	}
}
