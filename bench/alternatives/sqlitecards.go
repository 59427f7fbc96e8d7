package alternatives

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"

	"gamedex/bench/harness"
	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/lists/browse"
)

// SQLiteCards is SQLite with columns for what lists of cards are filtered and sorted by:
// a row for each card, one for each of its genres, and one for each of its prices in an
// active region.
type SQLiteCards struct {
	deals, dealsTotal           *sql.Stmt
	dealsLow, dealsLowTotal     *sql.Stmt
	browse, browseCounts        *sql.Stmt
	browseSome, browseSomeCount *sql.Stmt
}

const cardsSchema = `
CREATE TABLE card (n INTEGER PRIMARY KEY, platform INTEGER, id TEXT, title TEXT, type TEXT, publisher TEXT, released INTEGER);
CREATE TABLE genre (genre TEXT, card INTEGER, PRIMARY KEY (genre, card)) WITHOUT ROWID;
CREATE TABLE price (card INTEGER, region INTEGER, platform INTEGER, id TEXT, type TEXT, percent INTEGER, current INTEGER, usd INTEGER,
	ends_at INTEGER, meets INTEGER, trial INTEGER, subscription INTEGER, doubtful INTEGER)`

// cardsIndexes has for each query the index that answers it without the table. That of
// deals is partial, and in the order of the page.
const cardsIndexes = `
CREATE INDEX deal ON price (region, percent DESC, platform, id, type, usd, meets, current, ends_at, card)
	WHERE percent > 0 AND current IS NOT NULL AND trial = 0 AND subscription = 0 AND doubtful = 0;
CREATE INDEX genre_of ON genre (card, genre);
CREATE INDEX card_id ON card (id, platform, title);
CREATE INDEX card_type ON card (type);
CREATE INDEX card_publisher ON card (publisher);
ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)`

// The queries. A percentage, a price in cents and a genre come as arguments.
const (
	dealFilter = ` FROM price AS p WHERE region = ?1 AND percent > 0 AND current IS NOT NULL AND trial = 0 AND subscription = 0 AND doubtful = 0
	AND percent >= ?2 AND usd <= ?3 AND type = ?4`
	dealGenre = " AND EXISTS (SELECT 1 FROM genre WHERE genre = ?5 AND genre.card = p.card)"
	dealLow   = " AND meets & ?5"
	dealPage  = "SELECT platform, id, percent, current, usd, ends_at"
	dealOrder = " ORDER BY percent DESC, platform, id LIMIT ?6"

	browsePage   = "SELECT platform, id, title, type, publisher, released FROM card ORDER BY id, platform LIMIT ?1"
	browseGroups = `SELECT 0, '', COUNT(*) FROM card
	UNION ALL SELECT 1, type, COUNT(*) FROM card GROUP BY type
	UNION ALL SELECT 2, genre, COUNT(*) FROM genre GROUP BY genre
	UNION ALL SELECT 3, publisher, COUNT(*) FROM card GROUP BY publisher`

	browseChosen     = "FROM genre AS g JOIN card AS c ON c.n = g.card WHERE g.genre = ?1 AND c.released >= ?2"
	browseSomePage   = "SELECT c.platform, c.id, c.title, c.type, c.publisher, c.released " + browseChosen + " ORDER BY c.id, c.platform LIMIT ?3"
	browseSomeGroups = "WITH chosen AS MATERIALIZED (SELECT c.n, c.type, c.publisher " + browseChosen + `)
	SELECT 0, '', COUNT(*) FROM chosen
	UNION ALL SELECT 1, type, COUNT(*) FROM chosen GROUP BY type
	UNION ALL SELECT 2, genre, COUNT(*) FROM chosen JOIN genre ON genre.card = chosen.n GROUP BY genre
	UNION ALL SELECT 3, publisher, COUNT(*) FROM chosen GROUP BY publisher`
)

// ListFacets are the facets that SQLiteCards counts.
var ListFacets = []browse.Facet{browse.Types, browse.Genres, browse.Publishers}

// StartSQLiteCards makes a database of the cards of a view as they are at now (Unix
// milliseconds), in a folder of its own.
func StartSQLiteCards(ctx context.Context, r *harness.Run, v *index.View, now int64) (*SQLiteCards, error) {
	dir, err := os.MkdirTemp(r.Dir, "cards-")
	if err != nil {
		return nil, err
	}
	pool, err := openSQLite(r, filepath.Join(dir, "cards.db"))
	if err != nil {
		return nil, err
	}
	if _, err := pool.ExecContext(ctx, cardsSchema); err != nil {
		return nil, err
	}
	if err := insertCards(ctx, pool, v, now); err != nil {
		return nil, err
	}
	if _, err := pool.ExecContext(ctx, cardsIndexes); err != nil {
		return nil, err
	}
	s := &SQLiteCards{}
	for text, into := range map[string]**sql.Stmt{
		dealPage + dealFilter + dealGenre + dealOrder: &s.deals, "SELECT COUNT(*)" + dealFilter + dealGenre: &s.dealsTotal,
		dealPage + dealFilter + dealLow + dealOrder: &s.dealsLow, "SELECT COUNT(*)" + dealFilter + dealLow: &s.dealsLowTotal,
		browsePage: &s.browse, browseGroups: &s.browseCounts, browseSomePage: &s.browseSome, browseSomeGroups: &s.browseSomeCount,
	} {
		if *into, err = pool.PrepareContext(ctx, text); err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
	}
	return s, nil
}

