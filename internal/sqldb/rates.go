package sqldb

import "context"

// Rates is the stored table of exchange rates.
type Rates struct {
	Body      []byte // the table as JSON; its reader judges it
	UpdatedAt int64  // Unix milliseconds
	Imported  bool   // by hand: stays until the next import or refresh
	Source    string // who gave it
}

// SaveRates replaces the table; unless overImported, not one that was imported
// by hand. It returns whether it did.
func (db *DB) SaveRates(ctx context.Context, r Rates, overImported bool) (saved bool, err error) {
	err = db.write(ctx, "save rates", func(t *tx) error {
		saved, err = t.affects(ctx, `INSERT INTO rates (one, body, updated_at, imported, source) VALUES (1, $1, $2, $3, $4)
			ON CONFLICT (one) DO UPDATE SET body = excluded.body, updated_at = excluded.updated_at,
			imported = excluded.imported, source = excluded.source WHERE rates.imported = 0 OR $5 = 1`,
			r.Body, r.UpdatedAt, flag(r.Imported), r.Source, flag(overImported))
		return err
	})
	return saved && err == nil, err
}

// LoadRates gives the table; found is false before any was saved.
func (db *DB) LoadRates(ctx context.Context) (r Rates, found bool, err error) {
	found, err = db.find(ctx, "load rates", "SELECT body, updated_at, imported, source FROM rates", nil,
		[]any{&r.Body, &r.UpdatedAt, &r.Imported, &r.Source})
	return r, found, err
}

// RatesSource says who gave the stored table, and when its rates were taken; ""
// and 0 before any was saved.
func (db *DB) RatesSource(ctx context.Context) (source string, updatedAt int64, err error) {
	_, err = db.find(ctx, "read the source of rates", "SELECT source, updated_at FROM rates", nil, []any{&source, &updatedAt})
	return source, updatedAt, err
}

// flag is how a truth is stored.
func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
