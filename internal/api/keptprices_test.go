package api_test

import (
	"net/http"
	"testing"

	"gamedex/internal/api"
	"gamedex/internal/index"
)

// TestKeptPricesChangeNoAnswer asks for more different prices than a view keeps, in several forms,
// and compares each answer with the first one from another view of the same snapshot.
func TestKeptPricesChangeNoAnswer(t *testing.T) {
	snapshot, manifest := largeSample(1500, 4).open(t), sampleManifest(t)
	w := newWorld(t, unlimited, func(_ *world, c *api.Config) { c.AnswerCache = 0 })
	// ask returns the answer up to meta, and how many bytes were sent.
	ask := func(v *index.View, change, coding string) (string, int) {
		w.live.Swap(v)
		out := w.direct(http.MethodPost, "/catalog/prices", idsBody(1000, change), header("Accept-Encoding", coding))
		text := out.Body.Bytes()
		if coding != "" {
			text = unzip(t, text)
		}
		return string(items(t, text)), out.Body.Len()
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
