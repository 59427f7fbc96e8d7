package web

import (
	"net/url"
	"strings"
)

// languageField is the field of an address that chooses the language of a page, if its path does not.
// Public pages, which read no cookie and set none, link to other pages with it. It is not "lang": the
// reference sends that to the API.
const languageField = "language"

// To returns the address of a page whose path has no language, for a link. If the address of this page
// chooses its language, so does the link.
func (v *Visit) To(address string) string { return toLanguage(address, v.SentLanguage) }

func toLanguage(address, code string) string {
	if code == "" {
		return address
	}
	separator := "?"
	if strings.Contains(address, "?") {
		separator = "&"
	}
	return address + separator + languageField + "=" + code
}

// withLanguage returns the address of a page with another language, if it chooses one. It does the
// same to the address to which a sign-in there returns.
func withLanguage(address, code string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	query := u.Query()
	if !query.Has(languageField) {
		return address
	}
	query.Set(languageField, code)
	if query.Has("back") {
		query.Set("back", withLanguage(query.Get("back"), code))
	}
	u.RawQuery = query.Encode()
	return u.String()
}

// InLanguage returns the full address of this page, whose path has no language, in a language; "" is
// that of the browser.
func (v *Visit) InLanguage(code string) string {
	return toLanguage(v.site.PublicURL+v.R.URL.Path, code)
}
