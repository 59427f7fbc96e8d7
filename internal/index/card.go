package index

import (
	"math"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/snapshot"
)

// Card is one served card: a number in a snapshot, to be passed by value.
// Texts are "" and lists empty where nothing is known.
type Card struct {
	s *Snapshot
	n uint32
}

func (c Card) record() []byte {
	at := int(c.n) * layout.CardSize
	return c.s.catalog.Records[at : at+layout.CardSize : at+layout.CardSize]
}

func (c Card) text(field int) string { return c.s.catalog.Strings.At(layout.U32(c.record(), field)) }

func (c Card) list(field int) List {
	return List{c.s.catalog.Strings, layout.ListAt(c.s.catalog.Texts, layout.U32(c.record(), field))}
}

func (c Card) links(field int) snapshot.U32s {
	return layout.ListAt(c.s.catalog.Links, layout.U32(c.record(), field))
}

// IsZero reports whether it is no card.
func (c Card) IsZero() bool { return c.s == nil }

// Number returns the position of the card in the final order: 0..Snapshot.Len()-1.
func (c Card) Number() int { return int(c.n) }

// ID returns the gameId (upper-case) or the slug (lower-case).
func (c Card) ID() string { return c.text(layout.CardID) }

// Platform returns the store that the card belongs to.
func (c Card) Platform() catalog.Platform { return catalog.Platform(c.record()[layout.CardKind]) }

// Type returns the type that answers show; never Base.
func (c Card) Type() catalog.Type { return catalog.Type(c.record()[layout.CardKind+1]) }

// Class returns the class of the card's type.
func (c Card) Class() catalog.Class { return catalog.Class(c.record()[layout.CardKind+2]) }

// Title returns the title, with the edition name of a non-standard edition.
func (c Card) Title() string { return c.text(layout.CardTitle) }

// EditionName returns the name of the edition, "" for the standard edition.
func (c Card) EditionName() string { return c.text(layout.CardEdition) }

// InvariantName returns the language-neutral name.
func (c Card) InvariantName() string { return c.text(layout.CardInvariant) }

// Description returns the store's text, possibly with its markup.
func (c Card) Description() string { return c.text(layout.CardDescription) }

// Publisher returns the publisher's name.
func (c Card) Publisher() string { return c.text(layout.CardPublisher) }

// Developer returns the developer's name.
func (c Card) Developer() string { return c.text(layout.CardDeveloper) }

// ReleaseDate returns YYYY-MM-DD.
func (c Card) ReleaseDate() string { return c.text(layout.CardReleaseDate) }

// Thumbnail returns a URL: the cover's if the card has no thumbnail.
func (c Card) Thumbnail() string { return c.text(layout.CardThumbnail) }

// Cover returns a URL: the thumbnail's if the card has no cover.
func (c Card) Cover() string { return c.text(layout.CardCover) }

// Logo returns a URL.
func (c Card) Logo() string { return c.text(layout.CardLogo) }

// StoreURL returns the link of the first region that has one.
func (c Card) StoreURL() string { return c.text(layout.CardStoreURL) }

// RatingAge returns the age of the rating, as the store writes it.
func (c Card) RatingAge() string { return c.text(layout.CardRatingAge) }

// RatingSystem returns the name of the rating system.
func (c Card) RatingSystem() string { return c.text(layout.CardRatingSystem) }

// Genres returns the genres in the store's order.
func (c Card) Genres() List { return c.list(layout.CardGenres) }

// Platforms returns devices ("PS4", "Windows") over all regions, sorted.
func (c Card) Platforms() List { return c.list(layout.CardPlatforms) }

// TitleIDs returns the title ids over all regions, sorted.
func (c Card) TitleIDs() List { return c.list(layout.CardTitleIDs) }

// Screenshots returns URLs.
func (c Card) Screenshots() List { return c.list(layout.CardScreenshots) }

// Titles returns the titles to show: number 0 is Title, the others are in other
// languages.
func (c Card) Titles() List { return c.list(layout.CardTitles) }

// Aliases returns the further slugs that find a PC card.
func (c Card) Aliases() List { return c.list(layout.CardAliases) }

// Popularity returns the popularity from the feed. A higher number is more popular.
func (c Card) Popularity() float64 {
	return math.Float64frombits(c.ranking(layout.RankingPopularity))
}

// AddedAt returns when the first listing of the card was first seen (Unix milliseconds).
func (c Card) AddedAt() int64 { return int64(c.ranking(layout.RankingFirstSeen)) }

func (c Card) ranking(field int) uint64 {
	return layout.U64(c.s.catalog.Ranking, int(c.n)*layout.RankingSize+field)
}

// Rev returns a hash of everything that answers about the card are made of,
// including the cards that it lists, but without rates, the time, popularity and
// AddedAt. Equal revs mean equal cards, whatever snapshot they come from.
func (c Card) Rev() uint64 { return c.s.prices.Revs.At(int(c.n)) }

