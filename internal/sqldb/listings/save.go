package listings

import (
	"context"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sweep"
)

// MaxBatch is the most listings in one Save. It keeps the wait of another writer to
// milliseconds.
const MaxBatch = 2000

// The bits of a stored price's flags.
const (
	flagPriced = 1 << iota // there is a price, even if only a text
	flagTrial
	flagSubscription
	// 8 was set in databases of schema 4 to 11.
)

// contentColumns are the columns that a line with content writes, without the key,
// in the order of (*Saving).appendRow.
const contentColumns = "generation, first_seen, observed_at, seen_at, priced_at, withdrawn, " +
	"currency, base, current, base_text, current_text, discount_percent, discount_label, discount_ends_at, flags, source, " +
	"popularity, locale, store_url, facts_id, prose_id, content_hash, price_hash, swept_by, swept_at"

const keyColumns = "platform, region, product"

// insertListing inserts a new key; rewriteListing replaces the row of a stored one.
// They take the same values. One upsert for both is slower. updateListing writes the
// columns that a line without content may change.
var (
	insertListing  = engine.Insert{Table: "listing", Columns: contentColumns + ", " + keyColumns}
	rewriteListing = engine.Update{Table: "listing", Set: contentColumns, Key: keyColumns}
	updateListing  = engine.Update{Table: "listing", Key: keyColumns,
		Set: "generation, first_seen, observed_at, seen_at, priced_at, withdrawn, swept_by, swept_at"}
)

// whereProducts selects products of a region.
const whereProducts = " WHERE platform = $1 AND region = $2 AND product = ANY($3)"

// touchListings is for listings that were only seen again, as most are in a sweep.
const touchListings = "UPDATE listing SET seen_at = $4, swept_by = $5, swept_at = $6" + whereProducts

const (
	storedListings = "SELECT product, first_seen, observed_at, seen_at, priced_at, withdrawn, flags, " + stepColumns +
		", generation, content_hash, price_hash, swept_by, swept_at FROM listing" + whereProducts
	wholeListings = "SELECT " + wholeColumns + ", l.generation, l.content_hash, l.price_hash, l.swept_by, l.swept_at" +
		fromWhole + " WHERE l.platform = $1 AND l.region = $2 AND l.product = ANY($3)"
)

// Save stores a batch of at most MaxBatch listings in one transaction, in their
// order; a key may repeat. catalog.Supersede decides the effect of each. Save raises
// the generation once, and only if Merge may see a difference. The listings must
// have passed feed.Check; Save does not change them. It makes imports the owner of
// listings that it changes or confirms, so that no sweep withdraws them.
func (repo *Repository) Save(ctx context.Context, ls []catalog.Listing) (catalog.SaveCounts, error) {
	if len(ls) > MaxBatch {
		return catalog.SaveCounts{}, fmt.Errorf("save listings: %d at once; the maximum is %d", len(ls), MaxBatch)
	}
	var s *Saving
	err := repo.db.Write(ctx, "save listings", func(t *engine.Tx) error {
		s = repo.NewSaving(t, func(d Decision) sweep.Owner {
			return sweep.OwnerAfterImport(d.Before, d.Effect, d.News)
		})
		if err := LockRegions(ctx, t, distinctRegions(ls)); err != nil {
			return err
		}
		if err := s.Save(ctx, ls); err != nil {
			return err
		}
		return s.AddTotals(ctx)
	})
	if err != nil {
		return catalog.SaveCounts{}, err
	}
	s.Remember()
	return s.Counts, nil
}

// Decision is what the rule for the owner of a listing knows about a line.
type Decision struct {
	catalog.Key
	Effect catalog.Effect
	Listed bool        // was stored before and not withdrawn
	News   bool        // the line brings anything new
	Before sweep.Owner // the zero Owner if the listing is new
}

// KeepOwner is the rule by which a listing keeps its owner.
func KeepOwner(d Decision) sweep.Owner { return d.Before }

// Saving saves listings in a transaction of the caller, which calls Remember
// after its commit.
type Saving struct {
	Counts catalog.SaveCounts
	// Mark returns the mark of the part that alone brings the line of key; 0 if none does.
	// The listing keeps it if the line confirms what is stored. Nil: no line has one.
	Mark func(key catalog.Key) int64

	tx         *engine.Tx
	owner      func(Decision) sweep.Owner
	generation int64 // 0 until needed
	facts      *contents
	prose      *contents
	epoch      string // the text of its expression
	// read is what ReadWhole has read of each key, nil for a new one. A save forgets it.
	read map[catalog.Key]*storedListing
}

