package node

import (
	"context"
	"fmt"
	"time"

	"gamedex/internal/build"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
)

// Source is the database as a builder reads it.
type Source struct {
	*sqldb.DB
	Now func() time.Time
}

// Read implements build.Source.
func (s Source) Read(ctx context.Context, fn func(build.Reading) error) error {
	return s.DB.Read(ctx, func(r *sqldb.Reading) error { return fn(r) })
}

// Loading implements build.Database.
func (s Source) Loading(ctx context.Context) (bool, error) {
	until, err := s.DB.LoadingUntil(ctx)
	return until > s.Now().UnixMilli(), err
}

// Rates implements build.Database.
func (s Source) Rates(ctx context.Context) (money.Rates, error) {
	stored, found, err := s.DB.LoadRates(ctx)
	if err != nil || !found {
		return money.Rates{}, err
	}
	return parseStoredRates(stored)
}

func parseStoredRates(stored sqldb.Rates) (money.Rates, error) {
	rates, err := money.ParseRates(stored.Body)
	if err != nil {
		return money.Rates{}, fmt.Errorf("stored rates: %w; replace them with gamedex rates import FILE", err)
	}
	return rates, nil
}

// SaveRates stores a table that an operator chose: it stays until the next import
// or refresh.
func SaveRates(ctx context.Context, db *sqldb.DB, rates money.Rates, source string) error {
	_, err := db.SaveRates(ctx, sqldb.Rates{
		Body: rates.AppendJSON(nil), UpdatedAt: rates.UpdatedAt(), Imported: true, Source: source,
	}, true)
	return err
}
