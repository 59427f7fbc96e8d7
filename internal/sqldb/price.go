package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
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

var upsertPriceChange = insertInto("price_change", "platform, region, product, at, currency, base, current, flags",
	`ON CONFLICT (platform, region, product, at) DO UPDATE SET
	currency = excluded.currency, base = excluded.base, current = excluded.current, flags = excluded.flags`)

const productsWithChanges = `SELECT DISTINCT product FROM price_change
	WHERE platform = ? AND region = ? AND product IN (?...)`

// recordPrices writes the prices that these rows brought. The first price of a
// listing waits for the second: most listings never have one, and their price
// and its time stand in the listing itself.
func (s *saving) recordPrices(ctx context.Context, rows []*decided) error {
	var moved []*decided
	for _, d := range rows {
		if d.priceMoved() {
			moved = append(moved, d)
		}
	}
	if len(moved) == 0 {
		return nil
	}
	known, err := s.haveChanges(ctx, moved)
	if err != nil {
		return err
	}
	var changes []priceChange
	for _, d := range moved {
		then, now := d.stored.PricedAt, d.Outcome.Stored.PricedAt
		if !known[d.line.Key] && then != now { // at one moment the later line is right
			changes = append(changes, priceChange{d.line.Key, then, d.stored.price})
		}
		if point := pointOf(d.line.Price); point != d.stored.price {
			changes = append(changes, priceChange{d.line.Key, now, point})
		}
	}
	return s.tx.insertRows(ctx, upsertPriceChange, len(changes), func(args []any, i int) []any {
		c := &changes[i]
		return append(args, int64(c.Platform), c.Region.String(), c.Product, int64(c.at),
			string(c.currency), int64(c.base), int64(c.current), c.flags)
	})
}

// priceMoved says whether the line brought a known listing another price, be
// it other in its text only.
func (d *decided) priceMoved() bool {
	if d.stored == nil {
		return false
	}
	now := &d.Outcome.Stored
	return d.stored.PricedAt != now.PricedAt || d.stored.PriceHash != now.PriceHash
}

// haveChanges says which of the listings have a recorded price.
func (s *saving) haveChanges(ctx context.Context, moved []*decided) (map[catalog.Key]bool, error) {
	groups := byPlace(len(moved), func(i int) catalog.Key { return moved[i].line.Key })
	known := make(map[catalog.Key]bool)
	for at, products := range groups {
		err := s.tx.queryIn(ctx, productsWithChanges, at.args(), products, func(rows *sql.Rows) error {
			key := catalog.Key{Platform: at.platform, Region: at.region}
			if err := rows.Scan(&key.Product); err != nil {
				return err
			}
			known[key] = true
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return known, nil
}

const (
	recordedPrices = `SELECT product, at, currency, base, current, flags FROM price_change
	WHERE platform = ? AND region = ? AND product IN (?...) ORDER BY product, at`
	presentPrices = `SELECT product, priced_at, currency, base, current, flags FROM listing
	WHERE platform = ? AND region = ? AND product IN (?...)`
)

// maxHistories is how many listings PriceHistories answers for at once.
const maxHistories = 200

// PriceHistory gives every price that a listing is known to have had, oldest
// first, the present one last; none if there is no such listing.
func (db *DB) PriceHistory(ctx context.Context, key catalog.Key) ([]catalog.PriceChange, error) {
	histories, err := db.PriceHistories(ctx, []catalog.Key{key})
	return histories[key], err
}

// PriceHistories gives the price history of each of at most 200 listings, as
// of one moment. A listing that does not exist is left out.
func (db *DB) PriceHistories(ctx context.Context, keys []catalog.Key) (map[catalog.Key][]catalog.PriceChange, error) {
	if len(keys) > maxHistories {
		return nil, fmt.Errorf("read price histories of %d listings: ask for at most %d at once", len(keys), maxHistories)
	}
	histories := make(map[catalog.Key][]catalog.PriceChange, len(keys))
	err := db.Read(ctx, func(r *Reading) error {
		if err := r.prices(recordedPrices, keys, histories); err != nil {
			return err
		}
		// Whoever has no recorded price has had the present one alone.
		rest := slices.DeleteFunc(slices.Clone(keys), func(k catalog.Key) bool { return len(histories[k]) > 0 })
		return r.prices(presentPrices, rest, histories)
	})
	return histories, db.failed("read price history", err)
}

// prices adds the rows that a query has for keys to their histories.
func (r *Reading) prices(text string, keys []catalog.Key, histories map[catalog.Key][]catalog.PriceChange) error {
	groups := byPlace(len(keys), func(i int) catalog.Key { return keys[i] })
	for at, products := range groups {
		err := r.queryIn(text, at.args(), products, func(rows *sql.Rows) error {
			key := catalog.Key{Platform: at.platform, Region: at.region}
			var c catalog.PriceChange
			var flags int64
			err := rows.Scan(&key.Product, &c.At, &c.Currency, &c.Base, &c.Current, &flags)
			c.Priced, c.Trial, c.Subscription = flags&flagPriced != 0, flags&flagTrial != 0, flags&flagSubscription != 0
			histories[key] = append(histories[key], c)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// queryIn is tx.queryIn within the look.
func (r *Reading) queryIn(text string, before, keys []any, row func(*sql.Rows) error) error {
	return inLists(text, before, keys, func(text string, args []any) error {
		return r.query(text, args, row)
	})
}
