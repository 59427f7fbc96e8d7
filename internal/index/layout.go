package index

import (
	"encoding/binary"

	"gamedex/internal/catalog"
	"gamedex/internal/snapshot"
)

// Format is the version of both blobs' contents. A builder builds again when
// the published snapshot has another.
const Format = 2

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
	secPoints    = "points"     // pointSize bytes each: an amount as it is shown
	secExtras    = "extras"     // extraSize bytes each: what many rows agree in
	secEnds      = "ends"       // discount ends, sorted, distinct
	secRevs      = "revs"       // per card: Card.Rev
	secMoney     = "currencies" // string numbers
)

// A card record: what every answer reads, string numbers, then list places.
const (
	cardKind = 4 * iota // platform, type, class, zero: one byte each
	cardID
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
//
// A row holds what differs from row to row; what stores use again and again
// stands in two tables, each distinct record once. A store has some hundreds of
// prices in a region ("points"), and what is left ("extras") is a few words of a
// region, a sale and an edition. At worst every row has records of its own:
// then it takes rowSize + 2*pointSize + extraSize = 72 bytes and not 24, and 8
// more if no two discounts end together.
const (
	rowRegion   = 0 // one byte
	rowPercent  = 1 // one byte; noPercent: null
	rowPricedAt = 2 // 48 bits of milliseconds
	rowBase     = 8 // numbers of points
	rowCurrent  = 12
	rowProduct  = 16 // string number
	rowExtra    = 20
	rowSize     = 24
)

const noPercent = 255

// A point record: an amount and the text that shows it. Number 0 is no amount
// and no text.
const (
	pointText   = 0 // string number
	pointAmount = 4 // 64 bits, see money.Amount
	pointSize   = 12
)

// An extra record. Number 0 is all zero.
const (
	extraLabel    = 0 // string numbers
	extraEdition  = 4
	extraSource   = 8
	extraURL      = 12 // pattern, see links.go
	extraEnd      = 16 // 1 + number in ends; 0: no end
	extraVariants = 20 // uint16
	extraCurrency = 22 // one byte
	extraFlags    = 23
	extraSize     = 24
)

const (
	flagPriced = 1 << iota
	flagTrial
	flagSubscription
	flagDoubtful
)

func u32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }

func u64(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }

func put32(b []byte, at int, v uint32) { binary.LittleEndian.PutUint32(b[at:], v) }

// pricedAt reads a row's moment: what stands above the first two bytes. 48 bits
// of milliseconds reach the year 10889.
func pricedAt(row []byte) int64 { return int64(u64(row, 0) >> (8 * rowPricedAt)) }

const lastPricedAt = 1<<48 - 1

func putPricedAt(row []byte, v int64) {
	put32(row, rowPricedAt, uint32(v))
	binary.LittleEndian.PutUint16(row[rowPricedAt+4:], uint16(v>>32))
}

// group is the number under which the search index files a platform's cards.
func group(p catalog.Platform) uint8 { return uint8(p) }

// listAt returns the list that begins at a place of a lists section: its
// length stands before its numbers. Place 0 is the empty list.
func listAt(lists snapshot.U32s, place uint32) snapshot.U32s {
	n := lists.At(int(place))
	return lists.Slice(place+1, place+1+n)
}
