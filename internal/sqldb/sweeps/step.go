package sweeps

import (
	"context"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/lease"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sweep"
)

const (
	presentOnes = `UPDATE listing SET swept_by = ?, swept_at = ?
	WHERE withdrawn = 0 AND (swept_by = ? OR ? = 1) AND platform = ? AND region = ? AND product IN (?...)`
	sweepProgress = `UPDATE sweep SET cursor = $4, requests = requests + $5, parts = parts + $6, doubtful = doubtful + $7,
	torn = CASE WHEN $8 = 1 THEN 1 ELSE torn END,
	collected_at = CASE WHEN collected_at < $9 THEN $9 ELSE collected_at END` + whereScope
)

// SaveStep stores what one read of a sweep found, and how far the sweep is, in
// one transaction. Each part is laid over what is stored (catalog.Overlay), in
// their order, and saved as Save would; check, which may complete it in place,
// judges it first. A step of more than listings.MaxBatch parts is refused: the caller
// splits it.
//
// Of Saved, several parts of one listing count once. A part older than what is
// stored changes nothing. A listing that shows a price belongs to the sweep
// from then on; one that is there but breaks a rule stays as it was and is
// taken for present. Step.At is best the moment before the step's reading
// began: what changes its mark later stays due.
//
// It wraps lease.ErrLost, and stores nothing, if l is no longer held.
func (store *Store) SaveStep(ctx context.Context, l lease.Lease, step sweep.Step, check func(*catalog.Listing) error) (sweep.StepCounts, error) {
	what := "save step of " + step.Scope.String()
	if err := checkStep(&step); err != nil {
		return sweep.StepCounts{}, fmt.Errorf("%s: %w", what, err)
	}
	var w *stepping
	err := store.db.Write(ctx, what, func(t *sqldb.Tx) error {
		if err := checkLease(ctx, t, l, step.Scope); err != nil {
			return err
		}
		w = newStepping(store, t, &step, check)
		return w.run(ctx)
	})
	if err != nil {
		return sweep.StepCounts{}, err
	}
	w.saving.Remember()
	w.counted.Saved = w.saving.Counts
	return w.counted, nil
}

func checkStep(step *sweep.Step) error {
	if n := len(step.Parts) + len(step.Doubts); n > listings.MaxBatch {
		return fmt.Errorf("%d listings at once; at most %d are taken", n, listings.MaxBatch)
	}
	for i := range step.Parts {
		k := step.Parts[i].Key
		if k.Platform != step.Scope.Platform || !slices.Contains(step.Regions, k.Region) {
			return fmt.Errorf("a part is of %s %s, which the scope does not stand for", k.Platform, k.Region)
		}
	}
	return nil
}

// stepping is the work of one SaveStep.
type stepping struct {
	tx      *sqldb.Tx
	saving  *listings.Saving
	step    *sweep.Step
	check   func(*catalog.Listing) error
	counted sweep.StepCounts // Saved is in saving until the end

	stored map[catalog.Key]*catalog.Listing
	lines  []catalog.Listing   // to be saved, of distinct keys; never grows beyond its first array
	lineOf map[catalog.Key]int // index into lines
	priced map[catalog.Key]bool
	// there are products whose part broke a rule: the store sells them.
	there map[listings.Place][]any
}

func newStepping(store *Store, t *sqldb.Tx, step *sweep.Step, check func(*catalog.Listing) error) *stepping {
	n := len(step.Parts) + len(step.Doubts)
	w := &stepping{
		tx: t, step: step, check: check,
		lines:  make([]catalog.Listing, 0, n),
		lineOf: make(map[catalog.Key]int, n), priced: make(map[catalog.Key]bool, n), there: map[listings.Place][]any{},
	}
	w.saving = store.listings.NewSaving(t, w.owns)
	return w
}

// owns returns the sweep what it showed a price of.
func (w *stepping) owns(d listings.Decision) sweep.Owner {
	if !w.priced[d.Key] {
		return d.Before
	}
	return sweep.NextOwner(d.Before, d.Listed, sweep.Owner{Kind: w.step.Scope.Kind, At: w.step.At})
}

