package index

import (
	"gamedex/internal/catalog"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/money"
	"gamedex/internal/snapshot"
)

// Rows are the prices of one card or offer, one row per region, regions in
// alphabetical order.
type Rows struct {
	s           *Snapshot
	card        uint32
	first, size uint32
}

// rowsAt reads the pair of numbers that locates the rows of n.
func rowsAt(c Card, pairs snapshot.U32s, n uint32) Rows {
	return Rows{c.s, c.n, pairs.At(int(2 * n)), pairs.At(int(2*n + 1))}
}

// Len returns the number of regions.
func (r Rows) Len() int { return int(r.size) }

// At returns row i.
func (r Rows) At(i int) (row Row) {
	r.Read(i, &row)
	return row
}

// InRegion returns the row of a region.
func (r Rows) InRegion(no uint8) (row Row, ok bool) {
	i, ok := r.Find(no)
	if ok {
		r.Read(i, &row)
	}
	return row, ok
}

// Read reads row i into row.
func (r Rows) Read(i int, row *Row) { r.s.readRow(r.first+uint32(i), r.card, row) }

// Region returns the region of row i.
func (r Rows) Region(i int) uint8 {
	return r.s.prices.Rows[(int(r.first)+i)*layout.RowSize+layout.RowRegion]
}

// Find returns the number of the row of a region. Rows are sorted by region, so the row of
// region n is row n, or an earlier one if the card lacks some of the regions before it.
// Most cards need one comparison; the worst case is a binary search.
func (r Rows) Find(no uint8) (i int, ok bool) {
	lo, hi := 0, int(r.size)
	for guess := int(no); lo < hi; guess = lo + (hi-lo)/2 {
		guess = min(guess, hi-1)
		switch at := r.Region(guess); {
		case at == no:
			return guess, true
		case at < no:
			lo = guess + 1
		default:
			hi = guess
			lo = max(lo, guess-int(at-no))
		}
	}
	return 0, false
}

// The kinds of price, best first, between which Simple chooses. A doubtful one of
// a kind follows all others with a number, or all other texts.
const (
	forEverybody = iota
	forSubscribers
	forTrial
	doubtfulNumber // plus the kind that it would be
	_
	_
	asText
	doubtfulText
	noPrice
)

// Simple returns the row that represents all others (contract, section 4) as it
// is at now (Unix milliseconds): of the active regions, in configured order, the
// first with a number that everybody can pay, else one tied to a subscription,
// else a trial, else a doubtful number, else a text, else a doubtful text. It
// returns false if none of them has a price.
func (r Rows) Simple(now int64) (Row, bool) {
	best, kind := Row{}, noPrice
	for i := range r.s.catalog.active {
		row, ok := r.InRegion(r.s.catalog.active[i].No)
		if !ok {
			continue
		}
		row = row.At(now)
		if k := row.kind(); k < kind {
			best, kind = row, k
		}
		if kind == forEverybody {
			break
		}
	}
	return best, kind != noPrice
}

// Row is what one card or offer costs in one region: the values of a packed
// row, decoded. Amounts are hundredths, times Unix milliseconds. Its methods
// look up the texts.
type Row struct {
	s       *Snapshot
	card, n uint32 // n is its number in the prices blob

	Region   uint8 // number, see Snapshot.Region
	Currency uint8 // number, see Snapshot.Currency

	Priced        bool         // false: announced, not for sale
	Base, Current money.Amount // money.None: null
	Percent       int          // catalog.NoPercent: null
	EndsAt        int64        // 0: no discount, or its end is unknown
	PricedAt      int64        // since when it costs this, or is not for sale
	Trial         bool
	Subscription  bool
	Doubtful      bool // counts for "cheapest" only where nothing else does
	Variants      int  // editions of the game with a row in this region

	passed bool // it is no longer as it was published, see Pass

	base, current, product, url, label, edition, source, extra uint32 // base and current are points
}

// Points returns numbers that stand for the two prices. Rows of one snapshot with the same
// numbers have equal Base, Current, BaseText and CurrentText. There are few such numbers, so
// callers may keep what they make of them.
func (r *Row) Points() (base, current uint32) { return r.base, r.current }

// readRow decodes row n field by field. A composite literal would be built in a temporary
// and then copied.
func (s *Snapshot) readRow(n, card uint32, into *Row) {
	b := (*[layout.RowSize]byte)(s.prices.Rows[int(n)*layout.RowSize:])
	into.s, into.card, into.n, into.passed = s, card, n, false
	into.Region, into.Percent = b[layout.RowRegion], int(b[layout.RowPercent])
	if into.Percent == layout.NoPercent {
		into.Percent = catalog.NoPercent
	}
	into.PricedAt = layout.PricedAt(b[:])
	into.base, into.current = layout.U32(b[:], layout.RowBase), layout.U32(b[:], layout.RowCurrent)
	into.Base, into.Current = s.amount(into.base), s.amount(into.current)
	into.product, into.extra = layout.U32(b[:], layout.RowProduct), layout.U32(b[:], layout.RowExtra)
	x := (*[layout.ExtraSize]byte)(s.prices.Extras[int(into.extra)*layout.ExtraSize:])
	into.Currency, into.Variants = x[layout.ExtraCurrency], int(x[layout.ExtraVariants])|int(x[layout.ExtraVariants+1])<<8
	into.label, into.edition = layout.U32(x[:], layout.ExtraLabel), layout.U32(x[:], layout.ExtraEdition)
	into.source, into.url = layout.U32(x[:], layout.ExtraSource), layout.U32(x[:], layout.ExtraURL)
	flags := x[layout.ExtraFlags]
	into.Priced, into.Trial = flags&layout.FlagPriced != 0, flags&layout.FlagTrial != 0
	into.Subscription, into.Doubtful = flags&layout.FlagSubscription != 0, flags&layout.FlagDoubtful != 0
	into.EndsAt = 0
	if end := layout.U32(x[:], layout.ExtraEnd); end != 0 {
		into.EndsAt = int64(s.prices.Ends.At(int(end - 1)))
	}
}

