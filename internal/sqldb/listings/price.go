package listings

import (
	"context"
	"database/sql"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
)

// pricePoint is the part of a price whose changes are recorded.
type pricePoint struct {
	currency      money.Currency
	base, current money.Amount
	flags         int64
}

func pointOf(p *catalog.Price) pricePoint {
	if p == nil {
		return pricePoint{base: money.None, current: money.None}
	}
	return pricePoint{p.Currency, p.Base, p.Current, priceFlags(p)}
}

// priceChange is a row to record.
type priceChange struct {
	catalog.Key
	at catalog.Millis
	pricePoint
}

var upsertPriceChange = sqldb.InsertInto("price_change", "platform, region, product, at, currency, base, current, flags",
	`ON CONFLICT (platform, region, product, at) DO UPDATE SET
	currency = excluded.currency, base = excluded.base, current = excluded.current, flags = excluded.flags`)

// recordPrices writes the prices that these rows bring. The first price of a
// listing waits for the second: most listings never have one, and their price
// and its time stand in the listing itself.
func (s *Saving) recordPrices(ctx context.Context, rows []*decided) error {
	var changes []priceChange
	for _, d := range rows {
		if d.priceMoved() {
			changes = d.appendChanges(changes)
		}
	}
	return s.tx.InsertRows(ctx, upsertPriceChange, len(changes), func(args []any, i int) []any {
		c := &changes[i]
		return append(args, int64(c.Platform), c.Region.String(), c.Product, int64(c.at),
			string(c.currency), int64(c.base), int64(c.current), c.flags)
	})
}

func (d *decided) appendChanges(changes []priceChange) []priceChange {
	then, now, n := d.stored.PricedAt, d.Outcome.Stored.PricedAt, len(changes)
	if !d.recorded && then != now { // at one moment the later line is right
		changes = append(changes, priceChange{d.line.Key, then, d.stored.price})
	}
	if point := pointOf(d.line.Price); point != d.stored.price {
		changes = append(changes, priceChange{d.line.Key, now, point})
	}
	d.recorded = d.recorded || len(changes) > n
	return changes
}

// priceMoved reports whether the line, of a known listing, brought another price,
// be it other in its text only.
func (d *decided) priceMoved() bool {
	now := &d.Outcome.Stored
	return d.stored.PricedAt != now.PricedAt || d.stored.PriceHash != now.PriceHash
}

const (
	recordedPrices = `SELECT at, currency, base, current, flags FROM price_change
	WHERE platform = $1 AND region = $2 AND product = $3 ORDER BY at`
	presentPrice = `SELECT priced_at, currency, base, current, flags FROM listing
	WHERE platform = $1 AND region = $2 AND product = $3`
)

// PriceHistory returns every price that a listing is known to have had, oldest
// first, the present one last; none if there is no such listing.
func (store *Store) PriceHistory(ctx context.Context, key catalog.Key) ([]catalog.PriceChange, error) {
	var history []catalog.PriceChange
	err := store.Read(ctx, func(r *Reading) error {
		args := []any{int64(key.Platform), key.Region.String(), key.Product}
		take := func(rows *sql.Rows) error {
			var c catalog.PriceChange
			var flags int64
			err := rows.Scan(&c.At, &c.Currency, &c.Base, &c.Current, &flags)
			c.Priced, c.Trial, c.Subscription = flags&flagPriced != 0, flags&flagTrial != 0, flags&flagSubscription != 0
			history = append(history, c)
			return err
		}
		if err := r.tx.Query(recordedPrices, args, take); err != nil || len(history) > 0 {
			return err
		}
		return r.tx.Query(presentPrice, args, take)
	})
	return history, store.db.Failed("read price history", err)
}
