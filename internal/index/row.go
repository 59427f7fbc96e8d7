package index

import (
	"gamedex/internal/catalog"
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

// rowsAt reads the pair of numbers that says where the rows of n are.
func rowsAt(c Card, pairs snapshot.U32s, n uint32) Rows {
	return Rows{c.s, c.n, pairs.At(int(2 * n)), pairs.At(int(2*n + 1))}
}

// Len is the number of regions.
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

// Region is the region of row i.
func (r Rows) Region(i int) uint8 { return r.s.rows[(int(r.first)+i)*rowSize+rowRegion] }

// Find says which row is that of a region. Regions rise from row to row, so
// that of region n stands at n or before, and as many places before as regions
// are missing: for most cards the first look finds it, at worst a binary search
// does.
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

// The kinds of price, best first, between which Simple chooses.
const (
	forEverybody = iota
	forSubscribers
	forTrial
	asText
	noPrice
)

// Simple returns the row that stands for all (contract, section 4) as it is at
// now (Unix milliseconds): of the active regions, in configured order, the
// first with a number that everybody can pay, else one tied to a subscription,
// else a trial, else a text. False: none of them has a price.
func (r Rows) Simple(now int64) (Row, bool) {
	best, kind := Row{}, noPrice
	for i := range r.s.active {
		row, ok := r.InRegion(r.s.active[i].No)
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
// row, decoded. Amounts are hundredths, times Unix milliseconds. The texts are
// looked up only when asked for.
type Row struct {
	s    *Snapshot
	card uint32

	Region   uint8 // number, see Snapshot.Region
	Currency uint8 // number, see Snapshot.Currency; 0 without a price

	Priced        bool         // false: announced, not for sale
	Base, Current money.Amount // money.None: null
	Percent       int          // catalog.NoPercent: null
	EndsAt        int64        // 0: no discount, or its end is unknown
	PricedAt      int64        // since when it costs this, or is not for sale
	Trial         bool
	Subscription  bool
	Doubtful      bool // counts for "cheapest" only where nothing else does
	Variants      int  // editions of the game with a row in this region

	baseText, currentText, product, url, label, edition, source, extra uint32
}

// Shared is the number of what the row has in common with many others. Rows of
// one snapshot with the same number agree in Currency, Variants, Edition,
// Source and the pattern of their link, and before [Row.Pass] in Label, EndsAt,
// Trial and Subscription. There are few such numbers: what is made of one is
// worth keeping.
func (r *Row) Shared() uint32 { return r.extra }

// readRow decodes row n. Field by field: a Row made as a whole would be made
// elsewhere and then copied.
func (s *Snapshot) readRow(n, card uint32, into *Row) {
	b := (*[rowSize]byte)(s.rows[int(n)*rowSize:])
	into.s, into.card = s, card
	into.Region, into.Percent = b[rowRegion], percent(b[rowPercent])
	into.PricedAt = pricedAt(b[:])
	into.Base, into.baseText = s.point(u32(b[:], rowBase))
	into.Current, into.currentText = s.point(u32(b[:], rowCurrent))
	into.product, into.extra = u32(b[:], rowProduct), u32(b[:], rowExtra)
	s.readExtra(into)
}

func (s *Snapshot) readExtra(into *Row) {
	b := (*[extraSize]byte)(s.extras[int(into.extra)*extraSize:])
	into.Currency, into.Variants = b[extraCurrency], int(b[extraVariants])|int(b[extraVariants+1])<<8
	into.label, into.edition = u32(b[:], extraLabel), u32(b[:], extraEdition)
	into.source, into.url = u32(b[:], extraSource), u32(b[:], extraURL)
	flags := b[extraFlags]
	into.Priced, into.Trial = flags&flagPriced != 0, flags&flagTrial != 0
	into.Subscription, into.Doubtful = flags&flagSubscription != 0, flags&flagDoubtful != 0
	into.EndsAt = 0
	if end := u32(b[:], extraEnd); end != 0 {
		into.EndsAt = int64(s.ends.At(int(end - 1)))
	}
}

// point is an amount and the number of its text.
func (s *Snapshot) point(n uint32) (money.Amount, uint32) {
	b := (*[pointSize]byte)(s.points[int(n)*pointSize:])
	return money.Amount(u64(b[:], pointAmount)), u32(b[:], pointText)
}

func percent(b byte) int {
	if b == noPercent {
		return catalog.NoPercent
	}
	return int(b)
}

// BaseText is the price without discount as shown in the region.
func (r *Row) BaseText() string { return r.s.words.At(r.baseText) }

// CurrentText is the current price as shown in the region, or the word for
// free, for a trial, for included in a subscription.
func (r *Row) CurrentText() string { return r.s.words.At(r.currentText) }

// OneText tells whether BaseText and CurrentText are the same, as of most rows.
func (r *Row) OneText() bool { return r.baseText == r.currentText }

// Label is the store's name of the discount.
func (r *Row) Label() string { return r.s.words.At(r.label) }

// Edition is the row's edition name; "" for standard and base.
func (r *Row) Edition() string { return r.s.words.At(r.edition) }

// Product is the store's product id in that region.
func (r *Row) Product() string { return r.s.words.At(r.product) }

// ProductNumber is the same for rows of one snapshot with the same Product, and
// 0 only if that is "".
func (r *Row) ProductNumber() uint32 { return r.product }

// Source says where the price comes from.
func (r *Row) Source() string { return r.s.words.At(r.source) }

// HasURL tells whether the listing has a store link.
func (r *Row) HasURL() bool { return r.url != 0 }

// AppendURL appends the store link of the listing, nothing if it has none.
func (r *Row) AppendURL(dst []byte) []byte {
	return appendURL(dst, r.s.words.At(r.url), r.Product(), r.slug())
}

// slug is what the link may contain: only PC cards have slugs.
func (r *Row) slug() string {
	if c := (Card{r.s, r.card}); c.Platform() == catalog.PCStore {
		return c.ID()
	}
	return ""
}

// At returns the row as it is at now (Unix milliseconds), see [Row.Pass].
func (r Row) At(now int64) Row {
	r.Pass(now)
	return r
}

// Pass makes the row what it is at now (Unix milliseconds): a discount whose
// end has passed is over (contract, section 4).
func (r *Row) Pass(now int64) {
	if r.EndsAt == 0 || r.EndsAt > now {
		return
	}
	r.Current, r.currentText = r.Base, r.baseText
	r.Percent, r.EndsAt, r.label = catalog.NoPercent, 0, 0
	if r.Base > 0 {
		r.Subscription, r.Trial = false, false
	}
}

// Discounted tells whether the row shows a discount.
func (r *Row) Discounted() bool { return r.Percent > 0 }

// kind ranks the row for Simple.
func (r *Row) kind() int {
	switch {
	case !r.Current.Known() && r.currentText == 0:
		return noPrice
	case !r.Current.Known():
		return asText
	case r.Trial:
		return forTrial
	case r.Subscription:
		return forSubscribers
	}
	return forEverybody
}
