package bulk

import (
	"gamedex/internal/api/selection"
	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// Params are the parameters of a request.
type Params struct {
	selection.Params
	Include Include
	// Currency is what prices are converted to; "": they are not.
	Currency money.Currency
	// Language is that of titles and edition names; "": as they are without one.
	Language catalog.Language
}

// Block is an additional block of an answer.
type Block uint8

// The additional blocks.
const (
	Image Block = 1 << iota
	URL
	Editions
	Meta
	FX
	Lows
)

// BlockNames are the names of the blocks on the wire, in the order of the
// constants.
var BlockNames = [...]string{"image", "url", "editions", "meta", "fx", "lows"}

// Include is a set of blocks.
type Include struct {
	Blocks Block
	Names  []string // of the blocks, in the order of the request
}

// Has reports whether the set has a block.
func (i Include) Has(b Block) bool { return i.Blocks&b != 0 }
