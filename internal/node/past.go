package node

import (
	"context"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/sqldb"
)

// past implements pricehistory.Repository.
type past struct{ db *sqldb.DB }

// Histories implements pricehistory.Repository.
func (p past) Histories(ctx context.Context, keys []catalog.Key, since, until catalog.Millis, fn func(history.Part) error) error {
	return p.db.Listings.Histories(ctx, keys, since, until, fn)
}

// EachDayRates implements pricehistory.Repository.
func (p past) EachDayRates(ctx context.Context, first, last int64, fn func(history.DayRates) error) error {
	return p.db.Nodes.EachDayRates(ctx, first, last, fn)
}
