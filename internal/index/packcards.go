package index

import (
	"slices"

	"gamedex/internal/catalog"
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
	ids      slotWriter
	keys     slotWriter
	moved    []byte
	patterns map[catalog.URLPattern]bool // see speaks
	contents []uint64                    // card → hash of what the record and its offers say
	identity string
	noProse  catalog.Prose
}

func newCatalogPacker(p *plan) *catalogPacker {
	return &catalogPacker{
		plan: p, texts: newTexts(), lists: newLists(), links: newLists(),
		search: search.NewBuilder(), patterns: map[catalog.URLPattern]bool{},
	}
}

func (k *catalogPacker) pack() {
	found := members(k.plan)
	for n := range k.cards {
		k.card(uint32(n), found)
	}
	k.packKeys()
	k.packMoved()
	k.identity = k.identify()
}

// prose is what a card's field comes from; empty for number 0.
func (k *catalogPacker) prose(id catalog.ProseID) *catalog.Prose {
	if p := k.in.Prose[id]; p != nil {
		return p
	}
	return &k.noProse
}

// card appends the record of card n.
func (k *catalogPacker) card(n uint32, found map[memberKey]uint32) {
	c := k.cards[n]
	at := len(k.records)
	k.records = append(k.records, make([]byte, cardSize)...)
	r := k.records[at:]
	k.cardTexts(r, c)
	k.cardProse(r, c.Prose)
	k.cardLinks(r, n, found)
	put32(r, cardOffers, uint32(len(k.offers)/offerSize))
	put32(r, cardOfferCount, uint32(len(c.Offers)))
	for i := range c.Offers {
		k.offer(&c.Offers[i])
	}
	put32(r, cardSelf, n)
	r[cardKind], r[cardKind+1], r[cardKind+2] = byte(c.Platform), byte(c.Type), byte(c.Class)
	k.contents = append(k.contents, k.content(r, c))
	k.addToSearch(c)
}

func (k *catalogPacker) cardTexts(r []byte, c *catalog.Card) {
	k.text(r, cardID, c.ID)
	k.text(r, cardTitle, c.Title)
	k.text(r, cardEdition, c.EditionName)
	k.text(r, cardInvariant, c.InvariantName)
	k.text(r, cardStoreURL, c.StoreURL)
	k.list(r, cardPlatforms, c.Platforms)
	k.list(r, cardTitleIDs, c.TitleIDs)
	k.list(r, cardTitles, c.Titles)
	k.list(r, cardAliases, c.Aliases)
}

// cardProse takes each field from the prose chosen for it. A missing thumbnail
// is the cover, and the reverse.
func (k *catalogPacker) cardProse(r []byte, choice catalog.ProseChoice) {
	k.text(r, cardDescription, k.prose(choice.Description).Description)
	k.text(r, cardPublisher, k.prose(choice.Publisher).Publisher)
	k.text(r, cardDeveloper, k.prose(choice.Developer).Developer)
	k.text(r, cardReleaseDate, k.prose(choice.ReleaseDate).ReleaseDate)
	k.list(r, cardGenres, k.prose(choice.Genres).Genres)
	k.text(r, cardRatingAge, k.prose(choice.Rating).RatingAge)
	k.text(r, cardRatingSystem, k.prose(choice.Rating).RatingSystem)
	thumbnail, cover := k.prose(choice.Thumbnail).Thumbnail, k.prose(choice.Cover).Cover
	k.text(r, cardThumbnail, either(thumbnail, cover))
	k.text(r, cardCover, either(cover, thumbnail))
	k.text(r, cardLogo, k.prose(choice.Logo).Logo)
	k.list(r, cardScreenshots, k.prose(choice.Screenshots).Screenshots)
}

func either(first, second string) string {
	if first != "" {
		return first
	}
	return second
}

func (k *catalogPacker) cardLinks(r []byte, n uint32, found map[memberKey]uint32) {
	c, family := k.cards[n], k.families.of[n]
	put32(r, cardGames, k.links.place(k.families.games[family]))
	put32(r, cardAddOns, k.links.place(k.families.addOns[family]))
	var list []uint32
	for _, product := range c.Members {
		m, ok := found[memberKey{c.Platform, product}]
		if ok && m != n && !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	put32(r, cardMembers, k.links.place(list))
}

func (k *catalogPacker) offer(o *catalog.Offer) {
	at := len(k.offers)
	k.offers = append(k.offers, make([]byte, offerSize)...)
	r := k.offers[at:]
	k.text(r, offerID, o.ID)
	k.text(r, offerTitle, o.Title)
	k.text(r, offerEdition, o.Edition)
	r[offerType] = byte(o.Type)
}

func (k *catalogPacker) text(record []byte, field int, s string) {
	put32(record, field, k.texts.number(s))
}

func (k *catalogPacker) list(record []byte, field int, items []string) {
	numbers := make([]uint32, len(items))
	for i, s := range items {
		numbers[i] = k.texts.number(s)
	}
	put32(record, field, k.lists.place(numbers))
}

func (k *catalogPacker) addToSearch(c *catalog.Card) {
	doc := search.Doc{Group: group(c.Platform), Names: make([]search.Name, len(c.Names))}
	for i, n := range c.Names {
		doc.Names[i] = search.Name(n)
	}
	k.search.Add(doc)
}

// content hashes what a card says by itself: its texts, lists and offers, but
// neither numbers of this build nor what it links to.
func (k *catalogPacker) content(r []byte, c *catalog.Card) uint64 {
	d := digest(u32(r, cardKind))
	for field := cardID; field < cardGenres; field += 4 {
		d = d.add(k.texts.hashes[u32(r, field)])
	}
	for field := cardGenres; field < cardGames; field += 4 {
		items := listAt(snapshot.U32s(k.lists.data), u32(r, field))
		d = d.add(uint64(items.Len()))
		for i := range items.Len() {
			d = d.add(k.texts.hashes[items.At(i)])
		}
	}
	for i := range c.Offers {
		o := &c.Offers[i]
		d = d.add(uint64(o.Type)).text(o.ID).text(o.Title).text(o.Edition)
	}
	return d.sum()
}
