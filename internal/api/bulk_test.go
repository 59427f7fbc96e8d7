package api_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"gamedex/internal/api"
	"gamedex/internal/index"
)

// TestBulkAllocations checks that an answer about a thousand games allocates
// only for the request's body and what holds it, and nothing for what it finds
// and writes.
func TestBulkAllocations(t *testing.T) {
	view := index.NewView(largeSample(1000, 4).open(t), sampleManifest(t))
	var of *api.API
	newWorld(t, unlimited, func(_ *world, c *api.Config) { of = api.New(*c) })
	for _, tt := range []struct {
		name, body string
		most       float64
	}{
		{"prices", idsBody(1000, ""), 5},
		{"everything", idsBody(200, `,"regions":"all","include":"image,url,editions,meta,fx"`), 10},
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
