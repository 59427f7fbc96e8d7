package storesim_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"gamedex/internal/testing/storesim"
)

// ask sends a persisted query with the hash of the world's profile, and returns
// the status and the body.
func ask(t testing.TB, address, hash, locale string, values url.Values, variables string) (int, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, queryURL(address, hash, values, variables), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Psn-Store-Locale-Override", locale)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, body
}

func queryURL(address, hash string, values url.Values, variables string) string {
	values.Set("variables", variables)
	values.Set("extensions", `{"persistedQuery":{"version":1,"sha256Hash":"`+hash+`"}}`)
	return address + "?" + values.Encode()
}

func askConsole(t testing.TB, base string, w *storesim.World, locale, operation, variables string) []byte {
	t.Helper()
	hash := readProfile(t, w, base).ConsoleStore.Operations[operation]
	_, body := ask(t, base+"/console/graphql", hash, locale, url.Values{"operationName": {operation}}, variables)
	return body
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
	w, _ := newWorld(3, 20, 20, regions("UA", "US"))
	handler := w.Handler()
	file := readProfile(f, w, "http://store.example")
	f.Fuzz(func(t *testing.T, operation, variables, locale string) {
		for path, known := range map[string]map[string]string{"/console/graphql": file.ConsoleStore.Operations, "/pc/graphql": file.PCStore.Operations} {
			r := httptest.NewRequest(http.MethodGet, queryURL(path, known[operation], url.Values{"operationName": {operation}}, variables), nil)
			r.Header["X-Psn-Store-Locale-Override"] = []string{locale}
			r.Header.Set("Content-Type", "application/json")
			rec := httptest.NewRecorder()
			handler.ServeHTTP(rec, r)
			if !json.Valid(rec.Body.Bytes()) {
				t.Errorf("%s %s: %s", operation, variables, rec.Body)
			}
		}
	})
}
