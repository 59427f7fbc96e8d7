package layout

import (
	"encoding/binary"

	"gamedex/internal/catalog"
	"gamedex/internal/snapshot"
)

// Format is the version of the blobs' contents. A builder builds again when
// the published snapshot has an older one.
const Format = 9

// Oldest is the oldest format that this program reads. It is the one before Format, so
// that old and new processes can run side by side during an upgrade. Whoever raises
// Format raises Oldest too, keeps the fixture of the format before (TestFixtures in
// package index), and reads what differs in it. Format 8 says of no name that it is
// written as it is folded, and of no acronym that people know it.
const Oldest = Format - 1

// Read returns the formats that this program reads.
func Read() snapshot.Versions { return snapshot.Versions{Oldest: Oldest, Newest: Format} }

// The kinds of blobs, see [snapshot.Open].
const (
	CatalogKind = "catalog"
	PricesKind  = "prices"
)

// The sections of the catalog blob. The search index adds its own.
const (
	SectionMeta    = "meta"    // JSON: CatalogMeta
	SectionStrings = "strings" // all texts
	SectionCards   = "cards"   // CardSize bytes each, in final order
	SectionOffers  = "offers"  // OfferSize bytes each, in the order of their cards
	SectionTexts   = "texts"   // lists of string numbers
	SectionLinks   = "links"   // lists of card numbers
	SectionIDs     = "ids"     // hash table: card ids, slugs, aliases
	SectionKeys    = "keys"    // hash table: product ids, title ids, store links
	SectionMoved   = "moved"   // pairs: former id, list of current ids; sorted
	SectionRanking = "ranking" // RankingSize bytes each, in the order of the cards

	// Texts by language.
	SectionLanguages  = "languages"   // string numbers of languages, sorted by text
	SectionLocal      = "local"       // LocalSize bytes each, in the order of their owners
	SectionLocalFirst = "local-first" // first record of each card, then of each offer; then their number
)

// The sections of the prices blob, in addition to meta (PricesMeta) and strings.
const (
	SectionRows       = "rows"       // RowSize bytes each
	SectionCardRows   = "card-rows"  // per card: first row, number of rows
	SectionOfferRows  = "offer-rows" // per offer: the same
	SectionPoints     = "points"     // PointSize bytes each: an amount and its text
	SectionExtras     = "extras"     // ExtraSize bytes each: fields that many rows share
	SectionEnds       = "ends"       // discount ends, sorted, distinct
	SectionRevs       = "revs"       // per card: its rev
	SectionChanges    = "changes"    // per card: the publication that changed it last; older programs wrote none
	SectionCurrencies = "currencies" // string numbers
)

// CatalogMeta is the section "meta" of a catalog blob.
type CatalogMeta struct {
	Identity  string                                `json:"identity"`
	Regions   []catalog.Region                      `json:"regions"` // by number
	Active    []catalog.Region                      `json:"active"`  // in configured order
	Platforms map[catalog.Platform][]catalog.Region `json:"platforms"`
	// Unserved is where games are sold that have no listing in an active region. Older
	// programs wrote none.
	Unserved []catalog.Region `json:"unserved,omitempty"`
}

// PricesMeta is the section "meta" of a prices blob.
type PricesMeta struct {
	Catalog string `json:"catalog"` // identity of the catalog it belongs to
}

// MaxRegions is how many regions a blob can number.
const MaxRegions = 256

// The fields of a card record: string numbers, then offsets of lists.
const (
	CardKind = 4 * iota // platform, type, class, zero: one byte each
	CardID
	CardTitle
	CardEdition
	CardInvariant
	CardDescription
	CardPublisher
	CardDeveloper
	CardReleaseDate
	CardThumbnail
	CardCover
	CardLogo
	CardStoreURL
	CardRatingAge
	CardRatingSystem
	CardGenres // lists of texts from here
	CardPlatforms
	CardTitleIDs
	CardScreenshots
	CardTitles
	CardAliases
	CardGames // lists of links from here: the family's games
	CardAddOns
	CardMembers
	CardOffers     // number of its first offer
	CardOfferCount // number of its offers
	CardSelf       // its own number: a list of one
	CardSize
)

