package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	"gamedex/internal/account"
)

// TestRequestsDoNotMix checks that concurrent clients, with valid and invalid
// requests in turn, get the same answers as alone although requests reuse
// memory.
func TestRequestsDoNotMix(t *testing.T) {
	w := newWorld(t, unlimited)
	type question struct{ path, token, want string }
	var questions []question
	get := func(path, token string) string {
		out := w.direct(http.MethodGet, path, "", bearer(token))
		var body struct{ Data, Error json.RawMessage }
		if err := json.Unmarshal(out.Body.Bytes(), &body); err != nil {
			return err.Error()
		}
		return fmt.Sprint(out.Code, out.Header()["Etag"], string(body.Data), string(body.Error))
	}
	for i := range 4 {
		_, token := w.newKey(account.Draft{Name: fmt.Sprint("key ", i)})
		for _, path := range []string{
			"/account/me", "/catalog/search?q=star", "/catalog/search?q=forge&limit=1&includeRelated=1", "/catalog/search?q=x",
			"/catalog/suggest?q=s%74ar+f", "/catalog/suggest?q=%zz", "/catalog/games/" + forge, "/catalog/games/nope",
			"/catalog/pcstore/games/star-forge", "/catalog/prices?ids=" + forge + ",nope", "/catalog/platforms", "/catalog/exchange-rates?a=1&b=2&a=3",
		} {
			questions = append(questions, question{path, token, get(path, token)})
		}
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 10 {
				for _, q := range slices.Concat(questions[i*5:], questions[:i*5]) {
					if got := get(q.path, q.token); got != q.want {
						t.Errorf("%s: %.300s, alone: %.300s", q.path, got, q.want)
					}
				}
			}
		})
	}
	all.Wait()
}
