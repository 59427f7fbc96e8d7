package pack

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"gamedex/internal/catalog"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/search"
	"gamedex/internal/snapshot"
)

// catalogPacker writes the catalog blob.
type catalogPacker struct {
	*plan
	texts    *texts
	records  []byte
	offers   []byte
	lists    *lists // of texts
	links    *lists // of cards
	search   *search.Builder
	ids      layout.HashTableWriter
	keys     layout.HashTableWriter
	moved    []byte
	ranking  []byte
	local    local
	patterns map[catalog.URLPattern]bool // see linkShowsKey
	hashes   []uint64                    // card → hash of its record and its offers
	identity string
	noProse  catalog.Prose
}

func (k *catalogPacker) pack() {
	bundled := bundledCards(k.plan)
	for n := range k.cards {
		k.packCard(uint32(n), bundled)
	}
	k.packKeys()
	k.packMoved()
	// The catalog's identity, which its prices blob names, is a hash of its
	// regions and cards, because rows refer to these by number.
	d := digest(layout.Format)
	for _, r := range k.regions {
		d = d.addText(r.String())
	}
	for _, c := range k.hashes {
		d = d.addNumber(c)
	}
	k.identity = strconv.FormatUint(d.addNumber(uint64(len(k.hashes))).sum(), 16)
}

// prose returns the source of a card's field; empty for number 0.
func (k *catalogPacker) prose(id catalog.ProseID) *catalog.Prose {
	if p := k.in.Prose[id]; p != nil {
		return p
	}
	return &k.noProse
}

// packCard appends the record of card n.
func (k *catalogPacker) packCard(n uint32, bundled map[memberKey]uint32) {
	c := k.cards[n]
	at := len(k.records)
	k.records = append(k.records, make([]byte, layout.CardSize)...)
	r := k.records[at:]
	k.putText(r, layout.CardID, c.ID)
	k.putText(r, layout.CardTitle, c.Title)
	k.putText(r, layout.CardEdition, c.EditionName)
	k.putText(r, layout.CardInvariant, c.InvariantName)
	k.putText(r, layout.CardStoreURL, c.StoreURL)
	k.putList(r, layout.CardPlatforms, c.Platforms)
	k.putList(r, layout.CardTitleIDs, c.TitleIDs)
	k.putList(r, layout.CardTitles, c.Titles)
	k.putList(r, layout.CardAliases, c.Aliases)
	k.packProse(r, c.Prose)
	family := k.families.of[n]
	layout.Put32(r, layout.CardGames, k.links.placeList(k.families.games[family]))
	layout.Put32(r, layout.CardAddOns, k.links.placeList(k.families.addOns[family]))
	layout.Put32(r, layout.CardMembers, k.links.placeList(members(n, c, bundled)))
	layout.Put32(r, layout.CardOffers, uint32(len(k.offers)/layout.OfferSize))
	layout.Put32(r, layout.CardOfferCount, uint32(len(c.Offers)))
	for i := range c.Offers {
		k.packOffer(&c.Offers[i])
	}
	layout.Put32(r, layout.CardSelf, n)
	r[layout.CardKind], r[layout.CardKind+1], r[layout.CardKind+2] = byte(c.Platform), byte(c.Type), byte(c.Class)
	k.hashes = append(k.hashes, k.hashCard(r, c))
	k.ranking = snapshot.AppendU64(k.ranking, math.Float64bits(c.Popularity), uint64(c.FirstSeen))
	k.packTexts(r, c)
	doc := search.Doc{Group: uint8(c.Platform), Names: make([]search.Name, len(c.Names))}
	for i, n := range c.Names {
		doc.Names[i] = search.Name(n) // NotOwn is the same in both
	}
	k.search.Add(doc)
}

// members returns the served cards in a bundle, card n, without the bundle itself.
func members(n uint32, c *catalog.Card, bundled map[memberKey]uint32) (list []uint32) {
	for _, product := range c.Members {
		m, ok := bundled[memberKey{c.Platform, product}]
		if ok && m != n && !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

// packOffer appends the record of an offer.
func (k *catalogPacker) packOffer(o *catalog.Offer) {
	at := len(k.offers)
	k.offers = append(k.offers, make([]byte, layout.OfferSize)...)
	r := k.offers[at:]
	k.putText(r, layout.OfferID, o.ID)
	k.putText(r, layout.OfferTitle, o.Title)
	k.putText(r, layout.OfferEdition, o.Edition)
	r[layout.OfferType] = byte(o.Type)
	if o.IsEdition() {
		r[layout.OfferEditionFlag] = 1
	}
}

// packProse takes each field from the prose chosen for it. A missing thumbnail
// is the cover, and the reverse.
func (k *catalogPacker) packProse(r []byte, choice catalog.ProseChoice) {
	k.putText(r, layout.CardDescription, k.prose(choice.Description).Description)
	k.putText(r, layout.CardPublisher, k.prose(choice.Publisher).Publisher)
	k.putText(r, layout.CardDeveloper, k.prose(choice.Developer).Developer)
	k.putText(r, layout.CardReleaseDate, k.prose(choice.ReleaseDate).ReleaseDate)
	k.putList(r, layout.CardGenres, k.prose(choice.Genres).Genres)
	k.putText(r, layout.CardRatingAge, k.prose(choice.Rating).RatingAge)
	k.putText(r, layout.CardRatingSystem, k.prose(choice.Rating).RatingSystem)
	thumbnail, cover := k.prose(choice.Thumbnail).Thumbnail, k.prose(choice.Cover).Cover
	k.putText(r, layout.CardThumbnail, cmp.Or(thumbnail, cover))
	k.putText(r, layout.CardCover, cmp.Or(cover, thumbnail))
	k.putText(r, layout.CardLogo, k.prose(choice.Logo).Logo)
	k.putList(r, layout.CardScreenshots, k.prose(choice.Screenshots).Screenshots)
}

func (k *catalogPacker) putText(record []byte, field int, s string) {
	layout.Put32(record, field, k.texts.numberText(s))
}

func (k *catalogPacker) putList(record []byte, field int, items []string) {
	numbers := make([]uint32, len(items))
	for i, s := range items {
		numbers[i] = k.texts.numberText(s)
	}
	layout.Put32(record, field, k.lists.placeList(numbers))
}

// hashCard hashes the card's own texts, lists and offers, but neither numbers of
// this build nor the cards that it links to.
func (k *catalogPacker) hashCard(r []byte, c *catalog.Card) uint64 {
	d := digest(layout.U32(r, layout.CardKind))
	for field := layout.CardID; field < layout.CardGenres; field += 4 {
		d = d.addNumber(k.texts.hashes[layout.U32(r, field)])
	}
	for field := layout.CardGenres; field < layout.CardGames; field += 4 {
		items := layout.ListAt(snapshot.U32s(k.lists.data), layout.U32(r, field))
		d = d.addNumber(uint64(items.Len()))
		for i := range items.Len() {
			d = d.addNumber(k.texts.hashes[items.At(i)])
		}
	}
	d = k.addTexts(d, c.Texts)
	for i := range c.Offers {
		o := &c.Offers[i]
		d = k.addTexts(d.addNumber(uint64(o.Type)).addText(o.ID).addText(o.Title).addText(o.Edition), o.Texts)
		if o.IsEdition() {
			d = d.addNumber(1)
		}
	}
	return d.sum()
}