// The fields of a ranking record: what only lists of cards are sorted by.
const (
	RankingPopularity = 0 // 64 bits of a floating-point number
	RankingFirstSeen  = 8 // 64 bits of milliseconds
	RankingSize       = 16
)

// The fields of a local record: what a card or an offer is called in some languages. A
// text that is 0 is that of the card or offer. In a language without a record it has no
// texts.
const (
	LocalTitle       = 0 // string numbers
	LocalEdition     = 4
	LocalDescription = 8
	LocalLanguages   = 12 // list of string numbers
	LocalSize        = 16
)

// The fields of an offer record.
const (
	OfferID          = 0
	OfferTitle       = 4
	OfferEdition     = 8
	OfferType        = 12 // one byte
	OfferEditionFlag = 13 // one byte: 1 for an edition of the game; then two zero
	OfferSize        = 16
)

// The fields of a row record. Rows of one card or offer are sorted by region
// number, which is alphabetical order.
//
// A row holds what differs from row to row. What many rows share is in two
// tables of distinct records: a store has some hundreds of prices in a region
// ("points"), and the remaining fields ("extras") depend on a region, a sale
// and an edition. In the worst case every row has its own records and takes
// RowSize + 2*PointSize + ExtraSize = 72 bytes instead of 24, and 8 more if no
// two discounts end together.
const (
	RowRegion   = 0 // one byte
	RowPercent  = 1 // one byte; NoPercent: null
	RowPricedAt = 2 // 48 bits of milliseconds
	RowBase     = 8 // numbers of points
	RowCurrent  = 12
	RowProduct  = 16 // string number
	RowExtra    = 20
	RowSize     = 24
)

// NoPercent is a row's percentage when it has none.
const NoPercent = 255

// The fields of a point record: an amount and the text that shows it. Number 0
// has neither amount nor text.
const (
	PointText   = 0 // string number
	PointAmount = 4 // 64 bits, see money.Amount
	PointSize   = 12
)

// The fields of an extra record. Number 0 is all zero.
const (
	ExtraLabel    = 0 // string numbers
	ExtraEdition  = 4
	ExtraSource   = 8
	ExtraURL      = 12 // pattern, see AppendURL
	ExtraEnd      = 16 // 1 + number in ends; 0: no end
	ExtraVariants = 20 // uint16
	ExtraCurrency = 22 // one byte
	ExtraFlags    = 23
	ExtraSize     = 24
)

// The bits of ExtraFlags.
const (
	FlagPriced = 1 << iota
	FlagTrial
	FlagSubscription
	FlagDoubtful
)

// U32 reads 32 bits of a record.
func U32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }

// U64 reads 64 bits of a record.
func U64(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }

// Put32 writes 32 bits of a record.
func Put32(b []byte, at int, v uint32) { binary.LittleEndian.PutUint32(b[at:], v) }

// PricedAt reads a row's time: the 48 bits above its first two bytes. They
// reach the year 10889.
func PricedAt(row []byte) int64 { return int64(U64(row, 0) >> (8 * RowPricedAt)) }

// PutPricedAt writes a row's time, limited to what 48 bits can hold.
func PutPricedAt(row []byte, millis int64) {
	v := min(max(0, millis), 1<<48-1)
	Put32(row, RowPricedAt, uint32(v))
	binary.LittleEndian.PutUint16(row[RowPricedAt+4:], uint16(v>>32))
}

// ListAt returns the list at an offset of a section of lists. A list is its
// length followed by its numbers; offset 0 is the empty list.
func ListAt(lists snapshot.U32s, offset uint32) snapshot.U32s {
	n := lists.At(int(offset))
	return lists.Slice(offset+1, offset+1+n)
}
