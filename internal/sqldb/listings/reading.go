package listings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/sqldb/engine"
)

// Reading is a reading transaction: a consistent snapshot of the listings. It is
// for one goroutine, and valid until the function passed to Read returns.
type Reading struct {
	ctx   context.Context
	tx    engine.Querier
	epoch string // the text of its expression
}

func (r *Reading) query(text string, args []any, row func(engine.Rows) error) error {
	return r.tx.Query(r.ctx, text, args, row)
}

// value reads the one row of a query, whose error says what was read.
func (r *Reading) value(what, text string, dest any) error {
	_, err := engine.FindIn(r.ctx, r.tx, text, nil, dest)
	return engine.Explain(what, err, "")
}

// Read runs fn in a reading transaction. It may be long, because it does not block
// other readers and writers. Read returns the error of fn unchanged.
func (repo *Repository) Read(ctx context.Context, fn func(*Reading) error) error {
	return repo.read(ctx, "", fn)
}

func (repo *Repository) read(ctx context.Context, what string, fn func(*Reading) error) error {
	return repo.db.Read(ctx, what, func(q engine.Querier) error { return fn(&Reading{ctx, q, repo.db.Epoch()}) })
}

const newestGeneration = "SELECT value FROM counter WHERE name = 'generation'"

// Newest returns the generation of the newest listing, 0 without any, and the epoch of
// the database; see engine.DB.Epoch.
func (repo *Repository) Newest(ctx context.Context) (epoch string, generation int64, err error) {
	text := "SELECT " + repo.db.Epoch() + ", value FROM counter WHERE name = 'generation'"
	_, err = repo.db.FindRow(ctx, "read generation", text, nil, []any{&epoch, &generation})
	return epoch, generation, err
}

// Epoch returns the epoch of the database that the snapshot is of.
func (r *Reading) Epoch() (epoch string, err error) {
	err = r.value("read the epoch of the database", "SELECT "+r.epoch, &epoch)
	return epoch, err
}

// Generation returns the generation of the newest listing in the snapshot; 0 without
// any.
func (r *Reading) Generation() (generation int64, err error) {
	err = r.value("read generation", newestGeneration, &generation)
	return generation, err
}

const changedListings = `SELECT platform, region, product, first_seen, observed_at, priced_at, withdrawn,
	currency, base, current, base_text, current_text, discount_percent, discount_label, discount_ends_at, flags, source,
	popularity, locale, store_url, facts_id, prose_id FROM listing`

const changedSince = changedListings + " WHERE generation > $1"

// Changes calls fn for every listing saved after generation since, withdrawn ones
// included, in no particular order, and returns the generation of the snapshot.
// Later calls reuse the change and its price.
func (r *Reading) Changes(since int64, fn func(*catalog.Change) error) (generation int64, err error) {
	if generation, err = r.Generation(); err != nil || generation <= since {
		return generation, err
	}
	text, args := changedSince, []any{since}
	if since <= 0 {
		text, args = changedListings, nil // all of them: a scan of the table is faster than the index
	}
	if err = r.changes(text, args, fn); err != nil {
		return 0, fmt.Errorf("read changes since generation %d: %w", since, err)
	}
	return generation, nil
}

// Listings returns the number of listings, withdrawn ones included.
func (r *Reading) Listings() (n int, err error) {
	err = r.value("count listings", "SELECT count(*) FROM listing", &n)
	return n, err
}

// change is a scanned listing with room for its price.
type change struct {
	catalog.Change
	price catalog.Price
}

// changeScan is where the rows of changedListings are scanned, one by one.
type changeScan struct {
	change
	region string
	flags  int64
	dest   []any
}

func newChangeScan() *changeScan {
	s := new(changeScan)
	c, p := &s.Change, &s.price
	s.dest = []any{&c.Platform, &s.region, &c.Product, &c.FirstSeen, &c.ObservedAt, &c.PricedAt, (*engine.Bool)(&c.Withdrawn),
		&p.Currency, &p.Base, &p.Current, &p.BaseText, &p.CurrentText, &p.DiscountPercent, &p.DiscountLabel,
		&p.DiscountEndsAt, &s.flags, &p.Source, &c.Popularity, &c.Locale, &c.StoreURL, &c.FactsID, &c.ProseID}
	return s
}

// scannedAhead is the number of changes scanned ahead of the callback.
const scannedAhead = 256

// errTaken stops a scan after an error of its consumer.
var errTaken = errors.New("no more changes are wanted")

