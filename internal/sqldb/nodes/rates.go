package nodes

import (
	"context"

	"gamedex/internal/sqldb"
)

// Rates is the stored table of exchange rates.
type Rates struct {
	Body      []byte // the table as JSON, which the reader checks
	UpdatedAt int64  // Unix milliseconds
	Imported  bool   // by hand; stays until the next import or refresh
	Source    string // where the table is from
}

// SaveRates replaces the table and reports whether it did. It replaces a table that
// was imported by hand only if overImported is true.
func (store *Store) SaveRates(ctx context.Context, r Rates, overImported bool) (saved bool, err error) {
	changed, err := store.db.Exec(ctx, "save rates", `INSERT INTO rates (one, body, updated_at, imported, source) VALUES (1, $1, $2, $3, $4)
		ON CONFLICT (one) DO UPDATE SET body = excluded.body, updated_at = excluded.updated_at,
		imported = excluded.imported, source = excluded.source WHERE rates.imported = 0 OR $5 = 1`,
		r.Body, r.UpdatedAt, sqldb.BoolInt(r.Imported), r.Source, sqldb.BoolInt(overImported))
	return changed > 0, err
}

// LoadRates returns the table; found is false before any was saved.
func (store *Store) LoadRates(ctx context.Context) (r Rates, found bool, err error) {
	found, err = store.db.FindRow(ctx, "load rates", "SELECT body, updated_at, imported, source FROM rates", nil,
		[]any{&r.Body, &r.UpdatedAt, (*sqldb.Bool)(&r.Imported), &r.Source})
	return r, found, err
}

// RatesSource returns where the stored table is from and when its rates were
// taken; "" and 0 before any was saved.
func (store *Store) RatesSource(ctx context.Context) (source string, updatedAt int64, err error) {
	_, err = store.db.FindRow(ctx, "read the source of rates", "SELECT source, updated_at FROM rates", nil, []any{&source, &updatedAt})
	return source, updatedAt, err
}