// amount returns the amount of a point.
func (s *Snapshot) amount(point uint32) money.Amount {
	return money.Amount(layout.U64(s.prices.Points, int(point)*layout.PointSize+layout.PointAmount))
}

// pointText returns the number of the text of a point.
func (r *Row) pointText(point uint32) uint32 {
	return layout.U32(r.s.prices.Points, int(point)*layout.PointSize+layout.PointText)
}

// BaseText returns the price without discount as shown in the region.
func (r *Row) BaseText() string { return r.s.prices.Strings.At(r.pointText(r.base)) }

// CurrentText returns the current price as shown in the region, or the word for
// free, a trial or included in a subscription.
func (r *Row) CurrentText() string { return r.s.prices.Strings.At(r.pointText(r.current)) }

// OneText reports whether BaseText and CurrentText are the same, as in most rows.
func (r *Row) OneText() bool { return r.pointText(r.base) == r.pointText(r.current) }

// Numbers returns numbers that stand for Product and Source in the rows of one snapshot; 0 is "".
func (r *Row) Numbers() (product, source uint32) { return r.product, r.source }

// HasLabel reports whether the discount has a name.
func (r *Row) HasLabel() bool { return r.label != 0 }

// Label returns the store's name of the discount.
func (r *Row) Label() string { return r.s.prices.Strings.At(r.label) }

// HasEdition reports whether the row has an edition name.
func (r *Row) HasEdition() bool { return r.edition != 0 }

// Edition returns the row's edition name; "" for standard and base.
func (r *Row) Edition() string { return r.s.prices.Strings.At(r.edition) }

// Product returns the store's product id in that region.
func (r *Row) Product() string { return r.s.prices.Strings.At(r.product) }

// Source returns where the price comes from.
func (r *Row) Source() string { return r.s.prices.Strings.At(r.source) }

// HasURL reports whether the listing has a store link.
func (r *Row) HasURL() bool { return r.url != 0 }

// AppendURL appends the store link of the listing, nothing if it has none.
func (r *Row) AppendURL(dst []byte) []byte {
	slug := "" // only PC cards have one
	if c := (Card{r.s, r.card}); c.Platform() == catalog.PCStore {
		slug = c.ID()
	}
	return layout.AppendURL(dst, r.s.prices.Strings.At(r.url), r.Product(), slug)
}

// At returns the row as it is at now (Unix milliseconds), see [Row.Pass].
func (r Row) At(now int64) Row {
	r.Pass(now)
	return r
}

// Pass changes the row to what it is at now (Unix milliseconds): a discount
// whose end has passed is over (contract, section 4).
func (r *Row) Pass(now int64) {
	if r.EndsAt == 0 || r.EndsAt > now {
		return
	}
	r.passed = true
	r.Current, r.current = r.Base, r.base
	r.Percent, r.EndsAt, r.label = catalog.NoPercent, 0, 0
	if r.Base > 0 {
		r.Subscription, r.Trial = false, false
	}
}

// Discounted reports whether the row shows a discount.
func (r *Row) Discounted() bool { return r.Percent > 0 }

// kind ranks the row for Simple.
func (r *Row) kind() int {
	switch {
	case !r.Current.Known() && r.pointText(r.current) == 0:
		return noPrice
	case !r.Current.Known() && r.Doubtful:
		return doubtfulText
	case !r.Current.Known():
		return asText
	}
	kind := forEverybody
	if r.Trial {
		kind = forTrial
	} else if r.Subscription {
		kind = forSubscribers
	}
	if r.Doubtful {
		kind += doubtfulNumber
	}
	return kind
}

// Cheapest returns the row with the lowest price in dollars, as it is at now (Unix
// milliseconds), by the rules of bulk prices (contract, section 6): trials never count, and
// prices tied to a subscription and doubtful ones only if nothing else does. If no price can
// be compared, it returns the first row with a price. Active regions come first, in
// configured order. It returns false if no row has a price.
func (v *View) Cheapest(r Rows, now int64) (Row, bool) {
	best, lowest := Row{}, cost{rank: notPriced}
	consider := func(row Row) {
		row.Pass(now)
		if c := v.cost(&row); c.less(lowest) {
			best, lowest = row, c
		}
	}
	for i := range v.Active() {
		if row, ok := r.InRegion(v.Active()[i].No); ok {
			consider(row)
		}
	}
	for i := range r.Len() {
		consider(r.At(i))
	}
	return best, lowest.rank != notPriced
}

// IsCheaper reports whether row a has a lower price than row b, by the rules of Cheapest.
func (v *View) IsCheaper(a, b *Row) bool { return v.cost(a).less(v.cost(b)) }

// cost is what a row is compared by.
type cost struct {
	rank  int
	cents int64
}

// The ranks of rows between which Cheapest chooses, best first.
const (
	comparedFirst = iota
	comparedAtLast
	notCompared
	notPriced
)

func (v *View) cost(r *Row) cost {
	cents, known := v.USD(r)
	switch {
	case !r.Current.Known() && r.pointText(r.current) == 0:
		return cost{rank: notPriced}
	case !known || r.Trial || v.Rates.IsZero(): // without rates, dollars would always win
		return cost{rank: notCompared}
	case r.Subscription || r.Doubtful:
		return cost{comparedAtLast, cents}
	}
	return cost{comparedFirst, cents}
}

func (c cost) less(d cost) bool { return c.rank < d.rank || c.rank == d.rank && c.cents < d.cents }
