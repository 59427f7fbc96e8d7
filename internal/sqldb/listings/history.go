package listings

import (
	"context"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/sqldb/engine"
)

// A listing has rows of history once its price has changed, even if only in a text; until
// then the listing itself holds the only step. A row has at most history.MaxRow steps, and
// its key ends with the time of the first.
const (
	historyOf   = "SELECT at, steps FROM history WHERE platform = $1 AND region = $2 AND product = $3 ORDER BY at"
	lastHistory = `SELECT product, at, steps FROM history h WHERE platform = $1 AND region = $2 AND product = ANY($3)
	AND at = (SELECT MAX(at) FROM history WHERE platform = $1 AND region = $2 AND product = h.product)`
	// histories returns the rows with the steps from the one in force at $4 to the first
	// one after $5, and the time of the listing's first step.
	histories = `SELECT product, steps, (SELECT MIN(at) FROM history WHERE platform = $1 AND region = $2 AND product = h.product)
	FROM history h WHERE platform = $1 AND region = $2 AND product = ANY($3)
	AND at >= COALESCE((SELECT MAX(at) FROM history WHERE platform = $1 AND region = $2 AND product = h.product AND at <= $4), at)
	AND at <= COALESCE((SELECT MIN(at) FROM history WHERE platform = $1 AND region = $2 AND product = h.product AND at > $5), at)
	ORDER BY product, at`
	presentSteps = "SELECT product, observed_at, priced_at, withdrawn, flags, " + stepColumns + " FROM listing WHERE platform = $1 AND region = $2 AND product = ANY($3)"
	stepColumns  = "currency, base, current, discount_ends_at, CASE WHEN source = 'doubtful' THEN 1 ELSE 0 END"
)

var saveHistory = engine.Insert{Table: "history", Columns: "platform, region, product, at, steps",
	Then: "ON CONFLICT (platform, region, product, at) DO UPDATE SET steps = excluded.steps"}

// historyRow is a row of history.
type historyRow struct {
	key   catalog.Key
	at    catalog.Millis
	steps []byte
}

// appendTo appends the steps of the row.
func (r *historyRow) appendTo(steps []history.Step) ([]history.Step, error) {
	first := len(steps)
	steps, err := history.AppendSteps(steps, r.steps)
	if err == nil && (len(steps) == first || steps[first].At != r.at) {
		err = fmt.Errorf("it does not begin at %d: damaged", r.at)
	}
	if err != nil {
		return nil, ofHistory(&r.key, err)
	}
	return steps, nil
}

// ofHistory says which history an error is about; nil if there is none.
func ofHistory(key *catalog.Key, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("history of %s %s %s: %w", key.Platform, key.Region, key.Product, err)
}

// stepDest returns what stepColumns are scanned into.
func stepDest(s *history.Step) []any {
	return []any{&s.Currency, &s.Base, &s.Current, &s.EndsAt, (*engine.Bool)(&s.Doubtful)}
}

// setShown sets what the listing shows from its scanned columns. Without rows of history
// it has shown nothing else.
func (s *storedListing) setShown(flags int64) {
	switch shown := &s.shown; {
	case s.Withdrawn:
		*shown = history.StepGone(s.ObservedAt)
	case flags&flagPriced == 0:
		*shown = history.StepOf(s.PricedAt, nil)
	default:
		shown.At, shown.State = s.PricedAt, history.Priced
		if !shown.Current.Known() {
			shown.State = history.Text
		}
		shown.Trial, shown.Subscription = flags&flagTrial != 0, flags&flagSubscription != 0
	}
}

