package cards

import (
	"cmp"
	"slices"

	"gamedex/internal/api/bulk"
	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/index/cardset"
	"gamedex/internal/money"
)

// ForPages is what answers to pages of the same process have in addition: "game" with the
// versions of a card's game, and "offer" with a region price. An offer is that of the visitor's
// country or, if they chose none, of the cheapest one by the rules of bulk prices.
type ForPages struct {
	Country   catalog.Region // zero: none was chosen
	Languages []catalog.Language
	Prices    *bulk.Answer
	Versions  cardset.Bits // those to show besides the listed one; nil: all
}

// row returns the price to offer. It reports false if there is none.
func (e Encoder) row(rows index.Rows) (row index.Row, ok bool) {
	if e.Pages.Country == (catalog.Region{}) {
		return e.View.Cheapest(rows, e.Now)
	}
	no, known := e.View.RegionNo(e.Pages.Country)
	if !known {
		return row, false
	}
	row, ok = rows.InRegion(no)
	row.Pass(e.Now)
	return row, ok && row.Priced
}

// appendOffer appends the offer of a card or of an offer of the PC store.
func (e Encoder) appendOffer(dst []byte, p catalog.Platform, rows index.Rows) []byte {
	row, ok := e.row(rows)
	if !ok {
		return dst
	}
	return e.Pages.Prices.AppendRow(append(dst, `,"offer":`...), p, &row)
}

// appendGame appends the game of a card, with its titles in the languages of the pages. All versions
// have an offer.
func (e Encoder) appendGame(dst []byte, c index.Card) []byte {
	dst, _ = e.openGame(dst, c, true)
	dst = wire.AppendText(append(dst, `,"storeTitle":`...), e.storeTitle(c))
	dst = append(dst, `,"titles":[`...)
	for i, l := range e.Pages.Languages {
		dst = wire.AppendText(wire.AppendComma(dst, i), c.TitleIn(e.View.Language(l)))
	}
	return append(dst, `]}`...)
}

// storeTitle returns the title that the store shows in the visitor's country; "" if that is not known.
func (e Encoder) storeTitle(c index.Card) string {
	language := e.View.Language(catalog.Language(money.RegionLanguage(e.Pages.Country.String())))
	no, known := e.View.RegionNo(e.Pages.Country)
	if _, sold := c.Rows().InRegion(no); !known || !sold || !c.HasTextsIn(language) {
		return ""
	}
	return c.TitleIn(language)
}

// appendListedGame appends the game of a card of a list: "best" is the version with the lowest
// price, "offer" that price with its lows. It appends nothing to an answer to a client.
func (e Encoder) appendListedGame(dst []byte, c index.Card) []byte {
	if e.Pages == nil {
		return dst
	}
	dst, versions := e.openGame(dst, c, false)
	best, offer, found := 0, index.Row{}, false
	for i, version := range versions {
		if row, ok := e.row(version.Rows()); ok && (!found || e.View.IsCheaper(&row, &offer)) {
			best, offer, found = i, row, true
		}
	}
	dst = wire.AppendInt(append(dst, `,"best":`...), int64(best))
	if found {
		var lows history.Summary
		offer.Lows(e.Now, &lows)
		dst = e.Pages.Prices.AppendRow(append(dst, `,"offer":`...), versions[best].Platform(), &offer)
		dst = append(e.Pages.Prices.AppendLows(append(dst[:len(dst)-1], `,"lows":`...), &lows), '}')
	}
	return append(dst, '}')
}

// openGame appends the versions of the game of a card, that card first, and how many other editions
// it has.
func (e Encoder) openGame(dst []byte, c index.Card, offers bool) ([]byte, []index.Card) {
	dst = wire.AppendInt(append(dst, `,"game":{"editions":`...), int64(e.otherEditions(c)))
	dst = append(dst, `,"versions":[`...)
	versions := e.versions(c)
	for i, version := range versions {
		dst = wire.AppendText(append(wire.AppendComma(dst, i), `{"id":`...), version.ID())
		dst = wire.AppendText(append(dst, `,"platform":`...), version.Platform().String())
		dst = wire.AppendText(append(dst, `,"title":`...), version.TitleIn(e.Language))
		dst = wire.AppendList(append(dst, `,"platforms":`...), version.Platforms())
		if offers {
			dst = e.appendOffer(dst, version.Platform(), version.Rows())
		}
		dst = append(dst, '}')
	}
	return append(dst, ']'), versions
}

// maxVersions bounds the versions of a game in an answer.
const maxVersions = 8

// versions returns a card and the other versions of its game, which have its type and edition.
func (e Encoder) versions(c index.Card) []index.Card {
	others := []index.Card{c}
	for n := range e.View.Games().Others(uint32(c.Number())) {
		if o := e.View.Card(int(n)); o.Type() == c.Type() && o.EditionName() == c.EditionName() && (e.Pages.Versions == nil || e.Pages.Versions.Has(n)) {
			others = append(others, o)
		}
	}
	slices.SortFunc(others[1:], func(a, b index.Card) int {
		return cmp.Or(cmp.Compare(a.Platform(), b.Platform()), cmp.Compare(a.Number(), b.Number()))
	})
	return others[:min(len(others), maxVersions)]
}

// otherEditions returns how many other editions a game has in the store of a card.
func (e Encoder) otherEditions(c index.Card) int {
	if c.Class() != catalog.GameClass {
		return 0
	}
	names := map[string]bool{}
	for n := range e.View.Games().Others(uint32(c.Number())) {
		o := e.View.Card(int(n))
		if o.Platform() == c.Platform() && o.Class() == catalog.GameClass && (o.Type() != c.Type() || o.EditionName() != c.EditionName()) {
			names[o.EditionName()] = true
		}
	}
	return len(names)
}

// AppendFormer appends what pages show of a former id: whether a card had it, and the cards that
// have its listings now.
func (e Encoder) AppendFormer(dst []byte, p catalog.Platform, id string, successors []string) []byte {
	if e.View.WasServed(id) {
		dst = append(dst, `,"served":true`...)
	}
	dst = append(dst, `,"cards":[`...)
	for i, successor := range successors {
		if c, ok := e.View.Lookup(p, successor); ok {
			dst = e.appendListed(wire.AppendComma(dst, i), c)
		}
	}
	return append(dst, ']')
}
