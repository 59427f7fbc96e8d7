package catalog

import (
	"iter"
	"math"
)

// Card is what the API serves under one id: on the console store one edition of
// a game with all its regions, on the PC store one slug with its offers. It
// refers by index to the entries that were passed to Merge.
type Card struct {
	ID       string   // gameId, upper-case; or slug, lower-case
	Aliases  []string // pcstore: further slugs that find the card
	Platform Platform
	Class    Class
	Type     Type
	Family   string // cards of a family are variants or related cards of each other

	Title         string // with the edition name, for a non-standard edition
	EditionName   string // empty for the standard edition
	Pinned        bool   // an operator set the edition; listings do not change it
	InvariantName string
	// Titles are the titles to show: number 0 is Title itself, the others are in
	// other languages with the same edition name. Names are all texts that find
	// the card, each with the title to show for it.
	Titles []string
	Names  []Name
	// Texts has one entry for each language in which a listing has a title, sorted by
	// language; what it repeats of the card is there too.
	Texts      []Texts
	Platforms  []string // sorted union over all regions
	TitleIDs   []string // sorted union over all regions
	Popularity float64  // the highest of all regions
	FirstSeen  Millis

	Prose    ProseChoice
	StoreURL string // expanded, of the first region that has one
	// Members are the product ids in a bundle, in feed order, of the first region
	// that lists any.
	Members []string

	// Rows has one entry per region, sorted by region code: the price of the card
	// there. On the PC store it is the entry of the base offer where that offer
	// is listed.
	Rows []uint32
	// Offers are a PC card's listings by product, sorted by type, title, id. A
	// console card has none. Lead is the ID of the offer that the facts come
	// from.
	Offers []Offer
	Lead   string
}

// ProseIDs yields the prose that the card's fields come from, with repeats and zeros.
func (c *Card) ProseIDs() iter.Seq[ProseID] {
	return func(yield func(ProseID) bool) {
		for _, id := range c.Prose.Fields() {
			if !yield(*id) {
				return
			}
		}
		for _, t := range c.Texts {
			if !yield(t.Description) {
				return
			}
		}
	}
}

// Name is a text that finds a card.
type Name struct {
	Text  string
	Shown uint16 // index into Card.Titles, or NotOwn
}

// Texts are what a card or an offer is called in one language.
type Texts struct {
	Language           Language
	Title, EditionName string
	Description        ProseID // 0: none in this language, or those of an offer
}

// NotOwn marks a name that is not a title of the card, but that of an offer. The card's
// own title is shown for it, and cards that match by a title rank before it.
const NotOwn = math.MaxUint16

// Offer is one product of a PC card.
type Offer struct {
	ID      string // product id
	Title   string // the store's own
	Type    Type
	Demo    bool     // a demo of the game, not the game
	Pinned  bool     // an operator set the edition
	Edition string   // never of the base offer
	Rows    []uint32 // one entry per region, sorted by region code
	Texts   []Texts  // as of a card
}

// IsEdition reports whether the offer is one of the editions of its PC card. A
// demo is none.
func (o *Offer) IsEdition() bool { return ClassOf(o.Type, o.Demo) == GameClass }

// ProseChoice names the prose that each field of a card comes from; 0 is none.
type ProseChoice struct {
	Description, Publisher, Developer, ReleaseDate, Genres, Rating ProseID
	Thumbnail, Cover, Logo, Screenshots                            ProseID
}

// Fields returns the fields in the order of the flags of [ProseFields].
func (c *ProseChoice) Fields() [10]*ProseID {
	return [...]*ProseID{&c.Description, &c.Publisher, &c.Developer, &c.ReleaseDate, &c.Genres, &c.Rating,
		&c.Thumbnail, &c.Cover, &c.Logo, &c.Screenshots}
}

// ContestedFamilies finds the products whose listings name different families.
// Merge takes the family that was observed last, so it reads ObservedAt of their
// listings. It has the only family of each product, or contested.
type ContestedFamilies map[Key]string

const contested = "\x00"

// AddListing adds the family that a listing names, "" for none. The listing must
// not be withdrawn.
func (c ContestedFamilies) AddListing(p Platform, product, family string) {
	if family == "" {
		return
	}
	key := Key{Platform: p, Product: product}
	if known := c[key]; known != "" && known != family {
		family = contested
	}
	c[key] = family
}

// MergeReadsObservedAt reports whether the merge of cards depends on when the
// content of a listing was first observed, and not only on when it was last seen.
func (c ContestedFamilies) MergeReadsObservedAt(l *Listing) bool {
	return l.Withdrawn || c[Key{Platform: l.Platform, Product: l.Product}] == contested
}
