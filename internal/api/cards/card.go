package cards

import (
	"gamedex/internal/api/respond"
	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// Encoder appends cards and search results to an answer. The lists of families
// can be long, so they are sent in pieces.
type Encoder struct {
	*respond.Body
	View *index.View
	Now  int64 // Unix milliseconds
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
	dst = append(dst, `,"platform":`...)
	dst = wire.AppendText(dst, c.Platform().String())
	dst = append(dst, `,"title":`...)
	dst = wire.AppendText(dst, c.Title())
	dst = append(dst, `,"description":`...)
	dst = wire.AppendText(dst, c.Description())
	dst = append(dst, `,"type":`...)
	dst = wire.AppendText(dst, c.Type().String())
	dst = append(dst, `,"thumbnail":`...)
	dst = wire.AppendText(dst, c.Thumbnail())
	dst = append(dst, `,"images":{"cover":`...)
	dst = wire.AppendText(dst, c.Cover())
	if !console {
		dst = append(dst, `,"logo":`...)
		dst = wire.AppendText(dst, c.Logo())
	}
	dst = append(dst, `,"screenshots":`...)
	dst = wire.AppendList(dst, c.Screenshots())
	dst = append(dst, `},"price":`...)
	dst = wire.AppendSimplePrice(dst, e.View.Snapshot, c, e.Now)
	if console {
		dst = append(dst, `,"regions":`...)
		dst = wire.AppendActiveRegions(dst, e.View, c)
	}
	dst = append(dst, `,"releaseDate":`...)
	dst = wire.AppendText(dst, c.ReleaseDate())
	dst = append(dst, `,"publisher":`...)
	dst = wire.AppendText(dst, c.Publisher())
	dst = append(dst, `,"developer":`...)
	dst = wire.AppendText(dst, c.Developer())
	dst = append(dst, `,"genres":`...)
	dst = wire.AppendList(dst, c.Genres())
	dst = append(dst, `,"rating":{"age":`...)
	dst = wire.AppendText(dst, c.RatingAge())
	dst = append(dst, `,"system":`...)
	dst = wire.AppendText(dst, c.RatingSystem())
	dst = append(dst, `},"storeUrl":`...)
	e.Buf = wire.AppendText(dst, c.StoreURL())
	if console {
		e.encodeList(`,"related":[`, c.Related())
		e.encodeList(`,"variants":[`, c.Variants())
	} else {
		e.encodeOffers(c)
	}
	dst = append(e.Buf, `,"details":{"editionName":`...)
	dst = wire.AppendTextOrNull(dst, c.EditionName())
	dst = append(dst, `,"platforms":`...)
	dst = wire.AppendList(dst, c.Platforms())
	dst = append(dst, `,"invariantName":`...)
	dst = wire.AppendText(dst, c.InvariantName())
	dst = append(dst, `,"titleIds":`...)
	dst = wire.AppendList(dst, c.TitleIDs())
	e.Buf = append(dst, `}}`...)
}

// encodeList appends a list of cards after its opening.
func (e Encoder) encodeList(opening string, cards index.Cards) {
	e.Buf = append(e.Buf, opening...)
	for i := range cards.Len() {
		if i > 0 {
			e.Buf = append(e.Buf, ',')
		}
		e.Buf = wire.AppendEntry(e.Buf, e.View.Snapshot, cards.At(i), e.Now)
		if !e.SendPiece() {
			return
		}
	}
	e.Buf = append(e.Buf, ']')
}

// encodeOffers appends the offers of a PC card that an active region lists.
func (e Encoder) encodeOffers(c index.Card) {
	e.Buf = append(e.Buf, `,"offers":[`...)
	first := true
	for i := range c.Offers().Len() {
		offer := c.Offers().At(i)
		if !offer.InActive() {
			continue
		}
		if !first {
			e.Buf = append(e.Buf, ',')
		}
		first = false
		e.Buf = wire.AppendEntry(e.Buf, e.View.Snapshot, offer, e.Now)
		if !e.SendPiece() {
			return
		}
	}
	e.Buf = append(e.Buf, ']')
}
