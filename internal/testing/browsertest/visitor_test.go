package browsertest_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/testing/browsertest"
)

// form has a control of each kind; it is sent to /sent, which shows what came.
const form = `<form action="/sent"><label>Name <input name="name" value="old"></label>
<label for="about">About you</label><textarea id="about" name="about"></textarea>
<label>Born <input type="date" name="born"></label>
<label>Region <select name="region"><option value="de">Germany</option><option value="tr">Türkiye</option></select></label>
<fieldset><legend>Expires</legend><label><input type="radio" name="expires" value="never" checked> Never</label>
<label><input type="radio" name="expires" value="30"> In 30 days</label></fieldset>
<label><input type="checkbox" name="read"> May read</label><label><input type="checkbox" name="write" checked> May write</label>
<input name="q" aria-label="Search"><button>Send</button> <button type="button">Nothing</button></form>`

func sent(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	var lines []string
	for k := range q {
		lines = append(lines, k+"="+q.Get(k))
	}
	slices.Sort(lines)
	write(w, `<p id="sent">`+strings.Join(lines, " ")+`</p><a href="/">Again</a>`)
}

// bothModes runs a test with the page's scripts and without.
func bothModes(t *testing.T, test func(*testing.T, browsertest.Options)) {
	t.Run("scripts", func(t *testing.T) { test(t, browsertest.Options{}) })
	t.Run("no scripts", func(t *testing.T) { test(t, browsertest.Options{NoScript: true}) })
}

func TestForm(t *testing.T) {
	bothModes(t, func(t *testing.T, o browsertest.Options) {
		o.BaseURL = site(t, form, map[string]http.HandlerFunc{"GET /sent": sent})
		v := shared.Visitor(t, o)
		v.Go("/")
		v.Fill("Name", "Ada Lovelace")
		v.Fill("About you", "two\nlines")
		v.Fill("Born", "1815-12-10")
		v.Fill("Search", "x")
		v.Fill("Search", "")
		v.Choose("Region", "Türkiye")
		v.Choose("Expires", "In 30 days")
		v.Check("May read")
		v.Check("May read")
		v.Uncheck("May write")
		if got := v.Value("Name"); got != "Ada Lovelace" {
			t.Errorf("the name is %q", got)
		}
		v.Submit("Send")
		const want = "about=two lines born=1815-12-10 expires=30 name=Ada Lovelace q= read=on region=tr"
		if got := v.Text("#sent"); got != want {
			t.Errorf("sent %q, want %q", got, want)
		}
		if got := v.Path(); got != "/sent" {
			t.Errorf("at %q", got)
		}
		v.ClickText("Again")
		v.Back()
		v.See("name=Ada Lovelace")
		v.Reload()
		v.See("name=Ada Lovelace")
		v.DontSee("Ada King")
		if n := v.Count("a"); n != 1 {
			t.Errorf("%d links, want 1", n)
		}
		if got := v.Attribute("a", "href"); got != "/" {
			t.Errorf("the link leads to %q", got)
		}
	})
}

// TestStepsWaitForThePage checks that steps do not see the page that they
// leave: it clicks as fast as it can.
func TestStepsWaitForThePage(t *testing.T) {
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
		for i := range 6 {
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

func TestKeyboard(t *testing.T) {
	bothModes(t, func(t *testing.T, o browsertest.Options) {
		o.BaseURL = site(t, form, map[string]http.HandlerFunc{"GET /sent": sent})
		v := shared.Visitor(t, o)
		v.Go("/")
		got := []string{v.Focused()}
		for range 3 {
			v.Tab(1)
			got = append(got, v.Focused())
		}
		v.Tab(-2)
		got = append(got, v.Focused())
		want := []string{"nothing", `text "Name"`, `textarea "About you"`, `date "Born"`, `text "Name"`}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("focus (-want +got):\n%s", diff)
		}
		v.Press("End")
		v.Type(" Имя")
		v.Press("Shift+Home Delete a B Space c")
		if got := v.Value("Name"); got != "aB c" {
			t.Errorf("typed %q", got)
		}
		v.Press("Enter")
		v.See("name=aB c")
	})
}

func TestWhoVisits(t *testing.T) {
	base := site(t, `<p id="now"></p><script src="/now.js"></script>`, map[string]http.HandlerFunc{
		"GET /now.js": script(`document.getElementById('now').textContent = [new Date(0).toLocaleString(), innerWidth, devicePixelRatio,
			matchMedia('(prefers-color-scheme: dark)').matches, navigator.userAgent.includes('Headless')].join(' ')`),
		"GET /asked": func(w http.ResponseWriter, r *http.Request) {
			write(w, `<p id="asked">`+r.Header.Get("Accept-Language"))
		},
	})
	for _, tc := range []struct {
		name         string
		o            browsertest.Options
		asked, shown string
	}{
		{"default", browsertest.Options{}, "en-GB,en;q=0.9", "01/01/1970, 00:00:00 1280 1 false false"},
		{"russian phone at night", browsertest.Options{Language: "ru", Timezone: "Asia/Tokyo", Dark: true, Width: 360, Height: 700, Scale: 2},
			"ru-RU,ru;q=0.9,en-US;q=0.8,en;q=0.7", "01.01.1970, 09:00:00 360 2 true false"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.o.BaseURL = base
			v := shared.Visitor(t, tc.o)
			v.Go("/")
			if got := v.Text("#now"); got != tc.shown {
				t.Errorf("the page finds %q, want %q", got, tc.shown)
			}
			v.Go("/asked")
			if got := v.Text("#asked"); got != tc.asked {
				t.Errorf("the server is asked for %q, want %q", got, tc.asked)
			}
		})
	}
}

