package sqldb_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
)

// follower reads changes as a builder does: facts and prose by number first,
// then the listings that refer to them.
type follower struct {
	generation           int64
	lastFacts, lastProse int64
	facts                map[int64]catalog.Facts
	fields               map[int64]catalog.ProseFields
	listings             map[catalog.Key]catalog.Change
}

func newFollower() *follower {
	return &follower{
		facts: map[int64]catalog.Facts{}, fields: map[int64]catalog.ProseFields{},
		listings: map[catalog.Key]catalog.Change{},
	}
}

// follow reads the changes and returns their number.
func (f *follower) follow(t testing.TB, db *sqldb.DB) (changed int) {
	t.Helper()
	must(t, db.Listings.Read(t.Context(), func(r *listings.Reading) error {
		err := r.NewFacts(f.lastFacts, func(id int64, facts *catalog.Facts) error {
			f.facts[id], f.lastFacts = *facts, id
			return nil
		})
		if err != nil {
			return err
		}
		err = r.NewProse(f.lastProse, func(id int64, fields catalog.ProseFields) error {
			f.fields[id], f.lastProse = fields, id
			return nil
		})
		if err != nil {
			return err
		}
		f.generation, err = r.Changes(f.generation, func(c *catalog.Change) error {
			changed++
			return f.take(*c)
		})
		return err
	}))
	return changed
}

func (f *follower) take(c catalog.Change) error {
	if _, ok := f.facts[c.FactsID]; !ok {
		return errors.New("a listing refers to facts that the same snapshot does not have")
	}
	if _, ok := f.fields[c.ProseID]; !ok && c.ProseID != 0 {
		return errors.New("a listing refers to prose that the same snapshot does not have")
	}
	if c.Price != nil {
		p := *c.Price
		c.Price = &p
	}
	f.listings[c.Key] = c
	return nil
}

func TestChangesCarryEveryField(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		l := everything()
		save(t, db, catalog.SaveCounts{New: 1}, l)
		f := newFollower()
		f.follow(t, db)
		got := f.listings[l.Key]
		want := catalog.Change{
			Key: l.Key, FactsID: got.FactsID, ProseID: got.ProseID, Locale: l.Locale, StoreURL: l.StoreURL, Popularity: l.Popularity,
			Price: l.Price, FirstSeen: l.FirstSeenAt, ObservedAt: l.ObservedAt, PricedAt: l.PricedAt,
		}
		wantSame(t, "change", want, got)
		wantSame(t, "facts", l.Facts, f.facts[got.FactsID])
		if f.fields[got.ProseID] != l.Prose.Fields() {
			t.Errorf("prose fields %b, want %b", f.fields[got.ProseID], l.Prose.Fields())
		}
		wantProse(t, db, got.ProseID, l.Prose)
	})
}

func wantProse(t *testing.T, db *sqldb.DB, id int64, want catalog.Prose) {
	t.Helper()
	var got catalog.Prose
	must(t, db.Listings.Read(t.Context(), func(r *listings.Reading) error {
		return r.Prose([]int64{id}, func(_ int64, p *catalog.Prose) error {
			got = *p
			return nil
		})
	}))
	wantSame(t, fmt.Sprintf("prose %d", id), want, got, cmpopts.EquateEmpty())
}

func TestChangesSince(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		f := newFollower()
		if n := f.follow(t, db); n != 0 || f.generation != 0 {
			t.Errorf("an empty database has %d changes and generation %d", n, f.generation)
		}
		save(t, db, catalog.SaveCounts{New: 2}, console("TR", "a", noon), console("TR", "b", noon))
		if n := f.follow(t, db); n != 2 {
			t.Errorf("%d changes, want 2", n)
		}
		if n := f.follow(t, db); n != 0 {
			t.Errorf("%d changes without a save", n)
		}
		b := console("TR", "b", noon+1)
		b.Price.Current--
		save(t, db, catalog.SaveCounts{New: 1, Changed: 1, Unchanged: 1}, console("TR", "a", noon+1), b, console("UA", "a", noon))
		if n := f.follow(t, db); n != 2 {
			t.Errorf("%d changes, want 2: the unchanged listing is not a change", n)
		}
		if got := f.listings[b.Key].Price.Current; got != 174899 {
			t.Errorf("price %d, want 174899", got)
		}
	})
}

