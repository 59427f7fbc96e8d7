package browsertest_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"gamedex/internal/testing/browsertest"
)

// bothModes runs a test with the page's scripts and without.
func bothModes(t *testing.T, test func(*testing.T, browsertest.Options)) {
	t.Run("scripts", func(t *testing.T) { test(t, browsertest.Options{}) })
	t.Run("no scripts", func(t *testing.T) { test(t, browsertest.Options{NoScript: true}) })
}

// TestStepsWaitForThePage checks that steps do not see the page that they
// leave: it clicks as fast as it can.
func TestStepsWaitForThePage(t *testing.T) {
	t.Parallel()
	bothModes(t, func(t *testing.T, o browsertest.Options) {
		var n atomic.Int64
		page := func(w http.ResponseWriter, _ *http.Request) {
			write(w, fmt.Sprintf(`<form method="post" action="/add"><button>Add</button></form><p id="n">%d</p><a href="/other">Other</a>`, n.Load()))
		}
		o.BaseURL = site(t, "", map[string]http.HandlerFunc{
			"GET /page": page,
			"POST /add": func(w http.ResponseWriter, r *http.Request) {
				n.Add(1)
				http.Redirect(w, r, "/page", http.StatusSeeOther)
			},
			"GET /other": func(w http.ResponseWriter, _ *http.Request) { write(w, `<a href="/page">Back</a>`) },
		})
		v := shared.Visitor(t, o)
		v.Go("/page")
		for i := range 4 {
			v.Submit("Add")
			if got, want := v.Text("#n"), strconv.Itoa(i+1); got != want {
				t.Fatalf("after %s clicks the page says %s", want, got)
			}
			v.ClickText("Other")
			if got := v.Path(); got != "/other" {
				t.Fatalf("at %s after the link to /other", got)
			}
			v.ClickText("Back")
		}
	})
}

func TestPageBytes(t *testing.T) {
	t.Parallel()
	code := "/*" + strings.Repeat("x", 5000) + "*/"
	base := site(t, `<script src="/code.js"></script><img alt="" src="/large.svg">`, map[string]http.HandlerFunc{
		"GET /code.js": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "max-age=1000")
			script(code)(w, r)
		},
		"GET /large.svg": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/svg+xml")
			_, _ = w.Write([]byte(`<svg xmlns="http://www.w3.org/2000/svg"><!--` + strings.Repeat("x", 50000) + `--></svg>`))
		},
	})
	v := shared.Visitor(t, browsertest.Options{BaseURL: base})
	for _, visit := range []string{"first", "second, with the script in the cache"} {
		v.Go("/")
		want := int64(len(head+`<script src="/code.js"></script><img alt="" src="/large.svg"></main></body></html>`) + len(code))
		if got := v.PageBytes(); got != want {
			t.Errorf("%s: %d bytes, want %d", visit, got, want)
		}
		if got := v.PageBytesSent(); (got > want) != (visit == "first") {
			t.Errorf("%s: %d bytes sent of %d", visit, got, want)
		}
	}
}

// TestEndsOfANavigation checks that a step waits for whatever a click leads to.
func TestEndsOfANavigation(t *testing.T) {
	t.Parallel()
	base := site(t, `<a href="/file">Download</a> <a href="/empty">Nothing new</a> <a href="#there">There</a> <a href="/moved">Moved</a>
		<a href="/script">Scripted</a> <a href="/new" target="_blank">New tab</a><p id="there">place</p>`, map[string]http.HandlerFunc{
		"GET /file": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Disposition", "attachment; filename=a.json")
			_, _ = w.Write([]byte("{}"))
		},
		"GET /empty":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"GET /moved":  func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/end", http.StatusFound) },
		"GET /end":    func(w http.ResponseWriter, _ *http.Request) { write(w, "the end") },
		"GET /script": func(w http.ResponseWriter, _ *http.Request) { write(w, `<script src="/go.js"></script>`) },
		"GET /go.js":  script("location.replace('/end')"),
	})
	for _, tc := range []struct{ link, path string }{
		{"Download", "/"}, {"Nothing new", "/"}, {"There", "/"}, {"Moved", "/end"}, {"Scripted", "/end"}, {"New tab", "/"},
	} {
		t.Run(tc.link, func(t *testing.T) {
			v := shared.Visitor(t, browsertest.Options{BaseURL: base})
			v.Go("/")
			v.ClickText(tc.link)
			if got := v.Path(); got != tc.path {
				t.Errorf("at %s, want %s", got, tc.path)
			}
		})
	}
}
