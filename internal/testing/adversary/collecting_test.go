package adversary_test

import (
	"errors"
	"slices"
	"strings"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/lease"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
	"gamedex/internal/sweep"
)

const (
	fenced              = "a batch without the lease is not stored"
	seenStays           = "what was seen is not withdrawn"
	judgedByAll         = "a price is compared with the present prices of other regions"
	itemsHaveJobs       = "items have a job"
	jobsHaveCollections = "jobs have a collection"
	collectionsHaveJobs = "a collection has its jobs"
	heldBack            = "a sweep that is held back withdraws nothing"
)

func scope(k sweep.Kind) sweep.Scope {
	return sweep.Scope{Platform: catalog.ConsoleStore, Region: turkey, Kind: k}
}

// setCollection collects the console store in TR with jobs of some kinds.
func setCollection(r *round, db *sqldb.DB, kinds ...sweep.Kind) error {
	var jobs []sweep.State
	for _, k := range kinds {
		jobs = append(jobs, sweep.State{Scope: scope(k), Regions: []catalog.Region{turkey}, Active: true, Interval: 600_000})
	}
	return db.Sweeps.SetCollection(r.ctx, sweep.Collection{Platform: catalog.ConsoleStore, Since: noon, Interval: 600_000}, jobs)
}

// begin starts the collection anew, with one job, and begins its sweep.
func (r *round) begin(at catalog.Millis) lease.Lease {
	db := r.dbs[0]
	r.ok(db.Sweeps.EndCollection(r.ctx, catalog.ConsoleStore))
	r.ok(setCollection(r, db, sweep.Prices))
	l, _ := r.claim(db, "first")
	r.ok(db.Sweeps.BeginSweep(r.ctx, l, scope(sweep.Prices), at))
	return l
}

func (r *round) claim(db *sqldb.DB, holder string) (lease.Lease, bool) {
	l, ok, err := db.Sweeps.Leases().Claim(r.ctx, "collect/"+scope(sweep.Prices).String(), holder, 30*time.Second)
	return l, r.ok(err) && ok
}

const showsAll = sweep.ShowsPrice | sweep.ShowsTitle | sweep.ShowsFamily | sweep.ShowsFamilyName | sweep.ShowsInvariantName |
	sweep.ShowsTitleIDs | sweep.ShowsType | sweep.ShowsPlatforms

// batch saves a batch that shows products, and reports whether it was stored.
func (r *round) batch(db *sqldb.DB, l lease.Lease, cursor string, offset int, products ...string) bool {
	s := sweep.Batch{Scope: scope(sweep.Prices), Regions: []catalog.Region{turkey}, At: noon + catalog.Millis(offset), Requests: 1, Cursor: cursor}
	for _, product := range products {
		s.Parts = append(s.Parts, sweep.Part{Listing: line(turkey, product, offset), Shows: showsAll})
	}
	_, err := db.Sweeps.SaveBatch(r.ctx, l, s, sweep.Rules{})
	return r.ok(err, lease.ErrLost)
}

// disown makes no sweep the owner of listings, so that those of later rounds do not miss
// them.
func (r *round) disown(products ...string) {
	_, err := r.dbs[0].Exec(r.ctx, "disown", "UPDATE listing SET swept_by = 0 WHERE platform = 1 AND region = 'TR' AND product = ANY($1)", products)
	r.ok(err)
}

// sweepBatches lets a process save batches while another takes its lease over and begins anew, and
// an import saves lines of the same listing.
func sweepBatches(r *round) {
	product := r.name("batch", 0)
	defer r.disown(product)
	first := r.begin(noon)
	stored, taken, imported := 0, false, 1+r.pick(60)
	newest := 0
	r.race(func(db *sqldb.DB) {
		for i := range 3 {
			if r.batch(db, first, "first", 10+i, product) {
				stored++
			}
		}
	}, func(db *sqldb.DB) {
		_, err := db.Sweeps.Leases().Renew(r.ctx, first, 0) // it ends now
		r.ok(err)
		second, ok := r.claim(db, "second")
		if !ok || !r.ok(db.Sweeps.BeginSweep(r.ctx, second, scope(sweep.Prices), noon+20)) {
			return
		}
		taken = true
		for i := range 2 {
			if offset := 30 + i; r.batch(db, second, "second", offset, product) {
				newest = offset
			} else {
				r.fault(fenced, "the new holder could not save a batch")
			}
		}
	}, func(db *sqldb.DB) {
		_, err := db.Listings.Save(r.ctx, []catalog.Listing{line(turkey, product, imported)})
		r.ok(err)
	})
	states, err := r.dbs[0].Sweeps.Sweeps(r.ctx, noon, 1)
	if !r.ok(err) || len(states) != 1 {
		r.fault(noError, "%d sweeps", len(states))
		return
	}
	switch s := states[0]; {
	case !taken:
		r.fault(noError, "the lease could not be taken over")
	case s.Requests != 2 || s.Cursor != "second":
		r.fault(fenced, "%d batches and the cursor %q are stored of the new sweep, want 2 and \"second\"; %d of the old one were stored",
			s.Requests, s.Cursor, stored)
	}
	newest = max(newest, imported)
	if s := r.stored([]string{product})[line(turkey, product, 0).Key]; s.current != int64(newest) {
		r.fault(newestWins, "the price is %d, want %d", s.current, newest)
	}
}

