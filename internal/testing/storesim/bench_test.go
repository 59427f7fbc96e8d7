package storesim_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"gamedex/internal/catalog"
)

// BenchmarkAnswers serves the requests that a collector sends most; items are
// requests.
func BenchmarkAnswers(b *testing.B) {
	w, _ := newWorld(1, 800, 4200, eight())
	for range 5 {
		w.Advance()
	}
	handler := w.Handler()
	file := readProfile(b, w, "http://store.example")
	var console, pc catalog.Key
	family, slug := "", ""
	for _, l := range w.Truth(start) {
		switch {
		case l.Region != catalog.MustRegion("DE"):
		case l.Platform == catalog.ConsoleStore && len(l.Facts.Edition) > 0:
			console, family = l.Key, l.Facts.Family
		case l.Platform == catalog.PCStore && l.Facts.Type == catalog.Base:
			pc, slug = l.Key, l.Facts.Slug
		}
	}
	graph := func(path, operation, hash, variables string) string {
		return queryURL(path, hash, url.Values{"operationName": {operation}}, variables)
	}
	consoleQuery := func(operation, variables string) string {
		return graph("/console/graphql", operation, file.ConsoleStore.Operations[operation], variables)
	}
	for _, test := range []struct{ name, address string }{
		{"grid", consoleQuery("categoryGridRetrieve", fmt.Sprintf(grid, 100, 300))},
		{"concept", consoleQuery("conceptRetrieveForUpsellWithCtas", `{"conceptId":"`+family+`"}`)},
		{"product", consoleQuery("metGetProductById", `{"productId":"`+console.Product+`"}`)},
		{"search", graph("/pc/graphql", "searchStoreQuery", file.PCStore.Operations["searchStoreQuery"],
			`{"country":"DE","locale":"de","category":"games","start":2000,"count":200}`)},
		{"mapping", "/pc/platform/mappings/" + slug + "?country=" + pc.Region.String() + "&locale=en&store=PC"},
	} {
		b.Run(test.name, func(b *testing.B) {
			for b.Loop() {
				r := httptest.NewRequest(http.MethodGet, test.address, nil)
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("X-Psn-Store-Locale-Override", "de-de")
				rec := httptest.NewRecorder()
				handler.ServeHTTP(rec, r)
				b.SetBytes(int64(rec.Body.Len()))
			}
		})
	}
}