// TestContentsAreShared checks that equal facts and prose are stored once, even by
// different processes.
func TestContentsAreShared(t *testing.T) {
	t.Parallel()
	for _, e := range engines() {
		t.Run(e.name, func(t *testing.T) {
			dsn := e.dsn(t)
			first, second := open(t, dsn), open(t, dsn)
			rich := console("TR", "rich", noon)
			rich.Prose.Publisher = "P"
			save(t, first, catalog.SaveCounts{New: 3}, console("TR", "a", noon), console("UA", "a", noon), rich)
			rich.Product = "other"
			save(t, second, catalog.SaveCounts{New: 2}, console("PL", "a", noon), rich)
			f := newFollower()
			f.follow(t, first)
			if len(f.facts) != 1 || len(f.fields) != 1 {
				t.Errorf("%d facts and %d prose are stored, want one of each", len(f.facts), len(f.fields))
			}
		})
	}
}

func TestReadIsConsistent(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		save(t, db, catalog.SaveCounts{New: 1}, console("TR", "a", noon))
		must(t, db.Listings.Read(t.Context(), func(r *listings.Reading) error {
			if _, err := r.Generation(); err != nil {
				return err
			}
			save(t, db, catalog.SaveCounts{New: 1}, console("TR", "b", noon))
			seen := 0
			g, err := r.Changes(0, func(*catalog.Change) error { seen++; return nil })
			if seen != 1 || g != 1 {
				t.Errorf("the snapshot has %d listings of generation %d, want 1 of 1", seen, g)
			}
			return err
		}))
	})
}

func TestReadOfMissingProse(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		err := db.Listings.Read(t.Context(), func(r *listings.Reading) error {
			return r.Prose([]int64{77}, func(int64, *catalog.Prose) error { return nil })
		})
		if err == nil || !strings.Contains(err.Error(), "prose 77 does not exist") {
			t.Errorf("reading prose that does not exist: %v", err)
		}
	})
}

// TestManyChanges checks that many changes, which are scanned ahead of the callback,
// arrive once each with their prices, and that an error of the callback ends the
// scan.
func TestManyChanges(t *testing.T) {
	t.Parallel()
	const many = 1500
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		var lines []catalog.Listing
		for i := range many {
			l := console("TR", fmt.Sprintf("p%04d", i), noon)
			l.Price.Current = money.Amount(i)
			if i%7 == 0 {
				l.Price = nil
			}
			lines = append(lines, l)
		}
		save(t, db, catalog.SaveCounts{New: many}, lines...)
		f := newFollower()
		if n := f.follow(t, db); n != many || len(f.listings) != many {
			t.Fatalf("%d changes of %d listings, want %d", n, len(f.listings), many)
		}
		for i := range lines {
			if diff := cmp.Diff(lines[i].Price, f.listings[lines[i].Key].Price); diff != "" {
				t.Fatalf("price of %s (-saved +read):\n%s", lines[i].Product, diff)
			}
		}
		mine := errors.New("mine")
		for _, at := range []int{1, 256, 257, 700, many} {
			err := db.Listings.Read(t.Context(), func(r *listings.Reading) error {
				seen := 0
				_, err := r.Changes(0, func(*catalog.Change) error {
					if seen++; seen == at {
						return mine
					}
					return nil
				})
				if n, countErr := r.Listings(); n != many || seen != at {
					t.Errorf("%d listings, %v; %d seen, want %d", n, countErr, seen, at)
				}
				return err
			})
			if !errors.Is(err, mine) {
				t.Errorf("error %v does not wrap that of the callback", err)
			}
		}
	})
}

// TestHistoryOfEarlierPrices checks from when a step holds if its price is older than its line.
// TestStepsOfAnyLog and TestBatchBoundariesDoNotMatter have the other rules.
func TestHistoryOfEarlierPrices(t *testing.T) {
	t.Parallel()
	line := func(after, pricedAt catalog.Millis, current money.Amount) catalog.Listing {
		l := console("TR", "a", noon+after)
		l.PricedAt, l.Price.Current = pricedAt, current
		return l
	}
	step := func(after catalog.Millis, current money.Amount) history.Step {
		return history.Step{At: noon + after, State: history.Priced, Currency: "TRY", Base: 174900, Current: current}
	}
	type lines []catalog.Listing
	type steps []history.Step
	tests := []struct {
		name  string
		lines lines
		want  steps
	}{
		{"before it was observed", lines{line(0, 0, 174900), line(3, noon+2, 87450)}, steps{step(0, 174900), step(2, 87450)}},
		{"before another price was seen", lines{line(0, 0, 174900), line(4, 0, 99900), line(5, noon+1, 87450)},
			steps{step(0, 174900), step(4, 99900), step(5, 87450)}},
	}
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		for _, tt := range tests {
			for _, together := range []bool{true, false} {
				product := fmt.Sprintf("%s, together: %v", tt.name, together)
				mine := slices.Clone([]catalog.Listing(tt.lines))
				for i := range mine {
					mine[i].Product = product
				}
				batches := slices.Collect(slices.Chunk(mine, 1))
				if together {
					batches = [][]catalog.Listing{mine}
				}
				for _, batch := range batches {
					_, err := db.Listings.Save(t.Context(), batch)
					must(t, err)
				}
				got, err := db.Listings.History(t.Context(), mine[0].Key)
				must(t, err)
				wantSame(t, product, tt.want, steps(got))
			}
		}
		if got, err := db.Listings.History(t.Context(), line(0, 0, 1).Key); err != nil || len(got) > 0 {
			t.Errorf("history of an unknown listing: %v, %v, want none", got, err)
		}
	})
}

