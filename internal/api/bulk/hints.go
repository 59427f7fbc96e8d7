package bulk

import (
	"bytes"
	"encoding/binary"

	"gamedex/internal/api/deflate"
	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index"
)

// hints collects match hints for a compressor: where the parts of the answer
// begin, and which earlier part each is likely to repeat (package deflate).
// Hints change only the size of the compressed answer. The zero value collects none.
type hints struct {
	on       bool
	list     []deflate.Hint // offsets in the buffer of the answer
	currency uint32         // the first key of the currency that is being encoded
}

// The keys of parts. Those before perCurrency have one more key for each
// currency.
const (
	partBaseText uint32 = iota + 1 // 0 is no other key
	partCurrentText
	partPercent
	partUSD
	partRegionURL
	perCurrency

	partCard uint32 = iota
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
	partConverted
	partConvertedText
	partLows
	partLow
	partFirstAt
	partLastAt
	partTimes
	partYear
	partDays90
	partMeets
	partFree
	partWatched
	partReal
	partClaimed
	partSince
)

// The keys of other hints: parts in one currency, rows and their ends by region,
// sources by length, and values, with the highest bit set.
const (
	currencyKeys = 1 << 16
	rowKeys      = 2 << 16
	rowEndKeys   = 3 << 16
	sourceKeys   = 4 << 16
	valueKeys    = 1 << 31
)

func valueKey(v uint64) uint32 { return uint32(v*0x9e3779b97f4a7c15>>32) | valueKeys }

// regionKey returns the key of a region. Platforms have different ones,
// because they name regions differently.
func regionKey(first uint32, platform catalog.Platform, row *shownRow) uint32 {
	return first + uint32(platform)<<8 + uint32(row.Region)
}

// add adds a hint for what begins at an offset of the buffer.
func (h *hints) add(at int, key, other uint32) {
	h.list = append(h.list, deflate.Hint{At: int32(at), Key: key, Other: other})
}

// addKey adds a hint for what begins at the end of dst.
func (h *hints) addKey(dst []byte, key uint32) {
	if h.on {
		h.add(len(dst), key, 0)
	}
}

// appendPart adds a hint for a part and appends its text.
func (h *hints) appendPart(dst []byte, part uint32, text string) []byte {
	h.addKey(dst, part)
	return append(dst, text...)
}

// appendCurrencyPart is appendPart for a part that is likeliest to repeat one of
// the same currency: prices, and how they are written, differ between currencies.
func (h *hints) appendCurrencyPart(dst []byte, part uint32, text string) []byte {
	if h.on {
		h.add(len(dst), h.currency+part, part)
	}
	return append(dst, text...)
}

// currencyKey returns the first key of parts in a currency.
func currencyKey(currency uint8) uint32 { return currencyKeys + uint32(currency)<<8 }

// addPrice adds a hint for a price, which begins at its first number: rows of other
// games may have the same price. appendCurrencyPart uses its currency from then on.
func (h *hints) addPrice(dst []byte, row *index.Row) {
	if h.on {
		h.currency = currencyKey(row.Currency)
		h.add(len(dst), pointsKey(row), 0)
	}
}

// addCurrent adds a hint for the second number of a price, if it equals the first.
func (h *hints) addCurrent(dst []byte, row *index.Row) {
	if h.on && row.OneText() {
		h.add(len(dst), pointsKey(row), deflate.Repeats)
	}
}

// pointsKey returns the key of a price. Prices with a discount have other keys.
func pointsKey(row *index.Row) uint32 {
	v := uint64(row.Base)<<32 | uint64(row.Currency)<<16
	if row.OneText() {
		v |= 2
	}
	return valueKey(v)
}

// addPriceText adds a hint for the text of a price. The text of the cheapest
// region is also among the region prices.
func (h *hints) addPriceText(dst []byte, row *index.Row) {
	if h.on {
		h.add(len(dst), valueKey(uint64(row.Current)<<32|uint64(row.Currency)<<16|1), 0)
	}
}

func (h *hints) addDollars(dst []byte, cents int64) {
	if h.on {
		h.add(len(dst), valueKey(uint64(cents)<<1|1), 0)
	}
}

// addConverted adds hints for the object converted, dst[start:]: it is the same for
// the same price, and else its text begins alike.
func (h *hints) addConverted(dst []byte, start int, row *index.Row) {
	if !h.on {
		return
	}
	h.add(start, valueKey(uint64(row.Current)<<32|uint64(row.Currency)<<16|3), 0)
	if i := bytes.Index(dst[start:], []byte(`,"formatted":`)); i >= 0 {
		h.add(start+i, partConvertedText, 0)
	}
}

// addDiscount adds a hint for the discount, which is alike in all rows whose
// discounts end at the same time, and in all rows without one.
func (h *hints) addDiscount(dst []byte, row *shownRow) {
	if h.on {
		h.add(len(dst), valueKeys|uint32(row.EndsAt>>10), partDiscount)
	}
}

// addLow adds a hint for a low: the low of another window is often the same.
func (h *hints) addLow(dst []byte, low *history.Low) {
	if h.on {
		h.add(len(dst), valueKey(uint64(low.Current)<<32^uint64(low.FirstAt)<<8^uint64(low.LastAt)), partLow)
	}
}

// wordSize is how many bytes of a word select the earlier word to compare it
// with.
const wordSize = 4

// addWords adds hints for the words of the string dst[start:] but the first.
func (h *hints) addWords(dst []byte, start int, separator byte) {
	if !h.on {
		return
	}
	for {
		n := bytes.IndexByte(dst[start:], separator)
		if start += n + 1; n < 0 || len(dst)-start < wordSize {
			return
		}
		h.add(start, valueKey(uint64(binary.LittleEndian.Uint32(dst[start:]))), 0)
	}
}

// addLinkEnd adds a hint for the last segment of the link dst[start:]: it is
// likely to be the product id.
func (h *hints) addLinkEnd(dst []byte, start int) {
	if !h.on {
		return
	}
	if i := bytes.LastIndexByte(dst[start:], '/'); i >= 0 {
		h.add(start+i+1, partProduct, 0)
	}
}
