package bulk

import (
	"slices"
	"sync/atomic"

	"gamedex/internal/api/deflate"
	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// price is the first part of a region price as text: what depends on its region and its two
// prices alone. Nobody changes it.
type price struct {
	key   priceKey
	text  []byte // begins with the key of the region
	hints []deflate.Hint

	object, currency, currentText, percent, usd int32 // offsets in text

	cents  int64 // in US cents, if hasUSD
	hasUSD bool
}

type priceKey struct {
	points                              uint64
	to                                  uint32 // the letters of the currency that prices are converted to; 0: none
	region, platform, currency, percent uint8
}

// prices are texts that all answers from a view share: a store has some hundreds of different prices
// in a region. The first ones stay, except that converted ones give way to others. Without them a request
// takes 1.2 times as long, 1.4 times with conversion. If all prices differ, it takes 4 % longer with them.
type prices [1 << groupBits]group // by the hash of their keys

type group struct {
	hashes [4]atomic.Uint32 // a price with another one is not read from memory; 0: free
	prices [4]atomic.Pointer[price]
}

const (
	groupBits = 10

	// Bits of hashes.
	isUsed      = 1
	isConverted = 2
)

// ownPrices are the prices of one answer that are not kept.
type ownPrices struct {
	list  []price
	text  []byte
	hints []deflate.Hint
}

// clear drops the prices. Pointers to them are no longer valid.
func (o *ownPrices) clear() { o.list, o.text, o.hints = o.list[:0], o.text[:0], o.hints[:0] }

// usePrices makes the prices of a view available, converted to a currency; "": not converted. It forgets
// the texts of a view before.
func (a *Answer) usePrices(v *index.View, to money.Currency) {
	a.prices, a.to = v.Keep(func() any { return new(prices) }).(*prices), 0
	for i := range len(to) {
		a.to = a.to<<8 | uint32(to[i])
	}
	a.own.clear()
	a.product, a.source, a.sourceText = 0, 0, a.sourceText[:0]
}

func (a *Answer) findPrice(platform catalog.Platform, row *index.Row) *price {
	base, current := row.Points()
	key := priceKey{uint64(base)<<32 | uint64(current), a.to, row.Region, uint8(platform), row.Currency, uint8(row.Percent)}
	others := uint64(platform)<<48 | uint64(key.to)<<24 | uint64(key.region)<<16 | uint64(key.currency)<<8 | uint64(key.percent)
	hash := (key.points*spread ^ others) * spread
	group, short := &a.prices[hash>>(64-groupBits)], uint32(hash>>16)&^isConverted|isUsed
	if key.to != 0 {
		short |= isConverted
	}
	for i := range group.hashes {
		if group.hashes[i].Load() == short {
			if p := group.prices[i].Load(); p.key == key && (len(p.hints) > 0 || !a.hints.on) {
				return p
			}
		}
	}
	made := a.formatPrice(key, platform, row)
	group.keep(made, short)
	return made
}

// keep keeps a copy of a price if there is a place for it.
func (g *group) keep(p *price, hash uint32) {
	for i := range g.hashes {
		was := g.hashes[i].Load()
		if was == 0 || was == hash || was&isConverted != 0 && hash&isConverted == 0 {
			kept := *p
			kept.text, kept.hints = slices.Clone(p.text), slices.Clone(p.hints)
			g.prices[i].Store(&kept)
			g.hashes[i].Store(hash)
			return
		}
	}
}

// formatPrice returns the price of a row, in the memory of the answer.
func (a *Answer) formatPrice(key priceKey, platform catalog.Platform, row *index.Row) *price {
	a.own.list = append(a.own.list, price{key: key})
	p := &a.own.list[len(a.own.list)-1]
	p.cents, p.hasUSD = a.View.USD(row)
	region, dst, start := a.View.Region(row.Region), a.own.text, int32(len(a.own.text))
	h, first := hints{on: a.hints.on, list: a.own.hints}, len(a.own.hints)
	dst = append(append(append(dst, '"'), region.Key(platform)...), `":`...)
	p.object = int32(len(dst)) - start
	dst = append(append(append(dst, `{"alpha2":"`...), region.Alpha2...), `",`...)
	p.currency = int32(len(dst)) - start
	dst = append(append(append(dst, `"currency":"`...), a.View.Currency(row.Currency)...), `","base":`...)
	h.addPrice(dst, row)
	dst = wire.AppendAmount(dst, row.Base)
	dst = h.appendPart(dst, partCurrent, `,"current":`)
	h.addCurrent(dst, row)
	dst = wire.AppendAmount(dst, row.Current)
	dst = h.appendCurrencyPart(dst, partBaseText, `,"baseText":`)
	if row.OneText() { // then currentText repeats baseText
		h.addPriceText(dst, row)
	}
	dst = wire.AppendText(dst, row.BaseText())
	dst = h.appendCurrencyPart(dst, partCurrentText, `,"currentText":`)
	h.addPriceText(dst, row)
	p.currentText = int32(len(dst)) - start
	dst = wire.AppendText(dst, row.CurrentText())
	p.percent = int32(len(dst)) - start
	dst = h.appendCurrencyPart(dst, partPercent, `,"discountPercent":`)
	if row.Percent == catalog.NoPercent {
		dst = append(dst, `null`...)
	} else {
		dst = wire.AppendInt(dst, int64(row.Percent))
	}
	dst = h.appendCurrencyPart(dst, partUSD, `,"usd":`)
	p.usd = int32(len(dst)) - start
	if p.hasUSD {
		h.addDollars(dst, p.cents)
		dst = money.AppendUSD(dst, p.cents)
	} else {
		dst = append(dst, `null`...)
	}
	if a.conversion != nil {
		dst = h.appendPart(dst, partConverted, `,"converted":`)
		start := len(dst)
		dst = a.conversion.Append(dst, row)
		h.addConverted(dst, start, row)
	}
	p.text, p.hints = dst[start:], h.list[first:]
	for i := range p.hints {
		p.hints[i].At -= start
	}
	a.own.text, a.own.hints = dst, h.list
	return p
}

// appendPrice appends the text of a price from an offset, with its hints.
func (a *Answer) appendPrice(dst []byte, p *price, from int32) []byte {
	if a.hints.on {
		a.hints.currency = currencyKey(p.key.currency)
		for _, h := range p.hints {
			if h.At >= from {
				h.At += int32(len(dst)) - from
				a.hints.list = append(a.hints.list, h)
			}
		}
	}
	return append(dst, p.text[from:]...)
}
