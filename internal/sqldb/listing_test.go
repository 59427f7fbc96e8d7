package sqldb_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
)

const noon catalog.Millis = 1_795_176_000_000 // 2026-11-20T12:00:00Z

func console(region, product string, at catalog.Millis) catalog.Listing {
	return catalog.Listing{
		Key: catalog.Key{Platform: catalog.ConsoleStore, Region: catalog.MustRegion(region), Product: product},
		Facts: catalog.Facts{
			Family: "10000001", FamilyName: "Star Forge", TitleIDs: []string{"PPSA00001"}, Title: "Star Forge",
			InvariantName: "Star Forge", Type: catalog.Game, Platforms: []string{"PS4", "PS5"},
		},
		Locale:     "en",
		Price:      &catalog.Price{Currency: "TRY", Base: 174900, Current: 174900, DiscountPercent: 0, Source: "graphql"},
		ObservedAt: at,
	}
}

// everything returns a listing in which every field has a distinct value.
func everything() catalog.Listing {
	return catalog.Listing{
		Key: catalog.Key{Platform: catalog.PCStore, Region: catalog.MustRegion("UA"), Product: "0f1e'\"; -- ß\u00e9"},
		Facts: catalog.Facts{
			Family: "f", FamilyName: "fn", Slug: "star-forge", Aliases: []string{"sf"}, TitleIDs: []string{"t1", "t2"},
			Title: "Зоряна кузня", Titles: []catalog.LocalTitle{{Locale: "en", Title: "Star Forge"}},
			InvariantName: "Star Forge", Edition: "Deluxe", Type: catalog.EditionType, Demo: true,
			Platforms: []string{"Windows"}, Members: []string{"m1", "m2"},
		},
		Prose: catalog.Prose{
			Description: "line\nline", Publisher: "p", Developer: "d", ReleaseDate: "2026-01-02", Genres: []string{"RPG"},
			RatingAge: "12", RatingSystem: "PEGI", Thumbnail: "https://a/1", Cover: "https://a/2", Logo: "https://a/3",
			Screenshots: []string{"https://a/4", "https://a/5"},
		},
		Locale: "uk", StoreURL: "https://store.example.com/star-forge", Popularity: 12.5,
		Price: &catalog.Price{
			Currency: "UAH", Base: 129900, Current: 64950, BaseText: "1 299 ₴", CurrentText: "649,50 ₴", DiscountPercent: 50,
			DiscountLabel: "-50%", DiscountEndsAt: noon + 5, Trial: true, Subscription: true, Source: "doubtful",
		},
		ObservedAt: noon, FirstSeenAt: noon - 1000, PricedAt: noon - 10,
	}
}

// TestExportReturnsWhatWasSaved checks that a listing is exported as it was saved,
// with any of its fields missing.
func TestExportReturnsWhatWasSaved(t *testing.T) {
	t.Parallel()
	with := func(change func(*catalog.Listing)) catalog.Listing {
		l := everything()
		change(&l)
		return l
	}
	tests := []struct {
		name    string
		listing catalog.Listing
	}{
		{"every field", everything()},
		{"no price", with(func(l *catalog.Listing) { l.Price = nil })},
		{"a price that is only a text", with(func(l *catalog.Listing) {
			l.Price = &catalog.Price{Base: money.None, Current: money.None, CurrentText: "Free", DiscountPercent: catalog.NoPercent}
		})},
		{"no base", with(func(l *catalog.Listing) { l.Price.Base = money.None })},
		{"free", with(func(l *catalog.Listing) { l.Price.Current, l.Price.DiscountPercent = 0, 100 })},
		{"the largest price", with(func(l *catalog.Listing) { l.Price.Base = 1e13 })},
		{"no prose", with(func(l *catalog.Listing) { l.Prose = catalog.Prose{} })},
		{"only a key and a title", catalog.Listing{
			Key:   catalog.Key{Platform: catalog.ConsoleStore, Region: catalog.MustRegion("JP"), Product: "X"},
			Facts: catalog.Facts{Title: "X", Type: catalog.Game}, ObservedAt: noon, FirstSeenAt: noon, PricedAt: noon}},
		{"withdrawn", with(func(l *catalog.Listing) { l.Withdrawn = true })},
	}
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				empty(t, db)
				save(t, db, catalog.SaveCounts{New: 1}, tt.listing)
				wantSame(t, "exported listing", []catalog.Listing{tt.listing}, exported(t, db, listings.Filter{}), cmpopts.EquateEmpty())
			})
		}
	})
}

