package find

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gamedex/bench/lab"
)

// fts5 is SQLite's full-text index, ordered by its bm25. Typos have no help of
// it: they are found through the trigrams of a second index, which keeps
// positions, because its bm25 counts nothing without them.
type fts5 struct {
	measured
	pool           *sql.DB
	words, letters *sql.Stmt
	found          []int
}

func startFTS5(ctx context.Context, l *lab.Lab, docs []title) (engine, error) {
	file := filepath.Join(l.Dir, fmt.Sprintf("fts5-%d.db", len(docs)))
	pool, err := l.SQLite(file)
	if err != nil {
		return nil, err
	}
	e := &fts5{pool: pool}
	began := time.Now()
	if err := e.fill(ctx, docs); err != nil {
		return nil, err
	}
	e.built = time.Since(began)
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	e.bytes = info.Size()
	if e.words, err = pool.PrepareContext(ctx, "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 10"); err != nil {
		return nil, err
	}
	e.letters, err = pool.PrepareContext(ctx, "SELECT rowid FROM letters WHERE letters MATCH ? ORDER BY rank LIMIT 10")
	return e, err
}

func (e *fts5) fill(ctx context.Context, docs []title) error {
	_, err := e.pool.ExecContext(ctx, `CREATE VIRTUAL TABLE words USING fts5(t, content='', tokenize='unicode61', prefix='2 3');
		CREATE VIRTUAL TABLE letters USING fts5(t, content='', tokenize='trigram')`)
	if err != nil {
		return err
	}
	tx, err := e.pool.BeginTx(ctx, nil)
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
			if _, err := add.ExecContext(ctx, i+1, strings.TrimSpace(d.own+" "+d.russian)); err != nil {
				return err
			}
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = e.pool.ExecContext(ctx, "INSERT INTO words(words) VALUES ('optimize'); INSERT INTO letters(letters) VALUES ('optimize'); PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

func (e *fts5) ask(kind, text string) (time.Duration, []int, error) {
	stmt, match := e.words, quoted(text)
	switch kind {
	case "prefix":
		match += "*"
	case "typo":
		stmt, match = e.letters, trigrams(text)
	}
	began := time.Now()
	rows, err := stmt.Query(match)
	if err != nil {
		return 0, nil, err
	}
	defer rows.Close()
	e.found = e.found[:0]
	for rows.Next() {
		var n int
		if err := rows.Scan(&n); err != nil {
			return 0, nil, err
		}
		e.found = append(e.found, n-1)
	}
	return time.Since(began), e.found, rows.Err()
}

func quoted(text string) string {
	return `"` + strings.Join(strings.Fields(text), `" "`) + `"`
}

// trigrams asks for any three letters in a row of the word.
func trigrams(word string) string {
	r := []rune(word)
	var parts []string
	for i := range len(r) - 2 {
		parts = append(parts, `"`+string(r[i:i+3])+`"`)
	}
	return strings.Join(parts, " OR ")
}

func (e *fts5) close() error { return e.pool.Close() }
