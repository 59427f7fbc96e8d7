package sweeps

import (
	"context"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/lease"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sweep"
)

const (
	markPresent = `UPDATE listing SET swept_by = $4, swept_at = $5
	WHERE platform = $1 AND region = $2 AND product = ANY($3) AND withdrawn = 0 AND (swept_by = $4 OR $6 = 1)`
	sweepProgress = `UPDATE sweep SET cursor = $4, requests = requests + $5, parts = parts + $6, doubtful = doubtful + $7,
	torn = CASE WHEN $8 = 1 THEN 1 ELSE torn END,
	collected_at = CASE WHEN collected_at < $9 THEN $9 ELSE collected_at END, priced = priced + $10` + whereScope
)

// SaveBatch stores what one read of a sweep found, and the sweep's progress, in
// one transaction. It merges the parts, in their order, into the stored listings
// (sweep.Overlay) and saves the results as Save does, by the rules. A batch of more
// than listings.MaxBatch parts is an error.
//
// Several parts of one listing count once in Saved. Of a part older than the stored
// listing, which another sweep saved meanwhile, the price is not used, but the facts
// are: no other read may show them. The sweep owns each listing whose price it shows. A
// listing that Rules.Check refuses stays unchanged and counts as present. A price that a part
// no longer shows stays until FinishSweep or SettlePrices. Batch.At should be a time before
// the batch was read: an item whose mark changes later stays due.
//
// If l is no longer held, SaveBatch stores nothing and wraps lease.ErrLost.
func (repo *Repository) SaveBatch(ctx context.Context, l lease.Lease, batch sweep.Batch, rules sweep.Rules) (sweep.BatchCounts, error) {
	what := "save batch of " + batch.Scope.String()
	if n := len(batch.Parts); n > listings.MaxBatch {
		return sweep.BatchCounts{}, fmt.Errorf("%s: %d listings at once; the maximum is %d", what, n, listings.MaxBatch)
	}
	for i := range batch.Parts {
		k := batch.Parts[i].Key
		if k.Platform != batch.Scope.Platform || !slices.Contains(batch.Regions, k.Region) {
			return sweep.BatchCounts{}, fmt.Errorf("%s: a part is of %s %s, which is not in the scope", what, k.Platform, k.Region)
		}
	}
	var w *batchWriter
	err := repo.db.Write(ctx, what, func(t *engine.Tx) error {
		parts, doubts, err := lockAndJudge(ctx, t, l, &batch, &rules)
		if err != nil {
			return err
		}
		w = &batchWriter{
			tx: t, batch: &batch, judged: parts, doubts: doubts, check: rules.Check,
			lineOf: map[catalog.Key]int{}, priced: map[catalog.Key]bool{},
			present: map[listings.PlatformRegion][]string{}, lost: map[catalog.Key]catalog.Millis{},
		}
		w.saving = repo.listings.NewSaving(t, func(d listings.Decision) sweep.Owner {
			if !w.priced[d.Key] {
				return d.Before
			}
			return sweep.NextOwner(d.Before, d.Listed, sweep.Owner{Kind: batch.Scope.Kind, At: batch.At})
		})
		w.findAlone()
		w.saving.Mark = w.mark
		return w.save(ctx, !repo.news.mostly(batch.Scope))
	})
	if err != nil {
		return sweep.BatchCounts{}, err
	}
	w.saving.Remember()
	w.counted.Saved = w.saving.Counts
	repo.news.learn(batch.Scope, w.counted.Saved)
	return w.counted, nil
}

// lockAndJudge locks what the batch may change: the leases of its scope and of those
// whose items it names, its regions, and those of the doubts. It returns the parts as
// judged, and the doubts. It returns an error unless l is still held.
func lockAndJudge(ctx context.Context, t *engine.Tx, l lease.Lease, batch *sweep.Batch, rules *sweep.Rules) (parts []sweep.Part, doubts []sweep.Doubt, err error) {
	var named []string
	for _, item := range batch.Items {
		s := batch.Scope
		s.Kind = item.Kind
		if name := leaseName(s); !slices.Contains(named, name) {
			named = append(named, name)
		}
	}
	if err := checkLease(ctx, t, l, batch.Scope, named...); err != nil {
		return nil, nil, err
	}
	parts = batch.Parts
	if len(rules.Products) > 0 {
		if err := listings.LockPlatform(ctx, t, batch.Scope.Platform); err != nil {
			return nil, nil, err
		}
		stored, err := listings.RegionPrices(ctx, t, batch.Scope.Platform, rules.Products)
		if err != nil {
			return nil, nil, err
		}
		parts, doubts = rules.Judge(parts, stored)
	}
	regions := platformRegions(batch.Scope.Platform, batch.Regions)
	for _, d := range doubts {
		regions = append(regions, listings.PlatformRegion{Platform: d.Platform, Region: d.Region})
	}
	return parts, doubts, listings.LockRegions(ctx, t, regions)
}

