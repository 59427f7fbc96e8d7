package cards

import (
	"gamedex/internal/api/bulk"
	"gamedex/internal/api/wire"
	"gamedex/internal/history"
	"gamedex/internal/lists/deals"
)

// EncodeDeals appends the data of a page of deals. lows are those of its items, next is the
// cursor of the next page, "" if there is none. prices has begun.
func (e Encoder) EncodeDeals(page deals.Page, lows []history.Summary, next string, prices *bulk.Answer) {
	e.Buf = append(e.Buf, `{"items":[`...)
	for i := range page.Items {
		e.Buf = e.appendDeal(wire.AppendComma(e.Buf, i), &page.Items[i], &lows[i], prices)
		if !e.SendPiece() {
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
	dst = append(dst, `,"regions":[`...)
	for i, region := range deal.Regions {
		dst = wire.AppendString(wire.AppendComma(dst, i), e.View.Region(region).Key(c.Platform()))
	}
	return append(dst, `]}`...)
}