// TestLongHistory checks that a long history is in several rows, and that a new step
// changes only the last one.
func TestLongHistory(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		const n = 3*history.MaxRow + 1
		var want []history.Step
		var former map[int64]string
		for i := range n {
			l := console("TR", "a", noon+catalog.Millis(i))
			l.Price.Current = money.Amount(1 + i%2)
			save(t, db, map[bool]catalog.SaveCounts{true: {New: 1}, false: {Changed: 1}}[i == 0], l)
			want = append(want, history.StepOf(l.ObservedAt, l.Price))
			rows := map[int64]string{}
			must(t, db.Query(t.Context(), "read history", "SELECT at, steps FROM history", nil, func(r engine.Rows) error {
				var at int64
				var steps []byte
				err := r.Scan(&at, &steps)
				rows[at] = string(steps)
				return err
			}))
			changed := 0
			for at, steps := range rows {
				if former[at] != steps {
					changed++
				}
			}
			if len(former) > len(rows) || changed > 1 {
				t.Fatalf("step %d: %d rows were %d, %d of them are new or changed", i, len(former), len(rows), changed)
			}
			former = rows
		}
		if len(former) != 4 {
			t.Errorf("%d rows, want 4", len(former))
		}
		got, err := db.Listings.History(t.Context(), console("TR", "a", 0).Key)
		must(t, err)
		wantSame(t, "history", want, got)
	})
}

// TestMovedHistory checks that the history of a database and its listings give the same
// history in an empty one, for any lines in the order of their times.
func TestMovedHistory(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, e testEngine) {
		from, to := open(t, e.dsn(t)), open(t, e.dsn(t))
		long := console("TR", "long", noon)
		for i := range 2*history.MaxRow + 3 {
			long.ObservedAt, long.Price.Current = noon+catalog.Millis(i), money.Amount(i%3)
			_, err := from.Listings.Save(t.Context(), []catalog.Listing{long})
			must(t, err)
		}
		keys := []catalog.Key{long.Key}
		round := 0
		rapid.Check(t, func(rt *rapid.T) {
			round++
			l := console(rapid.SampledFrom([]string{"TR", "UA"}).Draw(rt, "region"), fmt.Sprint("p", round), noon)
			for range rapid.IntRange(1, 8).Draw(rt, "lines") {
				l.ObservedAt += catalog.Millis(rapid.IntRange(0, 2).Draw(rt, "later"))
				l.Withdrawn = rapid.IntRange(0, 4).Draw(rt, "withdrawn") == 0
				l.Price = nil
				if rapid.IntRange(0, 4).Draw(rt, "priced") > 0 {
					p := *console("TR", "a", noon).Price
					p.Current, p.CurrentText = money.Amount(rapid.IntRange(1, 2).Draw(rt, "current")), rapid.SampledFrom([]string{"", "1"}).Draw(rt, "text")
					p.Source = rapid.SampledFrom([]string{catalog.SourceExact, catalog.SourceDoubtful}).Draw(rt, "source")
					l.Price = &p
				}
				_, err := from.Listings.Save(t.Context(), []catalog.Listing{l})
				must(t, err)
			}
			keys = append(keys, l.Key)
		})
		for lines := range slices.Chunk(exported(t, from, listings.Filter{}), listings.MaxBatch) {
			_, err := to.Listings.Save(t.Context(), lines)
			must(t, err)
		}
		var batch []history.Series
		must(t, from.Listings.ExportHistory(t.Context(), listings.Filter{}, func(s history.Series) error {
			s.Steps = slices.Clone(s.Steps)
			batch = append(batch, s)
			return nil
		}))
		unknown := history.Series{Key: console("TR", "unknown", 0).Key, Steps: batch[0].Steps}
		counts, err := to.Listings.SaveHistory(t.Context(), append(batch, unknown))
		if err != nil || counts.Unknown != 1 {
			t.Errorf("%+v, %v; want one unknown listing", counts, err)
		}
		for _, key := range keys {
			want, err := from.Listings.History(t.Context(), key)
			must(t, err)
			got, err := to.Listings.History(t.Context(), key)
			must(t, err)
			wantSame(t, fmt.Sprint(key), want, got)
		}
		counts, err = to.Listings.SaveHistory(t.Context(), batch)
		if err != nil || counts.Added != 0 || counts.Overlap == 0 {
			t.Errorf("again: %+v, %v; want nothing added", counts, err)
		}
		wantWhole(t, to)
	})
}

