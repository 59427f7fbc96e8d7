package api

import (
	"bytes"
	"encoding/binary"

	"gamedex/internal/catalog"
	"gamedex/internal/deflate"
)

// marks tells a compressor where the parts of a bulk answer begin, and which
// earlier part each is likely to repeat (package deflate). Marks never change
// the answer, only how short it becomes. The zero value tells nobody.
type marks struct {
	to       *deflate.Writer
	currency uint32 // where the slots of the currency in work begin
}

// part is a kind of part.
type part uint32

// The kinds of parts. Each has a slot of its own; those up to perCurrency have
// one for each currency besides.
const (
	partBaseText part = iota
	partCurrentText
	partPercent
	partUSD
	partRegionURL
	perCurrency

	partItem = iota
	partCurrent
	partPlatform
	partTitle
	partRegions
	partCount
	partCheapestUSD
	partCheapestText
	partUpdated
	partDiscount
	partProduct
	partImage
	partStoreURL
	partLinks
	partStoreLink
	partMeta
	partPublisher
	partReleased
	partGenres
	partPlatforms
	partInvariant
	partEdition
	partEditionTitle
	partEditionType
	partFlags
	parts
)

// Slots: the kinds of parts as they are, parts in one currency, region prices
// and their ends by their region, sources by their length, and the rest, with
// the highest bit, for values.
const (
	currencySlots = 1 << 16
	regionSlots   = 2 << 16
	closingSlots  = 3 << 16
	sourceSlots   = 4 << 16
	valueSlots    = 1 << 31
)

// at marks a part that begins where dst ends.
func (m *marks) at(dst []byte, p part) {
	if m.to != nil {
		m.to.Hint(len(dst), uint32(p))
	}
}

// add marks a part and appends its text.
func (m *marks) add(dst []byte, p part, text string) []byte {
	m.at(dst, p)
	return append(dst, text...)
}

// like marks a part that is likeliest to go on as in another row of the same
// currency: prices, and how they are written, differ between currencies.
func (m *marks) like(dst []byte, p part) {
	if m.to != nil {
		m.to.HintOr(len(dst), m.currency+uint32(p), uint32(p))
	}
}

// row marks a region price.
func (m *marks) row(dst []byte, platform catalog.Platform, row *shownRow) {
	if m.to != nil {
		m.to.Hint(len(dst), regionSlot(regionSlots, platform, row))
	}
}

// closing marks the end of a region price. Behind it stands the region that
// follows this one in other games too.
func (m *marks) closing(dst []byte, platform catalog.Platform, row *shownRow) {
	if m.to != nil {
		m.to.Hint(len(dst), regionSlot(closingSlots, platform, row))
	}
}

// regionSlot tells platforms apart, because they name regions differently.
func regionSlot(from uint32, platform catalog.Platform, row *shownRow) uint32 {
	return from + uint32(platform)<<8 + uint32(row.Region)
}

// source marks where a price comes from. Sources of one length are likely to be
// the same.
func (m *marks) source(dst, text []byte) {
	if m.to != nil {
		m.to.Hint(len(dst), sourceSlots+uint32(len(text)))
	}
}

// price marks the first number of a price. What is like it from here on is of
// its currency.
func (m *marks) price(dst []byte, row *shownRow) {
	if m.to != nil {
		m.markPrice(dst, row)
	}
}

// markPrice: rows of other regions may have the same price.
func (m *marks) markPrice(dst []byte, row *shownRow) {
	m.currency = currencySlots + uint32(row.Currency)<<8
	m.to.Hint(len(dst), valueSlot(uint64(row.Base)<<32|uint64(row.Currency)<<16))
}

// shown marks a price as it is shown: the cheapest one stands among the region
// prices too.
func (m *marks) shown(dst []byte, row *shownRow) {
	if m.to != nil {
		m.to.Hint(len(dst), valueSlot(uint64(row.Current)<<32|uint64(row.Currency)<<16|1))
	}
}

// dollars marks a price in dollars.
func (m *marks) dollars(dst []byte, row *shownRow) {
	if m.to != nil {
		m.to.Hint(len(dst), valueSlot(uint64(row.cents)<<1|1))
	}
}

// moment marks a moment: prices of one sweep have few, and that of a game is
// that of one of its rows.
func (m *marks) moment(dst []byte, ms int64) {
	if m.to != nil {
		m.to.Hint(len(dst), valueSlot(uint64(ms)))
	}
}

// discount marks the discount, which is alike in all rows whose discounts end at
// the same time, and in all that have none.
func (m *marks) discount(dst []byte, row *shownRow) {
	if m.to != nil {
		m.to.HintOr(len(dst), valueSlots|uint32(row.EndsAt>>10), uint32(partDiscount))
	}
}

// product marks where the id of a product will stand in a string.
func (m *marks) product(dst []byte) {
	if m.to != nil {
		m.to.Hint(len(dst)+len(`"`), uint32(partProduct))
	}
}

// wordSize is how many bytes of a word decide which earlier one it is like.
const wordSize = 4

// words marks the words of a string that dst ends with, from start, behind the
// first; gap parts them.
func (m *marks) words(dst []byte, start int, gap byte) {
	if m.to == nil {
		return
	}
	for {
		n := bytes.IndexByte(dst[start:], gap)
		if start += n + 1; n < 0 || len(dst)-start < wordSize {
			return
		}
		m.to.Hint(start, valueSlot(uint64(binary.LittleEndian.Uint32(dst[start:]))))
	}
}

// link marks the last part of a link that dst ends with, from start: it is
// likely to be the id of the product.
func (m *marks) link(dst []byte, start int) {
	if m.to == nil {
		return
	}
	if i := bytes.LastIndexByte(dst[start:], '/'); i >= 0 {
		m.to.Hint(start+i+1, uint32(partProduct))
	}
}

// valueSlot is the slot of a value, far from those of the parts.
func valueSlot(v uint64) uint32 { return uint32(v*0x9e3779b97f4a7c15>>32) | valueSlots }
