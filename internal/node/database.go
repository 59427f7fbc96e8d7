package node

import (
	"context"
	"fmt"
	"time"

	"gamedex/internal/builder"
	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/rates"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sqldb/nodes"
)

// Database is the database as a builder and the rates loop use it.
type Database struct {
	*sqldb.DB
	Now func() time.Time
}

// Read implements builder.Listings.
func (d Database) Read(ctx context.Context, fn func(builder.Reading) error) error {
	return d.DB.Listings.Read(ctx, func(r *listings.Reading) error { return fn(r) })
}

// Newest implements builder.Database.
func (d Database) Newest(ctx context.Context) (epoch string, generation int64, err error) {
	return d.DB.Listings.Newest(ctx)
}

// Regions implements builder.Database.
func (d Database) Regions(ctx context.Context) ([]catalog.Region, error) {
	return d.DB.Listings.Regions(ctx)
}

// Loading implements builder.Database.
func (d Database) Loading(ctx context.Context) (bool, error) {
	until, err := d.DB.Nodes.LoadingUntil(ctx)
	return until > d.Now().UnixMilli(), err
}

// Rates implements builder.Database.
func (d Database) Rates(ctx context.Context) (money.Rates, error) {
	stored, found, err := d.DB.Nodes.LoadRates(ctx)
	if err != nil || !found {
		return money.Rates{}, err
	}
	return parseStoredRates(stored)
}

func parseStoredRates(stored nodes.Rates) (money.Rates, error) {
	table, err := money.ParseRates(stored.Body)
	if err != nil {
		return money.Rates{}, fmt.Errorf("stored rates: %w; replace them with gamedex rates import FILE", err)
	}
	return table, nil
}

// LoadRates implements rates.Store.
func (d Database) LoadRates(ctx context.Context) (rates.Stored, bool, error) {
	stored, found, err := d.DB.Nodes.LoadRates(ctx)
	if err != nil || !found {
		return rates.Stored{}, false, err
	}
	table, err := parseStoredRates(stored)
	return rates.Stored{Rates: table, Imported: stored.Imported, Source: stored.Source}, err == nil, err
}

// SaveRates implements rates.Store.
func (d Database) SaveRates(ctx context.Context, r rates.Stored, overImported bool) (bool, error) {
	return d.DB.Nodes.SaveRates(ctx, nodes.Rates{
		Body: r.Rates.AppendJSON(nil), UpdatedAt: r.Rates.UpdatedAt(), Imported: r.Imported, Source: r.Source,
	}, overImported, catalog.MillisOf(d.Now()))
}

// SaveRates stores a table that an operator chose. It stays in force until the next
// import or refresh.
func SaveRates(ctx context.Context, db *sqldb.DB, table money.Rates, source string, now time.Time) error {
	_, err := db.Nodes.SaveRates(ctx, nodes.Rates{
		Body: table.AppendJSON(nil), UpdatedAt: table.UpdatedAt(), Imported: true, Source: source,
	}, true, catalog.MillisOf(now))
	return err
}