func (w *stepping) run(ctx context.Context) (err error) {
	parts, doubts := w.step.Parts, w.step.Doubts
	w.stored, err = listings.ReadWhole(ctx, w.tx, len(parts)+len(doubts), func(i int) catalog.Key {
		if i < len(parts) {
			return parts[i].Key
		}
		return doubts[i-len(parts)].Key
	})
	if err != nil {
		return fmt.Errorf("read stored listings: %w", err)
	}
	for i := range parts {
		w.lay(&parts[i])
	}
	for _, d := range doubts {
		w.doubt(d)
	}
	if err := w.saving.Save(ctx, w.lines); err != nil {
		return err
	}
	if err := w.present(ctx); err != nil {
		return fmt.Errorf("mark what is present: %w", err)
	}
	if w.counted.Hot, err = nameItems(ctx, w.tx, w.step); err != nil {
		return err
	}
	if err := markItems(ctx, w.tx, w.step); err != nil {
		return fmt.Errorf("mark items: %w", err)
	}
	step := w.step
	err = setSweep(ctx, w.tx, step.Scope, sweepProgress,
		step.Cursor, step.Requests, len(step.Parts), w.counted.Doubtful, sqldb.BoolInt(step.Interrupted), int64(step.At))
	if err != nil {
		return err
	}
	return w.saving.AddTotals(ctx)
}

// lay lays a part over the line of its key, or over what is stored.
func (w *stepping) lay(part *sweep.Part) {
	below := w.stored[part.Key]
	i, again := w.lineOf[part.Key]
	if again {
		below = &w.lines[i]
	}
	l, ok := sweep.Overlay(below, part)
	priced := part.Shows&sweep.ShowsPrice != 0
	switch {
	case !ok:
		w.counted.Incomplete++
		return
	case below != nil && l.ObservedAt < below.ObservedAt:
		w.saving.Counts.Older++
		return
	}
	if w.check != nil {
		if err := w.check(&l); err != nil {
			w.reject(part, priced, err)
			return
		}
	}
	if priced {
		w.priced[part.Key] = true
		if l.Price != nil && l.Price.Source == catalog.SourceDoubtful {
			w.counted.Doubtful++
		}
	}
	if again {
		w.lines[i] = l
		return
	}
	w.lineOf[part.Key] = len(w.lines)
	w.lines = append(w.lines, l)
}

// doubt marks the price of a listing that the step did not read, as if it had
// been judged so when it was last seen.
func (w *stepping) doubt(d sweep.Doubt) {
	l := w.stored[d.Key]
	_, read := w.lineOf[d.Key]
	if read || l == nil || l.Withdrawn || l.Price == nil || d.Doubtful == (l.Price.Source == catalog.SourceDoubtful) {
		return
	}
	line, price := *l, *l.Price
	price.Source = catalog.SourceExact
	if d.Doubtful {
		price.Source = catalog.SourceDoubtful
		w.counted.Doubtful++
	}
	line.Price, line.FirstSeenAt, line.PricedAt = &price, 0, 0
	w.lineOf[d.Key] = len(w.lines)
	w.lines = append(w.lines, line)
}

func (w *stepping) reject(part *sweep.Part, priced bool, err error) {
	w.counted.Rejected++
	if w.counted.FirstRejected == "" {
		w.counted.FirstRejected = fmt.Sprintf("%s %s %s: %v", part.Platform, part.Region, part.Product, err)
	}
	if priced {
		at := listings.Place{Platform: part.Platform, Region: part.Region}
		w.there[at] = append(w.there[at], part.Product)
	}
}

// present marks the listings that the step named without showing them. Kinds
// that do not find listings mark their own alone.
func (w *stepping) present(ctx context.Context) error {
	kind := int64(w.step.Scope.Kind)
	mark := []any{kind, int64(w.step.At), kind, sqldb.BoolInt(w.step.Scope.Kind.FindsListings())}
	products := sqldb.Args(w.step.Present)
	for _, region := range w.step.Regions {
		at := listings.Place{Platform: w.step.Scope.Platform, Region: region}
		all := append(w.there[at], products...)
		if err := w.tx.ExecList(ctx, presentOnes, append(slices.Clone(mark), at.Args()...), all); err != nil {
			return err
		}
	}
	return nil
}
