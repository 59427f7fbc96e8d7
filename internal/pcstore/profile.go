package pcstore

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/sweep"
)

// Profile configures the requests to the store: its addresses, operations and
// countries.
type Profile struct {
	GraphQL      string        `json:"graphql"`  // address of the persisted queries
	Platform     string        `json:"platform"` // address of the platform service, without a slash at the end
	Store        string        `json:"store"`    // the store's name in the platform service
	SearchHash   string        `json:"-"`        // of searchStoreQuery
	OfferHash    string        `json:"-"`        // of getCatalogOffer
	Category     string        `json:"category"` // filter of the search: paths joined by "|"
	PageSize     int           `json:"pageSize"` // elements in a page of the search
	GameURL      string        `json:"gameURL"`  // a game's page, with {slug} and optionally {locale}
	PriceRegions []PriceRegion `json:"-"`
}

// PriceRegion is a group of countries with the same prices.
type PriceRegion struct {
	Countries []catalog.Region // requests use the first
	Locale    string           // language of titles and texts (BCP 47)
	Currency  money.Currency   // expected; a different one of the store is kept
}

// The operations; a profile must have a hash for each.
const (
	searchOperation = "searchStoreQuery"
	offerOperation  = "getCatalogOffer"
)

// Bounds of a profile.
const (
	maxRegions  = 250
	minPageSize = 2 // pages overlap by one element
	maxPageSize = 1000
	maxCategory = 500 // bytes
	maxURL      = 1000
)

type rawRegion struct {
	Region    string   `json:"region"`
	Locale    string   `json:"locale"`
	Currency  string   `json:"currency"`
	Countries []string `json:"countries"`
}

// ParseProfile parses the section "pcstore" of a profile file. All fields are required,
// but one country of a region is enough. Unknown fields and countries in two regions are
// errors. Errors name the field.
func ParseProfile(section json.RawMessage) (Profile, error) {
	var raw struct {
		Profile
		Operations map[string]string `json:"operations"`
		Regions    []json.RawMessage `json:"regions"`
	}
	if err := sweep.DecodeProfile("pcstore", section, &raw); err != nil {
		return Profile{}, err
	}
	p := raw.Profile
	p.Platform = strings.TrimRight(p.Platform, "/")
	p.SearchHash, p.OfferHash = raw.Operations[searchOperation], raw.Operations[offerOperation]
	if err := p.check(raw.Operations); err != nil {
		return Profile{}, fmt.Errorf("pcstore.%w", err)
	}
	if n := len(raw.Regions); n == 0 || n > maxRegions {
		return Profile{}, fmt.Errorf("pcstore.regions: %d are given, want 1 to %d", n, maxRegions)
	}
	group := make(map[catalog.Region]int) // by country
	for i, section := range raw.Regions {
		region, err := parseRegion(fmt.Sprintf("pcstore.regions[%d]", i), section)
		if err != nil {
			return Profile{}, err
		}
		for _, country := range region.Countries {
			if before, twice := group[country]; twice {
				return Profile{}, fmt.Errorf("pcstore.regions[%d]: %s is in regions[%d] already", i, country, before)
			}
			group[country] = i
		}
		p.PriceRegions = append(p.PriceRegions, region)
	}
	return p, nil
}

func (p *Profile) check(operations map[string]string) error {
	if err := cmp.Or(checkAddress("graphql", p.GraphQL), checkAddress("platform", p.Platform)); err != nil {
		return err
	}
	if !regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`).MatchString(p.Store) {
		return fmt.Errorf("store: %.60q is not the name of a store in the platform service, such as \"PC\"", p.Store)
	}
	for _, name := range [...]string{searchOperation, offerOperation} {
		if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(operations[name]) {
			return fmt.Errorf("operations.%s: %.80q is not a SHA-256 hash of 64 lower-case hex digits", name, operations[name])
		}
	}
	for name := range operations {
		if name != searchOperation && name != offerOperation {
			return fmt.Errorf("operations.%.60s: is not an operation; there are %s and %s", name, searchOperation, offerOperation)
		}
	}
	if p.Category == "" || len(p.Category) > maxCategory || strings.ContainsFunc(p.Category, isSpaceOrControl) {
		return fmt.Errorf("category: %.60q is not a filter of paths joined by \"|\", such as \"games/edition/base|addons\"", p.Category)
	}
	if p.PageSize < minPageSize || p.PageSize > maxPageSize {
		return fmt.Errorf("pageSize: %d is not between %d and %d", p.PageSize, minPageSize, maxPageSize)
	}
	if !strings.Contains(p.GameURL, "{slug}") {
		return fmt.Errorf("gameURL: %.80q has no {slug}", p.GameURL)
	}
	filled := fillAddress(p.GameURL, "en", "slug")
	u, err := url.Parse(filled)
	if err != nil || len(p.GameURL) > maxURL || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || strings.ContainsAny(filled, "{}") {
		return fmt.Errorf("gameURL: %.80q is not an http or https address with {slug} and {locale} alone to fill in", p.GameURL)
	}
	return nil
}

func checkAddress(field, address string) error {
	u, err := url.Parse(address)
	if err != nil || len(address) > maxURL || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" ||
		u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("%s: %.80q is not an http or https address without user, query and fragment", field, address)
	}
	return nil
}

func fillAddress(pattern, locale, slug string) string {
	return strings.NewReplacer("{locale}", locale, "{slug}", url.PathEscape(slug)).Replace(pattern)
}

// parseRegion parses a region, which has the given name in errors.
func parseRegion(name string, section json.RawMessage) (PriceRegion, error) {
	var raw rawRegion
	if err := sweep.DecodeProfile(name, section, &raw); err != nil {
		return PriceRegion{}, err
	}
	first, err := parseCountry(raw.Region)
	if err != nil {
		return PriceRegion{}, fmt.Errorf("%s.region: %w", name, err)
	}
	r := PriceRegion{Countries: []catalog.Region{first}, Locale: raw.Locale}
	for i, code := range raw.Countries {
		country, err := parseCountry(code)
		if err != nil {
			return PriceRegion{}, fmt.Errorf("%s.countries[%d]: %w", name, i, err)
		}
		r.Countries = append(r.Countries, country)
	}
	if !regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$`).MatchString(raw.Locale) {
		return PriceRegion{}, fmt.Errorf("%s.locale: %.40q is not a language tag, such as \"uk\" or \"en-US\"", name, raw.Locale)
	}
	if r.Currency, err = money.ParseCurrency(raw.Currency); err != nil {
		return PriceRegion{}, fmt.Errorf("%s.currency: %w", name, err)
	}
	return r, nil
}

func parseCountry(code string) (catalog.Region, error) {
	r, err := catalog.ParseRegion(code)
	if err == nil && r.String() != code {
		err = fmt.Errorf("%q: write the two upper-case letters, %s", code, r)
	}
	return r, err
}

func isSpaceOrControl(c rune) bool { return c <= ' ' || c == 0x7f }