// TestSaveFollowsSupersede saves a sequence of lines, each on the result of the lines
// before it.
func TestSaveFollowsSupersede(t *testing.T) {
	t.Parallel()
	first := console("TR", "P1", noon)
	at := func(l catalog.Listing, at catalog.Millis) catalog.Listing {
		l.ObservedAt = at
		return l
	}
	cheaper := at(first, noon+2)
	cheaper.Price = &catalog.Price{Currency: "TRY", Base: 174900, Current: 87450, DiscountPercent: 50, Source: "graphql"}
	withdrawn := catalog.Listing{Key: first.Key, ObservedAt: noon + 3, Withdrawn: true}
	type state struct {
		firstSeen, seen, priced catalog.Millis
		current                 money.Amount
		withdrawn               bool
	}
	steps := []struct {
		name   string
		line   catalog.Listing
		counts catalog.SaveCounts
		raises bool
		want   state
	}{
		{"new", first, catalog.SaveCounts{New: 1}, true, state{noon, noon, noon, 174900, false}},
		{"the same line again", first, catalog.SaveCounts{Unchanged: 1}, false, state{noon, noon, noon, 174900, false}},
		{"seen later", at(first, noon+1), catalog.SaveCounts{Unchanged: 1}, false, state{noon, noon + 1, noon, 174900, false}},
		{"an older line, which lowers first seen", at(cheaper, noon-5), catalog.SaveCounts{Older: 1}, true, state{noon - 5, noon + 1, noon, 174900, false}},
		{"an older line, which does not", at(cheaper, noon-4), catalog.SaveCounts{Older: 1}, false, state{noon - 5, noon + 1, noon, 174900, false}},
		{"cheaper", cheaper, catalog.SaveCounts{Changed: 1}, true, state{noon - 5, noon + 2, noon + 2, 87450, false}},
		{"withdrawn, which keeps the content", withdrawn, catalog.SaveCounts{Changed: 1}, true, state{noon - 5, noon + 3, noon + 2, 87450, true}},
		{"withdrawn again", at(withdrawn, noon+4), catalog.SaveCounts{Unchanged: 1}, false, state{noon - 5, noon + 4, noon + 2, 87450, true}},
		{"back at the old price", at(first, noon+6), catalog.SaveCounts{Changed: 1}, true, state{noon - 5, noon + 6, noon + 6, 174900, false}},
	}
	stateOf := func(t *testing.T, db *sqldb.DB) state {
		lines := exported(t, db, listings.Filter{})
		l := lines[len(lines)-1]
		return state{l.FirstSeenAt, l.ObservedAt, l.PricedAt, l.Price.Current, l.Withdrawn}
	}
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		for _, step := range steps {
			before := generation(t, db)
			save(t, db, step.counts, step.line)
			if got := stateOf(t, db); got != step.want {
				t.Errorf("%s: stored %+v, want %+v", step.name, got, step.want)
			}
			if raised := generation(t, db) > before; raised != step.raises {
				t.Errorf("%s: generation raised = %v, want %v", step.name, raised, step.raises)
			}
		}
	})
	// One batch of all lines has the same result.
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		var batch []catalog.Listing
		var counts catalog.SaveCounts
		for _, step := range steps {
			batch, counts = append(batch, step.line), counts.Add(step.counts)
		}
		save(t, db, counts, batch...)
		if got, want := stateOf(t, db), steps[len(steps)-1].want; got != want {
			t.Errorf("in one batch: stored %+v, want %+v", got, want)
		}
		if g := generation(t, db); g != 1 {
			t.Errorf("in one batch: generation %d, want 1", g)
		}
	})
}

// TestWithdrawalOfUnknownListing checks that the withdrawal of an unknown listing is
// stored, so that the listing does not count as new later.
func TestWithdrawalOfUnknownListing(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		gone := catalog.Listing{Key: console("TR", "P1", 0).Key, ObservedAt: noon, Withdrawn: true}
		save(t, db, catalog.SaveCounts{New: 1}, gone)
		save(t, db, catalog.SaveCounts{Older: 1}, console("TR", "P1", noon-1))
		save(t, db, catalog.SaveCounts{Changed: 1}, console("TR", "P1", noon+1))
		l := exported(t, db, listings.Filter{})[0]
		if l.Withdrawn || l.Facts.Title != "Star Forge" || l.FirstSeenAt != noon-1 {
			t.Errorf("stored %+v", l)
		}
	})
}

