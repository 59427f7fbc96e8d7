package dashboard_test

import (
	"strings"
	"testing"

	"gamedex/internal/dashboard/browsertest"
)

// referencePages are one page of the reference of each kind.
var referencePages = []struct{ name, path string }{
	{"start", "/docs"},
	{"guide", "/docs/guides/polling"},
	{"rules", "/docs/rules"},
	{"schemas", "/docs/schemas"},
	{"schema", "/docs/schemas/PriceItem"},
	{"endpoint", "/docs/endpoints/getPrices"},
	{"post", "/docs/endpoints/postPrices"},
	{"account", "/docs/endpoints/usage"},
	{"result", "/docs/endpoints/consoleCard/try?gameId=2FBCCD98&currency=PLN"},
	{"refused", "/docs/endpoints/search/try?q=a"},
}

// TestLooksOfTheReference looks at the pages of the reference in every way, with
// everything unfolded.
func TestLooksOfTheReference(t *testing.T) {
	w := newWorld(t)
	w.addUser(bobEmail, false)
	for _, look := range looks {
		t.Run(look.name, func(t *testing.T) {
			w.t = t
			v := w.browseAs(bobEmail, look.Options)
			for _, page := range referencePages {
				v.Go(page.path)
				v.Axe()
				v.Fits()
				v.Shot("reference-" + page.name + "-" + look.name)
				v.Eval("document.querySelectorAll('details').forEach((d) => d.open = true)", nil)
				v.Axe()
				v.Fits()
				if size := v.PageBytes(); size > 120<<10 {
					t.Errorf("%s has %d bytes", page.path, size)
				}
			}
			stranger := w.browse(look.Options)
			stranger.Go("/docs/endpoints/search")
			stranger.Axe()
			stranger.Shot("reference-stranger-" + look.name)
		})
	}
}

// TestReferenceWithoutScript reads a guide in another language of code and sends
// requests with links and forms alone.
func TestReferenceWithoutScript(t *testing.T) {
	w := newWorld(t)
	w.addUser(bobEmail, false)
	v := w.browseAs(bobEmail, browsertest.Options{NoScript: true})
	v.Go("/")
	v.ClickText("API reference")
	v.ClickTextIn("article", "Polling")
	v.See("--etag-compare")
	v.Check("Python")
	v.See("from urllib.request import")
	v.DontSee("--etag-compare")
	v.ClickTextIn(".contents", "GET /catalog/games/{gameId}")
	v.Submit("Send request")
	v.See("200 OK")
	v.See("ELDEN RING - Shadow of the Erdtree Edition")
	v.Fill("gameId", "ABCD0000")
	v.Submit("Send request")
	v.See("404 Not Found")
	v.See("GAME_NOT_FOUND")
	v.ClickTextIn(".contents", "POST /catalog/prices")
	v.Fill("Body", `{"ids":["elden-ring","nope"],"regions":"UA"}`)
	v.Submit("Send request")
	v.See("200 OK")
	v.See(`"nope"`)
	v.Axe()
}

// TestReferenceRemembersTheCode chooses a language of code, which the next guide
// shows, too.
func TestReferenceRemembersTheCode(t *testing.T) {
	v := newWorld(t).browse(browsertest.Options{})
	v.Go("/docs/guides/first-request")
	v.Check("Go")
	v.ClickTextIn("article", "Polling")
	v.See("package main")
	v.ClickText("Copy")
	v.See("Copied")
	if text := v.Clipboard(); !strings.HasPrefix(text, "package main\n") {
		t.Errorf("copied %q", text)
	}
}
