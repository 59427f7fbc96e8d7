package bulk

import (
	"bytes"
	"encoding/binary"

	"gamedex/internal/catalog"
	"gamedex/internal/deflate"
)

// hints gives a compressor match hints: where the parts of the answer begin, and
// which earlier part each is likely to repeat (package deflate). Hints never
// change the answer, only how short it becomes. The zero value gives none.
type hints struct {
	to       *deflate.Writer
	currency uint32 // the first key of the currency that is being encoded
}

// part is a kind of part.
type part uint32

// The kinds of parts. Each has a key. Those before perCurrency also have one
// key for each currency.
const (
	partBaseText part = iota
	partCurrentText
	partPercent
	partUSD
	partRegionURL
	perCurrency

	partCard = iota
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

// The keys of hints: kinds of parts, parts in one currency, rows and their ends by
// region, sources by length, and values, with the highest bit set.
const (
	currencyKeys = 1 << 16
	rowKeys      = 2 << 16
	rowEndKeys   = 3 << 16
	sourceKeys   = 4 << 16
	valueKeys    = 1 << 31
)

// valueKey returns the key of a value.
func valueKey(v uint64) uint32 { return uint32(v*0x9e3779b97f4a7c15>>32) | valueKeys }

// regionKey returns the key of a region. Platforms have different ones,
// because they name regions differently.
func regionKey(first uint32, platform catalog.Platform, row *shownRow) uint32 {
	return first + uint32(platform)<<8 + uint32(row.Region)
}

// addPart adds a hint for a part that begins at the end of dst.
func (h *hints) addPart(dst []byte, p part) {
	if h.to != nil {
		h.to.Hint(len(dst), uint32(p))
	}
}

// appendPart adds a hint for a part and appends its text.
func (h *hints) appendPart(dst []byte, p part, text string) []byte {
	h.addPart(dst, p)
	return append(dst, text...)
}

// addCurrencyPart adds a hint for a part that is likeliest to repeat one of the
// same currency: prices, and how they are written, differ between currencies.
func (h *hints) addCurrencyPart(dst []byte, p part) {
	if h.to != nil {
		h.to.HintOr(len(dst), h.currency+uint32(p), uint32(p))
	}
}

// addRow adds a hint for a region price.
func (h *hints) addRow(dst []byte, platform catalog.Platform, row *shownRow) {
	if h.to != nil {
		h.to.Hint(len(dst), regionKey(rowKeys, platform, row))
	}
}

// addRowEnd adds a hint for the end of a region price. The same region follows
// it in most games.
func (h *hints) addRowEnd(dst []byte, platform catalog.Platform, row *shownRow) {
	if h.to != nil {
		h.to.Hint(len(dst), regionKey(rowEndKeys, platform, row))
	}
}

// addSource adds a hint for the source of a price. Sources of one length are
// likely to be the same.
func (h *hints) addSource(dst, text []byte) {
	if h.to != nil {
		h.to.Hint(len(dst), sourceKeys+uint32(len(text)))
	}
}

// addPrice adds a hint for the first number of a price; rows of other games may
// have the same price. The hints of addCurrencyPart that follow are for its
// currency.
func (h *hints) addPrice(dst []byte, row *shownRow) {
	if h.to != nil {
		h.currency = currencyKeys + uint32(row.Currency)<<8
		h.to.Hint(len(dst), valueKey(uint64(row.Base)<<32|uint64(row.Currency)<<16))
	}
}

// addCurrent adds a hint for the second number of a price, if it equals the first.
func (h *hints) addCurrent(dst []byte, row *shownRow) {
	if h.to != nil && row.OneText() {
		h.to.HintRepeat(len(dst), valueKey(uint64(row.Base)<<32|uint64(row.Currency)<<16))
	}
}

// addBaseText adds a hint for the first text of a price, if the second one is the
// same: then the second one repeats it.
func (h *hints) addBaseText(dst []byte, row *shownRow) {
	if row.OneText() {
		h.addPriceText(dst, row)
	}
}

// addPriceText adds a hint for the text of a price. That of the cheapest region
// stands among the region prices, too.
func (h *hints) addPriceText(dst []byte, row *shownRow) {
	if h.to != nil {
		h.to.Hint(len(dst), valueKey(uint64(row.Current)<<32|uint64(row.Currency)<<16|1))
	}
}

// addDollars adds a hint for a price in dollars.
func (h *hints) addDollars(dst []byte, row *shownRow) {
	if h.to != nil {
		h.to.Hint(len(dst), valueKey(uint64(row.cents)<<1|1))
	}
}

// addMoment adds a hint for a moment. The prices of one sweep have few moments,
// and that of a game is that of one of its rows.
func (h *hints) addMoment(dst []byte, ms int64) {
	if h.to != nil {
		h.to.Hint(len(dst), valueKey(uint64(ms)))
	}
}

// addDiscount adds a hint for the discount, which is alike in all rows whose
// discounts end at the same time, and in all rows without one.
func (h *hints) addDiscount(dst []byte, row *shownRow) {
	if h.to != nil {
		h.to.HintOr(len(dst), valueKeys|uint32(row.EndsAt>>10), uint32(partDiscount))
	}
}

// addProduct adds a hint for a product id in a string that begins at the end of
// dst.
func (h *hints) addProduct(dst []byte) {
	if h.to != nil {
		h.to.Hint(len(dst)+len(`"`), uint32(partProduct))
	}
}

// wordSize is how many bytes of a word decide which earlier word it is like.
const wordSize = 4

// addWords adds hints for the words of the string dst[start:] but the first.
func (h *hints) addWords(dst []byte, start int, separator byte) {
	if h.to == nil {
		return
	}
	for {
		n := bytes.IndexByte(dst[start:], separator)
		if start += n + 1; n < 0 || len(dst)-start < wordSize {
			return
		}
		h.to.Hint(start, valueKey(uint64(binary.LittleEndian.Uint32(dst[start:]))))
	}
}

// addLinkEnd adds a hint for the last segment of the link dst[start:]: it is
// likely to be the product id.
func (h *hints) addLinkEnd(dst []byte, start int) {
	if h.to == nil {
		return
	}
	if i := bytes.LastIndexByte(dst[start:], '/'); i >= 0 {
		h.to.Hint(start+i+1, uint32(partProduct))
	}
}
