package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// MaxBatch is how many listings one Save takes: few enough that another writer
// waits milliseconds.
const MaxBatch = 2000

// The bits of a stored price's flags.
const (
	flagPriced = 1 << iota // there is a price, be it a text only
	flagTrial
	flagSubscription
)

// listingColumns are those that a content line writes, in the order of
// (*saving).appendRow.
const listingColumns = "platform, region, product, generation, first_seen, observed_at, seen_at, priced_at, withdrawn, " +
	"currency, base, current, base_text, current_text, discount_percent, discount_label, discount_ends_at, flags, source, " +
	"popularity, locale, store_url, facts_id, prose_id, content_hash, price_hash, swept_by, swept_at"

// upsertListing replaces the whole row of a key.
var upsertListing = insertInto("listing", listingColumns, `ON CONFLICT (platform, region, product) DO UPDATE SET
	generation = excluded.generation, first_seen = excluded.first_seen, observed_at = excluded.observed_at,
	seen_at = excluded.seen_at, priced_at = excluded.priced_at, withdrawn = excluded.withdrawn,
	currency = excluded.currency, base = excluded.base, current = excluded.current,
	base_text = excluded.base_text, current_text = excluded.current_text,
	discount_percent = excluded.discount_percent, discount_label = excluded.discount_label,
	discount_ends_at = excluded.discount_ends_at, flags = excluded.flags, source = excluded.source,
	popularity = excluded.popularity, locale = excluded.locale, store_url = excluded.store_url,
	facts_id = excluded.facts_id, prose_id = excluded.prose_id,
	content_hash = excluded.content_hash, price_hash = excluded.price_hash,
	swept_by = excluded.swept_by, swept_at = excluded.swept_at`)

// updateListing writes what a line without content may change; touchListings
// is for those that were only seen again, which most of a sweep is.
const (
	updateListing = `UPDATE listing SET generation = ?, first_seen = ?, observed_at = ?, seen_at = ?,
	priced_at = ?, withdrawn = ?, swept_by = ?, swept_at = ? WHERE platform = ? AND region = ? AND product = ?`
	touchListings = `UPDATE listing SET seen_at = ?, swept_by = ?, swept_at = ?
	WHERE platform = ? AND region = ? AND product IN (?...)`
)

const storedListings = `SELECT product, generation, first_seen, observed_at, seen_at, priced_at, withdrawn,
	content_hash, price_hash, currency, base, current, flags, swept_by, swept_at
	FROM listing WHERE platform = ? AND region = ? AND product IN (?...)`

// Save stores a batch of at most MaxBatch listings in one transaction, as
// catalog.Supersede decides for each, in their order: a key may come twice. It
// raises the generation once, and only if Merge may see a difference. The
// listings must have passed feed.Check; Save does not change them. What it
// changes or confirms belongs to imports from then on: no sweep withdraws it.
func (db *DB) Save(ctx context.Context, ls []catalog.Listing) (catalog.SaveCounts, error) {
	if len(ls) > MaxBatch {
		return catalog.SaveCounts{}, fmt.Errorf("save listings: %d at once; at most %d are taken", len(ls), MaxBatch)
	}
	var s *saving
	err := db.write(ctx, "save listings", func(t *tx) error {
		s = newSaving(db, t, importOwns)
		for rest := ls; len(rest) > 0; {
			n := distinctKeys(rest)
			if err := s.save(ctx, rest[:n]); err != nil {
				return err
			}
			rest = rest[n:]
		}
		return t.addTotals(ctx, s.counts)
	})
	if err != nil {
		return catalog.SaveCounts{}, err
	}
	s.remember()
	return s.counts, nil
}

// distinctKeys counts the listings before the first that repeats a key.
func distinctKeys(ls []catalog.Listing) int {
	seen := make(map[catalog.Key]struct{}, len(ls))
	for i := range ls {
		if _, twice := seen[ls[i].Key]; twice {
			return i
		}
		seen[ls[i].Key] = struct{}{}
	}
	return len(ls)
}

// saving is the work of one Save.
type saving struct {
	tx         *tx
	owner      func(*decided) sweptMark // who saw the listing last, now
	counts     catalog.SaveCounts
	generation int64 // 0 until needed
	facts      *contents
	prose      *contents
}

func newSaving(db *DB, t *tx, owner func(*decided) sweptMark) *saving {
	return &saving{tx: t, owner: owner, facts: newContents(factsTable, db.facts), prose: newContents(proseTable, db.prose)}
}

// remember keeps the numbers of facts and prose, now that they are committed.
func (s *saving) remember() {
	s.facts.remember()
	s.prose.remember()
}

