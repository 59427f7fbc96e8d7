package pack

import (
	"errors"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/money"
	"gamedex/internal/snapshot"
)

// Repricer keeps what is needed to pack the prices of a Build again while the
// cards stay the same: 5 bytes a row and about 60 a card. It belongs to one
// catalog blob and one prices blob, and does not change.
type Repricer struct {
	identity        string // of the catalog
	regions, active []catalog.Region

	entries    []uint32      // row → entry
	rowRegions []uint8       // row → number of its region
	cardRows   snapshot.U32s // see layout.SectionCardRows
	firstRows  []uint32      // card → its first row, its offers' included; then the end
	trials     []trials      // by card
	contested  []contestedCard
	offers     int
	cardHashes []uint64 // card → hash of its catalog record
	rowHashes  []uint64 // card → hash of its rows
	links      snapshot.U32s
	lists      [][3]uint32 // card → offsets of its games, add-ons, members in links

	maxShared int // bytes that everything but the rows may take
}

// contestedCard is a PC card with several offers: prices select the one that
// leads, and those that represent the card where the leading one is not sold.
type contestedCard struct {
	card, offer uint32          // its number, that of its first offer
	lead        uint32          // counted from its first
	offers      []catalog.Offer // without rows
}

// sharedSlack lets small catalogs grow by some records.
const sharedSlack = 1 << 16

func newRepricer(c *catalogPacker, k *pricePacker) *Repricer {
	p := &Repricer{
		identity: c.identity, regions: c.regions, active: slices.Clone(c.in.Active),
		entries: k.entries, rowRegions: regionsOf(k.rows), cardRows: k.cardRows, firstRows: append(k.firstRows, uint32(len(k.entries))),
		cardHashes: c.hashes, rowHashes: k.hashes, links: c.links.data,
		maxShared: k.sharedSize() + (k.sharedSize()+len(k.rows))/4 + sharedSlack,
	}
	for i, card := range c.cards {
		r := c.records[i*layout.CardSize:]
		p.lists = append(p.lists, [3]uint32{
			layout.U32(r, layout.CardGames), layout.U32(r, layout.CardAddOns), layout.U32(r, layout.CardMembers)})
		p.trials = append(p.trials, trialsOf(card))
		if len(card.Offers) > 1 {
			contested := contestedCard{card: uint32(i), offer: uint32(p.offers)}
			for j := range card.Offers {
				o := &card.Offers[j]
				contested.offers = append(contested.offers, catalog.Offer{Type: o.Type, Demo: o.Demo})
				if o.ID == card.Lead {
					contested.lead = uint32(j)
				}
			}
			p.contested = append(p.contested, contested)
		}
		p.offers += len(card.Offers)
	}
	return p
}

// regionsOf returns the numbers of the regions of packed rows.
func regionsOf(rows []byte) []uint8 {
	numbers := make([]uint8, len(rows)/layout.RowSize)
	for i := range numbers {
		numbers[i] = rows[i*layout.RowSize+layout.RowRegion]
	}
	return numbers
}

// The reasons why Reprice refuses and a Build is necessary.
var (
	errOtherOffers = errors.New("other offers represent a card now")
	errOutgrown    = errors.New("the tables of texts and records have too many unused ones")
)

// Reprice packs the prices again after some entries changed only in what
// merge.OnlyRepriced allows. prices is the blob that belongs to the Repricer;
// Reprice overwrites it, even if it fails. entries are those of the Build with
// the current prices, changed the numbers of the changed ones.
//
// Except for the numbers of texts and records, the result is what Build would
// make for the publication seq, which follows that of prices; the catalog blob
// stays. An error means that a Build is necessary: the blob is damaged or another
// one's, prices select another offer to lead a PC card, or texts and records have
// grown since the Build by more than a quarter of the blob, which may all be unused.
func (p *Repricer) Reprice(prices []byte, entries []catalog.Entry, changed []uint32, seq int64) (blob []byte, next *Repricer, err error) {
	defer func() {
		if err != nil {
			blob, next, err = nil, nil, fmt.Errorf("reprice: %w", err)
		}
	}()
	old, err := layout.OpenPrices(prices)
	if err != nil {
		return nil, nil, err
	}
	if err := old.CheckBelongs(p.identity, len(p.cardHashes), p.offers, len(p.regions)); err != nil {
		return nil, nil, err
	}
	if rows := len(old.Rows) / layout.RowSize; rows != len(p.entries) {
		return nil, nil, snapshot.Damaged(layout.SectionRows, "%d rows, want %d", rows, len(p.entries))
	}
	r := &repricing{Repricer: p, old: old, changes: fillChanges(slices.Clone(old.Changes), old.Revs.Len(), seq), seq: seq, in: entries, changed: make(entrySet, len(entries)/64+1), entries: p.entries}
	for _, i := range changed {
		r.changed[i/64] |= 1 << (i % 64)
	}
	for i := range r.contested {
		card := &r.contested[i]
		rows := r.entries[r.firstRows[card.card]:r.firstRows[card.card+1]]
		if slices.ContainsFunc(rows, r.changed.has) && !r.selectCardRows(card) {
			return nil, nil, errOtherOffers
		}
	}
	r.table = resumePriceTable(p.regions, old)
	r.addEnds(changed)
	if err := r.rewriteRows(); err != nil {
		return nil, nil, err
	}
	r.table.dropUnusedEnds()
	if size := r.table.sharedSize(); size > p.maxShared {
		return nil, nil, fmt.Errorf("%d bytes of texts and records, at most %d: %w", size, p.maxShared, errOutgrown)
	}
	kept := *p
	next = &kept
	next.rowHashes, next.entries = r.rowHashes, r.entries
	blob, err = r.table.blob(p.identity, old.CardRows, old.OfferRows, next.revs(), r.changes)
	return blob, next, err
}

