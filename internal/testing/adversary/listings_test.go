package adversary_test

import (
	"fmt"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
)

// noon is a offset. All others follow it.
const noon catalog.Millis = 1_767_268_800_000

var turkey, ukraine = catalog.MustRegion("TR"), catalog.MustRegion("UA")

const (
	newestWins   = "a newer line wins"
	historyAgree = "the price history agrees"
	totalsAdd    = "the totals add up"
	followed     = "a follower misses no change"
	historyWhole = "no step is lost or doubled"
)

// line returns a line of a product whose price is its offset from noon.
func line(region catalog.Region, product string, offset int) catalog.Listing {
	return catalog.Listing{
		Key: catalog.Key{Platform: catalog.ConsoleStore, Region: region, Product: product},
		Facts: catalog.Facts{Family: "10000001", FamilyName: "Star Forge", TitleIDs: []string{"PPSA00001"}, Title: "Star Forge",
			InvariantName: "Star Forge", Type: catalog.Game, Platforms: []string{"PS5"}},
		Locale:     "en",
		Price:      &catalog.Price{Currency: "TRY", Base: 1_000_000, Current: money.Amount(offset), Source: "graphql"},
		ObservedAt: noon + catalog.Millis(offset),
	}
}

// stored is what the contests read of a listing.
type stored struct {
	observed, seen, current, generation int64
	withdrawn                           bool
}

func (r *round) stored(products []string) map[catalog.Key]stored {
	found := map[catalog.Key]stored{}
	const text = "SELECT region, product, observed_at, seen_at, current, generation, withdrawn FROM listing WHERE platform = 1 AND product = ANY($1)"
	r.ok(r.dbs[0].Query(r.ctx, "read listings", text, []any{products}, func(rows engine.Rows) error {
		var region string
		var s stored
		k := catalog.Key{Platform: catalog.ConsoleStore}
		err := rows.Scan(&region, &k.Product, &s.observed, &s.seen, &s.current, &s.generation, (*engine.Bool)(&s.withdrawn))
		k.Region = catalog.MustRegion(region)
		found[k] = s
		return err
	}))
	return found
}

// lines lets three writers save lines of the same listings, in random order and with new
// contents, while another process follows the changes.
func lines(r *round) {
	const saves = 9
	var products []string
	for i := range 3 {
		products = append(products, r.name("line", i))
	}
	newest := map[catalog.Key]int{} // its offset, negative for a withdrawal
	var batches [3][][]catalog.Listing
	for offset := 1; offset <= saves; offset++ {
		var batch []catalog.Listing
		for _, product := range products {
			for _, region := range []catalog.Region{turkey, ukraine} {
				if r.chance(4) {
					continue
				}
				l := line(region, product, offset)
				l.Facts.Family = fmt.Sprint(10_000_000 + 10*r.number + r.pick(2))
				l.Withdrawn = r.chance(6)
				if newest[l.Key] = offset; l.Withdrawn {
					newest[l.Key] = -offset
				}
				batch = append(batch, l)
			}
		}
		shuffle(r, batch)
		who := r.pick(3)
		batches[who] = append(batches[who], batch)
	}
	before, err := r.dbs[0].Listings.SavedTotals(r.ctx)
	r.ok(err)
	_, since, err := r.dbs[0].Listings.Newest(r.ctx)
	r.ok(err)
	var counts [3]catalog.SaveCounts
	writer := func(i int) func(*sqldb.DB) {
		shuffle(r, batches[i])
		return func(db *sqldb.DB) {
			for _, batch := range batches[i] {
				c, err := db.Listings.Save(r.ctx, batch)
				r.ok(err)
				counts[i] = counts[i].Add(c)
			}
		}
	}
	f := follower{since: since, facts: map[int64]bool{}, seen: map[catalog.Key]stored{}}
	r.raceFollowed(func(db *sqldb.DB) { f.follow(r, db) }, writer(0), writer(1), writer(2))
	checkLines(r, products, newest, &f)
	after, err := r.dbs[0].Listings.SavedTotals(r.ctx)
	r.ok(err)
	if want := before.Add(counts[0]).Add(counts[1]).Add(counts[2]); after != want {
		r.fault(totalsAdd, "%+v, want %+v", after, want)
	}
}

func shuffle[T any](r *round, list []T) {
	for i := len(list) - 1; i > 0; i-- {
		k := r.pick(i + 1)
		list[i], list[k] = list[k], list[i]
	}
}

// follower reads the changes since its last generation, as a builder does: facts by number
// first, then the listings that refer to them.
type follower struct {
	since, lastFacts int64
	facts            map[int64]bool
	seen             map[catalog.Key]stored
}

