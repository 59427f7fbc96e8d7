package importing

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver of the service

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb"
)

// bare is one table with a row for each listing, as one would write it first.
// It has what a listing needs to be shown and found, and one index: its key.
const bare = `CREATE TABLE listing (
	platform INTEGER NOT NULL, region TEXT NOT NULL, product TEXT NOT NULL,
	title TEXT NOT NULL, locale TEXT NOT NULL, family TEXT NOT NULL, family_name TEXT NOT NULL, slug TEXT NOT NULL,
	invariant_name TEXT NOT NULL, edition TEXT NOT NULL, type INTEGER NOT NULL, title_ids TEXT NOT NULL, platforms TEXT NOT NULL,
	publisher TEXT NOT NULL, developer TEXT NOT NULL, release_date TEXT NOT NULL, genres TEXT NOT NULL, cover TEXT NOT NULL,
	store_url TEXT NOT NULL, popularity REAL NOT NULL,
	currency TEXT, base INTEGER, current INTEGER, base_text TEXT, current_text TEXT,
	discount_percent INTEGER, discount_label TEXT, discount_ends_at INTEGER, flags INTEGER, source TEXT,
	observed_at INTEGER NOT NULL, priced_at INTEGER NOT NULL,
	PRIMARY KEY (platform, region, product))`

const columns = 32

// openBare makes the table in a new file, as durable as the service's.
func openBare(ctx context.Context, dir string) (*sql.DB, error) {
	pool, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "bare.db")+
		"?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=cache_size(-65536)&_pragma=wal_autocheckpoint(4000)")
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	if _, err := pool.ExecContext(ctx, bare); err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}

// upsertAll writes the rows one by one, in transactions as large as the
// service's.
func upsertAll(ctx context.Context, pool *sql.DB, rows []catalog.Listing) error {
	for len(rows) > 0 {
		n := min(len(rows), sqldb.MaxBatch)
		if err := upsert(ctx, pool, rows[:n]); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

func upsert(ctx context.Context, pool *sql.DB, rows []catalog.Listing) error {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	stmt, err := tx.PrepareContext(ctx, `INSERT INTO listing VALUES (`+strings.TrimSuffix(strings.Repeat("?,", columns), ",")+`)
		ON CONFLICT (platform, region, product) DO UPDATE SET title = excluded.title, currency = excluded.currency,
		base = excluded.base, current = excluded.current, base_text = excluded.base_text, current_text = excluded.current_text,
		discount_percent = excluded.discount_percent, discount_label = excluded.discount_label,
		discount_ends_at = excluded.discount_ends_at, flags = excluded.flags, observed_at = excluded.observed_at, priced_at = excluded.priced_at`)
	if err != nil {
		return err
	}
	defer stmt.Close()
	args := make([]any, 0, columns)
	for i := range rows {
		if _, err := stmt.ExecContext(ctx, values(args[:0], &rows[i])...); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	return tx.Commit()
}

func values(args []any, l *catalog.Listing) []any {
	f, p := &l.Facts, &l.Prose
	args = append(args, int64(l.Platform), l.Region.String(), l.Product,
		f.Title, l.Locale, f.Family, f.FamilyName, f.Slug, f.InvariantName, f.Edition, int64(f.Type),
		strings.Join(f.TitleIDs, ","), strings.Join(f.Platforms, ","),
		p.Publisher, p.Developer, p.ReleaseDate, strings.Join(p.Genres, ","), p.Cover, l.StoreURL, l.Popularity)
	if c := l.Price; c != nil {
		args = append(args, string(c.Currency), int64(c.Base), int64(c.Current), c.BaseText, c.CurrentText,
			int64(c.DiscountPercent), c.DiscountLabel, int64(c.DiscountEndsAt), c.Subscription, c.Source)
	} else {
		args = append(args, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil)
	}
	return append(args, int64(l.ObservedAt), int64(l.ObservedAt))
}