// changes scans in another goroutine and calls fn in this one: each takes half of
// the time of a first read of millions of listings.
func (r *Reading) changes(text string, args []any, fn func(*catalog.Change) error) error {
	scanned, taken := make(chan []change, 1), make(chan []change, 2)
	taken <- make([]change, 0, scannedAhead)
	taken <- make([]change, 0, scannedAhead)
	stop := make(chan struct{})
	var scanErr error // before scanned is closed
	go func() {
		defer close(scanned)
		scanErr = r.scanChanges(text, args, scanned, taken, stop)
	}()
	var err error
	for batch := range scanned {
		for i := 0; i < len(batch) && err == nil; i++ {
			if err = fn(&batch[i].Change); err != nil {
				close(stop)
			}
		}
		taken <- batch[:0]
	}
	return cmp.Or(err, scanErr)
}

// scanChanges sends the scanned changes in batches. It receives the used batches
// back and fills them again.
func (r *Reading) scanChanges(text string, args []any, scanned chan<- []change, taken <-chan []change, stop <-chan struct{}) error {
	batch, scan := <-taken, newChangeScan()
	err := r.query(text, args, func(rows engine.Rows) error {
		if err := rows.Scan(scan.dest...); err != nil {
			return err
		}
		batch = append(batch, scan.change)
		c := &batch[len(batch)-1]
		c.Region, c.Price = regionOf(scan.region), priceOf(&c.price, scan.flags)
		if len(batch) < scannedAhead {
			return nil
		}
		scanned <- batch
		select {
		case batch = <-taken:
			return nil
		case <-stop:
			batch = nil
			return errTaken
		}
	})
	if err == nil {
		scanned <- batch
	}
	return err
}

// priceOf finishes a scanned price; nil if the row has none.
func priceOf(p *catalog.Price, flags int64) *catalog.Price {
	if flags&flagPriced == 0 {
		return nil
	}
	p.Trial, p.Subscription = flags&flagTrial != 0, flags&flagSubscription != 0
	return p
}

// priceFlags returns the flags of a listing with a price.
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

// NewFacts calls fn for the facts with an id above after, by rising id.
func (r *Reading) NewFacts(after int64, fn func(id int64, f *catalog.Facts) error) error {
	var id int64
	var body engine.RawBytes
	dest := []any{&id, &body}
	err := r.query("SELECT id, body FROM facts WHERE id > $1 ORDER BY id", []any{after}, func(rows engine.Rows) error {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		f, err := catalog.ParseFacts(body)
		if err != nil {
			return fmt.Errorf("facts %d: %w", id, err)
		}
		return fn(id, &f)
	})
	return engine.Explain("read facts", err, "")
}

// NewProse calls fn for the prose with an id above after, by rising id, with
// the fields that each has.
func (r *Reading) NewProse(after int64, fn func(id int64, fields catalog.ProseFields) error) error {
	var id int64
	var fields catalog.ProseFields
	dest := []any{&id, &fields}
	err := r.query("SELECT id, fields FROM prose WHERE id > $1 ORDER BY id", []any{after}, func(rows engine.Rows) error {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		return fn(id, fields)
	})
	return engine.Explain("read prose fields", err, "")
}

// Prose calls fn for the prose with the given ids, in no particular order. An id that
// does not exist is an error.
func (r *Reading) Prose(ids []int64, fn func(id int64, p *catalog.Prose) error) error {
	missing := make(map[int64]struct{}, len(ids))
	for _, id := range ids {
		missing[id] = struct{}{}
	}
	var id int64
	var body engine.RawBytes
	dest := []any{&id, &body}
	err := r.query("SELECT id, body FROM prose WHERE id = ANY($1)", []any{ids}, func(rows engine.Rows) error {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		p, err := catalog.ParseProse(body)
		if err != nil {
			return fmt.Errorf("prose %d: %w", id, err)
		}
		delete(missing, id)
		return fn(id, &p)
	})
	for id := range missing {
		if err == nil {
			err = fmt.Errorf("prose %d does not exist", id)
		}
	}
	return engine.Explain("read prose", err, "")
}

// These read no column that can do without: reading one takes as long as decoding several
// steps.
const (
	seriesIn = "SELECT product, steps FROM history WHERE platform = $1 AND region = $2 ORDER BY product, at"
	seriesOf = "SELECT product, steps FROM history WHERE platform = $1 AND region = $2 AND product = ANY($3) ORDER BY product, at"
	// historyRegions steps along the key from region to region of a platform.
	historyRegions = `WITH RECURSIVE known (region) AS (
	SELECT MIN(region) FROM history WHERE platform = $1
	UNION ALL
	SELECT (SELECT MIN(region) FROM history WHERE platform = $1 AND region > known.region) FROM known WHERE known.region IS NOT NULL)
	SELECT region FROM known WHERE region IS NOT NULL`
)

// maxSeries is how many listings one query asks for.
const maxSeries = 2000

