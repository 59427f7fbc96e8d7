package index

import (
	"cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/index/internal/layout"
)

// Language is the number of a language in a snapshot. The zero value is none: texts are
// as they are without a language.
type Language uint32

// Language returns the number of a language; none if no card has a text in it.
func (s *Snapshot) Language(l catalog.Language) Language { return s.catalog.languages[l] }

// findLocal returns the record of an owner in a language, nil if there is none. Owners are
// numbered as in layout.SectionLocalFirst.
func (c *Catalog) findLocal(owner uint32, l Language) []byte {
	if l == 0 {
		return nil
	}
	for n := c.LocalFirst.At(int(owner)); n < c.LocalFirst.At(int(owner+1)); n++ {
		r := c.Local[int(n)*layout.LocalSize : int(n+1)*layout.LocalSize]
		in := layout.ListAt(c.Texts, layout.U32(r, layout.LocalLanguages))
		for i := range in.Len() {
			if in.At(i) == uint32(l) {
				return r
			}
		}
	}
	return nil
}

// localText returns a field of the record of an owner in a language, "" if it has none.
func (c *Catalog) localText(owner uint32, l Language, field int) string {
	if r := c.findLocal(owner, l); r != nil {
		return c.Strings.At(layout.U32(r, field))
	}
	return ""
}

// HasTextsIn reports whether the card has a title in a language.
func (c Card) HasTextsIn(l Language) bool { return c.s.catalog.findLocal(c.n, l) != nil }

// TitleIn returns the title in a language: Title if the card has none in it.
func (c Card) TitleIn(l Language) string {
	return cmp.Or(c.s.catalog.localText(c.n, l, layout.LocalTitle), c.Title())
}

// EditionNameIn returns the name of the edition in a language: EditionName if the card
// has none in it.
func (c Card) EditionNameIn(l Language) string {
	return cmp.Or(c.s.catalog.localText(c.n, l, layout.LocalEdition), c.EditionName())
}

// DescriptionIn returns the store's text in a language: Description if the card has none
// in it.
func (c Card) DescriptionIn(l Language) string {
	return cmp.Or(c.s.catalog.localText(c.n, l, layout.LocalDescription), c.Description())
}

// TitleIn returns the title of the card in a language: Title if the card has none in it.
func (h Hit) TitleIn(l Language) string {
	if h.Card.HasTextsIn(l) {
		return h.Card.TitleIn(l)
	}
	return h.Title
}

func (o Offer) owner() uint32 { return uint32(o.card.s.catalog.Len()) + o.n }

// hasTextsIn reports whether the offer has a title in a language.
func (o Offer) hasTextsIn(l Language) bool { return o.card.s.catalog.findLocal(o.owner(), l) != nil }

// TitleIn returns the store's title in a language: Title if it has none in it.
func (o Offer) TitleIn(l Language) string {
	return cmp.Or(o.card.s.catalog.localText(o.owner(), l, layout.LocalTitle), o.Title())
}

// EditionIn returns the name of the edition in a language: Edition if the offer has none
// in it.
func (o Offer) EditionIn(l Language) string {
	return cmp.Or(o.card.s.catalog.localText(o.owner(), l, layout.LocalEdition), o.Edition())
}

// EditionIn returns the row's edition in a language: Edition if there is none,
// or if the game, or the offer, has no title in the language.
func (r *Row) EditionIn(l Language) string {
	own, c := r.Edition(), Card{r.s, r.card}
	if l == 0 || own == "" {
		return own
	}
	if c.Platform() == catalog.ConsoleStore {
		if c.HasTextsIn(l) {
			return c.EditionNameIn(l)
		}
		return own
	}
	offers := c.Offers()
	for i := range offers.Len() {
		if o := offers.At(i); o.ID() == r.Product() && o.hasTextsIn(l) {
			return o.EditionIn(l)
		}
	}
	return own
}
