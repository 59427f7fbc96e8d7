package bulk

import (
	"slices"

	"gamedex/internal/api/respond"
	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index"
)

// maxEditions is how many editions a region shows: the cheapest.
const maxEditions = 12

// edition is one edition of a game in one region.
type edition struct {
	shownRow
	id, title, name string
	kind            catalog.Type
}

// appendEditions appends the editions of a game in a region: the offers of a PC
// card, the games of a console card's family, or the card alone if it is not a
// game. They are ordered by current price; those without a number come last.
func (a *Answer) appendEditions(dst []byte, c index.Card, region uint8) []byte {
	var memory [maxEditions]edition
	list := memory[:0]
	insert := func(rows index.Rows, e edition) {
		i, ok := rows.Find(region)
		if !ok {
			return
		}
		e.read(a, c.Platform(), rows, i)
		at := len(list)
		for at > 0 && e.Current.Known() && (!list[at-1].Current.Known() || e.Current < list[at-1].Current) {
			at--
		}
		if at < maxEditions {
			list = slices.Insert(list[:min(len(list), maxEditions-1)], at, e)
		}
	}
	if c.Platform() == catalog.PCStore && c.Class() == catalog.GameClass {
		offers := c.Offers()
		for i := range offers.Len() {
			if o := offers.At(i); o.IsEdition() {
				insert(o.Rows(), edition{id: o.ID(), title: o.TitleIn(a.language), name: o.EditionIn(a.language), kind: o.Type()})
			}
		}
	} else {
		cards := c.Editions()
		for i := range cards.Len() {
			o := cards.At(i)
			insert(o.Rows(), edition{id: o.ID(), title: o.TitleIn(a.language), name: o.EditionNameIn(a.language), kind: o.Type()})
		}
	}
	dst = append(dst, `,"editions":[`...)
	for i := range list {
		dst = wire.AppendComma(dst, i)
		dst = a.appendEdition(dst, c.Platform(), &list[i])
	}
	return append(dst, ']')
}

func (a *Answer) appendEdition(dst []byte, platform catalog.Platform, e *edition) []byte {
	dst = wire.AppendText(a.hints.appendPart(dst, partEdition, `{"id":`), e.id)
	dst = wire.AppendText(a.hints.appendPart(dst, partEditionTitle, `,"title":`), e.title)
	dst = wire.AppendTextOrNull(append(dst, `,"edition":`...), e.name)
	dst = a.hints.appendPart(dst, partEditionType, `,"type":"`)
	dst = append(append(dst, e.kind.String()...), `",`...)
	dst = a.appendPrice(dst, e.price, e.price.currency)
	a.hints.addKey(dst, partFlags)
	dst = append(append(dst, flags(&e.shownRow)...), `,"sku":`...)
	dst = a.appendProduct(dst, platform, &e.shownRow)
	return append(dst, '}')
}

// windows are the names of the windows of lows; the name of none is null.
var windows = [...]string{0: `null`, history.Days90: `"days90"`, history.Year: `"year"`, history.AllTime: `"allTime"`}

// TagLows adds to t everything that AppendLows shows, but not the day of the windows.
func TagLows(t respond.Tag, s *history.Summary) respond.Tag {
	if s.AllTime.Times == 0 {
		return t.Number(0)
	}
	for _, low := range [...]*history.Low{&s.AllTime, &s.Year, &s.Days90} {
		t = t.Number(uint64(low.Times)).Number(uint64(low.Current)).Number(uint64(low.FirstAt)).Number(uint64(low.LastAt))
	}
	t = t.Number(uint64(s.Meets)).Flag(s.Free.Ever).Number(uint64(s.Free.LastAt)).Number(uint64(s.WatchedSince))
	r := &s.Reduction
	t = t.Number(uint64(r.Since)).Number(uint64(r.Reference)).Number(uint64(r.Days))
	return t.Number(uint64(r.ClaimedPercent)).Number(uint64(r.RealPercent)).Number(uint64(r.Verdict))
}

// summary returns what past prices say about a row, the zero value if nothing is known. The
// next call overwrites it.
func (a *Answer) summary(row *index.Row) *history.Summary {
	if !row.Lows(a.now, &a.lows) {
		a.lows = history.Summary{}
	}
	return &a.lows
}

// AppendLows appends what past prices say about a row; null if no price ever counted.
func (a *Answer) AppendLows(dst []byte, s *history.Summary) []byte {
	if s.AllTime.Times == 0 {
		return append(dst, `null`...)
	}
	dst = append(dst, `{"allTime":`...)
	allTime := len(dst)
	dst = a.appendLow(dst, &s.AllTime)
	dst = a.hints.appendPart(dst, partYear, `,"year":`)
	year := len(dst)
	dst = a.appendLowLike(dst, &s.Year, &s.AllTime, dst[allTime:year-len(`,"year":`)])
	dst = a.hints.appendPart(dst, partDays90, `,"days90":`)
	dst = a.appendLowLike(dst, &s.Days90, &s.Year, dst[year:len(dst)-len(`,"days90":`)])
	dst = append(a.hints.appendPart(dst, partMeets, `,"meets":`), windows[s.Meets]...)
	dst = a.hints.appendPart(dst, partFree, `,"free":`)
	if s.Free.Ever {
		dst = append(wire.AppendTimestampOrNull(append(dst, `{"lastAt":`...), int64(s.Free.LastAt)), '}')
	} else {
		dst = append(dst, `null`...)
	}
	dst = a.appendPricedAt(a.hints.appendPart(dst, partWatched, `,"watchedSince":`), int64(s.WatchedSince))
	dst = a.appendReduction(a.hints.appendPart(dst, partReal, `,"real":`), &s.Reduction)
	return append(dst, '}')
}

// appendLowLike appends the low of a window; text is that of the longer window.
func (a *Answer) appendLowLike(dst []byte, low, longer *history.Low, text []byte) []byte {
	if *low == *longer {
		a.hints.addLow(dst, low)
		return append(dst, text...)
	}
	return a.appendLow(dst, low)
}

func (a *Answer) appendLow(dst []byte, low *history.Low) []byte {
	if low.Times == 0 {
		return append(dst, `null`...)
	}
	a.hints.addLow(dst, low)
	dst = wire.AppendInt(append(dst, `{"current":`...), int64(low.Current))
	dst = a.appendPricedAt(a.hints.appendPart(dst, partFirstAt, `,"firstAt":`), int64(low.FirstAt))
	dst = a.hints.appendPart(dst, partLastAt, `,"lastAt":`)
	if low.LastAt == 0 {
		dst = append(dst, `null`...)
	} else {
		dst = a.appendPricedAt(dst, int64(low.LastAt))
	}
	dst = wire.AppendInt(a.hints.appendPart(dst, partTimes, `,"times":`), int64(low.Times))
	return append(dst, '}')
}

func (a *Answer) appendReduction(dst []byte, r *history.Reduction) []byte {
	if r.Since == 0 {
		return append(dst, `null`...)
	}
	dst = wire.AppendAmount(append(dst, `{"reference":`...), r.Reference)
	dst = wire.AppendInt(append(dst, `,"days":`...), int64(r.Days))
	dst = wire.AppendInt(a.hints.appendPart(dst, partClaimed, `,"claimedPercent":`), int64(r.ClaimedPercent))
	dst = wire.AppendInt(append(dst, `,"realPercent":`...), int64(r.RealPercent))
	dst = append(append(append(dst, `,"verdict":"`...), r.Verdict.String()...), '"')
	dst = a.appendPricedAt(a.hints.appendPart(dst, partSince, `,"since":`), int64(r.Since))
	return append(dst, '}')
}
