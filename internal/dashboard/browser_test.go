package dashboard_test

import (
	"cmp"
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"gamedex/internal/testing/browsertest"
	"gamedex/internal/testing/enginetest"
)

// chromium is a browser that tests share, or the reason why it did not start. The first test
// that gets it starts it.
type chromium struct {
	started *browsertest.Browser
	err     error
}

// idle has the browsers that no test has: two at most, so that pages stay fast beside other
// tests. A browser is for one test at a time, because its visitors share a clipboard.
var idle = make(chan chromium, 2)

// lent has the browser of each test that has one, by the test's name.
var lent sync.Map

func TestMain(m *testing.M) {
	if err := enginetest.TempInMemory(); err != nil {
		panic(err)
	}
	for range cap(idle) {
		idle <- chromium{}
	}
	code := m.Run()
	for range cap(idle) {
		if c := <-idle; c.started != nil {
			c.started.Close()
		}
	}
	os.Exit(code)
}

// browser returns the browser of a test, which waits for one if it has none.
func browser(t testing.TB) *browsertest.Browser {
	t.Helper()
	if err := browsertest.Missing(); err != nil {
		t.Skip(err)
	}
	test, _, _ := strings.Cut(t.Name(), "/")
	if c, ok := lent.Load(test); ok {
		return c.(*browsertest.Browser)
	}
	c := <-idle
	if c.started == nil && c.err == nil {
		c.started, c.err = browsertest.Launch(context.Background())
	}
	if c.err != nil {
		idle <- c
		t.Fatalf("start the browser: %v", c.err)
	}
	lent.Store(test, c.started)
	t.Cleanup(func() { lent.Delete(test); idle <- c })
	return c.started
}

func (w *world) browse(o browsertest.Options) *browsertest.Visitor {
	w.t.Helper()
	o.BaseURL = w.server.URL
	return browser(w.t).Visitor(w.t, o)
}

func (w *world) browseAs(email string, o browsertest.Options) *browsertest.Visitor {
	w.t.Helper()
	v := w.browse(o)
	signed := w.signedIn(email)
	v.SetCookie(sessionCookie, signed.cookie(sessionCookie))
	return v
}

// judge checks a page with axe and in the width of its window, and takes a picture of it.
func judge(v *browsertest.Visitor, picture string) {
	v.Axe()
	v.Fits()
	v.Shot(picture)
}

// visit opens a page with all its pictures, and judges it.
func visit(v *browsertest.Visitor, path, picture string) {
	v.Go(path)
	v.Eval("Promise.all([...document.images].map((i) => { i.loading = 'eager'; return i.decode().catch(() => {}); }))", nil)
	judge(v, picture)
}

func tabTo(t *testing.T, v *browsertest.Visitor, words string) {
	t.Helper()
	for range 60 {
		if v.Tab(1); strings.Contains(v.Focused(), words) {
			return
		}
	}
	t.Fatalf("the Tab key does not reach %q", words)
}

const sessionCookie = "gamedex"

type settings struct {
	name string
	browsertest.Options
}

// in returns the address of a page of the catalog in the language of the settings: path begins with "/en".
func (s settings) in(path string) string {
	return strings.Replace(path, "/en", "/"+cmp.Or(s.Language, "en"), 1)
}

// fullWorld is set in `make check`. `make test` tries fewer texts and pages.
var fullWorld = os.Getenv("GAMEDEX_WORLD") == "full"

// fewer returns all of a list in the full world, otherwise the first of every three.
func fewer(list []string) []string {
	if fullWorld {
		return list
	}
	var some []string
	for i := 0; i < len(list); i += 3 {
		some = append(some, list[i])
	}
	return some
}

// looks are all sets of settings. `make test` checks the pages once, with all
// settings together; `make check` sets GAMEDEX_WORLD.
var looks = func() []settings {
	if !fullWorld {
		return []settings{{"all", browsertest.Options{Dark: true, Width: 360, Height: 740, Language: "ru"}}}
	}
	return []settings{
		{"light", browsertest.Options{}},
		{"dark", browsertest.Options{Dark: true}},
		{"360", browsertest.Options{Width: 360, Height: 740}},
		{"ru", browsertest.Options{Language: "ru", Width: 360, Height: 740}},
		{"uk", browsertest.Options{Language: "uk", Width: 360, Height: 740}},
	}
}()