// repricing is one run of Reprice.
type repricing struct {
	*Repricer
	old        *layout.Prices
	in         []catalog.Entry
	changed    entrySet
	table      *priceTable
	entries    []uint32        // row → entry, as they are now
	reselected map[uint32]bool // cards whose own rows have other entries than before
	rowHashes  []uint64
	changes    []byte // see layout.SectionChanges
	seq        int64
}

// addEnds adds the new discount ends to the table, before any record refers to one.
func (r *repricing) addEnds(changed []uint32) {
	ends := map[catalog.Millis]bool{}
	for _, end := range r.table.ends {
		ends[catalog.Millis(end)] = true
	}
	for _, n := range changed {
		if p := r.in[n].Price; p != nil && p.DiscountEndsAt > 0 {
			ends[p.DiscountEndsAt] = true
		}
	}
	if len(ends) > len(r.table.ends) {
		r.table.renumberEnds(ends)
	}
}

// selectCardRows selects the entries for the rows of a contested card. It returns
// false if prices select another offer to lead it.
func (r *repricing) selectCardRows(card *contestedCard) bool {
	offers := slices.Clone(card.offers)
	for i := range offers {
		offers[i].Rows = r.rowEntries(r.old.OfferRows, card.offer+uint32(i))
		if len(offers[i].Rows) > 0 {
			offers[i].ID = r.in[offers[i].Rows[0]].Product
		}
	}
	lead, rows := merge.Lead(offers, r.in, r.active)
	before := r.rowEntries(r.old.CardRows, card.card)
	if lead != offers[card.lead].ID || len(rows) != len(before) {
		return false
	}
	if slices.Equal(rows, before) {
		return true
	}
	// A card shares rows with an offer that leads in all regions. Then prices
	// select nothing, so these rows are its own and follow those of its last
	// offer. Shared rows must not be overwritten.
	own := r.old.CardRows.At(int(2 * card.card))
	last := int(card.offer) + len(offers) - 1
	if own < r.old.OfferRows.At(2*last)+r.old.OfferRows.At(2*last+1) {
		return false
	}
	if r.reselected == nil {
		r.reselected, r.entries = map[uint32]bool{}, slices.Clone(r.entries)
	}
	r.reselected[card.card] = true
	copy(r.entries[own:], rows)
	return true
}

// rowEntries returns the entries of the rows of pair n.
func (r *repricing) rowEntries(pairs snapshot.U32s, n uint32) []uint32 {
	first := pairs.At(int(2 * n))
	return r.entries[first : first+pairs.At(int(2*n+1))]
}