// AllSeries calls fn for each listing that has shown more than one step, in the order of
// their keys. fn does not keep the steps.
func (r *Reading) AllSeries(fn func(history.Series) error) error {
	return engine.Explain("read history", r.series(Filter{}, fn), "")
}

// Series calls fn for those of the listings with the given keys that have shown more than
// one step, in any order. fn does not keep the steps.
func (r *Reading) Series(keys []catalog.Key, fn func(history.Series) error) error {
	for at, products := range byRegion(len(keys), func(i int) catalog.Key { return keys[i] }) {
		slices.Sort(products)
		for some := range slices.Chunk(slices.Compact(products), maxSeries) {
			if err := r.seriesAt(at, seriesOf, append(at.Args(), some), fn); err != nil {
				return fmt.Errorf("read history in %s %s: %w", at.Platform, at.Region, err)
			}
		}
	}
	return nil
}

// series calls fn for the selected series, in the order of their keys.
func (r *Reading) series(f Filter, fn func(history.Series) error) error {
	regions, err := r.regionsWithHistory(f)
	if err != nil {
		return err
	}
	for _, at := range regions {
		if err := r.seriesAt(at, seriesIn, at.Args(), fn); err != nil {
			return err
		}
	}
	return nil
}

// seriesAt calls fn for the series of a region whose rows a query returns.
func (r *Reading) seriesAt(at PlatformRegion, text string, args []any, fn func(history.Series) error) error {
	joined := seriesJoiner{fn: fn}
	key := catalog.Key{Platform: at.Platform, Region: at.Region}
	var row engine.RawBytes
	dest := []any{&key.Product, &row}
	err := r.query(text, args, func(rows engine.Rows) error {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		return joined.add(&key, row)
	})
	if err != nil {
		return err
	}
	return joined.end()
}

// regionsWithHistory returns the selected regions with rows of history, in the order of their keys.
func (r *Reading) regionsWithHistory(f Filter) (regions []PlatformRegion, err error) {
	for _, platform := range catalog.Platforms() {
		found, err := engine.ListIn(r.ctx, r.tx, historyRegions, []any{int64(platform)}, scanRegion)
		if err != nil {
			return nil, err
		}
		for _, region := range found {
			if (f.Platform == 0 || f.Platform == platform) && (f.Region == catalog.Region{} || f.Region == region) {
				regions = append(regions, PlatformRegion{platform, region})
			}
		}
	}
	slices.SortFunc(regions, func(a, b PlatformRegion) int {
		return cmp.Or(cmp.Compare(a.Platform, b.Platform), a.Region.Compare(b.Region))
	})
	return regions, nil
}

// seriesJoiner joins the rows of each series, which follow each other, and calls fn for
// it.
type seriesJoiner struct {
	fn     func(history.Series) error
	series history.Series
}

// add adds a row, which is valid until add returns.
func (j *seriesJoiner) add(key *catalog.Key, row []byte) error {
	if *key != j.series.Key {
		if err := j.end(); err != nil {
			return err
		}
		j.series.Key, j.series.Steps = *key, j.series.Steps[:0]
	}
	before := len(j.series.Steps)
	steps, err := history.AppendSteps(j.series.Steps, row)
	switch {
	case err != nil:
	case len(steps) == before:
		err = errors.New("a row without steps: damaged")
	case before > 0 && steps[before].At <= steps[before-1].At:
		err = fmt.Errorf("the rows before and from %d overlap", steps[before].At)
	}
	j.series.Steps = steps
	return ofHistory(key, err)
}

// end calls fn for the last series.
func (j *seriesJoiner) end() error {
	if len(j.series.Steps) == 0 {
		return nil
	}
	return j.fn(j.series)
}

var insertServed = engine.Insert{Table: "served_id", Columns: "platform, id, product", Then: "ON CONFLICT (platform, id, product) DO NOTHING"}

// Remember stores the products of served ids. Known ones may repeat.
func (repo *Repository) Remember(ctx context.Context, more []catalog.Served) error {
	for batch := range slices.Chunk(more, MaxBatch) {
		err := repo.db.Write(ctx, "remember served ids", func(t *engine.Tx) error {
			_, err := t.InsertRows(ctx, &insertServed, len(batch), func(args []any, i int) []any {
				return append(args, int64(batch[i].Platform), batch[i].ID, batch[i].Product)
			})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Served calls fn for every stored product of an id, by platform and id.
func (repo *Repository) Served(ctx context.Context, fn func(catalog.Served) error) error {
	const text = "SELECT platform, id, product FROM served_id ORDER BY platform, id, product"
	return repo.db.Query(ctx, "read served ids", text, nil, func(rows engine.Rows) error {
		var s catalog.Served
		if err := rows.Scan(&s.Platform, &s.ID, &s.Product); err != nil {
			return err
		}
		return fn(s)
	})
}
