package catalog

import (
	"cmp"
	"strings"
	"time"

	"gamedex/internal/money"
)

// Millis is a time in Unix milliseconds, UTC. Zero means "not known".
type Millis int64

// MillisOf converts a time, dropping fractions of a millisecond.
func MillisOf(t time.Time) Millis { return Millis(t.UnixMilli()) }

// Time converts m to a time in UTC; the zero value becomes 1970.
func (m Millis) Time() time.Time { return time.UnixMilli(int64(m)).UTC() }

// Day returns the UTC day of m: the days since 1970-01-01.
func (m Millis) Day() int64 { return int64(m / (24 * 60 * 60 * 1000)) }

// DayStart returns the first millisecond of a UTC day.
func DayStart(day int64) Millis { return Millis(day * 24 * 60 * 60 * 1000) }

// Key names a listing. It is the catalog's only stable identity.
type Key struct {
	Platform Platform
	Region   Region
	Product  string
}

// Compare orders keys by platform, region and product.
func (k Key) Compare(other Key) int {
	return cmp.Or(cmp.Compare(k.Platform, other.Platform), k.Region.Compare(other.Region), strings.Compare(k.Product, other.Product))
}

// Listing is what one platform shows for one product in one region at one
// time, as the feed describes it (doc/words.md).
type Listing struct {
	Key
	Facts Facts
	Prose Prose
	// Locale is the language of title and description (BCP 47). It is separate
	// from the facts, because it alone differs in most regions.
	Locale     string
	StoreURL   string
	Popularity float64
	// Price is nil for a product that is announced, but not for sale.
	Price      *Price
	ObservedAt Millis
	// FirstSeenAt and PricedAt are zero unless the feed has them.
	FirstSeenAt, PricedAt Millis
	Withdrawn             bool
}

// Facts are what the merge and the search read of a listing. Most regions
// repeat them, so they are stored once by content. Empty means absent.
type Facts struct {
	Family, FamilyName string
	Slug               string   // pcstore: the game's home slug, lower-case
	Aliases            []string // pcstore: further slugs, lower-case
	TitleIDs           []string
	Title              string
	Titles             []LocalTitle // sorted by locale
	InvariantName      string
	Edition            string // as shown; empty for the standard edition
	Type               Type
	Demo               bool
	Platforms          []string // "PS4", "PS5", "Windows"
	Members            []string // bundle: product ids, in feed order
}

// LocalTitle is a title in one language (BCP 47).
type LocalTitle struct{ Locale, Title string }

// Prose is what a card shows of one chosen listing. Nothing else reads it.
type Prose struct {
	Description, Publisher, Developer string
	ReleaseDate                       string // YYYY-MM-DD
	Genres                            []string
	RatingAge, RatingSystem           string
	Thumbnail, Cover, Logo            string
	Screenshots                       []string
}

// Price is what a listing costs. Amounts are hundredths; money.None is null.
type Price struct {
	Currency              money.Currency
	Base, Current         money.Amount
	BaseText, CurrentText string
	// DiscountPercent is 0 to 100, or NoPercent where the price has none.
	DiscountPercent int
	DiscountLabel   string
	DiscountEndsAt  Millis // zero: unknown or no discount
	Trial           bool   // the price of zero is that of a trial
	Subscription    bool   // only subscribers can buy
	Source          string
}

// NoPercent represents a discount percentage of null.
const NoPercent = -1

// SourceDoubtful marks a price that counts for "cheapest" only where no other
// price has a value in USD.
const SourceDoubtful = "doubtful"

// SourceExact marks a price whose numbers come from the store itself.
const SourceExact = "graphql"

// ProseFields is the set of single-valued fields that a Prose has, so that the
// listing to show can be chosen without reading the prose itself.
type ProseFields uint16

// HasDescription is the first of the fields that a card takes from prose, each from the first
// region that has it. The others are in the order of [ProseChoice.Fields].
const HasDescription ProseFields = 1

// Fields returns the fields that the prose has.
func (p *Prose) Fields() ProseFields {
	var f ProseFields
	for i, has := range [...]bool{ // in the order of ProseChoice
		p.Description != "", p.Publisher != "", p.Developer != "", p.ReleaseDate != "", len(p.Genres) > 0,
		p.RatingAge != "" || p.RatingSystem != "", p.Thumbnail != "", p.Cover != "", p.Logo != "", len(p.Screenshots) > 0,
	} {
		if has {
			f |= 1 << i
		}
	}
	return f
}

// ProseID is the number that a builder assigns to one distinct prose; 0 is none.
type ProseID uint32

// Entry is a listing as the builder keeps it: strings, facts and prices that
// many listings repeat are shared, so that millions of entries fit in memory.
// Merge and the index read entries; they never change them.
type Entry struct {
	Product             string
	Locale              string
	Facts               *Facts
	Price               *Price // nil: not for sale
	URL                 URLPattern
	FirstSeen, PricedAt Millis
	ObservedAt          Millis // of the line that brought the current content
	Popularity          float64
	Prose               ProseID
	Platform            Platform
	Region              Region
	Withdrawn           bool
}

// URLPattern is a store link with the product id and the slug cut out, so that
// the listings of a region share one pattern.
type URLPattern string

const productMark, slugMark = "\x01", "\x02"

// PatternOf cuts product and slug out of a link.
func PatternOf(url, product, slug string) URLPattern {
	if len(product) > 0 {
		url = strings.Replace(url, product, productMark, 1)
	}
	if len(slug) > 2 { // shorter slugs would match inside words
		url = strings.Replace(url, slug, slugMark, 1)
	}
	return URLPattern(url)
}

// URL puts product and slug back: PatternOf(u, p, s).URL(p, s) == u.
func (u URLPattern) URL(product, slug string) string {
	s := strings.Replace(string(u), productMark, product, 1)
	return strings.Replace(s, slugMark, slug, 1)
}

// Change is a stored listing as a database hands it to a builder. Facts and
// prose are identified by numbers of the database, which only grow.
type Change struct {
	Key
	FactsID, ProseID int64
	Locale, StoreURL string
	Popularity       float64
	// Price is nil for a product that is not for sale.
	Price                           *Price
	FirstSeen, ObservedAt, PricedAt Millis
	Withdrawn                       bool
}

// Served records that a card with this id once showed this product. Without a product,
// it records that the id is retired: no other card may take it.
type Served struct {
	ID       string
	Platform Platform
	Product  string
}
