package pricehistory

import (
	"cmp"
	"strconv"

	"gamedex/internal/api/respond"
	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/money"
)

// Encode appends the members of the answer from filters to regions.
func (a *Answer) Encode(b *respond.Body) {
	dst := a.AppendFilters(append(b.Buf, `"filters":{`...))
	dst = appendBound(append(dst, `,"since":`...), a.params.Since)
	dst = appendBound(append(dst, `,"until":`...), a.params.Until)
	if a.params.Language != "" {
		dst = wire.AppendText(append(dst, `,"lang":`...), string(a.params.Language))
	}
	dst = a.AppendCounts(append(dst, `},"counts":{`...))
	dst = wire.AppendInt(append(dst, `,"steps":`...), int64(a.steps))
	b.Buf = append(dst, `},"data":{"items":[`...)
	for i := range a.items {
		b.Buf = wire.AppendComma(b.Buf, i)
		if !a.encodeItem(b, i) {
			return
		}
	}
	b.Buf = append(b.Buf, ']')
	if !a.AppendNotFound(b) {
		return
	}
	b.Buf = wire.AppendStrings(append(b.Buf, `},"regions":`...), a.regionKeys())
}

// regionKeys returns every region key of the answer, in the order of the answer.
func (a *Answer) regionKeys() (keys []string) {
	seen := map[string]bool{}
	for i := range a.items {
		for _, r := range a.items[i].regions {
			key := a.View.Region(r.number).Key(a.items[i].card.Platform())
			if !seen[key] {
				seen[key] = true
				keys = append(keys, key)
			}
		}
	}
	return keys
}

func appendBound(dst []byte, at *catalog.Millis) []byte {
	if at == nil {
		return append(dst, `null`...)
	}
	return wire.AppendTimestamp(dst, int64(*at))
}

// encodeItem appends an item. It returns false if the client is gone.
func (a *Answer) encodeItem(b *respond.Body, index int) bool {
	it := &a.items[index]
	platform := it.card.Platform()
	dst := wire.AppendText(append(b.Buf, `{"id":`...), it.card.ID())
	dst = wire.AppendText(append(dst, `,"platform":`...), platform.String())
	dst = wire.AppendText(append(dst, `,"title":`...), it.card.TitleIn(a.View.Language(a.params.Language)))
	dst = append(dst, `,"regions":{`...)
	for i := range it.regions {
		r := &it.regions[i]
		of := a.View.Region(r.number)
		own, _ := money.RegionCurrency(of.Alpha2)
		dst = wire.AppendText(wire.AppendComma(dst, i), of.Key(platform))
		dst = wire.AppendText(append(dst, `:{"alpha2":`...), of.Alpha2)
		dst = wire.AppendTimestampOrNull(append(dst, `,"watchedSince":`...), int64(r.watchedSince))
		dst = append(dst, `,"steps":[`...)
		for j := range r.spans {
			b.Buf = a.appendSpan(wire.AppendComma(dst, j), &r.spans[j], own)
			if !b.SendChunk() {
				return false
			}
			dst = b.Buf
		}
		dst = append(dst, `]}`...)
	}
	dst = wire.AppendInt(append(dst, `},"regionsCount":`...), int64(len(it.regions)))
	b.Buf = append(a.AppendRequestedIDs(dst, index), '}')
	return b.SendChunk()
}

// appendSpan appends a step; own is the currency of its region.
func (a *Answer) appendSpan(dst []byte, s *history.Span, own money.Currency) []byte {
	dst = wire.AppendTimestamp(append(dst, `{"at":`...), int64(s.At))
	dst = wire.AppendTimestampOrNull(append(dst, `,"until":`...), int64(s.Until))
	dst = wire.AppendText(append(dst, `,"state":`...), s.State.String())
	dst = wire.AppendTextOrNull(append(dst, `,"currency":`...), string(cmp.Or(s.Currency, own)))
	dst = wire.AppendAmount(append(dst, `,"base":`...), s.Base)
	dst = wire.AppendAmount(append(dst, `,"current":`...), s.Current)
	dst = append(dst, `,"discountPercent":`...)
	if percent := money.DiscountPercent(s.Base, s.Current); percent > 0 && !s.Trial { // a trial is not a discount
		dst = wire.AppendInt(dst, int64(percent))
	} else {
		dst = append(dst, `null`...)
	}
	dst = append(dst, `,"usd":`...)
	if cents, known := a.cents(s); known {
		dst = money.AppendUSD(dst, cents)
	} else {
		dst = append(dst, `null`...)
	}
	dst = strconv.AppendBool(append(dst, `,"isTrial":`...), s.Trial)
	dst = strconv.AppendBool(append(dst, `,"isSubPlus":`...), s.Subscription)
	dst = strconv.AppendBool(append(dst, `,"doubtful":`...), s.Doubtful)
	dst = strconv.AppendBool(append(dst, `,"inferred":`...), s.Inferred)
	return append(dst, '}')
}