func TestVisitorsHaveSeparateCookies(t *testing.T) {
	base := site(t, "", map[string]http.HandlerFunc{
		"GET /in": func(w http.ResponseWriter, r *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "1", HttpOnly: true, SameSite: http.SameSiteLaxMode, Path: "/"})
			http.Redirect(w, r, "/who", http.StatusSeeOther)
		},
		"GET /who": func(w http.ResponseWriter, r *http.Request) { write(w, "cookies: "+r.Header.Get("Cookie")+".") },
	})
	one, other := shared.Visitor(t, browsertest.Options{BaseURL: base}), shared.Visitor(t, browsertest.Options{BaseURL: base})
	one.Go("/in")
	other.Go("/who")
	one.See("cookies: session=1.")
	other.See("cookies: .")
	got := one.Cookies()
	want := []*http.Cookie{{Name: "session", Value: "1", Domain: "127.0.0.1", Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cookies (-want +got):\n%s", diff)
	}
	other.SetCookie("session", "planted")
	other.Reload()
	other.See("cookies: session=planted.")
}

func TestDialogBeforeLeaving(t *testing.T) {
	base := site(t, `<p id="token">secret</p><button id="b">Touch</button> <a href="/next">Leave</a><script src="/stay.js"></script>`, map[string]http.HandlerFunc{
		"GET /stay.js": script("addEventListener('beforeunload', (e) => e.preventDefault())"),
		"GET /next":    func(w http.ResponseWriter, _ *http.Request) { write(w, "gone") },
	})
	v := shared.Visitor(t, browsertest.Options{BaseURL: base})
	v.Go("/")
	v.Click("#b") // without a gesture browsers do not ask
	v.DismissDialogs()
	v.ClickText("Leave")
	v.See("secret")
	v.Go("/next")
	v.See("secret")
	v.Reload()
	v.See("secret")
	v.AcceptDialogs()
	v.ClickText("Leave")
	v.See("gone")
	if got, want := v.Dialogs(), slices.Repeat([]string{"beforeunload: "}, 4); !slices.Equal(got, want) {
		t.Errorf("dialogs %q, want %q", got, want)
	}
}

func TestClipboard(t *testing.T) {
	base := site(t, `<button id="copy">Copy</button><script src="/copy.js"></script>`, map[string]http.HandlerFunc{
		"GET /copy.js": script("document.getElementById('copy').onclick = () => navigator.clipboard.writeText('gdx_1')"),
	})
	v := shared.Visitor(t, browsertest.Options{BaseURL: base})
	v.Go("/")
	v.ClickText("Copy")
	if got := v.Clipboard(); got != "gdx_1" {
		t.Errorf("the clipboard has %q", got)
	}
}

func TestEval(t *testing.T) {
	bothModes(t, func(t *testing.T, o browsertest.Options) {
		o.BaseURL = site(t, `<p id="p">text</p><script src="/mark.js"></script>`, map[string]http.HandlerFunc{
			"GET /mark.js": script("document.documentElement.dataset.ran = 'yes'"),
		})
		v := shared.Visitor(t, o)
		v.Go("/strict")
		var got struct{ Text, Ran string }
		v.Eval("({Text: document.getElementById('p').textContent, Ran: document.documentElement.dataset.ran || 'no'})", &got)
		want := map[bool]string{true: "no", false: "yes"}[o.NoScript]
		if got.Text != "text" || got.Ran != want {
			t.Errorf("got %+v, want the text and %q", got, want)
		}
		v.Eval("document.getElementById('p').textContent = 'other'", nil)
		if !strings.Contains(v.Source(), ">other</p>") {
			t.Errorf("the document is %q", v.Source())
		}
	})
}

func TestPageBytes(t *testing.T) {
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
