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
func (r Rows) At(i int) Row { return r.s.row(r.first+uint32(i), r.card) }

// InRegion returns the row of a region.
func (r Rows) InRegion(no uint8) (Row, bool) {
	lo, hi := r.first, r.first+r.size
	for lo < hi {
		mid := lo + (hi-lo)/2
		switch at := r.s.rows[int(mid)*rowSize+rowRegion]; {
		case at == no:
			return r.s.row(mid, r.card), true
		case at < no:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return Row{}, false
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

	baseText, currentText, product, url, label, edition, source uint32
}

func (s *Snapshot) row(n, card uint32) Row {
	at := int(n) * rowSize
	b := s.rows[at : at+rowSize : at+rowSize]
	flags := b[rowFlags]
	r := Row{
		s: s, card: card,
		Region: b[rowRegion], Currency: b[rowCurrency],
		Priced:       flags&flagPriced != 0,
		Trial:        flags&flagTrial != 0,
		Subscription: flags&flagSubscription != 0,
		Doubtful:     flags&flagDoubtful != 0,
		Base:         amount(u32(b, rowBase)), Current: amount(u32(b, rowCurrent)),
		Percent:  percent(b[rowPercent]),
		PricedAt: u48(b, rowPricedAt),
		Variants: int(b[rowVariants]) | int(b[rowVariants+1])<<8,
		baseText: u32(b, rowBaseText), currentText: u32(b, rowCurrentText),
		product: u32(b, rowProduct), url: u32(b, rowURL),
	}
	if flags&flagWide != 0 {
		pair := 2 * int(u32(b, rowBase))
		r.Base, r.Current = money.Amount(s.wide.At(pair)), money.Amount(s.wide.At(pair+1))
	}
	if n := u32(b, rowExtra); n != 0 {
		r.readExtra(s.extras[int(n)*extraSize:])
	}
	return r
}

func (r *Row) readExtra(b []byte) {
	r.label, r.edition, r.source = u32(b, extraLabel), u32(b, extraEdition), u32(b, extraSource)
	if end := u32(b, extraEnd); end != 0 {
		r.EndsAt = int64(r.s.ends.At(int(end - 1)))
	}
}

func amount(v uint32) money.Amount {
	if v == noAmount {
		return money.None
	}
	return money.Amount(v)
}

func percent(b byte) int {
	if b == noPercent {
		return catalog.NoPercent
	}
	return int(b)
}

// BaseText is the price without discount as shown in the region.
func (r Row) BaseText() string { return r.s.words.At(r.baseText) }

// CurrentText is the current price as shown in the region, or the word for
// free, for a trial, for included in a subscription.
func (r Row) CurrentText() string { return r.s.words.At(r.currentText) }

// Label is the store's name of the discount.
func (r Row) Label() string { return r.s.words.At(r.label) }

// Edition is the row's edition name; "" for standard and base.
func (r Row) Edition() string { return r.s.words.At(r.edition) }

// Product is the store's product id in that region.
func (r Row) Product() string { return r.s.words.At(r.product) }

// Source says where the price comes from.
func (r Row) Source() string { return r.s.words.At(r.source) }

// HasURL tells whether the listing has a store link.
func (r Row) HasURL() bool { return r.url != 0 }

// AppendURL appends the store link of the listing, nothing if it has none.
func (r Row) AppendURL(dst []byte) []byte {
	return appendURL(dst, r.s.words.At(r.url), r.Product(), r.slug())
}

// slug is what the link may contain: only PC cards have slugs.
func (r Row) slug() string {
	if c := (Card{r.s, r.card}); c.Platform() == catalog.PCStore {
		return c.ID()
	}
	return ""
}

// At returns the row as it is at now (Unix milliseconds): a discount whose end
// has passed is over (contract, section 4).
func (r Row) At(now int64) Row {
	if r.EndsAt == 0 || r.EndsAt > now {
		return r
	}
	r.Current, r.currentText = r.Base, r.baseText
	r.Percent, r.EndsAt, r.label = catalog.NoPercent, 0, 0
	if r.Base > 0 {
		r.Subscription, r.Trial = false, false
	}
	return r
}

// Discounted tells whether the row shows a discount.
func (r Row) Discounted() bool { return r.Percent > 0 }

// kind ranks the row for Simple.
func (r Row) kind() int {
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
