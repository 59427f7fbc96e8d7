package listings

import (
	"testing"

	"gamedex/internal/sqldb/engine"
	"gamedex/internal/testing/sqldbtest"
)

// TestContentStoredMeanwhile checks that a content that another transaction stores
// between the look-up and the insertion keeps its number.
func TestContentStoredMeanwhile(t *testing.T) {
	sqldbtest.OnEach(t, func(t *testing.T, db *engine.DB) {
		ctx := t.Context()
		for _, table := range []contentTable{factsTable, proseTable} {
			other, mine := newContents(table, new(idCache)), newContents(table, new(idCache))
			err := db.Write(ctx, "store", func(tx *engine.Tx) error {
				other.addContent([]byte("a"), 1)
				return other.number(ctx, tx)
			})
			if err != nil {
				t.Fatal(err)
			}
			err = db.Write(ctx, "store", func(tx *engine.Tx) error {
				for _, body := range []string{"b", "a", "c"} {
					mine.addContent([]byte(body), 1)
				}
				return mine.insert(ctx, tx, mine.wanted) // as if the look-up had found nothing
			})
			if err != nil {
				t.Fatal(err)
			}
			var stored int
			if _, err := db.FindRow(ctx, "count", "SELECT COUNT(*) FROM "+table.counter, nil, []any{&stored}); err != nil || stored != 3 {
				t.Errorf("%d %s are stored, %v; want three", stored, table.counter, err)
			}
			if got, want := mine.fresh[hashOf([]byte("a"))], other.ids[0]; got != want {
				t.Errorf("%s stored meanwhile has the number %d, want %d", table.counter, got, want)
			}
		}
	})
}
