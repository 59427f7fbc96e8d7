package alternatives

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/sqldb/listings"
)

// postgresColumns are the columns of a table with a row for each listing, with the types
// of their arrays.
const postgresColumns = `platform int8, region text, product text,
	title text, locale text, family text, family_name text, slug text, invariant_name text, edition text, type int8, title_ids text, platforms text,
	publisher text, developer text, release_date text, genres text, cover text, store_url text, popularity float8,
	currency text, base int8, current int8, base_text text, current_text text,
	discount_percent int8, discount_label text, discount_ends_at int8, flags int8, source text, observed_at int8, priced_at int8`

// postgresUpsert returns the statement that writes rows from one array for each column.
func postgresUpsert() string {
	var arrays []string
	for column := range strings.SplitSeq(postgresColumns, ",") {
		arrays = append(arrays, fmt.Sprintf("$%d::%s[]", len(arrays)+1, strings.Fields(column)[1]))
	}
	return "INSERT INTO listing SELECT * FROM unnest(" + strings.Join(arrays, ", ") + `)
		ON CONFLICT (platform, region, product) DO UPDATE SET title = excluded.title, currency = excluded.currency,
		base = excluded.base, current = excluded.current, base_text = excluded.base_text, current_text = excluded.current_text,
		discount_percent = excluded.discount_percent, discount_label = excluded.discount_label,
		discount_ends_at = excluded.discount_ends_at, flags = excluded.flags, observed_at = excluded.observed_at, priced_at = excluded.priced_at`
}

// PostgresUpserts is [Upserts] in PostgreSQL.
type PostgresUpserts struct{ conn *pgx.Conn }

// OpenPostgresUpserts makes the table in an empty database.
func OpenPostgresUpserts(ctx context.Context, dsn string) (*PostgresUpserts, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	table := "CREATE TABLE listing (" + strings.ReplaceAll(postgresColumns, ",", " NOT NULL,") + " NOT NULL, PRIMARY KEY (platform, region, product))"
	if _, err := conn.Exec(ctx, table); err != nil {
		conn.Close(ctx)
		return nil, err
	}
	return &PostgresUpserts{conn}, nil
}

// Close closes the connection.
func (u *PostgresUpserts) Close() error { return u.conn.Close(context.Background()) }

// Count returns the number of rows.
func (u *PostgresUpserts) Count(ctx context.Context) (n int, err error) {
	err = u.conn.QueryRow(ctx, "SELECT count(*) FROM listing").Scan(&n)
	return n, err
}

// Save writes rows with one statement for each batch, in transactions as large as the
// product's.
func (u *PostgresUpserts) Save(ctx context.Context, rows []catalog.Listing) error {
	text := postgresUpsert()
	for batch := range slices.Chunk(rows, listings.MaxBatch) {
		err := pgx.BeginFunc(ctx, u.conn, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, text, upsertArrays(batch)...)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// noPrice is stored for a listing without a price.
var noPrice = catalog.Price{Base: money.None, Current: money.None, DiscountPercent: catalog.NoPercent}

// upsertArrays returns the columns of a batch, in the order of postgresColumns.
func upsertArrays(batch []catalog.Listing) []any {
	texts := func(of func(*catalog.Listing) string) []string {
		list := make([]string, len(batch))
		for i := range batch {
			list[i] = of(&batch[i])
		}
		return list
	}
	numbers := func(of func(*catalog.Listing) int64) []int64 {
		list := make([]int64, len(batch))
		for i := range batch {
			list[i] = of(&batch[i])
		}
		return list
	}
	price := func(l *catalog.Listing) *catalog.Price { return cmp.Or(l.Price, &noPrice) }
	popularity := make([]float64, len(batch))
	for i := range batch {
		popularity[i] = batch[i].Popularity
	}
	observed := numbers(func(l *catalog.Listing) int64 { return int64(l.ObservedAt) })
	return []any{
		numbers(func(l *catalog.Listing) int64 { return int64(l.Platform) }),
		texts(func(l *catalog.Listing) string { return l.Region.String() }),
		texts(func(l *catalog.Listing) string { return l.Product }),
		texts(func(l *catalog.Listing) string { return l.Facts.Title }),
		texts(func(l *catalog.Listing) string { return l.Locale }),
		texts(func(l *catalog.Listing) string { return l.Facts.Family }),
		texts(func(l *catalog.Listing) string { return l.Facts.FamilyName }),
		texts(func(l *catalog.Listing) string { return l.Facts.Slug }),
		texts(func(l *catalog.Listing) string { return l.Facts.InvariantName }),
		texts(func(l *catalog.Listing) string { return l.Facts.Edition }),
		numbers(func(l *catalog.Listing) int64 { return int64(l.Facts.Type) }),
		texts(func(l *catalog.Listing) string { return strings.Join(l.Facts.TitleIDs, ",") }),
		texts(func(l *catalog.Listing) string { return strings.Join(l.Facts.Platforms, ",") }),
		texts(func(l *catalog.Listing) string { return l.Prose.Publisher }),
		texts(func(l *catalog.Listing) string { return l.Prose.Developer }),
		texts(func(l *catalog.Listing) string { return l.Prose.ReleaseDate }),
		texts(func(l *catalog.Listing) string { return strings.Join(l.Prose.Genres, ",") }),
		texts(func(l *catalog.Listing) string { return l.Prose.Cover }),
		texts(func(l *catalog.Listing) string { return l.StoreURL }),
		popularity,
		texts(func(l *catalog.Listing) string { return string(price(l).Currency) }),
		numbers(func(l *catalog.Listing) int64 { return int64(price(l).Base) }),
		numbers(func(l *catalog.Listing) int64 { return int64(price(l).Current) }),
		texts(func(l *catalog.Listing) string { return price(l).BaseText }),
		texts(func(l *catalog.Listing) string { return price(l).CurrentText }),
		numbers(func(l *catalog.Listing) int64 { return int64(price(l).DiscountPercent) }),
		texts(func(l *catalog.Listing) string { return price(l).DiscountLabel }),
		numbers(func(l *catalog.Listing) int64 { return int64(price(l).DiscountEndsAt) }),
		numbers(func(l *catalog.Listing) int64 {
			if price(l).Subscription {
				return 1
			}
			return 0
		}),
		texts(func(l *catalog.Listing) string { return price(l).Source }),
		observed, observed,
	}
}
