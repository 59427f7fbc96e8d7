package web

import (
	"net/url"
	"strings"
)

// About is what search engines and messengers show of a public page.
type About struct {
	Title       string
	Description string // one or two sentences; ""
	Image       string // address; ""
	Hidden      bool   // search engines leave it out: one of many views of the same
}

// maxAbout bounds a description, in characters: a price and the longest verdict on it fit.
const maxAbout = 320

// Describe says what a public page is about, and how to write its address in another locale. It
// does nothing on other pages.
func (v *Visit) Describe(about About, address func(Locale) string) {
	if !v.Public {
		return
	}
	about.Title, about.Description = OneLine(about.Title), Shorten(OneLine(about.Description), maxAbout)
	v.About, v.address = &about, address
}

// Canonical returns the full address under which search engines know the page.
func (v *Visit) Canonical() string {
	if v.address == nil {
		return v.site.PublicURL + v.R.URL.Path
	}
	return v.site.PublicURL + v.address(v.Locale.Canonical())
}

// Alternate is this page in a language.
type Alternate struct {
	Lang, Name string
	Locale     string // as Open Graph writes it: "en_US"
	Address    string // of this site, for the same visitor
	Canonical  string
	Chosen     bool
}

// Alternates returns this page in all languages. For the page of an error, which has no address of
// its own, that is the first page. Pages behind the sign-in have no alternates.
func (v *Visit) Alternates() (list []Alternate) {
	address := v.address
	switch {
	case !v.Public:
		return nil
	case address == nil:
		address = Locale.First
	}
	for _, l := range v.Languages() {
		p := v.Locale
		p.Lang = l.Code
		region, _ := l.tag.Region() // the likely one
		list = append(list, Alternate{l.Code, l.Name, l.Code + "_" + region.String(), address(p), v.site.PublicURL + address(p.Canonical()), l.Code == v.Lang()})
	}
	return list
}

// Picture returns the full address of the picture of the page; "" without one.
func (v *Visit) Picture() string {
	if strings.HasPrefix(v.About.Image, "/") {
		return v.site.PublicURL + v.About.Image
	}
	return v.About.Image
}

// Catalog reports whether the visitor may look at the catalog.
func (v *Visit) Catalog() bool { return v.User != nil || v.site.PublicPages }

// Webhooks reports whether keys may have webhooks.
func (v *Visit) Webhooks() bool { return v.site.Webhooks }

// Home returns the address of the first page: a user has their own. From a page that shows the cheapest
// countries it leads to one that does so, too, whatever country the visitor is from.
func (v *Visit) Home() string {
	if v.User == nil && v.site.PublicPages {
		return v.Locale.First()
	}
	if v.prefix != "" && len(v.Locale.Fields()) == 0 {
		return "/?country="
	}
	return v.Locale.withMarket("/", nil)
}

// StatusPage returns the address of the page about freshness: it shows a user more.
func (v *Visit) StatusPage() string {
	if v.User == nil && v.site.PublicPages {
		return v.Locale.Status()
	}
	return "/status"
}

// To returns the address of a page that [Site.HandleLocalized] registered, for a link. If the path of
// this page has a language, so does the link.
func (v *Visit) To(address string) string { return v.prefix + address }

// InLanguage returns the full address of this page in a language; "" is that of the browser.
func (v *Visit) InLanguage(code string) string {
	path := strings.TrimPrefix(v.R.URL.Path, v.prefix)
	if code != "" {
		path = "/" + code + path
	}
	return v.site.PublicURL + path
}

// withLanguage returns the address of a page in another language, if its path has one. It does the
// same to the address to which a sign-in there returns.
func (ls *languages) withLanguage(address, code string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	if l := ls.ofPath(u.Path); l != nil {
		u.Path, u.RawPath = "/"+code+strings.TrimPrefix(u.Path, "/"+l.Code), ""
	}
	if query := u.Query(); query.Has("back") {
		query.Set("back", ls.withLanguage(query.Get("back"), code))
		u.RawQuery = query.Encode()
	}
	return u.String()
}
