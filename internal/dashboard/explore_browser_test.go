package dashboard_test

import (
	"strings"
	"testing"

	"gamedex/internal/dashboard"
	"gamedex/internal/testing/browsertest"
)

func TestLooksOfTheExplorer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *world, c *dashboard.Config) { c.Web.PublicURL = sampleURL }) // the sample's covers are own ones
	w.addUser(bobEmail, false)
	w.reprice("the-witcher-3-wild-hunt", "UA", hryvnias(90000, 90000), nil, hryvnias(90000, 45000), hryvnias(100000, 100000), hryvnias(100000, 29900))
	pages := []struct{ name, path string }{
		{"hint", "/en/browse"},
		{"results", "/en/browse?q=the&platform=consolestore&page=2"},
		{"none", "/en/browse?q=qqqqxyzzy"},
		{"gone", "/en/games/consolestore/ABCD1234"},
		{"console", w.consoleAddress("Cyberpunk 2077")},
		{"pc", pcWitcher + "?region=UA"},
		{"history", w.consoleAddress("Cyberpunk 2077") + "?region=UA&period=all"},
		{"countries", w.consoleAddress("Cyberpunk 2077") + "?region=UA&region=DE&region=JP&region=US&region=KZ&region=TR&period=all"},
	}
	for _, look := range looks {
		t.Run(look.name, func(t *testing.T) {
			w.t = t
			v := w.browseAs(bobEmail, look.Options)
			for _, page := range pages {
				visit(v, look.in(page.path), "explore-"+page.name+"-"+look.name)
				if strings.Contains(page.path, "period=all") {
					v.Eval("document.querySelectorAll('details').forEach((d) => d.open = true)", nil)
					judge(v, "explore-"+page.name+"-open-"+look.name)
				}
			}
		})
	}
}

// TestExplorerSuggests types, chooses with the keys and arrives at the card.
func TestExplorerSuggests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(bobEmail, false)
	v := w.browseAs(bobEmail, browsertest.Options{})
	v.Go("/en/browse")
	v.Click("#q")
	v.Type("wi")
	v.Type("tcher")
	v.See("Suggestions: 6")
	if v.Attribute("#q", "role") != "combobox" || v.Attribute("#q", "aria-expanded") != "true" || v.Count("#q-list > [role=option]") != 6 {
		t.Errorf("the box is no open combobox:\n%s", v.Source())
	}
	v.Shot("explore-suggestions")
	v.Eval("document.querySelector('#q-list').style.position = 'static'", nil) // over the page, axe sees neither
	v.Axe()
	v.Press("ArrowDown ArrowDown ArrowUp")
	if chosen := v.Attribute("#q", "aria-activedescendant"); chosen != "q-list0" || v.Attribute("#q-list0", "aria-selected") != "true" {
		t.Errorf("the arrows chose %q", chosen)
	}
	v.Press("Escape")
	if v.Attribute("#q", "aria-expanded") != "false" || v.Value("Title, ID or store link") != "witcher" {
		t.Error("Escape does not just close the list")
	}
	v.Type(" 3")
	v.See("Suggestions:")
	v.Press("ArrowDown")
	title := v.Text("#q-list0 span")
	v.Press("Enter")
	if !strings.HasPrefix(v.Path(), "/en/games/") {
		t.Fatalf("Enter led to %s", v.URL())
	}
	v.See("Prices by country")
	v.See(title)
	v.Fill("Title, ID or store link", "elden ring")
	v.Press("Enter")
	v.See("results for “elden ring”")
	v.Click(".tiles a")
	v.See("Prices by country")
}

// TestExplorerWithoutScript searches, goes to the next page, opens a card and
// looks at another country with links and forms alone.
func TestExplorerWithoutScript(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(bobEmail, false)
	v := w.browseAs(bobEmail, browsertest.Options{NoScript: true})
	v.Go("/en/browse")
	v.Fill("Title, ID or store link", "the")
	v.Choose("Store", "PC Store")
	v.Submit("Search")
	v.See("results for “the”")
	v.ClickText("Next page")
	v.See("Page 2 of")
	v.Fill("Title, ID or store link", "witcher 3")
	v.Submit("Search")
	v.Click(".tiles a")
	v.See("Prices by country")
	v.ClickTextIn(".regions", "Poland")
	v.See("Price history: Poland")
	if at := v.URL(); !strings.Contains(at, "region=PL") {
		t.Errorf("the country is not in the address: %s", at)
	}
	v.Axe()
}

// TestChartByMouseAndKeys goes from change to change in the chart of past prices.
func TestChartByMouseAndKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(bobEmail, false)
	w.reprice("the-witcher-3-wild-hunt", "UA", hryvnias(90000, 90000), hryvnias(90000, 45000))
	v := w.browseAs(bobEmail, browsertest.Options{Width: 360, Height: 740})
	v.Go(pcWitcher + "?region=UA&period=all")
	now := func(what string) string {
		t.Helper()
		said, shown := v.Attribute(".stage", "aria-valuetext"), v.Text(".tip")
		if said == "" || strings.Join(strings.Fields(said), "") != strings.ReplaceAll(strings.Join(strings.Fields(shown), ""), "UTC", "UTC,") {
			t.Errorf("%s: shows %q, says %q", what, shown, said)
		}
		return said
	}
	if v.Attribute(".stage", "role") != "slider" || !strings.Contains(v.Attribute(".stage", "aria-label"), "Price history: Ukraine. From") {
		t.Errorf("the chart is no slider:\n%s", v.Source())
	}
	v.Click(".stage") // by mouse, in the middle
	if at := now("click"); !strings.Contains(at, "₴") {
		t.Errorf("the click found %q", at)
	}
	v.Press("End")
	if at := now("End"); !strings.Contains(at, "450,00 ₴ −50% from 900,00 ₴") {
		t.Errorf("the last change is %q", at)
	}
	v.Shot("explore-chart-tip")
	v.Axe(".plot", ".past figcaption", ".tip") // the last one covers parts of the others
	v.Fits()
	v.Press("ArrowLeft ArrowLeft ArrowRight")
	second := now("arrows")
	v.Press("Home")
	first := now("Home")
	v.Press("ArrowLeft")
	if at := now("before the first"); at != first || first == second {
		t.Errorf("the first change is %q, left of it is %q; before the last is %q", first, at, second)
	}
	v.Press("Escape")
	if v.Count(".tip[hidden]") != 1 {
		t.Error("Escape does not hide the tooltip")
	}
	v.Eval(`(() => {
		const box = document.querySelector(".area").getBoundingClientRect();
		for (const type of ["pointerdown", "pointermove", "pointerup", "pointerleave"]) { // a finger on the right edge
			document.querySelector(".stage").dispatchEvent(new PointerEvent(type, { pointerType: "touch", bubbles: true, clientX: box.right, clientY: box.top + 5 }));
		}
	})()`, nil)
	if at := now("touch"); !strings.Contains(at, "450,00 ₴") || v.Count(".tip[hidden]") != 0 {
		t.Errorf("the finger found %q", at)
	}
}
