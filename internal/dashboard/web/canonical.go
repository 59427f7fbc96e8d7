package web

import "strings"

// About is what search engines and messengers show of a public page.
type About struct {
	Title       string
	Description string // one or two sentences; ""
	Image       string // address; ""
	Hidden      bool   // search engines leave it out: one of many views of the same
}

// maxAbout bounds a description, in characters.
const maxAbout = 200

// Describe says what a public page is about, and how to write its address for another place. It
// does nothing on other pages.
func (v *Visit) Describe(about About, address func(Place) string) {
	if !v.Place.Public {
		return
	}
	about.Title, about.Description = OneLine(about.Title), Shorten(OneLine(about.Description), maxAbout)
	v.About, v.address = &about, address
}

// Canonical returns the address under which search engines know the page; "" if it has none.
func (v *Visit) Canonical() string {
	if v.address == nil {
		return ""
	}
	return v.site.PublicURL + v.address(v.Place.Canonical())
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
	case !v.Place.Public:
		return nil
	case address == nil:
		address = Place.Home
	}
	for _, l := range v.Languages() {
		p := v.Place
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

// Links returns the place for links in the frame of the page: for somebody without an account
// the public pages, if there are any.
func (v *Visit) Links() Place {
	p := v.Place
	p.Public = p.Public || v.User == nil && v.site.PublicPages
	return p
}

// Catalog reports whether the visitor may look at the catalog.
func (v *Visit) Catalog() bool { return v.User != nil || v.site.PublicPages }
