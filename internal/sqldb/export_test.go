package sqldb_test

import (
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
)

// TestExportKeepsWhatMergeReads checks that export and import keep when each of two
// families of a product was first observed, because Merge depends on it.
func TestExportKeepsWhatMergeReads(t *testing.T) {
	t.Parallel()
	for _, e := range engines() {
		db := open(t, e.dsn(t))
		const day catalog.Millis = 86_400_000
		regrouped := console("TR", "contested", noon+day)
		regrouped.Facts.Family = "20000002"
		left := catalog.Listing{Key: console("PL", "left", 0).Key, ObservedAt: noon + day, Withdrawn: true}
		first := []catalog.Listing{console("UA", "contested", noon), regrouped, console("UA", "agreed", noon), console("PL", "left", noon), left}
		save(t, db, catalog.SaveCounts{New: 4, Changed: 1}, first...)
		left.ObservedAt = noon + 2*day
		save(t, db, catalog.SaveCounts{Unchanged: 3},
			console("UA", "contested", noon+2*day), console("UA", "agreed", noon+2*day), left)

		lines := exported(t, db, listings.Filter{})
		if len(lines) != 6 {
			t.Fatalf("exported %d lines, want 4 and the earlier ones of the contested and the withdrawn listing", len(lines))
		}
		again := open(t, e.dsn(t))
		must(t, one(again.Listings.Save(t.Context(), lines)))
		wantSame(t, e.name+": when contested and withdrawn listings were observed", observed(t, db), observed(t, again))
	}
}

// observed returns when each listing other than the agreed one was first
// observed in its present form.
func observed(t *testing.T, db *sqldb.DB) map[catalog.Key]catalog.Millis {
	t.Helper()
	at := map[catalog.Key]catalog.Millis{}
	must(t, db.Listings.Read(t.Context(), func(r *listings.Reading) error {
		_, err := r.Changes(0, func(c *catalog.Change) error {
			if c.Product != "agreed" {
				at[c.Key] = c.ObservedAt
			}
			return nil
		})
		return err
	}))
	return at
}