// comparisons lets sweeps of three regions show prices of the same product. A price is
// doubtful as long as another region has a different one.
func comparisons(r *round) {
	product := r.name("compared", 0)
	defer r.disown(product)
	r.ok(r.dbs[0].Sweeps.EndCollection(r.ctx, catalog.ConsoleStore))
	regions := []catalog.Region{turkey, ukraine, catalog.MustRegion("PL")}
	var jobs []sweep.State
	for _, region := range regions {
		s := sweep.Scope{Platform: catalog.ConsoleStore, Region: region, Kind: sweep.Prices}
		jobs = append(jobs, sweep.State{Scope: s, Regions: []catalog.Region{region}, Active: true, Interval: 600_000})
	}
	r.ok(r.dbs[0].Sweeps.SetCollection(r.ctx, sweep.Collection{Platform: catalog.ConsoleStore, Since: noon, Interval: 600_000}, jobs))
	rules := sweep.Rules{Products: []string{product}, Judge: markDifferent}
	var writers []func(*sqldb.DB)
	for _, job := range jobs {
		l, _, err := r.dbs[0].Sweeps.Leases().Claim(r.ctx, "collect/"+job.Scope.String(), "first", 30*time.Second)
		r.ok(err)
		r.ok(r.dbs[0].Sweeps.BeginSweep(r.ctx, l, job.Scope, noon))
		var batches []sweep.Batch
		for offset := range 3 {
			shown := line(job.Scope.Region, product, offset)
			shown.Price.Current = money.Amount(1 + r.pick(2))
			batches = append(batches, sweep.Batch{Scope: job.Scope, Regions: job.Regions, At: shown.ObservedAt, Parts: []sweep.Part{{Listing: shown, Shows: showsAll}}})
		}
		writers = append(writers, func(db *sqldb.DB) {
			for _, batch := range batches {
				_, err := db.Sweeps.SaveBatch(r.ctx, l, batch, rules)
				r.ok(err)
			}
		})
	}
	r.race(writers...)
	r.wantNone(judgedByAll, `SELECT count(*) FROM listing l WHERE platform = 1 AND product = $1 AND (source = 'doubtful') <>
		EXISTS (SELECT 1 FROM listing o WHERE o.platform = 1 AND o.product = $1 AND o.region <> l.region AND o.current <> l.current)`, product)
}

// markDifferent marks prices that differ from one of another region.
func markDifferent(parts []sweep.Part, stored []sweep.RegionPrice) ([]sweep.Part, []sweep.Doubt) {
	shown := parts[0]
	price, different := *shown.Price, false
	var doubts []sweep.Doubt
	for _, p := range stored {
		if p.Region == shown.Region {
			continue
		}
		doubtful := p.Price.Current != price.Current
		different = different || doubtful
		for _, other := range stored {
			doubtful = doubtful || other.Region != shown.Region && other.Price.Current != p.Price.Current
		}
		doubts = append(doubts, sweep.Doubt{Key: catalog.Key{Platform: shown.Platform, Region: p.Region, Product: shown.Product}, Doubtful: doubtful})
	}
	if different {
		price.Source = catalog.SourceDoubtful
	}
	shown.Price = &price
	return []sweep.Part{shown}, doubts
}