// storedListing is what Save reads of a stored row.
type storedListing struct {
	catalog.Stored
	generation int64
	price      pricePoint
	swept      sweptMark
}

// decided is one line with what becomes of it.
type decided struct {
	line   *catalog.Listing
	stored *storedListing // nil: the key is new
	catalog.Outcome
	swept            sweptMark // from now on
	factsID, proseID int64
}

// save stores listings of distinct keys.
func (s *saving) save(ctx context.Context, ls []catalog.Listing) error {
	stored, err := s.read(ctx, ls)
	if err != nil {
		return fmt.Errorf("read stored listings: %w", err)
	}
	var w writes
	for i := range ls {
		d := decide(&ls[i], stored[ls[i].Key])
		d.swept = s.owner(d)
		s.count(d.Effect)
		w.add(d)
	}
	if err := s.raise(ctx, &w); err != nil {
		return err
	}
	return s.store(ctx, &w)
}

// writes is what a batch comes to.
type writes struct {
	rows    []*decided // bring content
	updates []*decided // change the stored row, without content
	touches map[touch][]any
	raise   bool // Merge may see a difference
}

// touch names listings that were only seen again, at one moment in one place.
type touch struct {
	place
	seenAt catalog.Millis
	swept  sweptMark
}

func (w *writes) add(d *decided) {
	w.raise = w.raise || d.Generation
	if d.bringsContent() {
		w.rows = append(w.rows, d)
		return
	}
	seen := d.stored.Stored
	seen.SeenAt = d.Outcome.Stored.SeenAt
	switch {
	case d.stored.Stored == d.Outcome.Stored && d.stored.swept == d.swept:
	case seen == d.Outcome.Stored:
		if w.touches == nil {
			w.touches = make(map[touch][]any)
		}
		at := touch{place{d.line.Platform, d.line.Region}, seen.SeenAt, d.swept}
		w.touches[at] = append(w.touches[at], d.line.Product)
	default:
		w.updates = append(w.updates, d)
	}
}

func decide(line *catalog.Listing, stored *storedListing) *decided {
	d := &decided{line: line, stored: stored}
	if stored == nil {
		d.Outcome = catalog.Supersede(nil, line)
	} else {
		d.Outcome = catalog.Supersede(&stored.Stored, line)
	}
	return d
}

// bringsContent says whether the line's content is stored. A line that
// withdraws a known listing leaves the content that is there: who comes back,
// and who asks why, finds it.
func (d *decided) bringsContent() bool {
	return d.Effect == catalog.New || d.Effect == catalog.Changed && !d.line.Withdrawn
}

func (s *saving) count(e catalog.Effect) {
	switch e {
	case catalog.New:
		s.counts.New++
	case catalog.Changed:
		s.counts.Changed++
	case catalog.Unchanged:
		s.counts.Unchanged++
	case catalog.Older:
		s.counts.Older++
	}
}

