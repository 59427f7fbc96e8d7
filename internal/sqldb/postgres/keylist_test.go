package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"gamedex/internal/sqldb/engine"
)

// TestKeysAreLookedUp checks that a list of keys is looked up in the index, and that the
// server does not read all rows with the same first columns, also if it has no statistics of
// the table.
func TestKeysAreLookedUp(t *testing.T) {
	const rows = 20_000
	db := open(t, newDatabase(t))
	write(t, db, func(c engine.Conn) error {
		_, err := c.Exec(t.Context(), `CREATE TABLE price (platform INTEGER, region TEXT COLLATE "C", product TEXT COLLATE "C", amount BIGINT,
			PRIMARY KEY (platform, region, product)) WITH (autovacuum_enabled = false)`)
		if err == nil {
			_, err = c.Exec(t.Context(), "INSERT INTO price SELECT 1, 'UA', 'p' || n, n FROM generate_series(1, $1::int) AS n", rows)
		}
		return err
	})
	args := []any{1, "UA", []string{"p7", "p70", "p700", "p7000", "none"}}
	for _, statement := range []string{
		"SELECT amount FROM price WHERE platform = $1 AND region = $2 AND product = ANY($3)",
		"SELECT p.amount FROM price p WHERE p.platform = $1 AND p.region = $2 AND p.product = ANY($3) AND p.amount >= 0 FOR UPDATE",
		"UPDATE price SET amount = amount + 1 WHERE platform = $1 AND region = $2 AND product = ANY($3)",
	} {
		var plan strings.Builder
		write(t, db, func(c engine.Conn) error {
			return c.Query(t.Context(), "EXPLAIN "+statement, args, func(rows engine.Rows) error {
				var line string
				err := rows.Scan(&line)
				plan.WriteString(line + "\n")
				return err
			})
		})
		if got := plan.String(); !strings.Contains(got, "Index Cond: ((platform = ") || !strings.Contains(got, "(product = ") || strings.Contains(got, "Filter: (product") {
			t.Errorf("%s:\n%s", statement, got)
		}
	}
	write(t, db, func(c engine.Conn) error {
		changed, err := c.Exec(t.Context(), "UPDATE price SET amount = -amount WHERE platform = $1 AND region = $2 AND product = ANY($3)", args...)
		if err == nil && changed != 4 {
			err = fmt.Errorf("%d rows changed, want 4", changed)
		}
		return err
	})
	var sum int64
	err := db.Query(t.Context(), "SELECT sum(amount)::int8 FROM price WHERE platform = $1 AND region = $2 AND product = ANY($3)", args,
		func(rows engine.Rows) error { return rows.Scan(&sum) })
	if err != nil || sum != -7777 {
		t.Errorf("the sum is %d, want -7777; %v", sum, err)
	}
}
