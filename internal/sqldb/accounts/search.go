package accounts

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"gamedex/internal/sqldb/engine"
)

// A search reads rows a page at a time, and at most 20 pages, so that it soon ends where little matches.
const (
	rowsPerPage    = 1000
	pagesPerSearch = 20
)

// Search finds rows by a part of their texts. It compares in Go: engines differ in what they take for the
// same letter.
type Search struct {
	What string // names it in errors
	Text string // the statement that reads the id and three texts of at most $2 rows with ids below $1, highest id first
	page int    // rows read at once; 0: rowsPerPage
}

// Find returns at most limit ids of rows that have query in their id or one of their texts, in any case, highest
// first from below the id after ("": from the highest). The rest is found from below next; "" if nothing is left. A
// search that stops after 20,000 rows may have found fewer than limit, or nothing.
func (s *Search) Find(ctx context.Context, db *engine.DB, query, after string, limit int) (found []string, next string, err error) {
	if limit < 1 {
		return nil, "", nil
	}
	page := cmp.Or(s.page, rowsPerPage)
	if query == "" {
		page = min(page, limit+1)
	}
	query, after = strings.ToLower(query), cmp.Or(after, "\U0010ffff")
	var texts [4]string
	matches := func(text string) bool { return strings.Contains(strings.ToLower(text), query) }
	for range pagesPerSearch {
		read := 0
		err := db.Query(ctx, s.What, s.Text, []any{after, page}, func(rows engine.Rows) error {
			read++
			err := rows.Scan(&texts[0], &texts[1], &texts[2], &texts[3])
			if slices.ContainsFunc(texts[:], matches) {
				found = append(found, texts[0])
			}
			return err
		})
		switch {
		case err != nil:
			return nil, "", err
		case len(found) > limit:
			return found[:limit], found[limit-1], nil
		case read < page:
			return found, "", nil
		}
		after = texts[0]
	}
	return found, after, nil
}