// Rows returns the card's prices by region; a PC card's are its main offer's
// where that is listed.
func (c Card) Rows() Rows { return rowsAt(c, c.s.prices.CardRows, c.n) }

// Variants returns the other games, editions and bundles of a game's family;
// none for any other card.
func (c Card) Variants() Cards {
	if c.Class() != catalog.GameClass {
		return Cards{skip: -1}
	}
	return cardsWithout(c.n, c.s, c.links(layout.CardGames), nil)
}

// Related returns the family's add-ons. For an add-on, a demo or a subscription
// it returns the family's games first, then the other add-ons.
func (c Card) Related() Cards {
	if c.Class() == catalog.GameClass {
		return cardsWithout(c.n, c.s, c.links(layout.CardAddOns), nil)
	}
	return cardsWithout(c.n, c.s, c.links(layout.CardGames), c.links(layout.CardAddOns))
}

// Members returns the cards in a bundle, in the store's order.
func (c Card) Members() Cards { return Cards{c.s, c.links(layout.CardMembers), nil, -1} }

// Editions returns the editions of a console card: its family's games, itself
// included, or only itself if it is not a game. A PC card that is a game has
// none here: its editions are the Offers for which IsEdition holds.
func (c Card) Editions() Cards {
	if c.Class() == catalog.GameClass {
		return Cards{c.s, c.links(layout.CardGames), nil, -1}
	}
	return Cards{c.s, snapshot.U32s(c.record()[layout.CardSelf : layout.CardSelf+4]), nil, -1}
}

// Offers returns the offers of a PC card in their order on the card.
func (c Card) Offers() Offers {
	r := c.record()
	return Offers{c, layout.U32(r, layout.CardOffers), layout.U32(r, layout.CardOfferCount)}
}

// Offers is the list of a card's offers.
type Offers struct {
	card     Card
	first, n uint32
}

// Len returns the number of offers; 0 on a console card.
func (o Offers) Len() int { return int(o.n) }

// At returns offer i.
func (o Offers) At(i int) Offer { return Offer{o.card, o.first + uint32(i)} }

// Offer is one product of a PC card.
type Offer struct {
	card Card
	n    uint32
}

func (o Offer) record() []byte {
	at := int(o.n) * layout.OfferSize
	return o.card.s.catalog.Offers[at : at+layout.OfferSize : at+layout.OfferSize]
}

func (o Offer) text(field int) string {
	return o.card.s.catalog.Strings.At(layout.U32(o.record(), field))
}

// ID returns the product id.
func (o Offer) ID() string { return o.text(layout.OfferID) }

// Title returns the store's title.
func (o Offer) Title() string { return o.text(layout.OfferTitle) }

// Edition returns the name of the edition, "" for the standard edition and the
// base offer.
func (o Offer) Edition() string { return o.text(layout.OfferEdition) }

// Type returns the offer's type; Base is the game itself.
func (o Offer) Type() catalog.Type { return catalog.Type(o.record()[layout.OfferType]) }

// IsEdition reports whether the offer is one of the editions of its card.
func (o Offer) IsEdition() bool { return o.record()[layout.OfferEditionFlag] != 0 }

// Rows returns the offer's prices by region.
func (o Offer) Rows() Rows { return rowsAt(o.card, o.card.s.prices.OfferRows, o.n) }

// InActive reports whether the offer is listed in an active region.
func (o Offer) InActive() bool {
	rows := o.Rows()
	return slices.ContainsFunc(o.card.s.catalog.active, func(r Region) bool {
		_, ok := rows.Find(r.No)
		return ok
	})
}

// List is a list of texts inside a snapshot.
type List struct {
	strings snapshot.Strings
	numbers snapshot.U32s
}

// Len returns the number of texts.
func (l List) Len() int { return l.numbers.Len() }

// At returns text i.
func (l List) At(i int) string { return l.strings.At(l.numbers.At(i)) }

// Cards is a list of served cards.
type Cards struct {
	s    *Snapshot
	a, b snapshot.U32s // one after the other
	skip int           // position in both together that is left out; -1: none
}

// cardsWithout joins two lists of card numbers without card n. It searches
// linearly: families are short, and lists of members are not sorted.
func cardsWithout(n uint32, s *Snapshot, a, b snapshot.U32s) Cards {
	list := Cards{s, a, b, -1}
	for i := range list.Len() {
		if list.At(i).n == n {
			list.skip = i
			break
		}
	}
	return list
}

// Len returns the number of cards.
func (l Cards) Len() int {
	n := l.a.Len() + l.b.Len()
	if l.skip >= 0 {
		n--
	}
	return n
}

// At returns card i.
func (l Cards) At(i int) Card {
	if l.skip >= 0 && i >= l.skip {
		i++
	}
	if i < l.a.Len() {
		return Card{l.s, l.a.At(i)}
	}
	return Card{l.s, l.b.At(i - l.a.Len())}
}
