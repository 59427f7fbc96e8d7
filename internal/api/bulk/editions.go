package bulk

import (
	"slices"

	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
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
		e.read(a, rows, i)
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
	dst = appendCurrency(dst, a.View, &e.shownRow)
	dst = a.appendPrice(dst, &e.shownRow)
	a.hints.addKey(dst, partFlags)
	dst = append(appendFlags(dst, &e.shownRow), `,"sku":`...)
	dst = a.appendProduct(dst, platform, &e.shownRow)
	return append(dst, '}')
}