// TestSameLinesTwiceWriteOnlyTotals checks, on SQLite by the size of the log,
// that a batch without changes writes only the page with the totals.
func TestSameLinesTwiceWriteOnlyTotals(t *testing.T) {
	t.Parallel()
	const frame = 4096 + 24
	db := open(t, engines()[0].dsn(t))
	ls := manyListings(100, noon)
	save(t, db, catalog.SaveCounts{New: 100}, ls...)
	size := func() int64 {
		st, err := os.Stat(db.File.Path() + "-wal")
		must(t, err)
		return st.Size()
	}
	before := size()
	save(t, db, catalog.SaveCounts{Unchanged: 100}, ls...)
	if after := size(); after > before+frame {
		t.Errorf("the log grew from %d to %d bytes, by more than one page", before, after)
	}
}

func TestSavedTotals(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		save(t, db, catalog.SaveCounts{New: 2}, console("TR", "a", noon), console("TR", "b", noon))
		save(t, db, catalog.SaveCounts{Unchanged: 1, Older: 1}, console("TR", "a", noon+1), console("TR", "b", noon-1))
		cheaper := console("TR", "a", noon+2)
		cheaper.Price.Current--
		save(t, db, catalog.SaveCounts{Changed: 1}, cheaper)
		want := catalog.SaveCounts{New: 2, Changed: 1, Unchanged: 1, Older: 1}
		if got, err := db.Listings.SavedTotals(t.Context()); got != want || err != nil {
			t.Errorf("SavedTotals = %+v, %v; want %+v", got, err, want)
		}
	})
}

// TestSaveIsAllOrNothing checks that a failed batch stores nothing, and that
// the database works afterwards.
func TestSaveIsAllOrNothing(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		if _, err := db.Listings.Save(t.Context(), manyListings(listings.MaxBatch+1, noon)); err == nil {
			t.Error("a batch over MaxBatch was saved")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := db.Listings.Save(ctx, manyListings(10, noon)); err == nil {
			t.Error("a cancelled save succeeded")
		}
		if n, err := db.Listings.ListingCount(t.Context()); n != 0 || err != nil {
			t.Errorf("%d listings stored, %v; want none", n, err)
		}
		save(t, db, catalog.SaveCounts{New: 10}, manyListings(10, noon)...)
	})
}

func TestExportFiltersAndOrders(t *testing.T) {
	t.Parallel()
	tr, ua := catalog.MustRegion("TR"), catalog.MustRegion("UA")
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		var ls []catalog.Listing
		for _, key := range []catalog.Key{
			{Platform: catalog.PCStore, Region: tr, Product: "a"}, {Platform: catalog.ConsoleStore, Region: ua, Product: "b"},
			{Platform: catalog.ConsoleStore, Region: tr, Product: "c"}, {Platform: catalog.ConsoleStore, Region: tr, Product: "a"},
		} {
			l := console("TR", "x", noon)
			l.Key = key
			ls = append(ls, l)
		}
		save(t, db, catalog.SaveCounts{New: 4}, ls...)
		for _, tt := range []struct {
			filter listings.Filter
			want   string
		}{
			{listings.Filter{}, "consolestore/TR/a consolestore/TR/c consolestore/UA/b pcstore/TR/a "},
			{listings.Filter{Platform: catalog.PCStore}, "pcstore/TR/a "},
			{listings.Filter{Region: tr}, "consolestore/TR/a consolestore/TR/c pcstore/TR/a "},
			{listings.Filter{Platform: catalog.ConsoleStore, Region: ua}, "consolestore/UA/b "},
		} {
			got := ""
			for _, l := range exported(t, db, tt.filter) {
				got += fmt.Sprintf("%s/%s/%s ", l.Platform, l.Region, l.Product)
			}
			if got != tt.want {
				t.Errorf("Export(%v) = %s, want %s", tt.filter, got, tt.want)
			}
		}
	})
}