// TestHistories compares parts of histories with whole ones.
func TestHistories(t *testing.T) {
	t.Parallel()
	const apart = 10 // milliseconds from step to step
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		steps := map[catalog.Key]int{
			console("TR", "long", 0).Key: 3*history.MaxRow + 1, console("TR", "short", 0).Key: 3, console("UA", "short", 0).Key: 2,
			console("TR", "one", 0).Key: 1, console("UA", "unknown", 0).Key: 0,
		}
		whole := map[catalog.Key][]history.Step{}
		for key, n := range steps {
			for i := range n {
				l := console("TR", "", noon+catalog.Millis(apart*i))
				l.Key, l.Price.Current = key, money.Amount(1+i%2)
				_, err := db.Listings.Save(t.Context(), []catalog.Listing{l})
				must(t, err)
			}
			var err error
			whole[key], err = db.Listings.History(t.Context(), key)
			must(t, err)
		}
		rapid.Check(t, func(rt *rapid.T) {
			timestamp := rapid.Custom(func(t *rapid.T) catalog.Millis {
				n := rapid.OneOf(rapid.IntRange(-1, 4), rapid.IntRange(0, 3*history.MaxRow+2)).Draw(t, "step")
				return noon + catalog.Millis(apart*n+rapid.IntRange(-1, 1).Draw(t, "by"))
			})
			since := timestamp.Draw(rt, "since")
			until := max(since, timestamp.Draw(rt, "until"))
			var keys []catalog.Key
			for key := range steps {
				if rapid.Bool().Draw(rt, "asked") {
					keys = append(keys, key)
				}
			}
			got := map[catalog.Key]history.Part{}
			err := db.Listings.Histories(t.Context(), keys, since, until, func(part history.Part) error {
				if _, twice := got[part.Key]; twice {
					rt.Errorf("%v came twice", part.Key)
				}
				part.Steps = slices.Clone(part.Steps)
				got[part.Key] = part
				return nil
			})
			if err != nil {
				rt.Fatal(err)
			}
			for _, key := range keys {
				part, all := got[key], whole[key]
				if len(all) == 0 {
					if len(part.Steps) > 0 {
						rt.Errorf("%v is unknown, and has %d steps", key, len(part.Steps))
					}
					continue
				}
				first := max(0, slices.IndexFunc(all, func(s history.Step) bool { return s.At > since })-1)
				if all[len(all)-1].At <= since {
					first = len(all) - 1
				}
				last := slices.IndexFunc(all, func(s history.Step) bool { return s.At > until })
				if last < 0 {
					last = len(all) - 1
				}
				if part.Since != all[0].At || len(part.Steps) == 0 {
					rt.Fatalf("%v: %d steps since %d, want some since %d", key, len(part.Steps), part.Since, all[0].At)
				}
				at := slices.IndexFunc(all, func(s history.Step) bool { return s.At == part.Steps[0].At })
				if at < 0 || at > first || at+len(part.Steps) <= last || !slices.Equal(part.Steps, all[at:at+len(part.Steps)]) {
					rt.Errorf("%v: steps %d to %d, want at least %d to %d", key, at, at+len(part.Steps)-1, first, last)
				}
				if more := len(part.Steps) - (last - first + 1); more > 3*history.MaxRow {
					rt.Errorf("%v: %d steps too many", key, more)
				}
				delete(got, key)
			}
			if len(got) > 0 {
				rt.Errorf("others came: %v", got)
			}
		})
	})
}

// TestDamagedHistory checks that a damaged row is an error, which names the listing.
func TestDamagedHistory(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		first, second := console("TR", "a", noon), console("TR", "a", noon+1)
		second.Price.Current--
		save(t, db, catalog.SaveCounts{New: 1, Changed: 1}, first, second)
		execute(t, db, "WITH unlocked AS (SELECT 1) UPDATE history SET at = at + 1")
		third := console("TR", "a", noon+2)
		const want = "history of consolestore TR a: "
		if _, err := db.Listings.Save(t.Context(), []catalog.Listing{third}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("save: %v, want %q", err, want)
		}
		if _, err := db.Listings.History(t.Context(), first.Key); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("read: %v, want %q", err, want)
		}
		execute(t, db, "WITH unlocked AS (SELECT 1) INSERT INTO history SELECT platform, region, product, at + 1, steps FROM history")
		err := db.Listings.Read(t.Context(), func(r *listings.Reading) error { return r.AllSeries(func(history.Series) error { return nil }) })
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "overlap") {
			t.Errorf("read two rows of the same steps: %v, want %q", err, want)
		}
	})
}
