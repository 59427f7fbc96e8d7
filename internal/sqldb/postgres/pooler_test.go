package postgres_test

import (
	"fmt"
	"sync"
	"testing"

	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/postgres"
	"gamedex/internal/testing/enginetest"
)

// TestBehindPgBouncer creates and uses a database through a pooler that gives each
// transaction another session: with locks, lists, bulk statements and snapshots, in
// more connections than the pooler has sessions.
func TestBehindPgBouncer(t *testing.T) {
	t.Parallel()
	s := enginetest.SharedPostgres(t)
	dsn := s.NewPgBouncer(t).OwnDSN(s.NewDatabase(t, ""))
	handles := []*postgres.DB{open(t, dsn), open(t, dsn)}
	write(t, handles[0], func(c engine.Conn) error {
		_, err := c.Exec(t.Context(), `CREATE TABLE word (text TEXT COLLATE "C" PRIMARY KEY, number INTEGER, timestamp BIGINT, share FLOAT8, body BYTEA)`)
		return err
	})
	insertWords(t, handles[0], 100)
	var all sync.WaitGroup
	for who := range 6 {
		db := handles[who%2]
		all.Go(func() {
			for round := range 10 {
				if err := addOne(t, db, fmt.Sprint("own/", who)); err != nil {
					t.Errorf("round %d of %d: %v", round, who, err)
					return
				}
			}
		})
	}
	all.Wait()
	var sum int
	err := handles[1].Query(t.Context(), "SELECT SUM(number) FROM word WHERE text = ANY($1)", []any{[]string{text(0), text(1)}},
		func(rows engine.Rows) error { return rows.Scan(&sum) })
	if err != nil || sum != 1+2*60 {
		t.Errorf("the numbers add up to %d, %v; want %d: each of 60 transactions added one to two rows", sum, err, 1+2*60)
	}
}

// addOne reads two rows and writes them with a higher number, under a lock, after it
// has read them on a snapshot.
func addOne(t *testing.T, db *postgres.DB, own string) error {
	words := []any{[]string{text(0), text(1)}}
	err := db.Read(t.Context(), func(q engine.Querier) error {
		return q.Query(t.Context(), "SELECT number FROM word WHERE text = ANY($1)", words, func(engine.Rows) error { return nil })
	})
	if err != nil {
		return err
	}
	return db.Write(t.Context(), func(c engine.Conn) error {
		if err := c.Lock(t.Context(), "words", own); err != nil {
			return err
		}
		var numbers []int
		err := c.Query(t.Context(), "SELECT number FROM word WHERE text = ANY($1) ORDER BY text", words, func(rows engine.Rows) error {
			var n int
			err := rows.Scan(&n)
			numbers = append(numbers, n)
			return err
		})
		if err != nil {
			return err
		}
		_, err = c.UpdateRows(t.Context(), updateWord, len(numbers), func(args []any, i int) []any {
			return append(args, numbers[i]+1, []byte{}, text(i), beyond+int64(i))
		})
		return err
	})
}