// read finds the stored rows of the batch, one query per platform and region.
func (s *saving) read(ctx context.Context, ls []catalog.Listing) (map[catalog.Key]*storedListing, error) {
	found := make(map[catalog.Key]*storedListing)
	groups := byPlace(len(ls), func(i int) catalog.Key { return ls[i].Key })
	for place, products := range groups {
		err := s.tx.queryIn(ctx, storedListings, place.args(), products, func(rows *sql.Rows) error {
			key, row, err := scanStored(rows, place)
			found[key] = row
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

func scanStored(rows *sql.Rows, at place) (catalog.Key, *storedListing, error) {
	var r storedListing
	var content, price sql.RawBytes
	key := catalog.Key{Platform: at.platform, Region: at.region}
	err := rows.Scan(&key.Product, &r.generation, &r.FirstSeen, &r.ObservedAt, &r.SeenAt, &r.PricedAt, &r.Withdrawn,
		&content, &price, &r.price.currency, &r.price.base, &r.price.current, &r.price.flags,
		&r.swept.by, &r.swept.at)
	if err != nil {
		return key, nil, err
	}
	if len(content) != len(r.ContentHash) || len(price) != len(r.PriceHash) {
		return key, nil, fmt.Errorf("listing %s %s %s: damaged hash", key.Platform, key.Region, key.Product)
	}
	copy(r.ContentHash[:], content)
	copy(r.PriceHash[:], price)
	return key, &r, nil
}

// raise takes the generation if a line needs one. Its row stays locked until
// commit, so that generations become visible in order.
func (s *saving) raise(ctx context.Context, w *writes) (err error) {
	if w.raise && s.generation == 0 {
		s.generation, err = s.tx.next(ctx, "generation", 1)
	}
	return err
}

func (s *saving) store(ctx context.Context, w *writes) error {
	// In the order of the key's index, each page of it is written once.
	slices.SortFunc(w.rows, func(a, b *decided) int { return compareKeys(a.line.Key, b.line.Key) })
	if err := s.number(ctx, w.rows); err != nil {
		return err
	}
	err := s.tx.insertRows(ctx, upsertListing, len(w.rows), func(args []any, i int) []any {
		return s.appendRow(args, w.rows[i])
	})
	if err != nil {
		return fmt.Errorf("write listings: %w", err)
	}
	if err := s.update(ctx, w); err != nil {
		return fmt.Errorf("update listings: %w", err)
	}
	if err := s.recordPrices(ctx, w.rows); err != nil {
		return fmt.Errorf("record price changes: %w", err)
	}
	return nil
}

// number finds or makes the numbers of all facts and prose.
func (s *saving) number(ctx context.Context, rows []*decided) error {
	for i := range rows {
		s.facts.addFacts(&rows[i].line.Facts)
		s.prose.addProse(&rows[i].line.Prose)
	}
	if err := s.facts.number(ctx, s.tx); err != nil {
		return fmt.Errorf("store facts: %w", err)
	}
	if err := s.prose.number(ctx, s.tx); err != nil {
		return fmt.Errorf("store prose: %w", err)
	}
	for i := range rows {
		rows[i].factsID, rows[i].proseID = s.facts.ids[i], s.prose.ids[i]
	}
	s.facts.reset()
	s.prose.reset()
	return nil
}

func (s *saving) appendRow(args []any, d *decided) []any {
	l, st := d.line, &d.Outcome.Stored
	args = append(args, int64(l.Platform), l.Region.String(), l.Product, s.generation,
		int64(st.FirstSeen), int64(st.ObservedAt), int64(st.SeenAt), int64(st.PricedAt), flag(st.Withdrawn))
	args = appendPrice(args, l.Price)
	return append(args, l.Popularity, l.Locale, l.StoreURL, d.factsID, d.proseID, st.ContentHash[:], st.PriceHash[:],
		int64(d.swept.by), int64(d.swept.at))
}

func appendPrice(args []any, p *catalog.Price) []any {
	if p == nil {
		p = &catalog.Price{Base: money.None, Current: money.None, DiscountPercent: catalog.NoPercent}
		return append(args, "", int64(p.Base), int64(p.Current), "", "", int64(p.DiscountPercent), "", int64(0), int64(0), "")
	}
	return append(args, string(p.Currency), int64(p.Base), int64(p.Current), p.BaseText, p.CurrentText,
		int64(p.DiscountPercent), p.DiscountLabel, int64(p.DiscountEndsAt), priceFlags(p), p.Source)
}

func priceFlags(p *catalog.Price) int64 {
	flags := int64(flagPriced)
	if p.Trial {
		flags |= flagTrial
	}
	if p.Subscription {
		flags |= flagSubscription
	}
	return flags
}

func (s *saving) update(ctx context.Context, w *writes) error {
	for _, d := range w.updates {
		st, generation := &d.Outcome.Stored, d.stored.generation
		if d.Generation {
			generation = s.generation
		}
		_, err := s.tx.exec(ctx, updateListing, generation,
			int64(st.FirstSeen), int64(st.ObservedAt), int64(st.SeenAt), int64(st.PricedAt), flag(st.Withdrawn),
			int64(d.swept.by), int64(d.swept.at), int64(d.line.Platform), d.line.Region.String(), d.line.Product)
		if err != nil {
			return err
		}
	}
	for t, products := range w.touches {
		before := append([]any{int64(t.seenAt), int64(t.swept.by), int64(t.swept.at)}, t.args()...)
		if err := s.tx.execIn(ctx, touchListings, before, products); err != nil {
			return err
		}
	}
	return nil
}

// compareKeys orders keys as the index of the table does.
func compareKeys(a, b catalog.Key) int {
	return cmp.Or(cmp.Compare(a.Platform, b.Platform), a.Region.Compare(b.Region), cmp.Compare(a.Product, b.Product))
}

// place is a platform's region: the front of a listing's key.
type place struct {
	platform catalog.Platform
	region   catalog.Region
}

func (p place) args() []any { return []any{int64(p.platform), p.region.String()} }

// byPlace groups the products of n keys.
func byPlace(n int, key func(i int) catalog.Key) map[place][]any {
	groups := make(map[place][]any)
	for i := range n {
		k := key(i)
		at := place{k.Platform, k.Region}
		groups[at] = append(groups[at], k.Product)
	}
	return groups
}