// NewSaving returns a Saving in t. owner returns the new owner of a listing.
func (repo *Repository) NewSaving(t *engine.Tx, owner func(Decision) sweep.Owner) *Saving {
	return &Saving{tx: t, owner: owner, epoch: repo.db.Epoch(),
		facts: newContents(factsTable, &repo.facts), prose: newContents(proseTable, &repo.prose)}
}

// Remember caches the numbers of facts and prose, which are now committed.
func (s *Saving) Remember() {
	s.facts.remember()
	s.prose.remember()
}

// storedListing is the part of a stored row that Save reads.
type storedListing struct {
	catalog.Stored
	generation int64
	shown      history.Step
	swept      sweep.Owner
}

// decided is a line and its outcome.
type decided struct {
	line   *catalog.Listing
	stored *storedListing // nil: the key is new
	catalog.Outcome
	swept            sweep.Owner // new owner
	mark             int64       // see Saving.Mark; only of a line that confirms what is stored
	factsID, proseID int64
}

// Save stores listings as [Repository.Save] does. The transaction has locked their regions
// (LockRegions). Of several calls in one transaction, only the first may bring content.
func (s *Saving) Save(ctx context.Context, ls []catalog.Listing) error {
	runs := distinctRuns(ls)
	if len(runs) > 1 {
		// The first run may lock the generation, before the second has contents.
		for _, table := range []contentTable{factsTable, proseTable} {
			if _, err := s.tx.RaiseCounter(ctx, table.counter, 0); err != nil {
				return err
			}
		}
	}
	for _, run := range runs {
		if err := s.saveRun(ctx, run); err != nil {
			return err
		}
	}
	return nil
}

// saveRun stores lines of distinct keys, which are in the keys' order.
func (s *Saving) saveRun(ctx context.Context, lines []*catalog.Listing) error {
	stored := s.read
	s.read = nil
	if slices.ContainsFunc(lines, func(l *catalog.Listing) bool { _, known := stored[l.Key]; return !known }) {
		var err error
		if stored, err = s.readStored(ctx, lines); err != nil {
			return fmt.Errorf("read stored listings: %w", err)
		}
	}
	w := writes{touches: map[touch][]string{}}
	all := make([]decided, len(lines))
	for i, line := range lines {
		d := &all[i]
		d.line, d.stored = line, stored[line.Key]
		var before *catalog.Stored
		if d.stored != nil {
			before = &d.stored.Stored
		}
		d.Outcome = catalog.Supersede(before, line)
		decision := Decision{Key: line.Key, Effect: d.Effect, News: true}
		if d.stored != nil {
			decision.Listed, decision.News, decision.Before = !d.stored.Withdrawn, d.stored.Stored != d.Outcome.Stored, d.stored.swept
		}
		d.swept = s.owner(decision)
		s.countEffect(d.Effect)
		w.addLine(d, s.Mark)
	}
	if err := s.numberContents(ctx, slices.Concat(w.fresh, w.rewrite)); err != nil {
		return err
	}
	if err := s.recordSteps(ctx, &w); err != nil {
		return fmt.Errorf("record price steps: %w", err)
	}
	// Last, because it keeps other writers waiting until commit.
	if w.raise && s.generation == 0 {
		var err error
		if s.generation, err = s.tx.RaiseCounter(ctx, "generation", 1); err != nil {
			return err
		}
	}
	if err := s.writeContent(ctx, &w); err != nil {
		return fmt.Errorf("write listings: %w", err)
	}
	if err := s.updateRows(ctx, &w); err != nil {
		return fmt.Errorf("update listings: %w", err)
	}
	return nil
}

func (s *Saving) countEffect(e catalog.Effect) {
	switch e {
	case catalog.New:
		s.Counts.New++
	case catalog.Changed:
		s.Counts.Changed++
	case catalog.Unchanged:
		s.Counts.Unchanged++
	case catalog.Older:
		s.Counts.Older++
	}
}

