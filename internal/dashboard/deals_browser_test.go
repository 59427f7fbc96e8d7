package dashboard_test

import (
	"strings"
	"testing"

	"gamedex/internal/dashboard"
	"gamedex/internal/testing/browsertest"
)

// TestLooksOfDeals looks at the deals in every way: all of them, filtered, none, and with a
// filter that the API refuses.
func TestLooksOfDeals(t *testing.T) {
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
				v.Go(look.in(page.path))
				v.Eval("document.querySelectorAll('img').forEach((i) => i.loading = 'eager')", nil)
				v.Axe()
				v.Fits()
				if size := v.PageBytes(); size > 120<<10 {
					t.Errorf("%s has %d bytes", page.path, size)
				}
				v.Shot("deals-" + page.name + "-" + look.name)
			}
		})
	}
}

// TestDealsWithoutScript filters, turns the page and changes the currency with forms and
// links alone.
func TestDealsWithoutScript(t *testing.T) {
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
