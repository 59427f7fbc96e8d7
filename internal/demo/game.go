package demo

import _ "embed"

// table is a JSON array of games. Names, makers and dates are the games' own; every price is
// invented.
//
//go:embed games.json
var table []byte

type game struct {
	product                  // the game itself
	number               int // index in the table
	Slug, Released       string
	Publisher, Developer string
	Genres               []string
	Age                  int    // age rating, by PEGI
	Console              string // "4" or "5" (one console), "45" (one product for both), "4/5" (sold apart) or "" for not sold there
	PC                   bool
	Titles               map[string]string // by language
	Products             []*product        // the game itself first; the table leaves it out
}

// product is anything with a separate price.
type product struct {
	Kind       kind     // of the game itself, the table has only those that are not games
	Name       string   // of the game itself: the game's name
	Cents      int64    // US cents
	Holds      []string // names of the products in a pack; "game" is the game itself
	Off, Was   int      // percent of a running and of a past sale
	Plus       int      // percent off for subscribers, where only they can buy; 0 = no such price
	Text       bool     // shown without a number
	Trial      bool     // a trial of the game itself
	Soon       bool     // announced, not for sale
	Doubt      bool     // a price of doubtful source
	Not        []string // regions where it is not sold
	Popularity int      // how well known, to 100; 0: not given
	Alias      string   // a further slug
}

// kind is the kind of a product of a game.
type kind string

const (
	kindGame         kind = "game"
	kindEdition      kind = "edition"
	kindPass         kind = "pass"
	kindDLC          kind = "dlc"
	kindDemo         kind = "demo"
	kindPack         kind = "pack"
	kindBundle       kind = "bundle"
	kindSubscription kind = "subscription"
)