// ReadWhole returns the stored listings of n keys, as last seen. A Save of listings of these
// keys that follows does not read them again.
func (s *Saving) ReadWhole(ctx context.Context, n int, key func(i int) catalog.Key) (map[catalog.Key]*catalog.Listing, error) {
	whole := make(map[catalog.Key]*catalog.Listing, n)
	read := make(map[catalog.Key]*storedListing, n)
	for i := range n {
		read[key(i)] = nil
	}
	var stored storedScan
	scan := newWholeScan(stored.dest()...)
	for at, products := range byRegion(n, key) {
		err := s.tx.Query(ctx, wholeListings, append(at.Args(), products), func(rows engine.Rows) error {
			l, observedAt, err := scan.listing(rows)
			if err != nil {
				return err
			}
			stored.row.Stored = catalog.Stored{FirstSeen: l.FirstSeenAt, ObservedAt: observedAt, SeenAt: l.ObservedAt, PricedAt: l.PricedAt, Withdrawn: l.Withdrawn}
			p := &scan.price
			stored.row.shown = history.Step{Currency: p.Currency, Base: p.Base, Current: p.Current, EndsAt: p.DiscountEndsAt,
				Doubtful: p.Source == catalog.SourceDoubtful}
			whole[l.Key] = l
			read[l.Key], err = stored.listing(l.Key, scan.flags)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	s.read = read
	return whole, nil
}

// readStored reads the stored rows of the batch, one query per platform and
// region.
func (s *Saving) readStored(ctx context.Context, lines []*catalog.Listing) (map[catalog.Key]*storedListing, error) {
	found := make(map[catalog.Key]*storedListing, len(lines))
	for at, products := range byRegion(len(lines), func(i int) catalog.Key { return lines[i].Key }) {
		var scan storedScan
		var flags int64
		row, key := &scan.row, catalog.Key{Platform: at.Platform, Region: at.Region}
		dest := slices.Concat([]any{&key.Product, &row.FirstSeen, &row.ObservedAt, &row.SeenAt, &row.PricedAt, (*engine.Bool)(&row.Withdrawn),
			&flags}, stepDest(&row.shown), scan.dest())
		err := s.tx.Query(ctx, storedListings, append(at.Args(), products), func(rows engine.Rows) error {
			err := rows.Scan(dest...)
			if err == nil {
				found[key], err = scan.listing(key, flags)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// storedScan is the current row of a query of storedListings or wholeListings.
type storedScan struct {
	row            storedListing
	content, price engine.RawBytes
}

// dest returns what the last columns are scanned into.
func (s *storedScan) dest() []any {
	return []any{&s.row.generation, &s.content, &s.price, &s.row.swept.Kind, &s.row.swept.At}
}

// listing returns the row, whose other columns are scanned too.
func (s *storedScan) listing(key catalog.Key, flags int64) (*storedListing, error) {
	r := s.row
	if len(s.content) != len(r.ContentHash) || len(s.price) != len(r.PriceHash) {
		return nil, fmt.Errorf("listing %s %s %s: damaged hash", key.Platform, key.Region, key.Product)
	}
	copy(r.ContentHash[:], s.content)
	copy(r.PriceHash[:], s.price)
	r.setShown(flags)
	return &r, nil
}

// SavedTotals returns the counts of outcomes of all listings ever saved, by any
// process.
func (repo *Repository) SavedTotals(ctx context.Context) (c catalog.SaveCounts, err error) {
	const text = `SELECT MAX(CASE effect WHEN 'new' THEN count END), MAX(CASE effect WHEN 'changed' THEN count END),
		MAX(CASE effect WHEN 'unchanged' THEN count END), MAX(CASE effect WHEN 'older' THEN count END) FROM saved_total`
	_, err = repo.db.FindRow(ctx, "read save totals", text, nil, []any{&c.New, &c.Changed, &c.Unchanged, &c.Older})
	return c, err
}

// AddTotals adds the counts of s to the totals, in its transaction.
func (s *Saving) AddTotals(ctx context.Context) error {
	c := s.Counts
	if c == (catalog.SaveCounts{Unchanged: c.Unchanged}) { // one row needs no order of locks
		_, err := s.tx.Exec(ctx, "UPDATE saved_total SET count = count + $1 WHERE effect = 'unchanged'", c.Unchanged)
		return err
	}
	if err := s.tx.Lock(ctx, "saved_total"); err != nil {
		return err
	}
	_, err := s.tx.Exec(ctx, `UPDATE saved_total SET count = count + CASE effect
		WHEN 'new' THEN $1 WHEN 'changed' THEN $2 WHEN 'unchanged' THEN $3 WHEN 'older' THEN $4 ELSE 0 END`,
		c.New, c.Changed, c.Unchanged, c.Older)
	return err
}

// distinctRuns divides lines into runs in which no key repeats. The order within a
// run does not matter, so each run is sorted in the order of the key's index: then
// every page of the index is written once.
func distinctRuns(ls []catalog.Listing) (runs [][]*catalog.Listing) {
	all := make([]*catalog.Listing, len(ls))
	for i := range ls {
		all[i] = &ls[i]
	}
	for len(all) > 0 {
		// n lines come before the first that repeats a key.
		n, seen := 0, make(map[catalog.Key]struct{}, len(all))
		for ; n < len(all); n++ {
			if _, twice := seen[all[n].Key]; twice {
				break
			}
			seen[all[n].Key] = struct{}{}
		}
		slices.SortFunc(all[:n], func(a, b *catalog.Listing) int { return a.Key.Compare(b.Key) })
		runs = append(runs, all[:n])
		all = all[n:]
	}
	return runs
}
