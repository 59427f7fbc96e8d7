package web

import (
	"maps"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"gamedex/internal/catalog"
)

// Place is what a page depends on besides the catalog: the language, the country and the
// currency. It writes the addresses of other pages for the same visitor. On public pages
// the address alone carries all of it; behind the sign-in, cookies do.
type Place struct {
	Lang string // as HTML writes it: "en"
	Market
	Public bool
}

// Home returns the address of the first page.
func (p Place) Home() string { return p.address("/", "", nil) }

// Browse returns the address of the list of games with a query.
func (p Place) Browse(query url.Values) string { return p.address("/explore", "/browse", query) }

// Suggest returns the address of the suggestions for a search.
func (p Place) Suggest() string { return p.address("/explore/suggest", "/suggest", nil) }

// Deals returns the address of the deals of a region, "" for that of the place, with a query.
// A region is a country or a list of the API, such as "all".
func (p Place) Deals(region string, query url.Values) string {
	if !p.Public {
		if region != "" {
			query = with(query, "regions", region)
		}
		return p.address("/deals", "", query)
	}
	if region == "" {
		region = p.Country
	}
	if code, err := catalog.ParseRegion(region); err == nil {
		p.Country, region = "", code.String()
	}
	if region == "" {
		region = MainRegions
	}
	return p.address("", "/deals/"+url.PathEscape(strings.ToLower(region)), query)
}

// MainRegions stands for the active regions in an address.
const MainRegions = "main"

// Game returns the address of the page of a card with a query.
func (p Place) Game(platform catalog.Platform, id, title string, query url.Values) string {
	path := "/" + platform.String() + "/" + url.PathEscape(id)
	return p.address("/explore"+path, "/games"+path+"/"+Slug(title), query)
}

// Status returns the address of the page about freshness.
func (p Place) Status() string { return p.address("/status", "/status", nil) }

// address returns one of two addresses, and adds what the place depends on to the public one.
func (p Place) address(private, public string, query url.Values) string {
	path := private
	if p.Public {
		path = "/" + p.Lang + public
		for _, f := range p.Fields() {
			query = with(query, f.Name, f.Value)
		}
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// Canonical returns the place whose addresses search engines know: the currency changes how
// prices are shown, not what they are.
func (p Place) Canonical() Place {
	p.Currency = baseCurrency
	return p
}

// Field is a name and a value of a query.
type Field struct{ Name, Value string }

// Fields returns what forms of public pages send along, so that the next page is of the same
// country and currency.
func (p Place) Fields() (fields []Field) {
	if p.Public && p.Country != "" {
		fields = append(fields, Field{"country", p.Country})
	}
	if p.Public && p.Currency != baseCurrency {
		fields = append(fields, Field{"currency", string(p.Currency)})
	}
	return fields
}

// with returns a copy of a query in which name has the value.
func with(query url.Values, name, value string) url.Values {
	q := url.Values{}
	maps.Copy(q, query)
	q.Set(name, value)
	return q
}

// maxSlug bounds the title in an address, in characters.
const maxSlug = 80

// Slug returns a title as it stands in an address: its letters and digits, in lower case, with
// hyphens between the words; "-" if it has none.
func Slug(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(title) {
		switch {
		case r == utf8.RuneError, !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
			gap = r != '\'' && r != '’' || gap
			continue
		case gap && b.Len() > 0:
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
	}
	slug := []rune(b.String())
	if len(slug) == 0 {
		return "-"
	}
	return url.PathEscape(strings.Trim(string(slug[:min(len(slug), maxSlug)]), "-"))
}