// notAlone stands for the index of a part that does not bring the line of its key alone.
const notAlone = -1

// batchWriter is the work of one SaveBatch.
type batchWriter struct {
	tx      *engine.Tx
	saving  *listings.Saving
	batch   *sweep.Batch
	judged  []sweep.Part
	alone   map[catalog.Key]int // index into judged, or notAlone; see findAlone
	parts   []*sweep.Part       // of judged, without those that seeAgain has stored
	doubts  []sweep.Doubt
	check   func(*catalog.Listing) error
	counted sweep.BatchCounts // without Saved, which saving counts

	stored  map[catalog.Key]*catalog.Listing
	lines   []catalog.Listing   // to be saved, of distinct keys; never reallocated
	lineOf  map[catalog.Key]int // index into lines
	priced  map[catalog.Key]bool
	present map[listings.PlatformRegion][]string // products that the store shows but whose price is not stored
	lost    map[catalog.Key]catalog.Millis       // when the price of a listing was not found
}

// save saves the batch; again says whether many parts may say what they said before.
func (w *batchWriter) save(ctx context.Context, again bool) (err error) {
	if err := w.seeAgain(ctx, again); err != nil {
		return fmt.Errorf("mark listings as seen: %w", err)
	}
	batch, parts, doubts := w.batch, w.parts, w.doubts
	w.lines = make([]catalog.Listing, 0, len(parts)+len(doubts))
	w.stored, err = w.saving.ReadWhole(ctx, len(parts)+len(doubts), func(i int) catalog.Key {
		if i < len(parts) {
			return parts[i].Key
		}
		return doubts[i-len(parts)].Key
	})
	if err != nil {
		return fmt.Errorf("read stored listings: %w", err)
	}
	for i := range parts {
		w.overlayPart(parts[i])
	}
	for _, d := range doubts {
		w.applyDoubt(d)
	}
	if err := w.saving.Save(ctx, w.lines); err != nil {
		return err
	}
	if err := w.markPresent(ctx); err != nil {
		return fmt.Errorf("mark present listings: %w", err)
	}
	if err := w.saveLost(ctx); err != nil {
		return fmt.Errorf("store lost prices: %w", err)
	}
	if w.counted.Hot, err = nameItems(ctx, w.tx, batch); err != nil {
		return err
	}
	at := int64(batch.At)
	_, err = w.tx.Exec(ctx, readItems, append(scopeArgs(batch.Scope), batch.Read, at, notDue)...)
	if err == nil {
		_, err = w.tx.Exec(ctx, postponeItems, append(scopeArgs(batch.Scope), batch.Retry, at, int64(batch.RetryAt))...)
	}
	if err != nil {
		return fmt.Errorf("mark items: %w", err)
	}
	err = setSweep(ctx, w.tx, batch.Scope, sweepProgress,
		batch.Cursor, batch.Requests, len(batch.Parts), w.counted.Doubtful, engine.BoolInt(batch.Interrupted), at, countPriced(batch))
	if err != nil {
		return err
	}
	return w.saving.AddTotals(ctx)
}

// applyDoubt adds the line of a listing whose price becomes doubtful, or no longer is, unless
// a part has brought a line of it.
func (w *batchWriter) applyDoubt(d sweep.Doubt) {
	if _, read := w.lineOf[d.Key]; read {
		return
	}
	line, changed := d.Apply(w.stored[d.Key])
	if !changed {
		return
	}
	if d.Doubtful {
		w.counted.Doubtful++
	}
	w.lineOf[d.Key] = len(w.lines)
	w.lines = append(w.lines, line)
}

