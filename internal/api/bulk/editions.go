package bulk

import (
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

// editionList keeps the cheapest of the editions that are inserted.
type editionList struct {
	at [maxEditions]edition
	n  int
}

// insert keeps the order: by current price rising, those without a number last,
// equal ones in the order of insertion.
func (l *editionList) insert(e *edition) {
	place := l.n
	for place > 0 && isCheaper(&e.shownRow, &l.at[place-1].shownRow) {
		place--
	}
	if place == maxEditions {
		return
	}
	if l.n < maxEditions {
		l.n++
	}
	copy(l.at[place+1:l.n], l.at[place:l.n-1])
	l.at[place] = *e
}

func isCheaper(a, b *shownRow) bool {
	if !a.Current.Known() || !b.Current.Known() {
		return a.Current.Known() && !b.Current.Known()
	}
	return a.Current < b.Current
}

// appendEditions appends the editions of a game in a region: the offers of a PC
// card, the games of a console card's family, or the card alone if it is no
// game.
func (a *Answer) appendEditions(dst []byte, c index.Card, region uint8) []byte {
	var list editionList
	if c.Platform() == catalog.PCStore && c.Class() == catalog.GameClass {
		offers := c.Offers()
		for i := range offers.Len() {
			offer := offers.At(i)
			if !offer.IsEdition() {
				continue
			}
			if i, ok := offer.Rows().Find(region); ok {
				e := edition{id: offer.ID(), title: offer.Title(), name: offer.Edition(), kind: offer.Type()}
				e.read(a, offer.Rows(), i)
				list.insert(&e)
			}
		}
	} else {
		cards := c.Editions()
		for i := range cards.Len() {
			other := cards.At(i)
			if i, ok := other.Rows().Find(region); ok {
				e := edition{id: other.ID(), title: other.Title(), name: other.EditionName(), kind: other.Type()}
				e.read(a, other.Rows(), i)
				list.insert(&e)
			}
		}
	}
	dst = append(dst, `,"editions":[`...)
	for i := range list.n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = a.appendEdition(dst, c.Platform(), &list.at[i])
	}
	return append(dst, ']')
}

func (a *Answer) appendEdition(dst []byte, platform catalog.Platform, e *edition) []byte {
	dst = a.hints.appendPart(dst, partEdition, `{"id":`)
	dst = wire.AppendText(dst, e.id)
	dst = a.hints.appendPart(dst, partEditionTitle, `,"title":`)
	dst = wire.AppendText(dst, e.title)
	dst = append(dst, `,"edition":`...)
	dst = wire.AppendTextOrNull(dst, e.name)
	dst = a.hints.appendPart(dst, partEditionType, `,"type":"`)
	dst = append(append(dst, e.kind.String()...), `",`...)
	dst = appendCurrency(dst, a.view, &e.shownRow)
	dst = a.appendPrice(dst, &e.shownRow)
	a.hints.addPart(dst, partFlags)
	dst = append(appendFlags(dst, &e.shownRow), `,"sku":`...)
	dst = a.appendProduct(dst, platform, &e.shownRow)
	return append(dst, '}')
}