// rewriteRows rewrites the rows of the changed entries, and hashes their cards.
func (r *repricing) rewriteRows() error {
	r.rowHashes = slices.Clone(r.Repricer.rowHashes)
	for card, first := range r.firstRows[:len(r.firstRows)-1] {
		last, touched, before := r.firstRows[card+1], false, uint64(0)
		rows := r.table.rows[int(first)*layout.RowSize : int(last)*layout.RowSize]
		for row := first; row < last; row++ {
			n := r.entries[row]
			if !r.changed.has(n) {
				continue
			}
			if !touched {
				touched, before = true, r.table.hashRows(rows, false)
			}
			// Its product, link, edition and variants stay.
			packed := r.table.rows[int(row)*layout.RowSize : int(row+1)*layout.RowSize]
			x := r.table.extraRecord(layout.U32(packed, layout.RowExtra))
			x = extra{edition: x.edition, url: x.url, variants: x.variants}
			if err := r.table.fillRow(packed, &r.in[n], r.trials[card].includes(&r.in[n]), x); err != nil {
				return fmt.Errorf("product %q: %w", r.in[n].Product, err)
			}
		}
		if r.reselected[uint32(card)] {
			// Copy the offers' rows of the selected entries to the card's own rows: a
			// row depends only on its entry and its card.
			own := r.old.CardRows.At(2 * card)
			for row := own; row < last; row++ {
				from := int(first) + slices.Index(r.entries[first:own], r.entries[row])
				copy(r.table.rows[int(row)*layout.RowSize:int(row+1)*layout.RowSize], r.table.rows[from*layout.RowSize:])
			}
		}
		if touched {
			r.rowHashes[card] = r.table.hashRows(rows, true)
			if r.table.hashRows(rows, false) != before {
				layout.Put32(r.changes, 4*card, stamp(r.seq))
			}
		}
	}
	return nil
}

// entrySet is a set of entry numbers, a bit each.
type entrySet []uint64

func (s entrySet) has(i uint32) bool { return s[i/64]&(1<<(i%64)) != 0 }

// resumePriceTable continues the tables of an opened blob. Its rows are those of
// the blob itself.
func resumePriceTable(regions []catalog.Region, old *layout.Prices) *priceTable {
	t := emptyPriceTable(regions, resumeTexts(old.Strings))
	t.rows, t.points, t.extras = old.Rows, slices.Clone(old.Points), slices.Clone(old.Extras)
	for i, c := range old.Currencies {
		t.currencies = append(t.currencies, c)
		t.currencyNo[c] = uint8(i)
	}
	for i := range old.Ends.Len() {
		t.ends = append(t.ends, int64(old.Ends.At(i)))
		t.endAt[catalog.Millis(old.Ends.At(i))] = uint32(i)
	}
	for i := range len(t.points) / layout.PointSize {
		r := t.points[i*layout.PointSize:]
		p := point{money.Amount(layout.U64(r, layout.PointAmount)), layout.U32(r, layout.PointText)}
		t.hashes.points = append(t.hashes.points, t.hashPoint(p))
		t.pointAt[p] = uint32(i)
	}
	for i := range len(t.extras) / layout.ExtraSize {
		x := t.extraRecord(uint32(i))
		t.hashes.extras = append(t.hashes.extras, t.hashExtra(x))
		t.extraAt[x] = uint32(i)
	}
	return t
}

func (t *priceTable) extraRecord(n uint32) extra {
	r := t.extras[int(n)*layout.ExtraSize:]
	return extra{
		label: layout.U32(r, layout.ExtraLabel), edition: layout.U32(r, layout.ExtraEdition), source: layout.U32(r, layout.ExtraSource), url: layout.U32(r, layout.ExtraURL),
		end: layout.U32(r, layout.ExtraEnd), variants: uint16(r[layout.ExtraVariants]) | uint16(r[layout.ExtraVariants+1])<<8,
		currency: r[layout.ExtraCurrency], flags: r[layout.ExtraFlags],
	}
}

// renumberEnds replaces the ends. Records that refer to a removed one lose it: no
// row may use them.
func (t *priceTable) renumberEnds(ends map[catalog.Millis]bool) {
	old := slices.Clone(t.ends)
	t.numberEnds(ends)
	clear(t.extraAt)
	for i := range len(t.extras) / layout.ExtraSize {
		x := t.extraRecord(uint32(i))
		if x.end != 0 {
			n, kept := t.endAt[catalog.Millis(old[x.end-1])]
			if x.end = 0; kept {
				x.end = 1 + n
			}
			layout.Put32(t.extras, i*layout.ExtraSize+layout.ExtraEnd, x.end)
		}
		t.extraAt[x] = uint32(i)
	}
}

// dropUnusedEnds removes the ends that no row has: the number of passed ends is
// part of answers' tags.
func (t *priceTable) dropUnusedEnds() {
	used := make([]bool, len(t.extras)/layout.ExtraSize)
	for r := t.rows; len(r) >= layout.RowSize; r = r[layout.RowSize:] {
		used[layout.U32(r, layout.RowExtra)] = true
	}
	ends := map[catalog.Millis]bool{}
	for i, is := range used {
		if x := t.extraRecord(uint32(i)); is && x.end != 0 {
			ends[catalog.Millis(t.ends[x.end-1])] = true
		}
	}
	if len(ends) < len(t.ends) {
		t.renumberEnds(ends)
	}
}
