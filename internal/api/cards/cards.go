package cards

import (
	"gamedex/internal/api/respond"
	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// Encoder appends cards and search results to an answer. The lists of families
// can be long, so they are sent in chunks.
type Encoder struct {
	*respond.Body
	View       *index.View
	Now        int64            // Unix milliseconds
	Conversion *wire.Conversion // of prices; nil: none
	Language   index.Language   // of titles, edition names and descriptions
	Pages      *ForPages        // nil: the answer is to a client
}

// EncodeCard appends a card. A PC card has a slug instead of an id.
func (e Encoder) EncodeCard(c index.Card) {
	console := c.Platform() == catalog.ConsoleStore
	opening := `{"id":`
	if !console {
		opening = `{"slug":`
	}
	dst := append(e.Buf, opening...)
	dst = wire.AppendText(dst, c.ID())
	dst = wire.AppendText(append(dst, `,"platform":`...), c.Platform().String())
	dst = wire.AppendText(append(dst, `,"title":`...), c.TitleIn(e.Language))
	dst = wire.AppendText(append(dst, `,"description":`...), c.DescriptionIn(e.Language))
	dst = wire.AppendText(append(dst, `,"type":`...), c.Type().String())
	dst = wire.AppendText(append(dst, `,"thumbnail":`...), c.Thumbnail())
	dst = wire.AppendText(append(dst, `,"images":{"cover":`...), c.Cover())
	if !console {
		dst = wire.AppendText(append(dst, `,"logo":`...), c.Logo())
	}
	dst = wire.AppendList(append(dst, `,"screenshots":`...), c.Screenshots())
	dst = wire.AppendSimplePrice(append(dst, `},"price":`...), e.View.Snapshot, c.Rows(), e.Now, e.Conversion)
	if console {
		dst = wire.AppendActiveRegions(append(dst, `,"regions":`...), e.View, c)
	}
	dst = wire.AppendText(append(dst, `,"releaseDate":`...), c.ReleaseDate())
	dst = wire.AppendText(append(dst, `,"publisher":`...), c.Publisher())
	dst = wire.AppendText(append(dst, `,"developer":`...), c.Developer())
	dst = wire.AppendList(append(dst, `,"genres":`...), c.Genres())
	dst = wire.AppendText(append(dst, `,"rating":{"age":`...), c.RatingAge())
	dst = wire.AppendText(append(dst, `,"system":`...), c.RatingSystem())
	e.Buf = wire.AppendText(append(dst, `},"storeUrl":`...), c.StoreURL())
	if console {
		e.encodeList(`,"related":[`, c.Related())
		e.encodeList(`,"variants":[`, c.Variants())
	} else {
		encodeEntries(e, `,"offers":[`, c.Offers(), index.Offer.InActive) // those that an active region lists
	}
	dst = wire.AppendTextOrNull(append(e.Buf, `,"details":{"editionName":`...), c.EditionNameIn(e.Language))
	dst = wire.AppendList(append(dst, `,"platforms":`...), c.Platforms())
	dst = wire.AppendText(append(dst, `,"invariantName":`...), c.InvariantName())
	dst = append(wire.AppendList(append(dst, `,"titleIds":`...), c.TitleIDs()), '}')
	if e.Pages != nil {
		dst = e.appendGame(dst, c)
	}
	e.Buf = append(dst, '}')
}

// encodeList appends a list of cards after its opening.
func (e Encoder) encodeList(opening string, cards index.Cards) {
	encodeEntries(e, opening, cards, func(index.Card) bool { return true })
}

// encodeEntries appends the entries of a list that pass, after its opening.
func encodeEntries[T entry, L interface {
	Len() int
	At(int) T
}](e Encoder, opening string, list L, pass func(T) bool) {
	e.Buf = append(e.Buf, opening...)
	n := 0
	for i := range list.Len() {
		if of := list.At(i); pass(of) {
			e.Buf = appendEntry(wire.AppendComma(e.Buf, n), e, of)
			n++
		}
		if !e.SendChunk() {
			return
		}
	}
	e.Buf = append(e.Buf, ']')
}

// entry is what lists of cards and offers show of each.
type entry interface {
	Rows() index.Rows
	ID() string
	TitleIn(index.Language) string
	Type() catalog.Type
}

// appendEntry appends one item of variants, related, members or offers: id, title, type
// and price, see [wire.AppendSimplePrice].
func appendEntry[T entry](dst []byte, e Encoder, of T) []byte {
	dst = wire.AppendText(append(dst, `{"id":`...), of.ID())
	dst = wire.AppendText(append(dst, `,"title":`...), of.TitleIn(e.Language))
	dst = wire.AppendText(append(dst, `,"type":`...), of.Type().String())
	dst = wire.AppendSimplePrice(append(dst, `,"price":`...), e.View.Snapshot, of.Rows(), e.Now, e.Conversion)
	if e.Pages == nil {
		return append(dst, '}')
	}
	platform := catalog.PCStore
	if c, ok := any(of).(index.Card); ok {
		platform = c.Platform()
		dst = wire.AppendList(append(dst, `,"platforms":`...), c.Platforms())
	}
	return append(e.appendOffer(dst, platform, of.Rows()), '}')
}

// maxRelated is how many items related[] of a search result has at most.
const maxRelated = 20

// AppendSuggestions appends the data of suggestions.
func (e Encoder) AppendSuggestions(dst []byte, hits []index.Hit) []byte {
	dst = append(dst, `{"suggestions":[`...)
	for i, h := range hits {
		dst = wire.AppendComma(dst, i)
		dst = wire.AppendText(append(dst, `{"id":`...), h.Card.ID())
		dst = wire.AppendText(append(dst, `,"platform":`...), h.Card.Platform().String())
		dst = wire.AppendText(append(dst, `,"title":`...), h.TitleIn(e.Language))
		dst = wire.AppendText(append(dst, `,"thumbnail":`...), h.Card.Thumbnail())
		dst = append(e.appendListedGame(e.appendVersion(dst, h.Card), h.Card), '}')
	}
	return append(dst, `]}`...)
}

// appendVersion appends what distinguishes cards with the same title.
func (e Encoder) appendVersion(dst []byte, c index.Card) []byte {
	dst = wire.AppendList(append(dst, `,"platforms":`...), c.Platforms())
	return wire.AppendTextOrNull(append(dst, `,"editionName":`...), c.EditionNameIn(e.Language))
}

// EncodeResults appends the results of a search, with related[] and members[]
// if requested. It leaves the object that it begins open.
func (e Encoder) EncodeResults(hits []index.Hit, related, members bool) {
	e.Buf = append(e.Buf, `{"results":[`...)
	for i, h := range hits {
		e.Buf = wire.AppendComma(e.Buf, i)
		e.encodeResult(h, related, members)
		if !e.SendChunk() {
			return
		}
	}
	e.Buf = append(e.Buf, ']')
}

func (e Encoder) encodeResult(h index.Hit, related, members bool) {
	c := h.Card
	dst := append(e.Buf, `{"id":`...)
	dst = wire.AppendText(dst, c.ID())
	dst = wire.AppendText(append(dst, `,"platform":`...), c.Platform().String())
	dst = wire.AppendText(append(dst, `,"title":`...), h.TitleIn(e.Language))
	dst = wire.AppendText(append(dst, `,"type":`...), c.Type().String())
	dst = wire.AppendText(append(dst, `,"thumbnail":`...), c.Thumbnail())
	dst = wire.AppendSimplePrice(append(dst, `,"price":`...), e.View.Snapshot, c.Rows(), e.Now, e.Conversion)
	dst = wire.AppendActiveRegions(append(dst, `,"regions":`...), e.View, c)
	dst = wire.AppendText(append(dst, `,"storeUrl":`...), c.StoreURL())
	e.Buf = e.appendListedGame(e.appendVersion(dst, c), c)
	if related {
		e.encodeRelated(c)
	}
	if members && c.Type() == catalog.Bundle {
		e.encodeList(`,"members":[`, c.Members())
	}
	e.Buf = append(e.Buf, '}')
}

// encodeRelated appends related[]: the add-ons and then the variants of a
// console card, or the other offers of a PC card; maxRelated in all.
func (e Encoder) encodeRelated(c index.Card) {
	dst, n := append(e.Buf, `,"related":[`...), 0
	if c.Platform() == catalog.PCStore {
		main := "" // the product whose rows the card shows: that of its first active region
		for i := range e.View.Active() {
			if row, ok := c.Rows().InRegion(e.View.Active()[i].No); ok {
				main = row.Product()
				break
			}
		}
		for i := 0; i < c.Offers().Len() && n < maxRelated; i++ {
			if offer := c.Offers().At(i); offer.ID() != main && offer.InActive() {
				dst = appendEntry(wire.AppendComma(dst, n), e, offer)
				n++
			}
		}
	} else {
		for _, cards := range [...]index.Cards{c.Related(), c.Variants()} {
			for i := 0; i < cards.Len() && n < maxRelated; i++ {
				dst = appendEntry(wire.AppendComma(dst, n), e, cards.At(i))
				n++
			}
		}
	}
	e.Buf = append(dst, ']')
}
