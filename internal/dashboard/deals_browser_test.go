package dashboard_test

import (
	"regexp"
	"strings"
	"testing"

	"gamedex/internal/dashboard"
	"gamedex/internal/testing/browsertest"
)

// TestLooksOfDeals looks at the deals in every way: all of them, filtered, none, and with a
// filter that the API refuses.
func TestLooksOfDeals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *world, c *dashboard.Config) { c.Web.PublicURL = sampleURL }) // the sample's covers are own ones
	w.addUser(bobEmail, false)
	for _, look := range looks {
		t.Run(look.name, func(t *testing.T) {
			w.t = t
			v := w.browseAs(bobEmail, look.Options)
			for _, page := range []struct{ name, path string }{
				{"all", "/en/deals"},
				{"filtered", "/en/deals?regions=PL&minDiscount=50&real=1&sort=ends"},
				{"none", "/en/deals?publishers=Nobody"},
				{"wrong", "/en/deals?maxPrice=20&nearLow=51"},
			} {
				visit(v, look.in(page.path), "deals-"+page.name+"-"+look.name)
			}
		})
	}
}

// TestDealsOnAPhone checks that a phone shows 30 deals on 5,000 pixels, each with its price, the
// verdict in a word and how long it lasts.
func TestDealsOnAPhone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withPublicPages)
	row := regexp.MustCompile(`^\S.*\n.*\d.* −\d+%[^·]* (good price|was cheaper|no verdict yet|ordinary price|doubtful price) · (\d+ (day|hour)s? left|less than an hour left|no known end date)$`)
	for _, language := range []string{"en", "ru", "uk"} {
		v := w.browse(browsertest.Options{Width: 360, Height: 740, Language: language})
		for _, region := range []string{"main", "ua"} {
			v.Go("/" + language + "/deals/" + region)
			var height, cover int
			var rows []string
			v.Eval("document.documentElement.scrollHeight", &height)
			v.Eval("document.querySelector('.deals .cover').offsetWidth", &cover)
			v.Eval("[...document.querySelectorAll('.deals li div')].map((e) => e.innerText.trim().replace('\\n', '|').replace(/\\s+/g, ' ').replace('|', '\\n'))", &rows)
			if len(rows) != 30 || height > 5000 || cover != 56 {
				t.Errorf("%s, %s: %d deals on %d px, covers of %d px", language, region, len(rows), height, cover)
			}
			for _, text := range rows {
				if language == "en" && !row.MatchString(text) {
					t.Errorf("a deal says %q", text)
				}
			}
			v.Fits()
		}
	}
}

// TestFiltersApplyOnChange chooses filters with the mouse and the keyboard: each choice is a page in the
// history, and the focus stays. After a step back the form says what the page shows.
func TestFiltersApplyOnChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withPublicPages)
	v := w.browse(browsertest.Options{})
	focused := func() (id string) {
		v.Eval("document.activeElement.id", &id)
		return id
	}
	v.Go("/en/deals/ua")
	var shown bool
	if v.Eval(`document.querySelector("main form[data-apply] button").checkVisibility()`, &shown); shown {
		t.Error("the button is shown, although the script runs")
	}
	v.Eval("document.querySelector('#minDiscount').focus()", nil)
	v.Choose("Discount from", "50%")
	v.See("Discount from: 50%")
	if at := v.URL(); !strings.HasSuffix(at, "/en/deals/ua?minDiscount=50") || focused() != "minDiscount" {
		t.Errorf("a choice leads to %s, and the focus is on %q", at, focused())
	}
	v.ClickText("More filters")
	v.Fill("Local price up to", "999.50")
	v.Press("Tab")
	v.See("Local price up to: 999.50")
	if focused() != "maxDiscount" {
		t.Errorf("after a text and a tab, the focus is on %q", focused())
	}
	v.Back()
	v.Back()
	if at, value := v.URL(), v.Value("Discount from"); !strings.HasSuffix(at, "/en/deals/ua") || value != "" || v.Count(".chosen a") != 0 {
		t.Errorf("two steps back lead to %s with the value %q", at, value)
	}
	v.Go("/en/browse?q=the")
	v.Choose("Store", "PC Store")
	v.See("Store: PC Store")
	v.ClickText("Store: PC Store")
	if at := v.URL(); !strings.HasSuffix(at, "/en/browse?q=the") || v.Value("Store") != "" {
		t.Errorf("a removed filter leads to %s", at)
	}
}

// TestDealsWithoutScript filters, turns the page and changes the currency with forms and
// links alone.
func TestDealsWithoutScript(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(bobEmail, false)
	v := w.browseAs(bobEmail, browsertest.Options{NoScript: true})
	v.Go("/")
	v.ClickText("Deals")
	v.Choose("Country", "India")
	v.Choose("Discount from", "50%")
	v.ClickText("More filters")
	v.Fill("Local price up to", "999.50")
	v.Submit("Show deals")
	v.See("in India")
	v.ClickText("The same data through the API")
	v.See("maxPrice=99950")
	v.ClickText("Discount from: 50%")
	if at := v.URL(); strings.Contains(at, "minDiscount") || !strings.Contains(at, "maxPrice=999.50") {
		t.Errorf("a removed filter leads to %s", at)
	}
	v.Back()
	v.ClickText("Next page")
	if at := v.URL(); !strings.Contains(at, "/en/deals/in?") || !strings.Contains(at, "minDiscount=50") || !strings.Contains(at, "maxPrice=999.50") || !strings.Contains(at, "cursor=") {
		t.Errorf("the next page lacks filters: %s", at)
	}
	v.Click(".market > button")
	v.Choose("Currency", "EUR")
	v.Submit("Show prices")
	v.See("€")
	if at := v.URL(); !strings.Contains(at, "maxPrice=999.50") {
		t.Errorf("the choice of a currency leads to %s", at)
	}
	v.Axe()
}
