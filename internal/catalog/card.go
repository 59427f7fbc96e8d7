package catalog

import "math"

// Card is what the API serves under one id: on the console store one edition
// of a game with all its regions, on the PC store one slug with its offers.
// It points into the entries that Merge was given by their index.
type Card struct {
	ID       string   // gameId, upper-case; or slug, lower-case
	Aliases  []string // pcstore: further slugs that find the card
	Platform Platform
	Class    Class
	Type     Type
	Family   string // cards of one family are each other's variants and related

	Title         string // with the edition name, for a non-standard edition
	EditionName   string // empty for the standard edition
	Pinned        bool   // an operator gave the edition: what listings show does not count
	InvariantName string
	// Titles are the shown titles; 0 is Title itself, the others are those of
	// other languages with the same edition name. Names are all texts that
	// find the card, each with the shown title it stands for.
	Titles     []string
	Names      []Name
	Platforms  []string // sorted union over all regions
	TitleIDs   []string // sorted union over all regions
	Popularity float64  // the highest of all regions
	FirstSeen  Millis

	Prose    ProseChoice
	StoreURL string // expanded, of the first region that has one
	// Members are the product ids in a bundle, in feed order, of the first
	// region that lists any.
	Members []string

	// Rows has one entry per region, sorted by region code: what the card
	// costs there. On the PC store it is the base offer's entry where it is.
	Rows []uint32
	// Offers are a PC card's listings by product, sorted by type, title, id.
	// A console card has none. Lead is the ID of the one that gives the facts.
	Offers []Offer
	Lead   string
}

// Name is a text that finds a card.
type Name struct {
	Text  string
	Shown uint16 // index into Card.Titles, or NoLanguage
}

// NoLanguage marks a name that is no title of the card in any language: the
// invariant name, an offer's title. The card's own title stands for it, and a
// title that matches as well goes before it.
const NoLanguage = math.MaxUint16

// Offer is one product of a PC card.
type Offer struct {
	ID      string // product id
	Title   string // the store's own
	Type    Type
	Demo    bool     // a demo of the game, not the game
	Pinned  bool     // an operator gave the edition
	Edition string   // never of the base offer
	Rows    []uint32 // one entry per region, sorted by region code
}

// ProseChoice says from which prose each field of a card comes; 0 is none.
type ProseChoice struct {
	Description, Publisher, Developer, ReleaseDate, Genres, Rating ProseID
	Thumbnail, Cover, Logo, Screenshots                            ProseID
}

// IDs lists the prose that the fields come from, with repeats and zeros.
func (c ProseChoice) IDs() [10]ProseID {
	return [...]ProseID{c.Description, c.Publisher, c.Developer, c.ReleaseDate, c.Genres, c.Rating,
		c.Thumbnail, c.Cover, c.Logo, c.Screenshots}
}
