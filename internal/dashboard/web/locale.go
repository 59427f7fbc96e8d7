package web

import (
	"cmp"
	"maps"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// Locale is the language, the country and the currency of a page. Its methods return the addresses of
// pages of the catalog: the language is in the path, the country and the currency are in the query.
type Locale struct {
	Lang string // as HTML writes it: "en"
	Market
}

// First returns the address of the first page of the catalog.
func (l Locale) First() string { return l.address("", nil) }

// Browse returns the address of the list of games with a query.
func (l Locale) Browse(query url.Values) string { return l.address("/browse", query) }

// Suggest returns the address of the suggestions for a search.
func (l Locale) Suggest() string { return l.address("/suggest", nil) }

// MainRegions stands for the active regions in an address.
const MainRegions = "main"

// Deals returns the address of the deals of a region, "" for the country of the locale, with a query.
// A region is a country or a list of the API, such as "all". Deals of a country are in its own currency,
// unless the visitor chose another one.
func (l Locale) Deals(region string, query url.Values) string {
	region = cmp.Or(region, l.Country, MainRegions)
	if code, err := catalog.ParseRegion(region); err == nil {
		there := Market{Country: code.String()}
		if l.Currency != l.Own() && l.Currency != there.Own() {
			query = With(query, "currency", string(l.Currency))
		}
		l.Market, region = Market{Currency: money.USD}, there.Country // the path has the country
	}
	return l.address("/deals/"+url.PathEscape(strings.ToLower(region)), query)
}

// Game returns the address of the page of a card with a query.
func (l Locale) Game(platform catalog.Platform, id, title string, query url.Values) string {
	return l.address("/games/"+platform.String()+"/"+url.PathEscape(id)+"/"+Slug(title), query)
}

// Watch returns the address of the page on which a user starts or stops watching a game, such as
// "pcstore/elden-ring".
func (l Locale) Watch(game string) string {
	return l.withMarket("/watched", url.Values{"game": {game}})
}

// Status returns the address of the page about freshness.
func (l Locale) Status() string { return l.address("/status", nil) }

func (l Locale) address(path string, query url.Values) string {
	return l.withMarket("/"+l.Lang+path, query)
}

func (l Locale) withMarket(path string, query url.Values) string {
	for _, f := range l.Fields() {
		query = With(query, f.Name, f.Value)
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// Canonical returns the locale whose addresses search engines know: the currency changes how
// prices are shown, not what they are.
func (l Locale) Canonical() Locale {
	l.Currency = l.Own()
	return l
}

// Field is a name and a value of a query.
type Field struct{ Name, Value string }

// Fields returns the country and the currency as forms send them.
func (l Locale) Fields() (fields []Field) {
	if l.Country != "" {
		fields = append(fields, Field{"country", l.Country})
	}
	if l.Currency != l.Own() {
		fields = append(fields, Field{"currency", string(l.Currency)})
	}
	return fields
}

// With returns a copy of a query in which name has the value; "" removes it.
func With(query url.Values, name, value string) url.Values {
	q := url.Values{}
	maps.Copy(q, query)
	if value == "" {
		q.Del(name)
	} else {
		q.Set(name, value)
	}
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
