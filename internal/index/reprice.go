package index

import (
	"errors"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/money"
	"gamedex/internal/snapshot"
)

// Packing is what a builder keeps of a Build to pack prices again while the
// cards stay as they are: 4 bytes a row and about 50 a card. It belongs to one
// catalog blob and to one prices blob, and does not change.
type Packing struct {
	identity        string // of the catalog
	regions, active []catalog.Region

	entries     []uint32 // row → entry
	firstRows   []uint32 // card → its first row, its offers' included; then the end
	trials      []trials // by card
	rivals      []rivals
	offers      int
	says, costs []uint64 // card → hash of what its catalog record and its rows say
	links       snapshot.U32s
	lists       [][3]uint32 // card → places of its games, add-ons, members in links

	most int // bytes that the tables beside the rows may take
}

// rivals is a PC card with several offers, of which prices choose the one that
// leads and those that stand for the card where that one is not sold.
type rivals struct {
	card, offer uint32 // its number, that of its first offer
	lead        uint32 // counted from its first
	kinds       []offerKind
}

type offerKind struct {
	typ  catalog.Type
	demo bool
}

func newPacking(c *catalogPacker, k *pricePacker) *Packing {
	p := &Packing{
		identity: c.identity, regions: c.regions, active: slices.Clone(c.in.Active),
		entries: k.entries, firstRows: append(k.firstRows, uint32(len(k.entries))),
		says: c.contents, costs: k.contents, links: c.links.data,
		most: k.size() + (k.size()+len(k.rows))/4 + slack,
	}
	for i, card := range c.cards {
		r := c.records[i*cardSize:]
		p.lists = append(p.lists, [3]uint32{u32(r, cardGames), u32(r, cardAddOns), u32(r, cardMembers)})
		p.trials = append(p.trials, trialsOf(card))
		if len(card.Offers) > 1 {
			p.rivals = append(p.rivals, rivalsOf(uint32(i), uint32(p.offers), card))
		}
		p.offers += len(card.Offers)
	}
	return p
}

func rivalsOf(n, offer uint32, c *catalog.Card) rivals {
	r := rivals{card: n, offer: offer}
	for i := range c.Offers {
		o := &c.Offers[i]
		r.kinds = append(r.kinds, offerKind{o.Type, o.Demo})
		if o.ID == c.Lead {
			r.lead = uint32(i)
		}
	}
	return r
}

// The reasons for which Reprice leaves the work to Build.
var (
	errCardsChange = errors.New("prices decide otherwise what a card shows")
	errOutgrown    = errors.New("too much in the tables may be of no use any more")
)

// Reprice packs the prices again after some entries changed in nothing but what
// catalog.OnlyRepriced lets pass. prices is the blob of this packing; it is
// taken over and must not be used any more, even after an error. entries are
// those of the Build with today's prices, changed the numbers of the others.
//
// What comes out is, but for the numbering of texts and records, what Build
// would make of the same; the catalog blob stays. An error means that Build must
// do it: the blob is damaged or another one's, prices decide otherwise what a
// PC card shows, or the tables beside the rows have grown since the Build by
// more than a quarter of the blob, so that what no row uses may be that much.
func (p *Packing) Reprice(prices []byte, entries []catalog.Entry, changed []uint32) (blob []byte, next *Packing, err error) {
	old, err := openPrices(prices)
	if err == nil {
		err = p.fits(old)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reprice: %w", err)
	}
	r := &repricer{Packing: p, old: old, in: entries, changed: newEntrySet(len(entries), changed), entries: p.entries}
	if r.cardsChange() {
		return nil, nil, fmt.Errorf("reprice: %w", errCardsChange)
	}
	r.table = resumePriceTable(p.regions, old)
	r.addEnds(changed)
	if err := r.rewrite(); err != nil {
		return nil, nil, fmt.Errorf("reprice: %w", err)
	}
	r.table.dropEnds()
	if size := r.table.size(); size > p.most {
		return nil, nil, fmt.Errorf("reprice: %d bytes beside the rows, at most %d: %w", size, p.most, errOutgrown)
	}
	renewed := *p
	renewed.costs, renewed.entries = r.costs, r.entries
	blob, err = r.table.blob(p.identity, old.cardRows, old.offerRows, renewed.revs())
	if err != nil {
		return nil, nil, fmt.Errorf("reprice: %w", err)
	}
	return blob, &renewed, nil
}

