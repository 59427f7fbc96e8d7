package alternatives

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gamedex/bench/harness"
	"gamedex/bench/sample"
)

// StartFTS5 builds an index of titles with SQLite's FTS5, ordered by its bm25.
// FTS5 does not correct typos: a second index, of trigrams, finds them. It has
// positions, because without them bm25 counts nothing.
func StartFTS5(ctx context.Context, r *harness.Run, docs []sample.Title) (*SearchEngine, error) {
	file := filepath.Join(r.Dir, fmt.Sprintf("fts5-%d.db", len(docs)))
	pool, err := openSQLite(r, file)
	if err != nil {
		return nil, err
	}
	e := &SearchEngine{Close: pool.Close}
	began := time.Now()
	if err := fillFTS5(ctx, pool, docs); err != nil {
		return nil, err
	}
	e.Built = time.Since(began)
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	e.Bytes = info.Size()
	words, err := pool.PrepareContext(ctx, "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 10")
	if err != nil {
		return nil, err
	}
	letters, err := pool.PrepareContext(ctx, "SELECT rowid FROM letters WHERE letters MATCH ? ORDER BY rank LIMIT 10")
	e.Search = func(kind sample.QueryKind, text string) (time.Duration, []int, error) {
		stmt, match := words, `"`+strings.Join(strings.Fields(text), `" "`)+`"`
		switch kind {
		case sample.Prefix:
			match += "*"
		case sample.Typo:
			stmt, match = letters, trigrams(text)
		}
		began := time.Now()
		found, err := rowIDs(stmt.Query(match))
		return time.Since(began), found, err
	}
	return e, err
}

func fillFTS5(ctx context.Context, pool *sql.DB, docs []sample.Title) error {
	_, err := pool.ExecContext(ctx, `CREATE VIRTUAL TABLE words USING fts5(t, content='', tokenize='unicode61', prefix='2 3');
		CREATE VIRTUAL TABLE letters USING fts5(t, content='', tokenize='trigram')`)
	if err != nil {
		return err
	}
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, table := range []string{"words", "letters"} {
		add, err := tx.PrepareContext(ctx, "INSERT INTO "+table+" (rowid, t) VALUES (?, ?)")
		if err != nil {
			return err
		}
		for i, d := range docs {
			if _, err := add.ExecContext(ctx, i+1, strings.Join(d.All(), " ")); err != nil {
				return err
			}
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = pool.ExecContext(ctx, "INSERT INTO words(words) VALUES ('optimize'); INSERT INTO letters(letters) VALUES ('optimize'); PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

// rowIDs returns the numbers of the documents that a query found: their row ids
// less one.
func rowIDs(rows *sql.Rows, err error) ([]int, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []int
	for rows.Next() {
		var n int
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		found = append(found, n-1)
	}
	return found, rows.Err()
}

// trigrams returns a query for any three characters in a row of a text.
func trigrams(text string) string {
	r := []rune(strings.ReplaceAll(text, `"`, " "))
	var parts []string
	for i := range len(r) - 2 {
		parts = append(parts, `"`+string(r[i:i+3])+`"`)
	}
	return strings.Join(parts, " OR ")
}
