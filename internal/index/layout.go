package index

import (
	"encoding/binary"

	"gamedex/internal/catalog"
	"gamedex/internal/snapshot"
)

// Format is the version of both blobs' contents. A builder builds again when
// the published snapshot has another.
const Format = 1

const (
	catalogKind = "catalog"
	pricesKind  = "prices"
)

// The sections of the catalog blob. The search index adds its own.
const (
	secMeta    = "meta"    // JSON: regions, active regions, identity
	secStrings = "strings" // all texts
	secCards   = "cards"   // cardSize bytes each, in final order
	secOffers  = "offers"  // offerSize bytes each, in the order of their cards
	secTexts   = "texts"   // lists of string numbers
	secLinks   = "links"   // lists of card numbers
	secIDs     = "ids"     // hash table: card ids, slugs, aliases
	secKeys    = "keys"    // hash table: product ids, title ids, store links
	secMoved   = "moved"   // pairs: former id, list of today's ids; sorted
)

// The sections of the prices blob, beside meta and strings.
const (
	secRows      = "rows"       // rowSize bytes each
	secCardRows  = "card-rows"  // per card: first row, number of rows
	secOfferRows = "offer-rows" // per offer: the same
	secExtras    = "extras"     // extraSize bytes each: what few rows differ in
	secWide      = "wide"       // pairs of amounts that do not fit into 32 bits
	secEnds      = "ends"       // discount ends, sorted, distinct
	secRevs      = "revs"       // per card: Card.Rev
	secMoney     = "currencies" // string numbers
)

// A card record: string numbers, then list places, then small values.
const (
	cardID = 4 * iota
	cardTitle
	cardEdition
	cardInvariant
	cardDescription
	cardPublisher
	cardDeveloper
	cardReleaseDate
	cardThumbnail
	cardCover
	cardLogo
	cardStoreURL
	cardRatingAge
	cardRatingSystem
	cardGenres // lists of texts from here
	cardPlatforms
	cardTitleIDs
	cardScreenshots
	cardTitles
	cardAliases
	cardGames // lists of links from here: the family's games
	cardAddOns
	cardMembers
	cardOffers     // number of its first offer
	cardOfferCount // and how many follow
	cardSelf       // its own number: a list of one
	cardKind       // platform, type, class, zero: one byte each
	cardSize
)

// An offer record.
const (
	offerID      = 0
	offerTitle   = 4
	offerEdition = 8
	offerType    = 12 // one byte, three zero
	offerSize    = 16
)

// A row record. Rows of one card or offer are sorted by region number, which
// is alphabetical order.
const (
	rowRegion      = 0 // bytes
	rowFlags       = 1
	rowPercent     = 2 // noPercent: null
	rowCurrency    = 3
	rowBase        = 4 // uint32; noAmount: null; with flagWide: number in wide
	rowCurrent     = 8
	rowBaseText    = 12
	rowCurrentText = 16
	rowProduct     = 20
	rowURL         = 24
	rowPricedAt    = 28 // 48 bits of milliseconds
	rowVariants    = 34 // uint16
	rowExtra       = 36
	rowSize        = 40
)

const (
	flagPriced = 1 << iota
	flagTrial
	flagSubscription
	flagDoubtful
	flagWide
	knownFlags = 1<<iota - 1
)

const (
	noPercent = 255
	noAmount  = 1<<32 - 1
)

// An extra record. Number 0 is all zero.
const (
	extraLabel   = 0
	extraEdition = 4
	extraSource  = 8
	extraEnd     = 12 // 1 + number in ends; 0: no end
	extraSize    = 16
)

func u32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }

func put32(b []byte, at int, v uint32) { binary.LittleEndian.PutUint32(b[at:], v) }

// u48 reads a moment; 48 bits of milliseconds reach the year 10889.
func u48(b []byte, at int) int64 {
	return int64(u32(b, at)) | int64(binary.LittleEndian.Uint16(b[at+4:]))<<32
}

func put48(b []byte, at int, v int64) {
	put32(b, at, uint32(v))
	binary.LittleEndian.PutUint16(b[at+4:], uint16(v>>32))
}

// group is the number under which the search index files a platform's cards.
func group(p catalog.Platform) uint8 { return uint8(p) }

// listAt returns the list that begins at a place of a lists section: its
// length stands before its numbers. Place 0 is the empty list.
func listAt(lists snapshot.U32s, place uint32) snapshot.U32s {
	n := lists.At(int(place))
	return lists.Slice(place+1, place+1+n)
}
