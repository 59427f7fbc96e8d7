package cards

import (
	"gamedex/internal/api/bulk"
	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/lists/browse"
	"gamedex/internal/lists/deals"
)

// EncodePage appends the data of a page of cards. next is the cursor of the next page, ""
// if there is none.
func (e Encoder) EncodePage(page browse.Page, next string) {
	e.Buf = append(e.Buf, `{"items":[`...)
	for i, c := range page.Cards {
		e.Buf = e.appendListed(wire.AppendComma(e.Buf, i), c)
		if !e.SendChunk() {
			return
		}
	}
	e.Buf = appendEnd(e.Buf, page.Total, next)
	if len(page.Facets) > 0 {
		e.Buf = appendFacets(append(e.Buf, `,"facets":`...), page.Facets)
	}
	e.Buf = append(e.Buf, '}')
}

// appendListed appends a card of a page.
func (e Encoder) appendListed(dst []byte, c index.Card) []byte {
	dst = e.appendCard(dst, c)
	dst = wire.AppendText(append(dst, `,"releaseDate":`...), c.ReleaseDate())
	dst = wire.AppendText(append(dst, `,"publisher":`...), c.Publisher())
	dst = wire.AppendList(append(dst, `,"genres":`...), c.Genres())
	dst = wire.AppendText(append(dst, `,"thumbnail":`...), c.Thumbnail())
	dst = wire.AppendTimestampOrNull(append(dst, `,"addedAt":`...), c.AddedAt())
	dst = wire.AppendActiveRegions(append(dst, `,"regions":`...), e.View, c)
	return append(e.appendListedGame(dst, c), '}')
}

// appendCard appends the first members of an item of a page.
func (e Encoder) appendCard(dst []byte, c index.Card) []byte {
	dst = wire.AppendText(append(dst, `{"id":`...), c.ID())
	dst = wire.AppendText(append(dst, `,"platform":`...), c.Platform().String())
	dst = wire.AppendText(append(dst, `,"title":`...), c.TitleIn(e.Language))
	dst = wire.AppendText(append(dst, `,"type":`...), c.Type().String())
	dst = wire.AppendTextOrNull(append(dst, `,"editionName":`...), c.EditionNameIn(e.Language))
	return wire.AppendList(append(dst, `,"platforms":`...), c.Platforms())
}

// appendEnd appends what follows the items of a page.
func appendEnd(dst []byte, total int, next string) []byte {
	dst = wire.AppendInt(append(dst, `],"total":`...), int64(total))
	return wire.AppendTextOrNull(append(dst, `,"nextCursor":`...), next)
}

func appendFacets(dst []byte, facets []browse.FacetCounts) []byte {
	for i, facet := range facets {
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		dst = wire.AppendText(append(dst, separator), browse.FacetNames[facet.Facet])
		dst = append(dst, `:{"values":[`...)
		for i, value := range facet.Values {
			dst = wire.AppendText(append(wire.AppendComma(dst, i), `{"value":`...), value.Value)
			dst = append(wire.AppendInt(append(dst, `,"count":`...), int64(value.Count)), '}')
		}
		dst = append(wire.AppendInt(append(dst, `],"more":`...), int64(facet.More)), '}')
	}
	return append(dst, '}')
}

// EncodeDeals appends the data of a page of deals. lows are those of its items, next is the
// cursor of the next page, "" if there is none. prices has begun.
func (e Encoder) EncodeDeals(page deals.Page, lows []history.Summary, next string, prices *bulk.Answer) {
	e.Buf = append(e.Buf, `{"items":[`...)
	for i := range page.Items {
		e.Buf = e.appendDeal(wire.AppendComma(e.Buf, i), &page.Items[i], &lows[i], prices)
		if !e.SendChunk() {
			return
		}
	}
	e.Buf = append(appendEnd(e.Buf, page.Total, next), '}')
}

func (e Encoder) appendDeal(dst []byte, deal *deals.Item, lows *history.Summary, prices *bulk.Answer) []byte {
	c := deal.Card
	dst = wire.AppendText(append(e.appendCard(dst, c), `,"thumbnail":`...), c.Thumbnail())
	dst = wire.AppendString(append(dst, `,"region":`...), e.View.Region(deal.Row.Region).Key(c.Platform()))
	dst = prices.AppendRow(append(dst, `,"price":`...), c.Platform(), &deal.Row)
	dst = prices.AppendLows(append(dst, `,"lows":`...), lows)
	dst = wire.AppendTimestamp(append(dst, `,"startedAt":`...), deal.StartedAt)
	if e.Pages != nil { // startedAt, if it is known
		since := lows.Reduction.Since
		if !lows.SawBegin(since, catalog.Millis(e.View.LowsDay())) {
			since = 0
		}
		dst = wire.AppendTimestampOrNull(append(dst, `,"since":`...), int64(since))
		if best, ok := e.View.Cheapest(c.Rows(), e.Now); ok && best.Region != deal.Row.Region {
			dst = prices.AppendRow(append(dst, `,"cheapestPrice":`...), c.Platform(), &best)
		}
	}
	dst = append(dst, `,"regions":[`...)
	for i, region := range deal.Regions {
		dst = wire.AppendString(wire.AppendComma(dst, i), e.View.Region(region).Key(c.Platform()))
	}
	return append(e.appendListedGame(append(dst, ']'), c), '}')
}
