package api

import (
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// appendRegion appends one region price under its key: a frame, with the values
// of the row in it.
func (p *pricing) appendRegion(dst []byte, c index.Card, row *shownRow) []byte {
	platform := c.Platform()
	p.meet(platform, row.Region)
	f := p.frames.of(p.view, platform, row, &p.spare)
	p.marks.row(dst, platform, row)
	dst = p.appendPrice(append(dst, f.opening()...), row)
	p.marks.discount(dst, row)
	dst = append(dst, f.discount()...)
	p.marks.at(dst, partFlags)
	dst = p.appendSKU(append(dst, f.flags()...), platform, row)
	p.marks.source(dst, f.source())
	dst = p.appendPricedAt(append(dst, f.source()...), row.PricedAt)
	p.marks.closing(dst, platform, row)
	dst = append(dst, f.closing()...)
	if p.params.include.has(blockURL) {
		p.marks.like(dst, partRegionURL)
		dst = append(dst, `,"storeUrl":`...)
		dst = p.appendURL(dst, &row.Row)
	}
	if p.params.include.has(blockEditions) {
		dst = p.appendEditions(dst, c, row.Region)
	}
	return append(dst, '}')
}

// appendCurrency appends what stands before the first value of appendPrice.
func appendCurrency(dst []byte, v *index.View, row *shownRow) []byte {
	return append(append(append(dst, `"currency":"`...), v.Currency(row.Currency)...), `","base":`...)
}

// appendPrice appends the values from base to usd that a region price and an
// edition have in common.
func (p *pricing) appendPrice(dst []byte, row *shownRow) []byte {
	p.marks.price(dst, row)
	dst = appendAmount(dst, row.Base)
	p.marks.at(dst, partCurrent)
	dst = append(dst, `,"current":`...)
	dst = appendAmount(dst, row.Current)
	p.marks.like(dst, partBaseText)
	dst = append(dst, `,"baseText":`...)
	text := len(dst)
	dst = appendText(dst, row.BaseText())
	written := dst[text:]
	p.marks.like(dst, partCurrentText)
	dst = append(dst, `,"currentText":`...)
	p.marks.shown(dst, row)
	if row.OneText() {
		dst = append(dst, written...)
	} else {
		dst = appendText(dst, row.CurrentText())
	}
	p.marks.like(dst, partPercent)
	dst = append(dst, `,"discountPercent":`...)
	if row.Percent == catalog.NoPercent {
		dst = append(dst, `null`...)
	} else {
		dst = appendInt(dst, int64(row.Percent))
	}
	p.marks.like(dst, partUSD)
	dst = append(dst, `,"usd":`...)
	if !row.hasUSD {
		return append(dst, `null`...)
	}
	p.marks.dollars(dst, row)
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
// Most rows have that of the row before.
func (p *pricing) appendSKU(dst []byte, platform catalog.Platform, row *shownRow) []byte {
	n := row.ProductNumber()
	if platform != catalog.ConsoleStore || n == 0 {
		return append(dst, `null`...)
	}
	p.marks.product(dst)
	if n == p.sku.number {
		return append(dst, p.sku.text...)
	}
	p.sku.number, p.sku.text = n, appendText(p.sku.text[:0], row.Product())
	start := len(dst)
	dst = append(dst, p.sku.text...)
	p.marks.words(dst, start, '-')
	return dst
}

// appendPricedAt appends the empty string for zero, which stands for a card
// without any row: the field is no "or null" of the specification.
func (p *pricing) appendPricedAt(dst []byte, ms int64) []byte {
	if ms == 0 {
		return append(dst, `""`...)
	}
	p.marks.moment(dst, ms)
	return p.priced.appendMoment(dst, ms)
}
