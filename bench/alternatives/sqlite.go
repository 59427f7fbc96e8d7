package alternatives

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"

	_ "modernc.org/sqlite" // the product's driver; it has FTS5

	"gamedex/bench/harness"
)

// openSQLite opens a database for reading at full speed: write-ahead log, 256 MB
// of cache, the file mapped into memory. The run closes it.
func openSQLite(r *harness.Run, file string) (*sql.DB, error) {
	pool, err := sql.Open("sqlite", "file:"+file+"?_pragma=journal_mode(WAL)&_pragma=cache_size(-262144)&_pragma=mmap_size(1073741824)")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", file, err)
	}
	r.AtEnd(pool.Close)
	pool.SetMaxOpenConns(1) // a single caller, with a warm cache
	return pool, nil
}

// SQLiteRows is SQLite with a row for each card and one for each of its prices.
type SQLiteRows struct{ query *sql.Stmt }

const sqliteSchema = `
CREATE TABLE game (id TEXT PRIMARY KEY, platform TEXT, title TEXT, cheapest_region TEXT, cheapest_usd REAL, cheapest_text TEXT, compared_regions INTEGER, updated_at TEXT) WITHOUT ROWID;
CREATE TABLE price (id TEXT, region TEXT, alpha2 TEXT, currency TEXT, base INTEGER, current INTEGER, base_text TEXT, current_text TEXT,
	discount_percent INTEGER, usd REAL, discount_label TEXT, discount_end_at TEXT, is_free INTEGER, is_trial INTEGER, is_sub_plus INTEGER,
	edition TEXT, sku TEXT, source TEXT, priced_at TEXT, variants INTEGER, PRIMARY KEY (id, region)) WITHOUT ROWID`

// sqliteQuery takes the ids as one JSON text, because the driver searches the
// list of arguments for each of them.
const sqliteQuery = `SELECT g.id, g.platform, g.title, g.cheapest_region, g.cheapest_usd, g.cheapest_text, g.compared_regions, g.updated_at,
	p.region, p.alpha2, p.currency, p.base, p.current, p.base_text, p.current_text, p.discount_percent, p.usd,
	p.discount_label, p.discount_end_at, p.is_free, p.is_trial, p.is_sub_plus, p.edition, p.sku, p.source, p.priced_at, p.variants
	FROM json_each(?) AS asked JOIN game AS g ON g.id = asked.value JOIN price AS p ON p.id = g.id ORDER BY asked.key`

// StartSQLite makes a database of the items.
func StartSQLite(ctx context.Context, r *harness.Run, items []Item) (BulkPrices, error) {
	pool, err := openSQLite(r, filepath.Join(r.Dir, "alternative.db"))
	if err != nil {
		return nil, err
	}
	if _, err := pool.ExecContext(ctx, sqliteSchema); err != nil {
		return nil, err
	}
	if err := insertRows(ctx, pool, items); err != nil {
		return nil, err
	}
	if _, err := pool.ExecContext(ctx, "ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		return nil, err
	}
	query, err := pool.PrepareContext(ctx, sqliteQuery)
	return &SQLiteRows{query}, err
}

func insertRows(ctx context.Context, pool *sql.DB, items []Item) error {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	game, err := tx.PrepareContext(ctx, "INSERT INTO game VALUES (?,?,?,?,?,?,?,?)")
	if err != nil {
		return err
	}
	price, err := tx.PrepareContext(ctx, "INSERT INTO price VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
	if err != nil {
		return err
	}
	for i := range items {
		if _, err := game.ExecContext(ctx, gameRow(&items[i])...); err != nil {
			return err
		}
		for region, p := range items[i].Regions {
			if _, err := price.ExecContext(ctx, priceRow(items[i].ID, region, &p)...); err != nil {
				return err
			}
		}
	}
	return tx.Commit()
}

// gameRow and priceRow return the columns of both databases.
func gameRow(i *Item) []any {
	row := []any{i.ID, i.Platform, i.Title, nil, nil, nil, i.Compared, i.UpdatedAt}
	if c := i.Cheapest; c != nil {
		row[3], row[4], row[5] = c.Region, c.USD, c.Text
	}
	return row
}

func priceRow(id, region string, p *Price) []any {
	return []any{id, region, p.Alpha2, p.Currency, p.Base, p.Current, p.BaseText, p.CurrentText, p.DiscountPercent, p.USD,
		p.DiscountLabel, p.DiscountEndAt, p.IsFree, p.IsTrial, p.IsSubPlus, p.Edition, p.SKU, p.Source, p.PricedAt, p.VariantsCount}
}

// Items implements [BulkPrices].
func (r *SQLiteRows) Items(ctx context.Context, ids []string) ([]byte, error) {
	asked, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	found, err := r.query.QueryContext(ctx, string(asked))
	if err != nil {
		return nil, err
	}
	defer found.Close()
	items := make([]Item, 0, len(ids))
	for found.Next() {
		if items, err = scanPrice(found, items); err != nil {
			return nil, err
		}
	}
	if err := found.Err(); err != nil {
		return nil, err
	}
	return json.Marshal(items)
}

// scanPrice adds a row to the last item, or to a new one.
func scanPrice(found *sql.Rows, items []Item) ([]Item, error) {
	var i Item
	var p Price
	var region string
	var cheapest, cheapestText sql.NullString
	var usd sql.NullFloat64
	err := found.Scan(&i.ID, &i.Platform, &i.Title, &cheapest, &usd, &cheapestText, &i.Compared, &i.UpdatedAt,
		&region, &p.Alpha2, &p.Currency, &p.Base, &p.Current, &p.BaseText, &p.CurrentText, &p.DiscountPercent, &p.USD,
		&p.DiscountLabel, &p.DiscountEndAt, &p.IsFree, &p.IsTrial, &p.IsSubPlus, &p.Edition, &p.SKU, &p.Source, &p.PricedAt, &p.VariantsCount)
	if err != nil {
		return items, err
	}
	if n := len(items); n == 0 || items[n-1].ID != i.ID {
		i.Regions = make(map[string]Price, 4)
		if cheapest.Valid {
			i.Cheapest = &Cheapest{Region: cheapest.String, USD: usd.Float64, Text: cheapestText.String}
		}
		items = append(items, i)
	}
	last := &items[len(items)-1]
	last.Regions[region] = p
	last.RegionsCount = len(last.Regions)
	return items, nil
}
