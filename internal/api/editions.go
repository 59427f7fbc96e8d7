package api

import (
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

// editionList keeps the cheapest editions of those it is shown.
type editionList struct {
	at [maxEditions]edition
	n  int
}

// add puts an edition in its place: by current price rising, those without a
// number last, and equal ones in the order shown.
func (l *editionList) add(e *edition) {
	place := l.n
	for place > 0 && cheaper(&e.shownRow, &l.at[place-1].shownRow) {
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

func cheaper(a, b *shownRow) bool {
	if !a.Current.Known() || !b.Current.Known() {
		return a.Current.Known() && !b.Current.Known()
	}
	return a.Current < b.Current
}

// appendEditions appends the editions of a game in a region: its family's
// games on the console store, its offers on the PC store, and the card alone
// if it is no game.
func (p *pricing) appendEditions(dst []byte, c index.Card, region uint8) []byte {
	var list editionList
	if c.Platform() == catalog.PCStore && c.Class() == catalog.GameClass {
		p.findOffers(&list, c, region)
	} else {
		p.findCards(&list, c, region)
	}
	dst = append(dst, `,"editions":[`...)
	for i := range list.n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = p.appendEdition(dst, c.Platform(), &list.at[i])
	}
	return append(dst, ']')
}

func (p *pricing) findCards(list *editionList, c index.Card, region uint8) {
	cards := c.Editions()
	for i := range cards.Len() {
		other := cards.At(i)
		if i, ok := other.Rows().Find(region); ok {
			e := edition{id: other.ID(), title: other.Title(), name: other.EditionName(), kind: other.Type()}
			e.read(p, other.Rows(), i)
			list.add(&e)
		}
	}
}

func (p *pricing) findOffers(list *editionList, c index.Card, region uint8) {
	offers := c.Offers()
	for i := range offers.Len() {
		offer := offers.At(i)
		if !offer.IsEdition() {
			continue
		}
		if i, ok := offer.Rows().Find(region); ok {
			e := edition{id: offer.ID(), title: offer.Title(), name: offer.Edition(), kind: offer.Type()}
			e.read(p, offer.Rows(), i)
			list.add(&e)
		}
	}
}

func (p *pricing) appendEdition(dst []byte, platform catalog.Platform, e *edition) []byte {
	dst = p.marks.add(dst, partEdition, `{"id":`)
	dst = appendText(dst, e.id)
	dst = p.marks.add(dst, partEditionTitle, `,"title":`)
	dst = appendText(dst, e.title)
	dst = append(dst, `,"edition":`...)
	dst = appendTextOrNull(dst, e.name)
	dst = p.marks.add(dst, partEditionType, `,"type":"`)
	dst = append(append(dst, e.kind.String()...), `",`...)
	dst = p.appendPrice(appendCurrency(dst, p.view, &e.shownRow), &e.shownRow)
	p.marks.at(dst, partFlags)
	dst = append(appendFlags(dst, &e.shownRow), `,"sku":`...)
	dst = p.appendSKU(dst, platform, &e.shownRow)
	return append(dst, '}')
}
