package judged

import (
	"context"
	"database/sql"
	"strings"
	"unicode"

	_ "modernc.org/sqlite" // has FTS5

	"gamedex/bench/lab"
	"gamedex/internal/search/quality"
)

// startFTS5 makes two indexes in memory: one of words, which takes off accents
// and knows prefixes, and one of trigrams, which is asked when the first finds
// nothing.
func startFTS5(ctx context.Context, l *lab.Lab, set *quality.Set) (quality.Find, error) {
	pool, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	l.AtEnd(pool.Close)
	pool.SetMaxOpenConns(1) // each connection would have a memory of its own
	_, err = pool.ExecContext(ctx, `CREATE VIRTUAL TABLE words USING fts5(t, tokenize='unicode61 remove_diacritics 2');
		CREATE VIRTUAL TABLE letters USING fts5(t, tokenize='trigram remove_diacritics 1')`)
	if err != nil {
		return nil, err
	}
	for i, c := range set.Cards {
		for _, table := range []string{"words", "letters"} {
			if _, err := pool.ExecContext(ctx, "INSERT INTO "+table+" (rowid, t) VALUES (?, ?)", i+1, strings.Join(c.Names, " ")); err != nil {
				return nil, err
			}
		}
	}
	return func(text string, limit int) []int {
		cards := match(pool, "words", words(text), limit)
		if len(cards) == 0 {
			cards = match(pool, "letters", trigrams(text), limit)
		}
		return cards
	}, nil
}

// match gives equally good ones in the order of numbers.
func match(pool *sql.DB, table, query string, limit int) (cards []int) {
	if query == "" {
		return nil
	}
	rows, err := pool.Query("SELECT rowid FROM "+table+" WHERE "+table+" MATCH ? ORDER BY rank, rowid LIMIT ?", query, limit)
	if err != nil {
		panic(err) // the tables are ours and the words quoted
	}
	defer rows.Close()
	for rows.Next() {
		var n int
		if err := rows.Scan(&n); err != nil {
			panic(err)
		}
		cards = append(cards, n-1)
	}
	if err := rows.Err(); err != nil {
		panic(err)
	}
	return cards
}

// words wants all of them, the last as a beginning.
func words(text string) string {
	list := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(list) == 0 {
		return ""
	}
	return `"` + strings.Join(list, `" "`) + `"*`
}

// trigrams wants any three characters in a row of the query.
func trigrams(text string) string {
	r := []rune(strings.ReplaceAll(text, `"`, " "))
	var parts []string
	for i := range len(r) - 2 {
		parts = append(parts, `"`+string(r[i:i+3])+`"`)
	}
	return strings.Join(parts, " OR ")
}
