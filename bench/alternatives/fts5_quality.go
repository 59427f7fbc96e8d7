package alternatives

import (
	"context"
	"database/sql"
	"strings"
	"unicode"

	"gamedex/bench/harness"
	"gamedex/internal/testing/searchquality"
)

// FTS5Quality returns the search of two FTS5 indexes in memory: one of words, which
// removes accents and has prefixes, and one of trigrams, used if the first finds
// nothing.
func FTS5Quality(ctx context.Context, r *harness.Run, set *searchquality.Set) (searchquality.Find, error) {
	pool, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	r.AtEnd(pool.Close)
	pool.SetMaxOpenConns(1) // each connection would have its own memory
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
		cards := matchFTS5(pool, "words", allWords(text), limit)
		if len(cards) == 0 {
			cards = matchFTS5(pool, "letters", trigrams(text), limit)
		}
		return cards
	}, nil
}

// matchFTS5 returns the best cards. Equally good ones are in the order of their
// numbers.
func matchFTS5(pool *sql.DB, table, query string, limit int) []int {
	if query == "" {
		return nil
	}
	cards, err := rowIDs(pool.Query("SELECT rowid FROM "+table+" WHERE "+table+" MATCH ? ORDER BY rank, rowid LIMIT ?", query, limit))
	if err != nil {
		panic(err) // the tables are our own, and the words are quoted
	}
	return cards
}

// allWords returns a query for all words of a text, the last one as a prefix.
func allWords(text string) string {
	list := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(list) == 0 {
		return ""
	}
	return `"` + strings.Join(list, `" "`) + `"*`
}
