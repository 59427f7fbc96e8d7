package browsertest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gamedex/internal/testing/browsertest"
)

// head is the beginning of a page with nothing to complain about.
const head = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page</title>` +
	`<meta name="viewport" content="width=device-width, initial-scale=1"></head><body><main><h1>Page</h1>`

// site serves one page at /, the same at /strict with a policy that allows
// nothing foreign and nothing inline, and what more there is.
func site(t *testing.T, body string, more map[string]http.HandlerFunc) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { write(w, body) })
	mux.HandleFunc("GET /strict", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'self'")
		write(w, body)
	})
	for pattern, h := range more {
		mux.HandleFunc(pattern, h)
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

func write(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(head + body + `</main></body></html>`))
}

func script(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = w.Write([]byte(text))
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, path, body, script string
		want                     string // "": the page is fine
	}{
		{"good page", "/", `<p>fine`, "console.log('hello'); console.warn('careful')", ""},
		{"console error", "/", `<p>bad`, "console.error('it', 'broke')", `console error: "it" "broke"`},
		{"exception", "/", `<p>bad`, "null.nothing", "uncaught exception"},
		{"rejected promise", "/", `<p>bad`, "Promise.reject(new Error('lost'))", "lost"},
		{"inline script", "/strict", `<script>1</script>`, "", "security: "},
		{"inline style", "/strict", `<p style="color: red">red`, "", "security: "},
		{"foreign image, kept in", "/strict", `<img alt="" src="http://elsewhere.test:1/a.png">`, "", "security: "},
		{"foreign image", "/", `<img alt="" src="http://elsewhere.test:1/a.png">`, "", "a request leaves the site: GET http://elsewhere.test:1/a.png"},
		{"image as data", "/", `<img alt="" src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>">`, "", ""},
		{"missing part", "/", `<img alt="" src="/nothing.png">`, "", "404"},
		{"answer 500", "/", `<img alt="" src="/broken">`, "", "status 500"},
		{"alert", "/", `<p>bad`, "alert('boo')", "a dialog opened: alert: boo"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			body := tc.body
			if tc.script != "" {
				body += `<script src="/script.js"></script>`
			}
			base := site(t, body, map[string]http.HandlerFunc{
				"GET /script.js": script(tc.script),
				"GET /broken":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
			})
			visit := func(t testing.TB) *browsertest.Visitor {
				v := shared.Visitor(t, browsertest.Options{BaseURL: base})
				v.Go(tc.path)
				return v
			}
			r := record(t, func(t testing.TB) { visit(t) })
			if tc.want == "" {
				r.wantNone(t)
				record(t, func(t testing.TB) { visit(t).Expect("bad") }).wantError(t, "expected a problem", "bad")
				return
			}
			if r.wantError(t, tc.want); tc.script == "" {
				return // expected problems differ in nothing but their text
			}
			record(t, func(t testing.TB) { visit(t).Expect(tc.want) }).wantNone(t)
		})
	}
}

func TestPagesOfAnyStatus(t *testing.T) {
	t.Parallel()
	base := site(t, `<a href="/refused">Go on</a>`, map[string]http.HandlerFunc{
		"GET /refused": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			write(w, "<p>not for you")
		},
	})
	v := shared.Visitor(t, browsertest.Options{BaseURL: base})
	v.Go("/")
	v.ClickText("Go on")
	v.See("not for you")
	v.Go("/nowhere")
	v.See("404 page not found")
}

func TestAnotherSite(t *testing.T) {
	t.Parallel()
	base := site(t, `<p>ours`, nil)
	other := strings.Replace(site(t, `<p>theirs`, nil), "127.0.0.1", "evil.test", 1)
	v := shared.Visitor(t, browsertest.Options{BaseURL: base, Origins: []string{other}})
	v.Go(other + "/")
	v.See("theirs")
	v.Go("/")
	v.See("ours")
}
