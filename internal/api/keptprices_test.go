package api_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"gamedex/internal/api"
	"gamedex/internal/index"
)

// TestKeptPricesChangeNoAnswer asks for more different prices than a view keeps, in several forms,
// and compares each answer with the first one from another view of the same snapshot.
func TestKeptPricesChangeNoAnswer(t *testing.T) {
	snapshot, manifest := largeSample(1500, 4).open(t), sampleManifest(t)
	var of *api.API
	w := newWorld(t, unlimited, func(_ *world, c *api.Config) {
		c.AnswerCache = 0
		of = api.New(*c)
	})
	// ask returns the answer up to meta, and how many bytes were sent.
	ask := func(v *index.View, change, coding string) (string, int) {
		w.live.Swap(v)
		r := httptest.NewRequest("POST", "/api/v1/catalog/prices", strings.NewReader(idsBody(1000, change)))
		r.Header.Set("Authorization", "Bearer "+w.token)
		r.Header.Set("Accept-Encoding", coding)
		answer := httptest.NewRecorder()
		of.ServeHTTP(answer, r)
		sent, body := answer.Body.Len(), io.Reader(answer.Body)
		if coding != "" {
			z, err := gzip.NewReader(answer.Body)
			must(t, err)
			body = z
		}
		text, err := io.ReadAll(body)
		if end := bytes.LastIndex(text, []byte(`,"meta":{`)); err != nil || end > 0 {
			return string(text[:end]), sent
		}
		t.Fatalf("%d: %.200s", answer.Code, text)
		return "", 0
	}
	used := index.NewView(snapshot, manifest)
	for range 2 {
		for _, form := range []struct{ change, coding string }{
			{`,"currency":"PLN"`, ""}, {"", ""}, {"", "gzip"}, {`,"currency":"EUR"`, "gzip"}, {`,"currency":"PLN"`, "gzip"},
			{`,"regions":"all"`, ""}, {`,"lang":"pl"`, ""},
		} {
			got, sent := ask(used, form.change, form.coding)
			want, first := ask(index.NewView(snapshot, manifest), form.change, form.coding)
			if got != want {
				t.Errorf("%v: the answer differs from the first one of a view", form)
			}
			if sent > first+first/100 {
				t.Errorf("%v: %d bytes, %d for the first answer of a view: hints are missing", form, sent, first)
			}
		}
	}
}
