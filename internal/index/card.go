package index

import (
	"gamedex/internal/catalog"
	"gamedex/internal/snapshot"
)

// Card is one served card: a number in a snapshot, to be passed by value. Its
// texts are "" and its lists empty where nothing is known.
type Card struct {
	s *Snapshot
	n uint32
}

func (c Card) record() []byte {
	at := int(c.n) * cardSize
	return c.s.records[at : at+cardSize : at+cardSize]
}

func (c Card) text(field int) string { return c.s.strings.At(u32(c.record(), field)) }

func (c Card) list(field int) List {
	return List{c.s.strings, listAt(c.s.texts, u32(c.record(), field))}
}

func (c Card) links(field int) snapshot.U32s { return listAt(c.s.links, u32(c.record(), field)) }

// Number is the card's place in the final order: 0..Snapshot.Len()-1.
func (c Card) Number() int { return int(c.n) }

// ID is the gameId (upper-case) or the slug (lower-case).
func (c Card) ID() string { return c.text(cardID) }

// Platform is the store the card belongs to.
func (c Card) Platform() catalog.Platform { return catalog.Platform(c.record()[cardKind]) }

// Type is the type that answers show; never Base.
func (c Card) Type() catalog.Type { return catalog.Type(c.record()[cardKind+1]) }

// Class says which cards it is a variant of.
func (c Card) Class() catalog.Class { return catalog.Class(c.record()[cardKind+2]) }

// Title includes the edition name of a non-standard edition.
func (c Card) Title() string { return c.text(cardTitle) }

// EditionName is "" for the standard edition.
func (c Card) EditionName() string { return c.text(cardEdition) }

// InvariantName is the language-neutral name.
func (c Card) InvariantName() string { return c.text(cardInvariant) }

// Description is the store's text, possibly with its markup.
func (c Card) Description() string { return c.text(cardDescription) }

// Publisher is the publisher's name.
func (c Card) Publisher() string { return c.text(cardPublisher) }

// Developer is the developer's name.
func (c Card) Developer() string { return c.text(cardDeveloper) }

// ReleaseDate is YYYY-MM-DD.
func (c Card) ReleaseDate() string { return c.text(cardReleaseDate) }

// Thumbnail is a URL; the cover's where the card has no own.
func (c Card) Thumbnail() string { return c.text(cardThumbnail) }

// Cover is a URL; the thumbnail's where the card has no own.
func (c Card) Cover() string { return c.text(cardCover) }

// Logo is a URL.
func (c Card) Logo() string { return c.text(cardLogo) }

// StoreURL is the link of the first region that has one.
func (c Card) StoreURL() string { return c.text(cardStoreURL) }

// RatingAge is the age of the rating, as the store writes it.
func (c Card) RatingAge() string { return c.text(cardRatingAge) }

// RatingSystem names who rated.
func (c Card) RatingSystem() string { return c.text(cardRatingSystem) }

// Genres lists the genres in the store's order.
func (c Card) Genres() List { return c.list(cardGenres) }

// Platforms lists devices ("PS4", "Windows") over all regions, sorted.
func (c Card) Platforms() List { return c.list(cardPlatforms) }

// TitleIDs lists the title ids over all regions, sorted.
func (c Card) TitleIDs() List { return c.list(cardTitleIDs) }

// Screenshots lists URLs.
func (c Card) Screenshots() List { return c.list(cardScreenshots) }

// Titles lists the shown titles: number 0 is Title, the others are those of
// other languages.
func (c Card) Titles() List { return c.list(cardTitles) }

// Aliases lists the further slugs that find a PC card.
func (c Card) Aliases() List { return c.list(cardAliases) }

// Rev is a hash of everything that answers about the card are made of, the
// cards it lists included, but neither rates nor the time. Equal revs mean
// equal answers, whatever snapshot they come from.
func (c Card) Rev() uint64 { return c.s.revs.At(int(c.n)) }

// Rows are the card's prices by region; a PC card's are its main offer's where
// that is listed.
func (c Card) Rows() Rows { return rowsAt(c, c.s.cardRows, c.n) }

// SimplePrice is Rows().Simple(now).
func (c Card) SimplePrice(now int64) (Row, bool) { return c.Rows().Simple(now) }

// Variants lists the other games, editions and bundles of a game's family; for
// anything else nothing.
func (c Card) Variants() Cards {
	if c.Class() != catalog.GameClass {
		return Cards{skip: -1}
	}
	return cardList(c.s, c.links(cardGames), nil, c.n)
}

// Related lists the family's add-ons; on an add-on, a demo or a subscription
// the family's games first, then the other add-ons.
func (c Card) Related() Cards {
	if c.Class() == catalog.GameClass {
		return cardList(c.s, c.links(cardAddOns), nil, c.n)
	}
	return cardList(c.s, c.links(cardGames), c.links(cardAddOns), c.n)
}

// Members lists the cards in a bundle, in the store's order.
func (c Card) Members() Cards { return Cards{c.s, c.links(cardMembers), nil, -1} }

// Editions lists what counts as editions of a console card: its family's
// games, itself among them, or only itself if it is no game. A PC card that is
// a game has none here: its editions are the Offers for which IsEdition holds.
func (c Card) Editions() Cards {
	if c.Class() == catalog.GameClass {
		return Cards{c.s, c.links(cardGames), nil, -1}
	}
	return Cards{c.s, snapshot.U32s(c.record()[cardSelf : cardSelf+4]), nil, -1}
}

// Offers lists the offers of a PC card in their order on the card.
func (c Card) Offers() Offers {
	r := c.record()
	return Offers{c, u32(r, cardOffers), u32(r, cardOfferCount)}
}

// Offers is the list of a card's offers.
type Offers struct {
	card     Card
	first, n uint32
}

// Len is the number of offers; 0 on a console card.
func (o Offers) Len() int { return int(o.n) }

// At returns offer i.
func (o Offers) At(i int) Offer { return Offer{o.card, o.first + uint32(i)} }

// Offer is one product of a PC card.
type Offer struct {
	card Card
	n    uint32
}

func (o Offer) record() []byte {
	at := int(o.n) * offerSize
	return o.card.s.offers[at : at+offerSize : at+offerSize]
}

func (o Offer) text(field int) string { return o.card.s.strings.At(u32(o.record(), field)) }

// ID is the product id.
func (o Offer) ID() string { return o.text(offerID) }

// Title is the store's own.
func (o Offer) Title() string { return o.text(offerTitle) }

// Edition is "" for the standard edition and for the base offer.
func (o Offer) Edition() string { return o.text(offerEdition) }

// Type is the offer's type; Base is the game itself.
func (o Offer) Type() catalog.Type { return catalog.Type(o.record()[offerType]) }

// IsEdition tells whether the offer counts among the editions of its card.
func (o Offer) IsEdition() bool { return isEdition(o.Type()) }

func isEdition(t catalog.Type) bool {
	switch t {
	case catalog.Base, catalog.Game, catalog.EditionType, catalog.Bundle:
		return true
	}
	return false
}

// Rows are the offer's prices by region.
func (o Offer) Rows() Rows { return rowsAt(o.card, o.card.s.offerRows, o.n) }

// SimplePrice is Rows().Simple(now).
func (o Offer) SimplePrice(now int64) (Row, bool) { return o.Rows().Simple(now) }

// InActive tells whether the offer is listed in an active region.
func (o Offer) InActive() bool {
	rows := o.Rows()
	for i := range o.card.s.active {
		if _, ok := rows.InRegion(o.card.s.active[i].No); ok {
			return true
		}
	}
	return false
}
