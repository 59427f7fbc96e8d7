package deals

import (
	"net/url"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
)

// region shows the deals of the region in the path. The form of the page sends the region as
// one of the filters, and people leave it out, so such a request is redirected to the path of the
// region.
func (p *Pages) region(v *web.Visit) error {
	live, err := p.View()
	if err != nil {
		return err
	}
	if v.Form("regions") != "" || v.R.PathValue("region") == "" {
		form := p.form(v, live, "")
		return v.MovedPermanently(form.address(v.Locale, ""))
	}
	sent, isFeed := strings.CutSuffix(v.R.PathValue("region"), feedSuffix)
	region, ok := knownRegion(live, sent)
	if !ok {
		return web.NotFound()
	}
	if code, err := catalog.ParseRegion(region); err == nil {
		v.Locale.Country = code.String()
	}
	form := p.form(v, live, region)
	if isFeed {
		if address := p.feedAddress(v, region, form.query()); pathOf(address) != v.R.URL.Path {
			return v.MovedPermanently(strings.TrimPrefix(address, p.Site.PublicURL))
		}
		return p.feed(v, live, region)
	}
	if address := form.address(v.Locale, v.Form("cursor")); pathOf(address) != v.R.URL.Path {
		return v.MovedPermanently(address)
	}
	return p.deals(v, region)
}

// knownRegion returns the value in the form for a region in the path. It reports false if
// there are no listings in the region.
func knownRegion(live *index.View, sent string) (region string, ok bool) {
	switch sent = strings.ToLower(sent); sent {
	case web.MainRegions, allRegions:
		return sent, true
	}
	code, err := catalog.ParseRegion(sent)
	return code.String(), err == nil && explore.HasListings(live, code.String())
}

// pathOf returns the path of an address of this site.
func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Path
}

// regionName returns the name of a region of an address.
func regionName(v *web.Visit, region string) string {
	switch region {
	case allRegions:
		return v.T("deals.everywhere")
	case web.MainRegions:
		return v.T("public.main-countries")
	}
	return v.Country(region)
}

// describe says what the page of a region is about. Search engines leave out pages with filters.
func (p *Pages) describe(v *web.Visit, view *listView, region string) {
	name := regionName(v, region)
	view.Heading = v.T("public.deals.title", name)
	view.Market.Keep, view.Market.Countries = view.Form.query(), nil // the form has the countries
	view.Market.Now = v.T("market.in", string(v.Locale.Currency))
	if p.Site.PublicPages {
		view.Feed = p.feedAddress(v, region, view.Market.Keep)
	}
	about := web.About{Title: view.Heading, Description: v.T("public.deals.about", name), Hidden: len(view.Market.Keep) > 0 || v.Form("cursor") != ""}
	v.Describe(about, func(l web.Locale) string { return l.Deals(region, view.Market.Keep) })
}
