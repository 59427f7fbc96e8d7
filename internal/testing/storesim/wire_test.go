package storesim_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"gamedex/internal/testing/catalogtest"
	"gamedex/internal/testing/storesim"
)

// got is the result of a request.
type got struct {
	status int
	header http.Header
	body   []byte
	err    error
}

// fetch sends a query and does not decompress the answer.
func fetch(ctx context.Context, address string) got {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return got{err: err}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Psn-Store-Locale-Override", "uk-ua")
	r.Header.Set("Accept-Encoding", "gzip")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return got{err: err}
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	return got{answer.StatusCode, answer.Header, body, err}
}

// serve answers a query in a locale without a network.
func serve(h http.Handler, address, locale string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, address, nil)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Psn-Store-Locale-Override", locale)
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, r)
	return answer
}

func queryURL(address, hash, operation, variables string) string {
	values := url.Values{"operationName": {operation}, "variables": {variables},
		"extensions": {`{"persistedQuery":{"version":1,"sha256Hash":"` + hash + `"}}`}}
	return address + "?" + values.Encode()
}

// consoleURL is the address of a persisted query, with the hash of the world's profile.
func consoleURL(t testing.TB, base string, w *storesim.World, operation, variables string) string {
	t.Helper()
	hash := readProfile(t, w, base).ConsoleStore.Operations[operation]
	return queryURL(base+"/console/graphql", hash, operation, variables)
}

func askConsole(t testing.TB, w *storesim.World, locale, operation, variables string) []byte {
	t.Helper()
	return serve(w.Handler(), consoleURL(t, "http://store.example", w, operation, variables), locale).Body.Bytes()
}

func decode[T any](t testing.TB, body []byte) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%v in %.500s", err, body)
	}
	return v
}

func FuzzQueries(f *testing.F) {
	f.Add("metGetProductById", `{"productId":"EP0000-PPSA00000_00-0000000000000000"}`, "uk-ua")
	f.Add("categoryGridRetrieve", `{"pageArgs":{"size":-1,"offset":-9}}`, "")
	f.Add("searchStoreQuery", `{"start":-1,"count":99999999,"country":"US"}`, "x")
	f.Add("getCatalogOffer", `{"offerId":"ffffffffffffffffffffffffffffffff","country":"US"}`, "x")
	w, _ := newWorld(3, 20, 20, catalogtest.Regions("UA", "US"))
	handler := w.Handler()
	file := readProfile(f, w, "http://store.example")
	f.Fuzz(func(t *testing.T, operation, variables, locale string) {
		for path, known := range map[string]map[string]string{"/console/graphql": file.ConsoleStore.Operations, "/pc/graphql": file.PCStore.Operations} {
			answer := serve(handler, queryURL(path, known[operation], operation, variables), locale)
			if !json.Valid(answer.Body.Bytes()) {
				t.Errorf("%s %s: %s", operation, variables, answer.Body)
			}
		}
	})
}
