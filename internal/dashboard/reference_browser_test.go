package dashboard_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"gamedex/internal/testing/browsertest"
)

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
	t.Parallel()
	w := newWorld(t)
	w.addUser(bobEmail, false)
	for _, look := range looks {
		t.Run(look.name, func(t *testing.T) {
			w.t = t
			v := w.browseAs(bobEmail, look.Options)
			for _, page := range referencePages {
				visit(v, page.path, "reference-"+page.name+"-"+look.name)
				v.Eval("document.querySelectorAll('details').forEach((d) => d.open = true)", nil)
				v.Axe(".contents nav") // links that are scrolled out of it seem to be covered by the footer
				v.Fits()
			}
			stranger := w.browse(look.Options)
			visit(stranger, "/docs/endpoints/search", "reference-stranger-"+look.name)
		})
	}
}

// TestReferenceWithoutScript reads a guide in another language of code and sends
// requests with links and forms alone.
func TestReferenceWithoutScript(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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

// longestLine is a script that returns the longest line of prose in the article. Samples of code do not count.
const longestLine = `(() => {
  let longest = '';
  const end = (line) => { if (line.length > longest.length) longest = line; };
  for (const block of document.querySelectorAll('article :is(p, li, dd, td, summary)')) {
    let line = '', right = -Infinity;
    const walk = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    for (let n = walk.nextNode(); n; n = walk.nextNode()) {
      if (n.parentElement.closest('pre, p, li, dd, td, summary') !== block) continue;
      for (let i = 0; i < n.length; i++) {
        const range = document.createRange();
        range.setStart(n, i);
        range.setEnd(n, i + 1);
        const [r] = range.getClientRects();
        if (!r || !r.width) continue;
        if (r.left < right - 1) { end(line); line = ''; }
        line += n.data[i].replace('\n', ' ');
        right = r.right;
      }
    }
    end(line);
  }
  return longest;
})()`

// TestLinesOfTheReferenceAreShort checks that no line of prose has more than 80 characters in a wide
// window, and that lines are not much shorter either.
func TestLinesOfTheReferenceAreShort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(bobEmail, false)
	v := w.browseAs(bobEmail, browsertest.Options{Width: 1200})
	for _, code := range languageCodes(t) {
		paths := []string{"/docs", "/docs/rules", "/docs/schemas/PriceItem", "/docs/endpoints/getHistory", "/docs/endpoints/deals", "/docs/endpoints/postPrices"}
		for guide := range strings.FieldsSeq("first-request polling ids limits errors") {
			paths = append(paths, "/docs/guides/"+guide)
		}
		for _, path := range fewer(paths) {
			v.Go("/" + code + path)
			v.Eval("document.querySelectorAll('details').forEach((d) => d.open = true)", nil)
			var line string
			v.Eval(longestLine, &line)
			if n := utf8.RuneCountInString(line); n > 80 || n < 60 {
				t.Errorf("%s in %s: the longest line has %d characters: %s", path, code, n, line)
			}
		}
	}
}
