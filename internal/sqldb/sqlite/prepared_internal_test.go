package sqlite

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"gamedex/internal/sqldb/engine"
)

const readCounter = "SELECT value FROM counter WHERE name = 'generation'"

// readingConn calls fn with the connection that the next query takes.
func readingConn(t testing.TB, db *DB, fn func(*preparedConn)) {
	t.Helper()
	conn, err := db.pools.read.Conn(t.Context())
	must(t, err)
	defer conn.Close()
	must(t, conn.Raw(func(c any) error {
		fn(c.(*preparedConn))
		return nil
	}))
}

// countRows returns how many rows a query has.
func countRows(t testing.TB, q engine.Querier, text string) (n int) {
	t.Helper()
	must(t, q.Query(t.Context(), text, nil, func(engine.Rows) error { n++; return nil }))
	return n
}

// TestReadPreparesOnce checks that queries and reading transactions run the statement
// that an earlier one prepared.
func TestReadPreparesOnce(t *testing.T) {
	db := openForTest(t, filepath.Join(t.TempDir(), "gamedex.db"))
	countRows(t, db, readCounter)
	var first driver.Stmt
	readingConn(t, db, func(c *preparedConn) { first = c.idle[readCounter] })
	if first == nil {
		t.Fatal("the statement was not kept")
	}
	countRows(t, db, readCounter)
	must(t, db.Read(t.Context(), func(q engine.Querier) error {
		countRows(t, q, readCounter)
		countRows(t, q, readCounter)
		return nil
	}))
	readingConn(t, db, func(c *preparedConn) {
		if c.idle[readCounter] != first {
			t.Error("the statement was prepared again")
		}
	})
}

// TestQueryWithinItself checks that a transaction can run a query while it reads the
// rows of the same query.
func TestQueryWithinItself(t *testing.T) {
	const text = "SELECT name FROM meta ORDER BY name"
	db := openForTest(t, filepath.Join(t.TempDir(), "gamedex.db"))
	want := countRows(t, db, text)
	within := func(q engine.Querier) error {
		for range 2 {
			rows := 0
			err := q.Query(t.Context(), text, nil, func(engine.Rows) error {
				if rows++; rows > want {
					return errors.New("a row comes again")
				}
				if n := countRows(t, q, text); n != want {
					t.Errorf("%d rows within the query, want %d", n, want)
				}
				return nil
			})
			if err != nil || rows != want {
				t.Errorf("%d rows, %v; want %d", rows, err, want)
			}
		}
		return nil
	}
	must(t, db.Read(t.Context(), within))
	must(t, db.Write(t.Context(), func(c engine.Conn) error { return within(c) }))
}

// TestSchemaChangesUnderStatement checks that a prepared statement follows the schema,
// whichever process changes it.
func TestSchemaChangesUnderStatement(t *testing.T) {
	const text = "SELECT * FROM meta WHERE name = 'database_id'"
	path := filepath.Join(t.TempDir(), "gamedex.db")
	db, other := openForTest(t, path), openForTest(t, path)
	var name, value, added string
	err := db.Query(t.Context(), text, nil, func(rows engine.Rows) error { return rows.Scan(&name, &value) })
	must(t, err)
	must(t, other.Write(t.Context(), func(c engine.Conn) error {
		_, err := c.Exec(t.Context(), "ALTER TABLE meta ADD COLUMN added TEXT NOT NULL DEFAULT 'new'")
		return err
	}))
	err = db.Query(t.Context(), text, nil, func(rows engine.Rows) error { return rows.Scan(&name, &value, &added) })
	if err != nil || added != "new" {
		t.Errorf("the added column is %q, %v", added, err)
	}
}

// TestConnectionKeepsFewStatements checks that many texts do not fill the memory.
func TestConnectionKeepsFewStatements(t *testing.T) {
	db := openForTest(t, filepath.Join(t.TempDir(), "gamedex.db"))
	for i := range maxPrepared + 10 {
		countRows(t, db, fmt.Sprintf("SELECT %d", i))
	}
	readingConn(t, db, func(c *preparedConn) {
		if len(c.idle) != maxPrepared {
			t.Errorf("%d statements are kept, want %d", len(c.idle), maxPrepared)
		}
	})
}