// slack lets small catalogs grow by some records.
const slack = 1 << 16

// fits tells whether a blob can be the one of this packing.
func (p *Packing) fits(old *prices) error {
	if old.identity != p.identity {
		return snapshot.Damaged(secMeta, "the prices belong to catalog %q, not %q", old.identity, p.identity)
	}
	if rows := len(old.rows) / rowSize; rows != len(p.entries) {
		return snapshot.Damaged(secRows, "%d rows, want %d", rows, len(p.entries))
	}
	return old.matches(len(p.says), p.offers, len(p.regions))
}

// repricer is one run of Reprice.
type repricer struct {
	*Packing
	old     *prices
	in      []catalog.Entry
	changed entrySet
	table   *priceTable
	entries []uint32        // row → entry, as they are now
	chosen  map[uint32]bool // cards of which rows stand for other entries than before
	costs   []uint64
}

// cardsChange tells whether prices choose another offer to lead a card. Where
// they choose other entries for its rows, it takes that down.
func (r *repricer) cardsChange() bool {
	for i := range r.rivals {
		card := &r.rivals[i]
		rows := r.entries[r.firstRows[card.card]:r.firstRows[card.card+1]]
		if slices.ContainsFunc(rows, r.changed.has) && !r.choose(card) {
			return true
		}
	}
	return false
}

// choose is false if another offer leads now.
func (r *repricer) choose(card *rivals) bool {
	offers := make([]catalog.Offer, len(card.kinds))
	for i, kind := range card.kinds {
		rows := r.rowEntries(r.old.offerRows, card.offer+uint32(i))
		offers[i] = catalog.Offer{Type: kind.typ, Demo: kind.demo, Rows: rows}
		if len(rows) > 0 {
			offers[i].ID = r.in[rows[0]].Product
		}
	}
	lead := offers[card.lead].ID
	id, rows := merge.Lead(offers, r.in, r.active)
	before := r.rowEntries(r.old.cardRows, card.card)
	if id != lead || len(rows) != len(before) {
		return false
	}
	if slices.Equal(rows, before) {
		return true
	}
	// A card shares rows with an offer where that leads in all regions. Then
	// prices choose nothing, so these rows are its own: they stand behind those
	// of its last offer. What else was packed here must not be written over.
	last := int(card.offer) + len(card.kinds) - 1
	if r.old.cardRows.At(int(2*card.card)) < r.old.offerRows.At(2*last)+r.old.offerRows.At(2*last+1) {
		return false
	}
	r.put(card.card, rows)
	return true
}

// put notes the entries of a card's own rows.
func (r *repricer) put(card uint32, rows []uint32) {
	if r.chosen == nil {
		r.chosen, r.entries = map[uint32]bool{}, slices.Clone(r.entries)
	}
	r.chosen[card] = true
	copy(r.entries[r.old.cardRows.At(int(2*card)):], rows)
}

// copyChosen gives a card's own rows what the offers' rows of the same entries
// say: a row depends on its entry and its card alone.
func (r *repricer) copyChosen(card uint32) {
	own := r.old.cardRows.At(int(2 * card))
	offered := r.entries[r.firstRows[card]:own]
	for row := own; row < r.firstRows[card+1]; row++ {
		from := int(r.firstRows[card]) + slices.Index(offered, r.entries[row])
		copy(r.table.rows[int(row)*rowSize:int(row+1)*rowSize], r.table.rows[from*rowSize:])
	}
}

// rowEntries are the entries of the rows that pair n leads to.
func (r *repricer) rowEntries(pairs snapshot.U32s, n uint32) []uint32 {
	first := pairs.At(int(2 * n))
	return r.entries[first : first+pairs.At(int(2*n+1))]
}

// addEnds makes the discount ends of the changed entries known, before any
// record names one.
func (r *repricer) addEnds(changed []uint32) {
	ends := map[catalog.Millis]bool{}
	for _, end := range r.table.ends {
		ends[catalog.Millis(end)] = true
	}
	known := len(ends)
	for _, n := range changed {
		if p := r.in[n].Price; p != nil && p.DiscountEndsAt > 0 {
			ends[p.DiscountEndsAt] = true
		}
	}
	if len(ends) > known {
		r.table.renumberEnds(ends)
	}
}

