package nodes

import (
	"context"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/sqldb/engine"
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
//
// The new table is then also that of the UTC day of now, unless one was saved later on
// that day. UpdatedAt does not decide: a correction may be dated before what it corrects.
func (repo *Repository) SaveRates(ctx context.Context, r Rates, overImported bool, now catalog.Millis) (saved bool, err error) {
	err = repo.db.Write(ctx, "save rates", func(t *engine.Tx) error {
		changed, err := t.Exec(ctx, `INSERT INTO rates (one, body, updated_at, imported, source) VALUES (1, $1, $2, $3, $4)
			ON CONFLICT (one) DO UPDATE SET body = excluded.body, updated_at = excluded.updated_at,
			imported = excluded.imported, source = excluded.source WHERE rates.imported = 0 OR $5 = 1`,
			r.Body, r.UpdatedAt, engine.BoolInt(r.Imported), r.Source, engine.BoolInt(overImported))
		saved = err == nil && changed > 0
		if !saved {
			return err
		}
		_, err = t.Exec(ctx, `INSERT INTO rates_day (day, body, source, taken_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (day) DO UPDATE SET body = excluded.body, source = excluded.source, taken_at = excluded.taken_at
			WHERE rates_day.taken_at <= excluded.taken_at`, now.Day(), r.Body, r.Source, int64(now))
		return err
	})
	return saved && err == nil, err
}

// KeepRates makes the table that of the UTC day of now, unless the day has one. A table
// that stays for weeks, as an imported one may, is that of each day.
func (repo *Repository) KeepRates(ctx context.Context, now catalog.Millis) error {
	_, err := repo.db.Exec(ctx, "keep rates of the day", `INSERT INTO rates_day (day, body, source, taken_at)
		SELECT $1, body, source, $2 FROM rates WHERE true ON CONFLICT (day) DO NOTHING`, now.Day(), int64(now))
	return err
}

// LoadRates returns the table; found is false before any was saved.
func (repo *Repository) LoadRates(ctx context.Context) (r Rates, found bool, err error) {
	found, err = repo.db.FindRow(ctx, "load rates", "SELECT body, updated_at, imported, source FROM rates", nil,
		[]any{&r.Body, &r.UpdatedAt, (*engine.Bool)(&r.Imported), &r.Source})
	return r, found, err
}

// RatesSource returns where the stored table is from and the time of its rates;
// "" and 0 before any was saved.
func (repo *Repository) RatesSource(ctx context.Context) (source string, updatedAt int64, err error) {
	_, err = repo.db.FindRow(ctx, "read the source of rates", "SELECT source, updated_at FROM rates", nil, []any{&source, &updatedAt})
	return source, updatedAt, err
}

// EachDayRates calls fn for the table of each UTC day from first to last, both included, in
// the order of the days. A day on which no service ran may have none. The body is valid
// until fn returns.
func (repo *Repository) EachDayRates(ctx context.Context, first, last int64, fn func(history.DayRates) error) error {
	return repo.db.Query(ctx, "read rates of days", "SELECT day, body, source, taken_at FROM rates_day WHERE day BETWEEN $1 AND $2 ORDER BY day",
		[]any{first, last}, func(rows engine.Rows) error {
			var r history.DayRates
			if err := rows.Scan(&r.Day, (*engine.RawBytes)(&r.Body), &r.Source, &r.TakenAt); err != nil {
				return err
			}
			return fn(r)
		})
}

var addRates = engine.Insert{Table: "rates_day", Columns: "day, body, source, taken_at", Then: "ON CONFLICT (day) DO NOTHING"}

// AddDayRates adds the tables of days that have none, in one transaction, and returns how
// many it added.
func (repo *Repository) AddDayRates(ctx context.Context, tables []history.DayRates) (added int, err error) {
	if len(tables) == 0 {
		return 0, nil
	}
	err = repo.db.Write(ctx, "add rates of days", func(t *engine.Tx) error {
		n, err := t.InsertRows(ctx, &addRates, len(tables), func(args []any, i int) []any {
			r := &tables[i]
			return append(args, r.Day, r.Body, r.Source, int64(r.TakenAt))
		})
		added = int(n)
		return err
	})
	return added, err
}
