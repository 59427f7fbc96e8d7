package pcstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gamedex/internal/catalog"
)

// element is an offer in a search or, with more fields, in its own answer. Fields that
// only older or only newer elements have may be empty.
type element struct {
	ID        string `json:"id"`
	Namespace string `json:"namespace"` // shared by all offers of a game
	Title     string `json:"title"`
	OfferType string `json:"offerType"`
	Status    string `json:"status"`

	Categories []category `json:"categories"`
	Attributes attributes `json:"customAttributes"`

	EffectiveDate  timestamp `json:"effectiveDate"` // start of the sale
	ViewableDate   timestamp `json:"viewableDate"`
	ExpiryDate     timestamp `json:"expiryDate"`
	ReleaseDate    timestamp `json:"releaseDate"`
	PCReleaseDate  timestamp `json:"pcReleaseDate"`
	CodeRedemption bool      `json:"isCodeRedemptionOnly"`

	Blacklist countries `json:"countriesBlacklist"`
	Whitelist countries `json:"countriesWhitelist"`

	ProductSlug   string `json:"productSlug"`
	URLSlug       string `json:"urlSlug"`
	OfferMappings []page `json:"offerMappings"`
	CatalogNs     struct {
		Mappings []page `json:"mappings"`
	} `json:"catalogNs"`

	Description string `json:"description"`
	Publisher   string `json:"publisherDisplayName"`
	Developer   string `json:"developerDisplayName"`
	Seller      struct {
		Name string `json:"name"`
	} `json:"seller"`
	KeyImages []struct {
		Type string `json:"type"`
		URL  string `json:"url"`
	} `json:"keyImages"`
	Tags []tag `json:"tags"`

	Price      *price     `json:"price"`
	Promotions promotions `json:"promotions"`

	interrupted bool // fields may be missing because of an error
}

type category struct {
	Path string `json:"path"`
}

type page struct {
	Slug string `json:"pageSlug"`
	Type string `json:"pageType"`
}

const homePage = "productHome"

type tag struct {
	Name  string `json:"name"`
	Group string `json:"groupName"`
}

// errGarbage is the error of every invalid element.
var errGarbage = errors.New("not an offer")

func readElement(raw json.RawMessage) (element, error) {
	var e element
	if err := json.Unmarshal(raw, &e); err != nil {
		var id struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(raw, &id) != nil {
			id.ID = ""
		}
		return element{ID: id.ID}, fmt.Errorf("%w: %w", errGarbage, err)
	}
	e.Title = strings.TrimSpace(e.Title)
	if e.ID == "" || e.Namespace == "" || e.Title == "" {
		return e, fmt.Errorf("%w: one of id %.64q, namespace %.64q and title %.64q is missing", errGarbage, e.ID, e.Namespace, e.Title)
	}
	return e, nil
}

func (e *element) inCategory(path string) bool {
	return slices.ContainsFunc(e.Categories, func(c category) bool { return c.Path == path })
}

// within reports whether the element is in a category or one below it.
func (e *element) within(path string) bool {
	return slices.ContainsFunc(e.Categories, func(c category) bool { return strings.HasPrefix(c.Path+"/", path+"/") })
}

// countries is a set of countries, encoded as a list or as words in a text; null, "[]" and
// "{}" are the empty set.
type countries map[catalog.Region]bool

func (c *countries) UnmarshalJSON(raw []byte) error {
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return fmt.Errorf("countries: %w", err)
		}
		list = []string{text}
	}
	*c = readCountries(strings.Join(list, ","))
	return nil
}

// readCountries returns all words of two letters.
func readCountries(text string) countries {
	var set countries
	for word := range strings.FieldsFuncSeq(strings.ToUpper(text), func(c rune) bool { return c < 'A' || c > 'Z' }) {
		if len(word) != 2 {
			continue
		}
		if set == nil {
			set = make(countries)
		}
		set[catalog.Region{word[0], word[1]}] = true
	}
	return set
}

// attributes are the custom attributes by key.
type attributes map[string]string

func (a *attributes) UnmarshalJSON(raw []byte) error {
	var list []struct {
		Key   string `json:"key"`
		Value any    `json:"value"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return fmt.Errorf("customAttributes: %w", err)
	}
	*a = make(attributes, len(list))
	for _, one := range list {
		switch v := one.Value.(type) {
		case string:
			(*a)[one.Key] = v
		case bool:
			(*a)[one.Key] = fmt.Sprint(v)
		}
	}
	return nil
}

// named returns the value of a key with the given suffix, such as
// "….app.blacklist".
func (a attributes) named(name string) string {
	for key, value := range a {
		if strings.HasSuffix(key, ".app."+name) {
			return value
		}
	}
	return ""
}

// word returns a text without the white space around it, or "" for a placeholder.
func word(v string) string {
	switch v = strings.TrimSpace(v); v {
	case "[]", "{}", "null":
		return ""
	}
	return v
}

// timestamp is a time in ISO form, or zero.
type timestamp catalog.Millis

func (m *timestamp) UnmarshalJSON(raw []byte) error {
	*m = 0
	if bytes.Equal(raw, []byte("null")) {
		return nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return fmt.Errorf("time: %w", err)
	}
	t, err := time.Parse(time.RFC3339, text)
	if err == nil && t.Year() >= 1980 && t.Year() <= 9999 { // other years are placeholders
		*m = timestamp(catalog.MillisOf(t))
	}
	return nil
}