// markPresent marks the listings that the batch named without showing them. Kinds that do not
// find listings mark only their own.
func (w *batchWriter) markPresent(ctx context.Context) error {
	kind, at := int64(w.batch.Scope.Kind), int64(w.batch.At)
	finds := engine.BoolInt(w.batch.Scope.Kind.FindsListings())
	for _, region := range w.batch.Regions {
		where := listings.PlatformRegion{Platform: w.batch.Scope.Platform, Region: region}
		present := slices.Concat(w.present[where], w.batch.Present)
		if _, err := w.tx.Exec(ctx, markPresent, append(where.Args(), present, kind, at, finds)...); err != nil {
			return err
		}
	}
	return nil
}

// seeAgain stores the parts that say what they said in an earlier sweep, where the listing
// has not changed since. In most sweeps these are almost all, and their listings need not
// be read. The other parts stay in w.parts; all of them, unless again is set.
func (w *batchWriter) seeAgain(ctx context.Context, again bool) error {
	var tried []int
	for i := range w.judged {
		if at, ok := w.alone[w.judged[i].Key]; again && ok && at == i {
			tried = append(tried, i)
		}
	}
	owner := sweep.Owner{Kind: w.batch.Scope.Kind, At: w.batch.At}
	others, err := w.saving.SeeAgain(ctx, owner, len(tried), func(i int) *sweep.Part { return &w.judged[tried[i]] })
	if err != nil {
		return err
	}
	seen := make([]bool, len(w.judged))
	for _, at := range tried {
		seen[at] = true
	}
	for _, i := range others {
		seen[tried[i]] = false
	}
	for i := range w.judged {
		if !seen[i] {
			w.parts = append(w.parts, &w.judged[i])
		}
	}
	return nil
}

// findAlone finds the parts with a price whose listings the batch owns and does not change
// otherwise. What depends on more than the part is left to the merge: parts of a listing of
// which the batch has several, guessed prices, and kinds that may not own the listing.
func (w *batchWriter) findAlone() {
	if !w.batch.Scope.Kind.FindsListings() {
		return
	}
	w.alone = make(map[catalog.Key]int, len(w.judged)+len(w.doubts))
	for _, d := range w.doubts {
		w.alone[d.Key] = notAlone
	}
	for i := range w.judged {
		key := w.judged[i].Key
		if _, again := w.alone[key]; again || w.judged[i].Shows&sweep.ShowsPrice == 0 {
			i = notAlone
		}
		w.alone[key] = i
	}
}

// mark returns the mark of the part that alone brings the line of key; 0 if none does.
func (w *batchWriter) mark(key catalog.Key) int64 {
	if i, ok := w.alone[key]; ok && i != notAlone {
		return w.judged[i].Mark()
	}
	return 0
}

// overlayPart merges a part into the line of its key, or else into the stored
// listing.
func (w *batchWriter) overlayPart(part *sweep.Part) {
	below := w.stored[part.Key]
	i, again := w.lineOf[part.Key]
	if again {
		below = &w.lines[i]
	}
	if below != nil && part.Prices(below) && part.ObservedAt < below.ObservedAt {
		w.saving.Counts.Older++
		if below.Withdrawn {
			return
		}
		part = withoutPrice(part)
	}
	l, ok := sweep.Overlay(below, part)
	priced := part.Prices(below)
	if !ok {
		w.counted.Incomplete++
		return
	}
	if w.check != nil {
		if err := w.check(&l); err != nil {
			w.counted.Rejected++
			if w.counted.FirstRejected == "" {
				w.counted.FirstRejected = fmt.Sprintf("%s %s %s: %v", part.Platform, part.Region, part.Product, err)
			}
			if priced {
				w.addPresent(part)
			}
			return
		}
	}
	if priced && below != nil && !below.Withdrawn && below.Price != nil && l.Price == nil {
		// The price stays until the sweep has ended (prices); the other facts do not.
		w.lost[part.Key] = part.ObservedAt
		w.addPresent(part)
		w.overlayPart(withoutPrice(part))
		return
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

// withoutPrice returns the part as if it did not show a price.
func withoutPrice(part *sweep.Part) *sweep.Part {
	p := *part
	p.Shows &^= sweep.ShowsPrice
	p.Guesses &^= sweep.ShowsPrice
	return &p
}

func (w *batchWriter) addPresent(part *sweep.Part) {
	at := listings.PlatformRegion{Platform: part.Platform, Region: part.Region}
	w.present[at] = append(w.present[at], part.Product)
}
