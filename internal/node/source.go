package node

import (
	"context"
	"fmt"
	"time"

	"gamedex/internal/builder"
	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sqldb/nodes"
)

// Source is the database as a builder reads it.
type Source struct {
	*sqldb.DB
	Now func() time.Time
}

// Read implements builder.Source.
func (s Source) Read(ctx context.Context, fn func(builder.Reading) error) error {
	return s.DB.Listings.Read(ctx, func(r *listings.Reading) error { return fn(r) })
}

// Newest implements builder.Database.
func (s Source) Newest(ctx context.Context) (epoch string, generation int64, err error) {
	return s.DB.Listings.Newest(ctx)
}

// Regions implements builder.Database.
func (s Source) Regions(ctx context.Context) ([]catalog.Region, error) {
	return s.DB.Listings.Regions(ctx)
}

// Loading implements builder.Database.
func (s Source) Loading(ctx context.Context) (bool, error) {
	until, err := s.DB.Nodes.LoadingUntil(ctx)
	return until > s.Now().UnixMilli(), err
}

// Rates implements builder.Database.
func (s Source) Rates(ctx context.Context) (money.Rates, error) {
	stored, found, err := s.DB.Nodes.LoadRates(ctx)
	if err != nil || !found {
		return money.Rates{}, err
	}
	return parseStoredRates(stored)
}

func parseStoredRates(stored nodes.Rates) (money.Rates, error) {
	rates, err := money.ParseRates(stored.Body)
	if err != nil {
		return money.Rates{}, fmt.Errorf("stored rates: %w; replace them with gamedex rates import FILE", err)
	}
	return rates, nil
}

// SaveRates stores a table that an operator chose. It stays in force until the next
// import or refresh.
func SaveRates(ctx context.Context, db *sqldb.DB, rates money.Rates, source string, now time.Time) error {
	_, err := db.Nodes.SaveRates(ctx, nodes.Rates{
		Body: rates.AppendJSON(nil), UpdatedAt: rates.UpdatedAt(), Imported: true, Source: source,
	}, true, catalog.MillisOf(now))
	return err
}
