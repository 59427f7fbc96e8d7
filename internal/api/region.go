package api

import (
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// appendRegion appends one region price under its key.
func (p *pricing) appendRegion(dst []byte, c index.Card, row *shownRow) []byte {
	platform := c.Platform()
	dst = append(append(append(dst, '"'), p.meet(platform, row.Region)...), `":{"alpha2":"`...)
	dst = append(dst, p.view.Region(row.Region).Alpha2...)
	dst = append(dst, `",`...)
	dst = p.appendPrice(dst, row)
	dst = append(dst, `,"discountLabel":`...)
	dst = appendStringOrNull(dst, row.Label())
	dst = append(dst, `,"discountEndAt":`...)
	if row.EndsAt == 0 {
		dst = append(dst, `null`...)
	} else {
		dst = p.ends.appendMoment(dst, row.EndsAt)
	}
	dst = appendFlags(dst, row)
	dst = append(dst, `,"edition":`...)
	dst = appendStringOrNull(dst, row.Edition())
	dst = appendSKU(dst, platform, &row.Row)
	dst = append(dst, `,"source":`...)
	dst = appendStringOrNull(dst, row.Source())
	dst = append(dst, `,"pricedAt":`...)
	dst = p.appendPricedAt(dst, row.PricedAt)
	dst = append(dst, `,"variantsCount":`...)
	dst = appendInt(dst, int64(row.Variants))
	if p.params.include.has(blockURL) {
		dst = append(dst, `,"storeUrl":`...)
		dst = appendURL(dst, row.Row)
	}
	if p.params.include.has(blockEditions) {
		dst = p.appendEditions(dst, c, row.Region)
	}
	return append(dst, '}')
}

// appendPrice appends the members from currency to usd that a region price and
// an edition have in common.
func (p *pricing) appendPrice(dst []byte, row *shownRow) []byte {
	dst = append(append(append(dst, `"currency":"`...), p.view.Currency(row.Currency)...), `","base":`...)
	dst = appendAmount(dst, row.Base)
	dst = append(dst, `,"current":`...)
	dst = appendAmount(dst, row.Current)
	dst = append(dst, `,"baseText":`...)
	dst = appendString(dst, row.BaseText())
	dst = append(dst, `,"currentText":`...)
	dst = appendString(dst, row.CurrentText())
	dst = append(dst, `,"discountPercent":`...)
	if row.Percent == catalog.NoPercent {
		dst = append(dst, `null`...)
	} else {
		dst = appendInt(dst, int64(row.Percent))
	}
	dst = append(dst, `,"usd":`...)
	if !row.hasUSD {
		return append(dst, `null`...)
	}
	return money.AppendUSD(dst, row.cents)
}

func appendFlags(dst []byte, row *shownRow) []byte {
	dst = append(dst, `,"isFree":`...)
	dst = appendBool(dst, row.Current == 0)
	dst = append(dst, `,"isTrial":`...)
	dst = appendBool(dst, row.Trial)
	dst = append(dst, `,"isSubPlus":`...)
	return appendBool(dst, row.Subscription)
}

// appendSKU appends the store's product id, which only the console store has.
func appendSKU(dst []byte, platform catalog.Platform, row *index.Row) []byte {
	dst = append(dst, `,"sku":`...)
	if platform != catalog.ConsoleStore {
		return append(dst, `null`...)
	}
	return appendStringOrNull(dst, row.Product())
}

// appendPricedAt appends the empty string for zero, which stands for a card
// without any row: the field is no "or null" of the specification.
func (p *pricing) appendPricedAt(dst []byte, ms int64) []byte {
	if ms == 0 {
		return append(dst, `""`...)
	}
	return p.priced.appendMoment(dst, ms)
}