// rewrite writes the rows of the changed entries anew, and hashes their cards.
func (r *repricer) rewrite() error {
	r.costs = slices.Clone(r.Packing.costs)
	for card, first := range r.firstRows[:len(r.firstRows)-1] {
		last, touched := r.firstRows[card+1], false
		for row := first; row < last; row++ {
			n := r.entries[row]
			if !r.changed.has(n) {
				continue
			}
			touched = true
			if err := r.table.reprice(row, &r.in[n], r.trials[card].of(&r.in[n])); err != nil {
				return fmt.Errorf("product %q: %w", r.in[n].Product, err)
			}
		}
		if r.chosen[uint32(card)] {
			r.copyChosen(uint32(card))
		}
		if touched {
			r.costs[card] = r.table.content(r.table.rows[int(first)*rowSize : int(last)*rowSize])
		}
	}
	return nil
}

// entrySet is a set of entry numbers, a bit each.
type entrySet []uint64

func newEntrySet(n int, numbers []uint32) entrySet {
	s := make(entrySet, n/64+1)
	for _, i := range numbers {
		s[i/64] |= 1 << (i % 64)
	}
	return s
}

func (s entrySet) has(i uint32) bool { return s[i/64]&(1<<(i%64)) != 0 }

// resumePriceTable continues the tables of an opened blob. Its rows are those of
// the blob itself.
func resumePriceTable(regions []catalog.Region, old *prices) *priceTable {
	t := emptyPriceTable(regions, resumeTexts(old.words))
	t.rows, t.points, t.extras = old.rows, slices.Clone(old.points), slices.Clone(old.extras)
	for i, c := range old.currencies {
		t.currencies = append(t.currencies, c)
		t.currencyNo[c] = uint8(i)
	}
	for i := range old.ends.Len() {
		t.ends = append(t.ends, int64(old.ends.At(i)))
		t.endAt[catalog.Millis(old.ends.At(i))] = uint32(i)
	}
	for i := range len(t.points) / pointSize {
		r := t.points[i*pointSize:]
		p := point{money.Amount(u64(r, pointAmount)), u32(r, pointText)}
		t.hashes.points = append(t.hashes.points, t.hashPoint(p))
		t.pointAt[p] = uint32(i)
	}
	for i := range len(t.extras) / extraSize {
		x := t.extraRecord(uint32(i))
		t.hashes.extras = append(t.hashes.extras, t.hashExtra(x))
		t.extraAt[x] = uint32(i)
	}
	return t
}

func (t *priceTable) extraRecord(n uint32) extra {
	r := t.extras[int(n)*extraSize:]
	return extra{
		label: u32(r, extraLabel), edition: u32(r, extraEdition), source: u32(r, extraSource), url: u32(r, extraURL),
		end: u32(r, extraEnd), variants: uint16(r[extraVariants]) | uint16(r[extraVariants+1])<<8,
		currency: r[extraCurrency], flags: r[extraFlags],
	}
}

// reprice writes a row anew. Its product, link, edition and variants stay.
func (t *priceTable) reprice(row uint32, e *catalog.Entry, trial bool) error {
	r := t.rows[int(row)*rowSize : int(row+1)*rowSize]
	was := t.extraRecord(u32(r, rowExtra))
	return t.fill(r, e, trial, extra{edition: was.edition, url: was.url, variants: was.variants})
}

// renumberEnds changes which ends there are. An end that is there no longer
// vanishes from the records that name it: no row may use these.
func (t *priceTable) renumberEnds(ends map[catalog.Millis]bool) {
	old := slices.Clone(t.ends)
	t.numberEnds(ends)
	clear(t.extraAt)
	for i := range len(t.extras) / extraSize {
		x := t.extraRecord(uint32(i))
		if x.end != 0 {
			n, kept := t.endAt[catalog.Millis(old[x.end-1])]
			if x.end = 0; kept {
				x.end = 1 + n
			}
			put32(t.extras, i*extraSize+extraEnd, x.end)
		}
		t.extraAt[x] = uint32(i)
	}
}

// dropEnds forgets the ends that no row has any more: answers tell how many of
// the snapshot's have passed.
func (t *priceTable) dropEnds() {
	used := make([]bool, len(t.extras)/extraSize)
	for r := t.rows; len(r) >= rowSize; r = r[rowSize:] {
		used[u32(r, rowExtra)] = true
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
