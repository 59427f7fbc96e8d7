package sweep

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gamedex/internal/catalog"
)

// Kind is the part of a store that a sweep reads. The numbers are stored.
type Kind uint8

// The kinds. Prices and Titles are read page by page, the others item by item:
// one request, or a few, for each game or product that a page named.
const (
	Prices   Kind = iota + 1 // every listed game, with its price
	Editions                 // all editions of one game, with exact prices
	AddOns                   // all add-ons of one game
	Details                  // one product's own page
	Titles                   // titles in a region's other languages
)

var kindNames = [...]string{Prices: "prices", Editions: "editions", AddOns: "addons", Details: "details", Titles: "titles"}

// String returns the kind's name in leases, logs and metrics.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return ""
}

// parseKind parses what String returns.
func parseKind(s string) (Kind, error) {
	if k := slices.Index(kindNames[:], s); k > 0 {
		return Kind(k), nil
	}
	return 0, fmt.Errorf("unknown kind of sweep %q", s)
}

// Paged reports whether a sweep of this kind reads page by page; otherwise it
// reads item by item.
func (k Kind) Paged() bool { return k == Prices || k == Titles }

// Scope is what one sweep covers: the unit in which stores are read.
type Scope struct {
	Platform catalog.Platform
	Region   catalog.Region // the requested one; its answers may cover more
	Kind     Kind
}

// String returns the scope's name: "consolestore/UA/prices".
func (s Scope) String() string {
	return s.Platform.String() + "/" + s.Region.String() + "/" + s.Kind.String()
}

// ParseScope parses what String returns.
func ParseScope(s string) (Scope, error) {
	words := strings.Split(s, "/")
	if len(words) != 3 {
		return Scope{}, fmt.Errorf("scope %q is not PLATFORM/REGION/KIND", s)
	}
	p, platformErr := catalog.ParsePlatform(words[0])
	r, regionErr := catalog.ParseRegion(words[1])
	k, kindErr := parseKind(words[2])
	if err := cmp.Or(platformErr, regionErr, kindErr); err != nil {
		return Scope{}, fmt.Errorf("scope %q: %w", s, err)
	}
	return Scope{p, r, k}, nil
}
