package sweep

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gamedex/internal/catalog"
)

// Batch is the result of one read of a sweep. It is stored as a whole, together
// with the progress of the sweep.
type Batch struct {
	Scope   Scope
	Regions []catalog.Region // all that the answers are valid for, Scope.Region first
	At      catalog.Millis
	Parts   []Part   // in any of Regions
	Present []string // products on sale in all Regions of which the page shows no more
	Items   []Item   // for other kinds, in Scope.Region
	Read    []string // items of this scope that were read
	Retry   []string // items of this scope that could not be read: due again at RetryAt
	RetryAt catalog.Millis
	Cursor  string // next page of a paged sweep
	// Interrupted reports that something may be missing: the sweep must not withdraw.
	Interrupted bool
	Requests    int // that the batch took
}

// Rules are applied to a batch by the transaction that stores it. A transaction may
// be repeated, so the functions must not change what they are given, except for the
// listing of Check.
type Rules struct {
	// Check completes a listing that is to be saved, or refuses it with an error.
	// If it is nil, all are saved as they are.
	Check func(*catalog.Listing) error
	// Judge is called with the parts of the batch and the stored prices of Products
	// in all regions, in no particular order. No other batch of the platform that has Products
	// is stored between the read of these prices and the commit. Judge returns the
	// parts to be stored and the listings of other regions to be marked. It is not
	// called if there are no Products.
	Judge    func(parts []Part, stored []RegionPrice) ([]Part, []Doubt)
	Products []string
}

// Doubt is a listing whose price has become doubtful, or no longer is.
type Doubt struct {
	catalog.Key
	Doubtful bool
}

// Apply returns the stored listing l with its price marked as doubtful or not, as
// of when it was last seen. changed is false if there is nothing to change.
func (d Doubt) Apply(l *catalog.Listing) (marked catalog.Listing, changed bool) {
	if l == nil || l.Withdrawn || l.Price == nil || d.Doubtful == (l.Price.Source == catalog.SourceDoubtful) {
		return catalog.Listing{}, false
	}
	price := *l.Price
	price.Source = catalog.SourceExact
	if d.Doubtful {
		price.Source = catalog.SourceDoubtful
	}
	marked = *l
	marked.Price, marked.FirstSeenAt, marked.PricedAt = &price, 0, 0
	return marked, true
}

// BatchCounts counts the outcomes of a batch's parts.
type BatchCounts struct {
	Saved      catalog.SaveCounts
	Incomplete int // parts of products that cannot be listed yet, because too little is known about them
	Rejected   int // listings that break a rule of the format
	// FirstRejected is the reason for the first rejection; empty without any.
	FirstRejected string
	Doubtful      int // prices stored as doubtful
	Hot           int // items that became due at once
}

// Add sums two counts.
func (c BatchCounts) Add(o BatchCounts) BatchCounts {
	return BatchCounts{
		Saved: c.Saved.Add(o.Saved), Incomplete: c.Incomplete + o.Incomplete,
		Rejected: c.Rejected + o.Rejected, FirstRejected: cmp.Or(c.FirstRejected, o.FirstRejected),
		Doubtful: c.Doubtful + o.Doubtful, Hot: c.Hot + o.Hot,
	}
}

// Item is something that sweeps of another kind read one by one: a game's
// editions, a product's details.
type Item struct {
	Kind Kind
	ID   string // as the connector wants it back
	// Mark is a digest of what the page shows of the item. An item whose mark
	// has changed is read before items that are only old.
	Mark string
}

// Job is a scope that a connector can read.
type Job struct {
	Scope   Scope
	Regions []catalog.Region // all that its answers are valid for, Scope.Region first
}

// Page is the result of one read of a job.
type Page struct {
	Parts       []Part   // in any of the job's regions
	Present     []string // products on sale in all of them of which the page shows no more
	Items       []Item   // for jobs of other kinds in Scope.Region
	Next        string   // next page of a paged job; empty: this was the last
	Interrupted bool     // something may be missing
	// Gone reports that the store does not sell the item in this region.
	Gone     bool
	Requests int
}

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

// DecodeProfile decodes a part of the profile of a connector, which has the given name.
// Unknown fields and data after the value are errors. Errors name the field.
func DecodeProfile(name string, raw json.RawMessage, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		field := strings.TrimPrefix(wrong.Field, "Profile.") // of an embedded Profile
		return fmt.Errorf("%s.%s: is a JSON %s, want %s", name, field, wrong.Value, wrong.Type)
	}
	if err != nil {
		return fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: there is something after the object", name)
	}
	return nil
}