// recordSteps writes the steps that lines of known listings bring.
func (s *Saving) recordSteps(ctx context.Context, w *writes) error {
	var changed []*decided
	for _, d := range slices.Concat(w.rewrite, w.updates) {
		if d.Outcome.Stored.PriceHash != d.stored.PriceHash || d.Outcome.Stored.Withdrawn != d.stored.Withdrawn {
			changed = append(changed, d)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	last, err := s.readLastHistory(ctx, changed)
	if err != nil {
		return err
	}
	var rows []historyRow
	for _, d := range changed {
		if rows, err = d.appendHistory(rows, last[d.line.Key]); err != nil {
			return err
		}
	}
	return saveRows(ctx, s.tx, rows)
}

// readLastHistory returns the newest row of each listing that has any.
func (s *Saving) readLastHistory(ctx context.Context, changed []*decided) (map[catalog.Key]*historyRow, error) {
	last := make(map[catalog.Key]*historyRow, len(changed))
	for at, products := range byRegion(len(changed), func(i int) catalog.Key { return changed[i].line.Key }) {
		err := s.tx.Query(ctx, lastHistory, append(at.Args(), products), func(rows engine.Rows) error {
			r := &historyRow{key: catalog.Key{Platform: at.Platform, Region: at.Region}}
			err := rows.Scan(&r.key.Product, &r.at, &r.steps)
			last[r.key] = r
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return last, nil
}

// appendHistory appends the rows to write for a line whose listing has the newest row
// last; nil: it has none.
func (d *decided) appendHistory(rows []historyRow, last *historyRow) ([]historyRow, error) {
	steps := []history.Step{d.stored.shown}
	if last != nil {
		var err error
		if steps, err = last.appendTo(nil); err != nil {
			return nil, err
		}
	}
	stored := len(steps)
	st := &d.Outcome.Stored
	now := history.StepGone(st.ObservedAt)
	if !st.Withdrawn {
		now = history.StepOf(st.PricedAt, d.line.Price)
		if before := steps[len(steps)-1].At; now.At < before {
			now.At = st.ObservedAt // another price was seen since PricedAt
		}
	}
	steps = history.Record(steps, now)
	if last == nil && len(steps) == 1 && steps[0].At == now.At {
		return rows, nil // the listing holds it
	}
	if last != nil && stored == history.MaxRow && len(steps) > stored { // the last row is full
		steps = steps[stored:]
	}
	return rowsOf(rows, d.line.Key, steps)
}

// ExportHistory calls fn for each selected listing that has shown more than one step, in
// the order of their keys and in one snapshot. fn does not keep the steps.
func (repo *Repository) ExportHistory(ctx context.Context, f Filter, fn func(history.Series) error) error {
	return repo.read(ctx, "export history", func(r *Reading) error { return r.series(f, fn) })
}

// SaveHistory adds to series what is older than their first step, in one transaction. It
// leaves out series of listings that are not stored.
func (repo *Repository) SaveHistory(ctx context.Context, batch []history.Series) (history.ImportCounts, error) {
	var counts history.ImportCounts
	err := repo.db.Write(ctx, "save history", func(t *engine.Tx) error {
		counts = history.ImportCounts{}
		regions := make([]PlatformRegion, 0, len(batch))
		for _, s := range batch {
			regions = append(regions, PlatformRegion{s.Platform, s.Region})
		}
		if err := LockRegions(ctx, t, regions); err != nil {
			return err
		}
		for i := range batch {
			n, err := prepend(ctx, t, &batch[i])
			if err != nil {
				return err
			}
			counts = counts.Add(n)
		}
		return nil
	})
	return counts, err
}

// prepend adds to one series what is older than its first step.
func prepend(ctx context.Context, t *engine.Tx, s *history.Series) (n history.ImportCounts, err error) {
	stored, err := readHistory(ctx, t, s.Key)
	if err != nil || len(stored) == 0 {
		n.Unknown = 1
		return n, err
	}
	steps, added := history.Prepend(stored, s.Steps)
	n.Added, n.Overlap = added, len(s.Steps)-added
	if added == 0 {
		return n, nil
	}
	rows, err := rowsOf(nil, s.Key, steps)
	if err != nil {
		return n, err
	}
	if _, err := t.Exec(ctx, "DELETE FROM history WHERE platform = $1 AND region = $2 AND product = $3", int64(s.Platform), s.Region.String(), s.Product); err != nil {
		return n, err
	}
	return n, saveRows(ctx, t, rows)
}

// rowsOf appends the rows of a series.
func rowsOf(rows []historyRow, key catalog.Key, steps []history.Step) ([]historyRow, error) {
	for some := range slices.Chunk(steps, history.MaxRow) {
		encoded, err := history.AppendRow(nil, some)
		if err != nil {
			return nil, ofHistory(&key, err)
		}
		rows = append(rows, historyRow{key, some[0].At, encoded})
	}
	return rows, nil
}

func saveRows(ctx context.Context, t *engine.Tx, rows []historyRow) error {
	_, err := t.InsertRows(ctx, &saveHistory, len(rows), func(args []any, i int) []any {
		r := &rows[i]
		return append(args, int64(r.key.Platform), r.key.Region.String(), r.key.Product, int64(r.at), r.steps)
	})
	return err
}

// History returns what a listing has shown, oldest first, with what it shows now last;
// none if there is no such listing.
func (repo *Repository) History(ctx context.Context, key catalog.Key) ([]history.Step, error) {
	// Without rows, the step of the listing must be of the same time: that needs a
	// transaction.
	const what = "read history"
	steps, err := readRows(ctx, repo.db.Querier(), key)
	if err != nil || len(steps) > 0 {
		return steps, repo.db.Failed(what, err)
	}
	err = repo.db.Read(ctx, what, func(q engine.Querier) error {
		steps, err = readHistory(ctx, q, key)
		return err
	})
	return steps, err
}

// readRows returns the steps of the listing's rows of history.
func readRows(ctx context.Context, q engine.Querier, key catalog.Key) (steps []history.Step, err error) {
	row := historyRow{key: key}
	dest := []any{&row.at, (*engine.RawBytes)(&row.steps)}
	err = q.Query(ctx, historyOf, []any{int64(key.Platform), key.Region.String(), key.Product}, func(rows engine.Rows) error {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		steps, err = row.appendTo(steps)
		return err
	})
	return steps, err
}

func readHistory(ctx context.Context, q engine.Querier, key catalog.Key) ([]history.Step, error) {
	steps, err := readRows(ctx, q, key)
	if err != nil || len(steps) > 0 {
		return steps, err
	}
	err = eachPresentStep(ctx, q, PlatformRegion{key.Platform, key.Region}, []string{key.Product}, func(_ string, s history.Step) error {
		steps = append(steps, s)
		return nil
	})
	return steps, err
}

// Histories calls fn for each of the listings that is stored, in any order and as of one
// time, with its steps from the one in force at since to the first one after until, and
// others of the rows that hold these. A key must not be given twice. fn does
// not keep the steps.
func (repo *Repository) Histories(ctx context.Context, keys []catalog.Key, since, until catalog.Millis, fn func(history.Part) error) error {
	return repo.read(ctx, "read histories", func(r *Reading) error {
		for at, products := range byRegion(len(keys), func(i int) catalog.Key { return keys[i] }) {
			if err := r.histories(at, products, since, until, fn); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *Reading) histories(at PlatformRegion, products []string, since, until catalog.Millis, fn func(history.Part) error) error {
	first := make(map[string]catalog.Millis, len(products)) // of the listings with rows of history
	joined := seriesJoiner{fn: func(s history.Series) error { return fn(history.Part{Series: s, Since: first[s.Product]}) }}
	key := catalog.Key{Platform: at.Platform, Region: at.Region}
	var row engine.RawBytes
	var began catalog.Millis
	dest := []any{&key.Product, &row, &began}
	err := r.query(histories, append(at.Args(), products, int64(since), int64(until)), func(rows engine.Rows) error {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		first[key.Product] = began
		return joined.add(&key, row)
	})
	if err == nil {
		err = joined.end()
	}
	if err != nil {
		return err
	}
	products = slices.DeleteFunc(slices.Clone(products), func(product string) bool { return first[product] != 0 })
	if len(products) == 0 {
		return nil
	}
	return eachPresentStep(r.ctx, r.tx, at, products, func(product string, s history.Step) error {
		key := catalog.Key{Platform: at.Platform, Region: at.Region, Product: product}
		return fn(history.Part{Series: history.Series{Key: key, Steps: []history.Step{s}}, Since: s.At})
	})
}

// eachPresentStep calls fn with what each of the listings shows now, in any order.
func eachPresentStep(ctx context.Context, q engine.Querier, at PlatformRegion, products []string, fn func(product string, s history.Step) error) error {
	return q.Query(ctx, presentSteps, append(at.Args(), products), func(rows engine.Rows) error {
		var product string
		var s storedListing
		var flags int64
		if err := rows.Scan(append([]any{&product, &s.ObservedAt, &s.PricedAt, (*engine.Bool)(&s.Withdrawn), &flags}, stepDest(&s.shown)...)...); err != nil {
			return err
		}
		s.setShown(flags)
		return fn(product, s.shown)
	})
}
