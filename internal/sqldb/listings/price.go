package listings

import (
	"context"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb"
)

// recordedPrice is a row of price_change.
type recordedPrice struct {
	catalog.Key
	catalog.PriceChange
}

var upsertPriceChange = sqldb.Insert{Table: "price_change", Columns: "platform, region, product, at, currency, base, current, flags",
	Then: `ON CONFLICT (platform, region, product, at) DO UPDATE SET
	currency = excluded.currency, base = excluded.base, current = excluded.current, flags = excluded.flags`}

// recordPrices writes the price changes that rows of known listings bring.
func (s *Saving) recordPrices(ctx context.Context, rows []*decided) error {
	var changes []recordedPrice
	for _, d := range rows {
		now := catalog.PriceSince(d.Outcome.Stored.PricedAt, d.line.Price)
		for _, change := range catalog.ChangesToRecord(d.stored.price, now, d.recorded) {
			changes = append(changes, recordedPrice{d.line.Key, change})
			d.recorded = true
		}
	}
	_, err := s.tx.InsertRows(ctx, &upsertPriceChange, len(changes), func(args []any, i int) []any {
		c := &changes[i]
		return append(args, int64(c.Platform), c.Region.String(), c.Product, int64(c.At),
			string(c.Currency), int64(c.Base), int64(c.Current), priceFlags(c.Priced, c.Trial, c.Subscription))
	})
	return err
}

const (
	recordedPrices = `SELECT at, currency, base, current, flags FROM price_change
	WHERE platform = $1 AND region = $2 AND product = $3 ORDER BY at`
	presentPrice = `SELECT priced_at, currency, base, current, flags FROM listing
	WHERE platform = $1 AND region = $2 AND product = $3`
)

// PriceHistory returns the known prices of a listing, oldest first, with the present
// price last; none if there is no such listing.
func (store *Store) PriceHistory(ctx context.Context, key catalog.Key) ([]catalog.PriceChange, error) {
	var history []catalog.PriceChange
	err := store.Read(ctx, func(r *Reading) error {
		args := []any{int64(key.Platform), key.Region.String(), key.Product}
		take := func(rows sqldb.Rows) error {
			var c catalog.PriceChange
			var flags int64
			err := rows.Scan(&c.At, &c.Currency, &c.Base, &c.Current, &flags)
			setFlags(&c, flags)
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

func setFlags(c *catalog.PriceChange, flags int64) {
	c.Priced, c.Trial, c.Subscription = flags&flagPriced != 0, flags&flagTrial != 0, flags&flagSubscription != 0
}

func priceFlags(priced, trial, subscription bool) (flags int64) {
	if priced {
		flags |= flagPriced
	}
	if trial {
		flags |= flagTrial
	}
	if subscription {
		flags |= flagSubscription
	}
	return flags
}