func (f *follower) follow(r *round, db *sqldb.DB) {
	r.ok(db.Listings.Read(r.ctx, func(reading *listings.Reading) error {
		err := reading.NewFacts(f.lastFacts, func(id int64, _ *catalog.Facts) error {
			f.facts[id], f.lastFacts = true, id
			return nil
		})
		if err != nil {
			return err
		}
		upTo, err := reading.Changes(f.since, func(c *catalog.Change) error {
			if !f.facts[c.FactsID] {
				r.fault(followed, "%s %s has the facts %d, which the follower has not", c.Region, c.Product, c.FactsID)
			}
			s := stored{observed: int64(c.ObservedAt), withdrawn: c.Withdrawn}
			if c.Price != nil {
				s.current = int64(c.Price.Current)
			}
			f.seen[c.Key] = s
			return nil
		})
		if err == nil && upTo < f.since {
			r.fault(followed, "the generation went from %d to %d", f.since, upTo)
		}
		f.since = upTo
		return err
	}))
}

func checkLines(r *round, products []string, newest map[catalog.Key]int, f *follower) {
	found := r.stored(products)
	for key, offset := range newest {
		s, withdrawn := found[key], offset < 0
		if withdrawn {
			offset = -offset
		}
		if s.withdrawn != withdrawn || s.seen != int64(noon)+int64(offset) || !withdrawn && s.current != int64(offset) {
			r.fault(newestWins, "%s %s is %+v; the newest line is of offset %d, withdrawn %v", key.Region, key.Product, s, offset, withdrawn)
		}
		if saw := f.seen[key]; saw.observed != s.observed || saw.withdrawn != s.withdrawn || !withdrawn && saw.current != s.current {
			r.fault(followed, "%s %s is %+v, the follower has %+v", key.Region, key.Product, s, saw)
		}
		steps, err := r.dbs[0].Listings.History(r.ctx, key)
		r.ok(err)
		for i, s := range steps {
			if s.State == history.Priced && int64(s.At-noon) != int64(s.Current) || i > 0 && s.At <= steps[i-1].At {
				r.fault(historyAgree, "%s %s: %+v", key.Region, key.Product, steps)
			}
		}
		last := history.StepGone(noon + catalog.Millis(offset))
		if !withdrawn {
			last = history.StepOf(noon+catalog.Millis(offset), line(key.Region, key.Product, offset).Price)
		}
		if n := len(steps); n == 0 || steps[n-1] != last && !withdrawn || steps[n-1].State != last.State {
			r.fault(historyAgree, "%s %s ends with %+v, not with %+v", key.Region, key.Product, steps, last)
		}
	}
}

// imports lets two processes import histories of the same listings while others record
// their prices.
func imports(r *round) {
	const first, last = 100, 105 // the offsets that are recorded
	products := []string{r.name("past", 0), r.name("past", 1)}
	record := func(region catalog.Region, offset int) func(*sqldb.DB) {
		return func(db *sqldb.DB) {
			var batch []catalog.Listing
			for _, product := range products {
				batch = append(batch, line(region, product, offset))
			}
			_, err := db.Listings.Save(r.ctx, batch)
			r.ok(err)
		}
	}
	regions := []catalog.Region{turkey, ukraine}
	var writers []func(*sqldb.DB)
	for _, region := range regions {
		record(region, first)(r.dbs[0])
		writers = append(writers, func(db *sqldb.DB) {
			for offset := first + 1; offset <= last; offset++ {
				record(region, offset)(db)
			}
		})
	}
	var added [2]int
	for i := range added {
		var batches [][]history.Series
		for begin := 60; begin > 0; begin -= 20 {
			batches = append(batches, pastOf(regions, products, begin+r.pick(20), begin+20))
		}
		writers = append(writers, func(db *sqldb.DB) {
			for _, batch := range batches {
				c, err := db.Listings.SaveHistory(r.ctx, batch)
				r.ok(err)
				added[i] += c.Added
			}
		})
	}
	r.race(writers...)
	older := 0
	for _, region := range regions {
		for _, product := range products {
			older += r.checkRecorded(line(region, product, 0).Key, first, last)
		}
	}
	if want := added[0] + added[1]; older != want {
		r.fault(historyWhole, "%d imported steps are stored; %d were added", older, want)
	}
}

// pastOf returns the steps of listings from one offset to the next.
func pastOf(regions []catalog.Region, products []string, from, until int) (batch []history.Series) {
	for _, region := range regions {
		for _, product := range products {
			s := history.Series{Key: line(region, product, 0).Key}
			for offset := from; offset < until; offset++ {
				s.Steps = append(s.Steps, history.StepOf(noon+catalog.Millis(offset), line(region, product, offset).Price))
			}
			batch = append(batch, s)
		}
	}
	return batch
}

// checkRecorded checks that a history ends with the steps that were recorded from the
// offset first to last, each once, and returns how many are older.
func (r *round) checkRecorded(key catalog.Key, first, last int) (older int) {
	steps, err := r.dbs[0].Listings.History(r.ctx, key)
	r.ok(err)
	older = len(steps) - (last - first + 1)
	for i, s := range steps {
		offset := int(s.At - noon)
		if s != history.StepOf(s.At, line(key.Region, key.Product, offset).Price) || i > 0 && s.At <= steps[i-1].At || i >= older && offset != first+i-older {
			r.fault(historyWhole, "%s %s: step %d of %d is of offset %d: %+v", key.Region, key.Product, i, len(steps), offset, s)
			break
		}
	}
	return older
}

// seen notes that a product was seen before it could be withdrawn.
func (r *round) seen(product string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shown = append(r.shown, product)
}
