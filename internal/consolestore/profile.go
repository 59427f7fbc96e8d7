package consolestore

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/sweep"
)

// Profile configures the requests to the store: the operator's section of the profile
// file, which [ParseProfile] parses.
type Profile struct {
	GraphQL       string     `json:"graphql"` // address of the queries
	Origin        string     `json:"origin"`  // value of the header Origin; may be empty
	Operations    Operations `json:"operations"`
	Category      string     `json:"category"`      // the grid with all games
	PageSize      int        `json:"pageSize"`      // of the grid, 2 to 300
	AddOnPageSize int        `json:"addOnPageSize"` // 1 to 300
	ProductURL    string     `json:"productURL"`    // of a product's page, with {product} and perhaps {locale}
	Regions       []Region   `json:"-"`
}

// Operations has the hashes of the persisted queries, 64 hex digits each.
type Operations struct {
	Grid    string `json:"categoryGridRetrieve"`
	Concept string `json:"conceptRetrieveForUpsellWithCtas"`
	AddOns  string `json:"getAddOnProductsByConcept"`
	Product string `json:"metGetProductById"`
}

// Region is a country that is read.
type Region struct {
	Region   catalog.Region
	Locale   string         // in the form of the store: "uk-ua"; also selects the country
	Currency money.Currency // of the store's prices
	Titles   []string       // other locales, read only for titles
}

const (
	maxRegions       = 250
	maxTitles        = 8
	maxPageSize      = 300
	defaultPageSize  = 100
	defaultAddOnSize = 50
)

type regionJSON struct {
	Region   string   `json:"region"`
	Locale   string   `json:"locale"`
	Currency string   `json:"currency"`
	Titles   []string `json:"titles"`
}

// ParseProfile parses the section "consolestore" of a profile file. Errors name the field
// and the expected value; unknown fields are errors. The default page sizes are 100 for
// the grid and 50 for add-ons.
func ParseProfile(raw json.RawMessage) (Profile, error) {
	var written struct {
		Profile
		Regions []regionJSON `json:"regions"`
	}
	if err := sweep.DecodeProfile("consolestore", raw, &written); err != nil {
		return Profile{}, err
	}
	p := written.Profile
	p.PageSize, p.AddOnPageSize = cmp.Or(p.PageSize, defaultPageSize), cmp.Or(p.AddOnPageSize, defaultAddOnSize)
	if err := p.check(); err != nil {
		return Profile{}, fmt.Errorf("consolestore.%w", err)
	}
	if n := len(written.Regions); n == 0 || n > maxRegions {
		return Profile{}, fmt.Errorf("consolestore.regions: there are %d, want 1 to %d", n, maxRegions)
	}
	for i, w := range written.Regions {
		r, err := readRegion(w)
		if err != nil {
			return Profile{}, fmt.Errorf("consolestore.regions[%d].%w", i, err)
		}
		if slices.ContainsFunc(p.Regions, func(other Region) bool { return other.Region == r.Region }) {
			return Profile{}, fmt.Errorf("consolestore.regions[%d].region: %s is given twice", i, r.Region)
		}
		p.Regions = append(p.Regions, r)
	}
	return p, nil
}

// check returns what is wrong with the fields of a profile, except its regions.
func (p *Profile) check() error {
	err := cmp.Or(
		checkURL("graphql", p.GraphQL),
		checkURL("origin", cmp.Or(p.Origin, p.GraphQL)), // may be empty
		checkHash("categoryGridRetrieve", p.Operations.Grid),
		checkHash("conceptRetrieveForUpsellWithCtas", p.Operations.Concept),
		checkHash("getAddOnProductsByConcept", p.Operations.AddOns),
		checkHash("metGetProductById", p.Operations.Product),
		checkSize("pageSize", p.PageSize, 2), // pages overlap by one entry
		checkSize("addOnPageSize", p.AddOnPageSize, 1),
		checkProductURL(p.ProductURL),
	)
	if err == nil && !isID(p.Category) {
		err = fmt.Errorf("category: %q is not the id of a category", p.Category)
	}
	return err
}

func checkURL(field, s string) error {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil {
		return fmt.Errorf("%s: %q is not an http or https address", field, s)
	}
	return nil
}

var hashForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

func checkHash(operation, hash string) error {
	if !hashForm.MatchString(hash) {
		return fmt.Errorf("operations.%s: %q is not a sha-256 in 64 lower-case hex digits", operation, hash)
	}
	return nil
}

func checkSize(field string, n, least int) error {
	if n < least || n > maxPageSize {
		return fmt.Errorf("%s: %d is not between %d and %d", field, n, least, maxPageSize)
	}
	return nil
}

func checkProductURL(s string) error {
	if !strings.Contains(s, "{product}") {
		return fmt.Errorf("productURL: %q has no {product}", s)
	}
	if rest := strings.NewReplacer("{product}", "", "{locale}", "").Replace(s); strings.ContainsAny(rest, "{}") {
		return fmt.Errorf("productURL: %q has braces other than {product} and {locale}", s)
	}
	return checkURL("productURL", strings.NewReplacer("{product}", "x", "{locale}", "x").Replace(s))
}

func readRegion(w regionJSON) (Region, error) {
	region, err := catalog.ParseRegion(w.Region)
	if err != nil {
		return Region{}, fmt.Errorf("region: %w", err)
	}
	currency, err := money.ParseCurrency(w.Currency)
	if err != nil {
		return Region{}, fmt.Errorf("currency: %w", err)
	}
	if err := checkLocale("locale", w.Locale, region); err != nil {
		return Region{}, err
	}
	if len(w.Titles) > maxTitles {
		return Region{}, fmt.Errorf("titles: there are %d, want at most %d", len(w.Titles), maxTitles)
	}
	for i, locale := range w.Titles {
		field := fmt.Sprintf("titles[%d]", i)
		if err := checkLocale(field, locale, region); err != nil {
			return Region{}, err
		}
		if strings.EqualFold(locale, w.Locale) || slices.Contains(w.Titles[:i], locale) {
			return Region{}, fmt.Errorf("%s: %q is given twice", field, locale)
		}
	}
	return Region{Region: region, Locale: w.Locale, Currency: currency, Titles: w.Titles}, nil
}

var localeForm = regexp.MustCompile(`^[a-z]{2,3}(-[A-Za-z]{4})?-[A-Za-z]{2}$`)

// checkLocale checks that the locale belongs to the region: the locale selects the
// country, and prices of another country would be stored for this one.
func checkLocale(field, locale string, region catalog.Region) error {
	if !localeForm.MatchString(locale) {
		return fmt.Errorf("%s: %q is not a locale such as uk-ua or zh-hant-tw", field, locale)
	}
	if !strings.HasSuffix(strings.ToUpper(locale), "-"+region.String()) {
		return fmt.Errorf("%s: %q is not of the region %s", field, locale, region)
	}
	return nil
}
