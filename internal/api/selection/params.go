package selection

import "gamedex/internal/catalog"

// Params are the games and regions of a request.
type Params struct {
	// IDs are the ids of the games, each once, in the order of the request.
	IDs []ID
	// Spellings are the different texts that named them, in the order of the
	// request.
	Spellings []Spelling
	// Platform restricts the search for ids; 0: the console store first, then
	// the PC store.
	Platform catalog.Platform
	Regions  Regions
}

// AutoPlatform is the name of the platform 0.
const AutoPlatform = "auto"

// ID is an id of a request.
type ID struct {
	Sent string // as the client spelled it first
	Key  string // as the catalog spells it
}

// Spelling is a text that names an id of a request.
type Spelling struct {
	Text string // as sent
	ID   int32  // number in Params.IDs
}

// Regions are the regions to show.
type Regions struct {
	All bool // all regions that a game has
	// Codes are the regions, each once, in the order of the request. Empty and
	// not All: the active ones.
	Codes []catalog.Region
}

// EuroArea stands for the active regions of the euro area in Regions.Codes. It must not be
// changed.
var EuroArea = catalog.Region{'E', 'U'}

// euroCountries are the countries of the euro area.
const euroCountries = " AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK "
