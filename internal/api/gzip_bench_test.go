package api_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
)

// searched is a response that is compressed piece by piece with a search for
// repetitions, as answers without match hints are.
type searched struct {
	sink
	zip *gzip.Writer
}

func newSearched(tb testing.TB) *searched {
	s := &searched{}
	zip, err := gzip.NewWriterLevel(&s.sink, gzip.BestSpeed)
	if err != nil {
		tb.Fatal(err)
	}
	s.zip = zip
	return s
}

func (s *searched) Write(p []byte) (int, error) { return s.zip.Write(p) }

// gzipHandler sends requests for gzip; where search is true, for a plain answer
// that is compressed behind the handler.
func (b *bulkWays) gzipHandler(tb testing.TB, search bool) func() int {
	bodies := make([]string, bulkSets)
	for i, set := range b.sets {
		bodies[i] = `{"ids":["` + strings.Join(set, `","`) + `"]}`
	}
	body := strings.NewReader("")
	r, err := http.NewRequest("POST", "/api/v1/catalog/prices", io.NopCloser(body))
	if err != nil {
		tb.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+b.w.token)
	out := newSearched(tb)
	if !search {
		r.Header.Set("Accept-Encoding", "gzip")
	}
	return func() int {
		b.next++
		body.Reset(bodies[b.next%bulkSets])
		r.ContentLength = body.Size()
		out.header, out.bytes = http.Header{}, 0
		if !search {
			b.api.ServeHTTP(&out.sink, r)
			return out.bytes
		}
		out.zip.Reset(&out.sink)
		b.api.ServeHTTP(out, r)
		if err := out.zip.Close(); err != nil {
			tb.Fatal(err)
		}
		return out.bytes
	}
}

// BenchmarkBulkGzip alternates between a plain answer, one with match hints,
// and one that is compressed by a search, and reports medians: of the time in
// microseconds, of the bytes, and of the ratios.
func BenchmarkBulkGzip(b *testing.B) {
	ways := newBulkWays(b)
	runs := []struct {
		name string
		run  func() int
	}{{"plain", ways.handler(b, "")}, {"hints", ways.gzipHandler(b, false)}, {"search", ways.gzipHandler(b, true)}}
	took, size := make([][]float64, len(runs)), make([]float64, len(runs))
	for b.Loop() {
		for i := range runs {
			began := time.Now()
			size[i] = float64(runs[i].run())
			took[i] = append(took[i], float64(time.Since(began).Nanoseconds())/1000)
		}
	}
	for i := range runs {
		slices.Sort(took[i])
		b.ReportMetric(took[i][len(took[i])/2], runs[i].name+"-µs")
		b.ReportMetric(size[i], runs[i].name+"-bytes")
	}
	b.ReportMetric(took[1][len(took[1])/2]/took[2][len(took[2])/2], "hints/search")
	b.ReportMetric(0, "ns/op")
}
