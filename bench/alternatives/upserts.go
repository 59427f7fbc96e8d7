package alternatives

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb/listings"
)

// upsertSchema is one table with a row for each listing and one index, its key, as
// one would write it first.
const upsertSchema = `CREATE TABLE listing (
	platform INTEGER NOT NULL, region TEXT NOT NULL, product TEXT NOT NULL,
	title TEXT NOT NULL, locale TEXT NOT NULL, family TEXT NOT NULL, family_name TEXT NOT NULL, slug TEXT NOT NULL,
	invariant_name TEXT NOT NULL, edition TEXT NOT NULL, type INTEGER NOT NULL, title_ids TEXT NOT NULL, platforms TEXT NOT NULL,
	publisher TEXT NOT NULL, developer TEXT NOT NULL, release_date TEXT NOT NULL, genres TEXT NOT NULL, cover TEXT NOT NULL,
	store_url TEXT NOT NULL, popularity REAL NOT NULL,
	currency TEXT, base INTEGER, current INTEGER, base_text TEXT, current_text TEXT,
	discount_percent INTEGER, discount_label TEXT, discount_ends_at INTEGER, flags INTEGER, source TEXT,
	observed_at INTEGER NOT NULL, priced_at INTEGER NOT NULL,
	PRIMARY KEY (platform, region, product))`

const upsertColumns = 32

// Upserts is a database with a single table, as durable as the product's.
type Upserts struct{ pool *sql.DB }

// OpenUpserts makes the database in a new file.
func OpenUpserts(ctx context.Context, file string) (*Upserts, error) {
	pool, err := sql.Open("sqlite", "file:"+file+
		"?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=cache_size(-65536)&_pragma=wal_autocheckpoint(4000)")
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	if _, err := pool.ExecContext(ctx, upsertSchema); err != nil {
		pool.Close()
		return nil, err
	}
	return &Upserts{pool}, nil
}

// Close closes the database.
func (u *Upserts) Close() error { return u.pool.Close() }

// Count returns the number of rows.
func (u *Upserts) Count(ctx context.Context) (n int, err error) {
	err = u.pool.QueryRowContext(ctx, "SELECT count(*) FROM listing").Scan(&n)
	return n, err
}

// Save writes rows one by one, in transactions as large as the product's.
func (u *Upserts) Save(ctx context.Context, rows []catalog.Listing) error {
	for batch := range slices.Chunk(rows, listings.MaxBatch) {
		if err := u.saveBatch(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

func (u *Upserts) saveBatch(ctx context.Context, rows []catalog.Listing) error {
	tx, err := u.pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	stmt, err := tx.PrepareContext(ctx, `INSERT INTO listing VALUES (`+strings.TrimSuffix(strings.Repeat("?,", upsertColumns), ",")+`)
		ON CONFLICT (platform, region, product) DO UPDATE SET title = excluded.title, currency = excluded.currency,
		base = excluded.base, current = excluded.current, base_text = excluded.base_text, current_text = excluded.current_text,
		discount_percent = excluded.discount_percent, discount_label = excluded.discount_label,
		discount_ends_at = excluded.discount_ends_at, flags = excluded.flags, observed_at = excluded.observed_at, priced_at = excluded.priced_at`)
	if err != nil {
		return err
	}
	defer stmt.Close()
	args := make([]any, 0, upsertColumns)
	for i := range rows {
		if _, err := stmt.ExecContext(ctx, upsertValues(args[:0], &rows[i])...); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	return tx.Commit()
}

func upsertValues(args []any, l *catalog.Listing) []any {
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
