package bulk

import (
	"gamedex/internal/api/respond"
	"gamedex/internal/api/selection"
	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// Answer is the answer to one request. The zero value is ready to use. It keeps
// its memory for the next request.
type Answer struct {
	selection.Selection
	Pages   bool   // the answer is to a page: rows with lows have history.Summary.Since, items cheapestPrice
	Cursor  Cursor // of this answer; to be set before Find
	Cache   *Cache // of items; nil: none. Those for pages show more and are not kept
	include Include
	now     int64
	earlier *Cursor // of the answer since which games changed; nil: all are shown
	shown   []int32 // positions of the cards that items has

	conversion *wire.Conversion // of prices; nil: none
	lang       catalog.Language // as in Params
	language   index.Language   // its number

	prefetched uint64 // the sum that index.PrefetchCards returns

	rowNumbers  []int
	rows        []shownRow // of the card that is being encoded
	product     uint32     // its number in the row before; 0: none
	productText []byte     // product as a JSON string
	source      uint32     // its number in the row before
	sourceText  []byte     // the member source and what follows it; empty: of no row
	keys        []string   // of the regions shown so far
	keySeen     [3]regionSet

	form   uint64 // with a cache, see Cache.form
	until  int64  // when the first discount of the item ends that is being encoded
	wanted int    // items that could be added to the cache

	hints    hints
	calendar wire.Calendar // of pricedAt
	lows     history.Summary
	prices   *prices // of the view
	to       uint32  // the currency in their keys
	own      ownPrices
}

// Reset releases what the request pointed to, and keeps the memory.
func (a *Answer) Reset() {
	a.Selection.Reset()
	clear(a.rows[:cap(a.rows)]) // an earlier card can have had more rows
	*a = Answer{
		Selection: a.Selection, rowNumbers: a.rowNumbers[:0], rows: a.rows[:0], shown: a.shown[:0], productText: a.productText[:0], sourceText: a.sourceText[:0], keys: a.keys[:0],
		wanted: a.wanted, hints: hints{list: a.hints.list[:0]}, own: a.own,
	}
}

// Find finds the cards of the ids and the regions to show. forms keeps the forms of
// currencies for later answers.
func (a *Answer) Find(v *index.View, params Params, now int64, forms *money.Formatter) {
	a.include = params.Include
	a.Begin(v, params.Currency, params.Language, now, forms)
	a.Selection.Find(v, params.Params)
	a.earlier = params.Since
	a.findChanged()
	if len(a.shown) > 0 {
		a.CollectSpellings()
	}
}

// Begin prepares the answer for AppendRow and AppendLows, with which other answers show
// region prices as bulk prices do. With a currency, prices are converted to it; with a
// language, editions are in it. forms keeps the forms of currencies for later answers.
func (a *Answer) Begin(v *index.View, to money.Currency, l catalog.Language, now int64, forms *money.Formatter) {
	a.View, a.now = v, now
	a.lang, a.language = l, v.Language(l)
	if to != "" {
		a.conversion = wire.NewConversion(v, to, forms)
	}
	a.usePrices(v, to)
}

// Size returns about how many bytes the answer has, after Find.
func (a *Answer) Size() int {
	regions := len(a.RegionNumbers())
	if a.Regions.All { // inactive ones as well
		regions = max(len(a.View.Regions(catalog.ConsoleStore)), len(a.View.Regions(catalog.PCStore)))
	}
	return len(a.shown) * (cardSize + regions*rowSize)
}

// The usual sizes of what an answer has for a card and for a region price, without include.
const cardSize, rowSize = 250, 350

// Tag adds to t everything that data shows: the parameters, what was found and
// what was not, the rates and the discounts that have ended.
func (a *Answer) Tag(t respond.Tag) respond.Tag {
	t = t.Texts(a.include.Names).Number(a.View.Rates.Hash()).Number(uint64(a.View.PassedEnds(a.now)))
	if a.include.Has(Lows) {
		t = a.tagLows(t)
	}
	t = a.Selection.Tag(t)
	if a.conversion != nil {
		t = t.Text(string(a.conversion.To))
	}
	if a.earlier != nil {
		t = t.Text("changedSince").Number(uint64(len(a.shown)))
		for _, position := range a.shown {
			t = t.Number(uint64(position))
		}
	}
	return t
}

// tagLows adds the day of the windows and the lows that the answer shows.
func (a *Answer) tagLows(t respond.Tag) respond.Tag {
	t = t.Number(uint64(a.View.LowsDay()))
	for _, position := range a.shown {
		a.findRows(a.Cards[position])
		for j := range a.rows {
			t = TagLows(t, a.summary(&a.rows[j].Row))
		}
	}
	return t
}

// Params are the parameters of a request.
type Params struct {
	selection.Params
	Include Include
	// Currency is what prices are converted to; "": they are not.
	Currency money.Currency
	// Language is that of titles and edition names; "": as they are without one.
	Language catalog.Language
	// Since is the cursor of the answer whose unchanged items to leave out; nil: none.
	Since *Cursor
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
