package database_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gamedex/internal/catalog"
	"gamedex/internal/database"
	"gamedex/internal/money"
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
func (f *follower) follow(t testing.TB, db *database.DB) (changed int) {
	t.Helper()
	err := db.Listings.Read(t.Context(), func(r *listings.Reading) error {
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
	})
	if err != nil {
		t.Fatal(err)
	}
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
	onEach(t, func(t *testing.T, db *database.DB) {
		l := everything()
		save(t, db, catalog.SaveCounts{New: 1}, l)
		f := newFollower()
		f.follow(t, db)
		got := f.listings[l.Key]
		want := catalog.Change{
			Key: l.Key, FactsID: got.FactsID, ProseID: got.ProseID, Locale: l.Locale, StoreURL: l.StoreURL, Popularity: l.Popularity,
			Price: l.Price, FirstSeen: l.FirstSeenAt, ObservedAt: l.ObservedAt, PricedAt: l.PricedAt,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("change differs (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(l.Facts, f.facts[got.FactsID]); diff != "" {
			t.Errorf("facts differ (-saved +read):\n%s", diff)
		}
		if f.fields[got.ProseID] != l.Prose.Fields() {
			t.Errorf("prose fields %b, want %b", f.fields[got.ProseID], l.Prose.Fields())
		}
		wantProse(t, db, got.ProseID, l.Prose)
	})
}

func wantProse(t *testing.T, db *database.DB, id int64, want catalog.Prose) {
	t.Helper()
	var got catalog.Prose
	err := db.Listings.Read(t.Context(), func(r *listings.Reading) error {
		return r.Prose([]int64{id}, func(_ int64, p *catalog.Prose) error {
			got = *p
			return nil
		})
	})
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
		t.Errorf("prose %d: %v (-want +got):\n%s", id, err, diff)
	}
}

func TestChangesSince(t *testing.T) {
	onEach(t, func(t *testing.T, db *database.DB) {
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
	onEach(t, func(t *testing.T, db *database.DB) {
		save(t, db, catalog.SaveCounts{New: 1}, console("TR", "a", noon))
		err := db.Listings.Read(t.Context(), func(r *listings.Reading) error {
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
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestReadReturnsErrors(t *testing.T) {
	onEach(t, func(t *testing.T, db *database.DB) {
		save(t, db, catalog.SaveCounts{New: 1}, console("TR", "a", noon))
		mine := errors.New("mine")
		err := db.Listings.Read(t.Context(), func(r *listings.Reading) error {
			_, err := r.Changes(0, func(*catalog.Change) error { return mine })
			return err
		})
		if !errors.Is(err, mine) {
			t.Errorf("error %v does not wrap that of the callback", err)
		}
		err = db.Listings.Read(t.Context(), func(r *listings.Reading) error {
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
	const many = 1500
	onEach(t, func(t *testing.T, db *database.DB) {
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

func TestPriceHistory(t *testing.T) {
	at := func(after catalog.Millis, current money.Amount) catalog.Listing {
		l := console("TR", "a", noon+after)
		l.Price.Current = current
		return l
	}
	text := at(2, 174900)
	text.Price.CurrentText = "1.749,00 TL" // another text, the same price
	notForSale := at(4, 0)
	notForSale.Price = nil
	point := func(after catalog.Millis, current money.Amount) catalog.PriceChange {
		return catalog.PriceChange{At: noon + after, Currency: "TRY", Base: 174900, Current: current, Priced: true}
	}
	gone := catalog.Listing{Key: notForSale.Key, ObservedAt: noon + 2, Withdrawn: true}
	tests := []struct {
		name  string
		lines []catalog.Listing
		want  []catalog.PriceChange
	}{
		{"one price", []catalog.Listing{at(0, 174900)}, []catalog.PriceChange{point(0, 174900)}},
		{"a change keeps the first price", []catalog.Listing{at(0, 174900), at(1, 87450)},
			[]catalog.PriceChange{point(0, 174900), point(1, 87450)}},
		{"the same price again is not a change", []catalog.Listing{at(0, 174900), at(1, 174900), at(2, 87450), at(3, 87450)},
			[]catalog.PriceChange{point(0, 174900), point(2, 87450)}},
		{"another text is not a change", []catalog.Listing{at(0, 174900), text, at(3, 87450)},
			[]catalog.PriceChange{point(0, 174900), point(3, 87450)}},
		{"an older line is not a change", []catalog.Listing{at(5, 174900), at(1, 87450)}, []catalog.PriceChange{point(5, 174900)}},
		{"not for sale", []catalog.Listing{at(0, 174900), notForSale, at(5, 174900)}, []catalog.PriceChange{
			point(0, 174900), {At: noon + 4, Base: money.None, Current: money.None}, point(5, 174900)}},
		{"withdrawn and back is not a change", []catalog.Listing{at(0, 174900), gone, at(3, 174900), at(4, 87450)},
			[]catalog.PriceChange{point(0, 174900), point(4, 87450)}},
		{"of two lines at one moment the later counts", []catalog.Listing{at(0, 174900), at(1, 87450), at(1, 5)},
			[]catalog.PriceChange{point(0, 174900), point(1, 5)}},
		{"of two first lines at one moment the later counts", []catalog.Listing{at(0, 174900), at(0, 5), at(1, 6)},
			[]catalog.PriceChange{point(0, 5), point(1, 6)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, db *database.DB) {
				if _, err := db.Listings.Save(t.Context(), tt.lines); err != nil {
					t.Fatal(err)
				}
				got, err := db.Listings.PriceHistory(t.Context(), tt.lines[0].Key)
				if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
					t.Errorf("history: %v (-want +got):\n%s", err, diff)
				}
			})
		})
	}
	onEach(t, func(t *testing.T, db *database.DB) {
		if history, err := db.Listings.PriceHistory(t.Context(), at(0, 1).Key); err != nil || len(history) > 0 {
			t.Errorf("history of an unknown listing: %v, %v, want none", history, err)
		}
	})
}
