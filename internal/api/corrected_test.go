package api_test

import (
	"net/url"
	"testing"
)

// TestCorrected checks how search says that it changed a query.
func TestCorrected(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ q, corrected, relaxed string }{
		{"star forge", "null", "null"},
		{"Star-Forge", "null", "null"},
		{"starforge", `{"changes":["spaces"],"query":"star forge"}`, "null"},
		{"star forgge", `{"changes":["typos"],"query":"star forgge"}`, "null"},
		{"ыефк ащкпу", `{"changes":["layout"],"query":"star forge"}`, "null"},
		{"стар фордж", `{"changes":["sound"],"query":"стар фордж"}`, "null"},
		{"star forge ps4", `{"changes":["dropped"],"dropped":["ps4"],"query":"star forge"}`, "true"},
		{"star forgge ps4", `{"changes":["typos","dropped"],"dropped":["ps4"],"query":"star forgge"}`, "true"},
		{"star 4711", "null", "null"}, // a number is never corrected
	} {
		w.get("/catalog/search?q="+url.QueryEscape(c.q)).want(200).is("meta.corrected", c.corrected).is("meta.relaxed", c.relaxed)
	}
	w.get("/catalog/search?q=star+4711").is("data.total", "0")
}

// TestSuggestReadsScripts checks that suggest finds what is typed with another keyboard layout
// or by sound, and corrects nothing else.
func TestSuggestReadsScripts(t *testing.T) {
	w := newWorld(t)
	const title = `"Star Forge"`
	w.get("/catalog/suggest?q=star+forge").want(200).is("data.suggestions.0.title", title)
	for _, q := range []string{"ыефк ащк", "стар фордж", "стар фор"} {
		w.get("/catalog/suggest?q="+url.QueryEscape(q)).want(200).is("data.suggestions.0.title", title)
	}
	for _, q := range []string{"star forgge", "star forge ps4"} {
		w.get("/catalog/suggest?q="+url.QueryEscape(q)).want(200).is("data.suggestions", "[]")
	}
}