// seenMeanwhile lets a sweep end that missed some listings, while imports show them.
func seenMeanwhile(r *round) {
	const known = 8
	var products []string
	for i := range known {
		products = append(products, r.name("seen", i))
	}
	defer r.disown(products...)
	l := r.begin(noon + 1)
	r.batch(r.dbs[0], l, "", 1, products...)
	r.ok(r.dbs[0].Sweeps.BeginSweep(r.ctx, l, scope(sweep.Prices), noon+100))
	missed := 2 + r.pick(known-2)
	r.batch(r.dbs[0], l, "", 101, products[missed:]...)
	force := r.chance(2)
	var end sweep.End
	show := func(i int) func(*sqldb.DB) {
		return func(db *sqldb.DB) {
			c, err := db.Listings.Save(r.ctx, []catalog.Listing{line(turkey, products[i], 150)})
			r.ok(err)
			if c.Older == 0 {
				r.seen(products[i])
			}
		}
	}
	var err error
	r.race(func(db *sqldb.DB) {
		end, err = db.Sweeps.FinishSweep(r.ctx, l, scope(sweep.Prices), noon+200, force)
	}, show(0), show(1))
	r.ok(err)
	withdrawn := 0
	for key, s := range r.stored(products) {
		if s.withdrawn {
			withdrawn++
		}
		if s.withdrawn && slices.Contains(r.shown, key.Product) {
			r.fault(seenStays, "%s was seen, and then withdrawn", key.Product)
		}
	}
	if withdrawn != end.Withdrawn || end.HeldBack > 0 && (withdrawn > 0 || force) {
		r.fault(heldBack, "%d are withdrawn, the sweep says %+v, forced %v", withdrawn, end, force)
	}
}

// collections begins and ends a collection while its sweeps run.
func collections(r *round) {
	kinds := []sweep.Kind{sweep.Prices, sweep.Editions, sweep.Details}
	first := r.begin(noon)
	r.ok(setCollection(r, r.dbs[0], kinds...))
	operator := func() func(*sqldb.DB) {
		var moves []func(db *sqldb.DB) error
		for range 3 {
			if r.chance(2) {
				moves = append(moves, func(db *sqldb.DB) error { return db.Sweeps.EndCollection(r.ctx, catalog.ConsoleStore) })
				continue
			}
			n := 1 + r.pick(len(kinds))
			moves = append(moves, func(db *sqldb.DB) error { return setCollection(r, db, kinds[:n]...) })
		}
		return func(db *sqldb.DB) {
			for _, move := range moves {
				r.ok(move(db))
			}
		}
	}
	r.race(operator(), func(db *sqldb.DB) {
		r.ok(setCollection(r, db, sweep.Prices))
	}, func(db *sqldb.DB) {
		r.nameItems(db, first, 0)
		r.sweepOnce(db)
	})
	r.wantNone(itemsHaveJobs, `SELECT count(*) FROM sweep_item i WHERE NOT EXISTS
		(SELECT 1 FROM sweep s WHERE s.platform = i.platform AND s.region = i.region AND s.kind = i.kind)`)
	r.wantNone(jobsHaveCollections, collectionless)
	r.wantNone(collectionsHaveJobs, jobless)
}

// beginAndEnd lets one operator begin a collection while others end it.
func beginAndEnd(r *round) {
	r.ok(r.dbs[0].Sweeps.EndCollection(r.ctx, catalog.ConsoleStore))
	end := func(db *sqldb.DB) { r.ok(db.Sweeps.EndCollection(r.ctx, catalog.ConsoleStore)) }
	r.race(func(db *sqldb.DB) { r.ok(setCollection(r, db, sweep.Prices)) }, end, end)
	r.wantNone(jobsHaveCollections, collectionless)
	r.wantNone(collectionsHaveJobs, jobless)
}

const (
	collectionless = "SELECT count(*) FROM sweep WHERE platform NOT IN (SELECT platform FROM collection)"
	jobless        = "SELECT count(*) FROM collection WHERE platform NOT IN (SELECT platform FROM sweep)"
)

// nameItems saves a batch that names items of other jobs, and reports whether it was stored.
func (r *round) nameItems(db *sqldb.DB, l lease.Lease, i int) bool {
	items := []sweep.Item{{Kind: sweep.Editions, ID: r.name("item", i), Mark: "m"}, {Kind: sweep.Details, ID: r.name("item", i), Mark: "m"}}
	_, err := db.Sweeps.SaveBatch(r.ctx, l, sweep.Batch{Scope: scope(sweep.Prices), Regions: []catalog.Region{turkey}, At: noon + 1, Items: items}, sweep.Rules{})
	return r.ok(err, lease.ErrLost)
}

// sweepOnce collects once, as far as there is a job that nobody collects.
func (r *round) sweepOnce(db *sqldb.DB) {
	l, ok := r.claim(db, "second")
	if !ok || !r.ok(db.Sweeps.BeginSweep(r.ctx, l, scope(sweep.Prices), noon), lease.ErrLost) || !r.nameItems(db, l, 1) {
		return
	}
	_, err := db.Sweeps.FinishSweep(r.ctx, l, scope(sweep.Prices), noon+2, false)
	if err != nil && strings.Contains(err.Error(), "no sweep of ") { // the job was deleted and made again
		err = lease.ErrLost
	}
	if !errors.Is(err, lease.ErrLost) && r.ok(err) {
		_, err := db.Sweeps.Leases().Release(r.ctx, l)
		r.ok(err)
	}
}