func insertCards(ctx context.Context, pool *sql.DB, v *index.View, now int64) error {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var insert [3]*sql.Stmt
	for i, text := range []string{"INSERT INTO card VALUES (?,?,?,?,?,?,?)", "INSERT OR IGNORE INTO genre VALUES (?,?)", "INSERT INTO price VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)"} {
		if insert[i], err = tx.PrepareContext(ctx, text); err != nil {
			return err
		}
	}
	columns := v.Columns()
	for n := range v.Len() {
		c := v.Card(n)
		platform, kind := int64(c.Platform()), c.Type().String()
		if _, err := insert[0].ExecContext(ctx, n, platform, c.ID(), c.Title(), kind, c.Publisher(), columns.Released[n]); err != nil {
			return err
		}
		for i := range c.Genres().Len() {
			number, _ := columns.Genres.Find(c.Genres().At(i))
			if _, err := insert[1].ExecContext(ctx, columns.Genres.Values[number], n); err != nil {
				return err
			}
		}
		for _, region := range v.Active() {
			row, ok := c.Rows().InRegion(region.No)
			if !ok {
				continue
			}
			if _, err := insert[2].ExecContext(ctx, listedPrice(v, c, row.At(now), kind, now)...); err != nil {
				return err
			}
		}
	}
	return tx.Commit()
}

// listedPrice returns the columns of a price.
func listedPrice(v *index.View, c index.Card, row index.Row, kind string, now int64) []any {
	var current, usd any
	if row.Current.Known() {
		current = int64(row.Current)
	}
	if cents, ok := v.USD(&row); ok {
		usd = cents
	}
	var lows history.Summary
	row.Lows(now, &lows)
	return []any{c.Number(), row.Region, int64(c.Platform()), c.ID(), kind, row.Percent, current, usd, row.EndsAt, lows.MetWindows(catalog.Millis(v.LowsDay())), row.Trial, row.Subscription, row.Doubtful}
}

// Listed is a card of a page.
type Listed struct {
	Platform int64
	ID       string
}

// DealQuery selects deals in a region. Either Genre is set, or Low.
type DealQuery struct {
	Region     uint8
	MinPercent int
	MaxCents   int64
	Type       string
	Genre      string
	Low        history.Window
}

// Deals returns the first deals of a list and how many it has.
func (s *SQLiteCards) Deals(ctx context.Context, q DealQuery, limit int) (page []Listed, total int, err error) {
	find, count, last := s.deals, s.dealsTotal, any(q.Genre)
	if q.Genre == "" {
		find, count, last = s.dealsLow, s.dealsLowTotal, int64(q.Low.Bit())
	}
	args := []any{q.Region, q.MinPercent, q.MaxCents, q.Type, last}
	if err := count.QueryRowContext(ctx, args...).Scan(&total); err != nil {
		return nil, 0, err
	}
	found, err := find.QueryContext(ctx, append(args, limit)...)
	if err != nil {
		return nil, 0, err
	}
	defer found.Close()
	for found.Next() {
		var l Listed
		var percent, current, usd, endsAt int64
		if err := found.Scan(&l.Platform, &l.ID, &percent, &current, &usd, &endsAt); err != nil {
			return nil, 0, err
		}
		page = append(page, l)
	}
	return page, total, found.Err()
}

// Browse returns the first cards of a list, how many it has, and the counts of ListFacets
// by value. With a genre the list has the cards of that genre that were released since a
// date; see index.Columns.
func (s *SQLiteCards) Browse(ctx context.Context, genre string, since int32, limit int) (page []Listed, total int, facets []map[string]int, err error) {
	find, count, args := s.browse, s.browseCounts, []any(nil)
	if genre != "" {
		find, count, args = s.browseSome, s.browseSomeCount, []any{genre, since}
	}
	if total, facets, err = countGroups(ctx, count, args); err != nil {
		return nil, 0, nil, err
	}
	found, err := find.QueryContext(ctx, append(args, limit)...)
	if err != nil {
		return nil, 0, nil, err
	}
	defer found.Close()
	for found.Next() {
		var l Listed
		var title, kind, publisher string
		var released int64
		if err := found.Scan(&l.Platform, &l.ID, &title, &kind, &publisher, &released); err != nil {
			return nil, 0, nil, err
		}
		page = append(page, l)
	}
	return page, total, facets, found.Err()
}

func countGroups(ctx context.Context, query *sql.Stmt, args []any) (total int, facets []map[string]int, err error) {
	for range ListFacets {
		facets = append(facets, map[string]int{})
	}
	found, err := query.QueryContext(ctx, args...)
	if err != nil {
		return 0, nil, err
	}
	defer found.Close()
	for found.Next() {
		var facet, n int
		var value string
		if err := found.Scan(&facet, &value, &n); err != nil {
			return 0, nil, err
		}
		if facet == 0 {
			total = n
		} else {
			facets[facet-1][value] = n
		}
	}
	return total, facets, found.Err()
}
