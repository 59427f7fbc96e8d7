// Package upgrade has the migrations that SQL cannot express. Both engines run them
// through database/sql, with the statements that they share.
//
//	price_change, listing ─► moveHistory ─► history
//
// The package refuses to know how an engine opens a database.
package upgrade

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/pressly/goose/v3"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/money"
)

const (
	// readAtOnce bounds the memory of the migration. One transaction of PostgreSQL cannot
	// read rows and write others in turn.
	readAtOnce = 10_000

	priceChanges = `SELECT platform, region, product, at, currency, base, current, flags FROM price_change
	WHERE (platform, region, product, at) > ($1, $2, $3, $4) ORDER BY platform, region, product, at LIMIT $5`
	// withdrawn are listings that have shown a price and then nothing.
	withdrawn = `SELECT platform, region, product, priced_at, currency, base, current, flags FROM listing
	WHERE (platform, region, product, priced_at) > ($1, $2, $3, $4) AND withdrawn = 1 AND priced_at < observed_at
	AND NOT EXISTS (SELECT 1 FROM history h WHERE h.platform = listing.platform AND h.region = listing.region AND h.product = listing.product)
	ORDER BY platform, region, product LIMIT $5`
	listed = `SELECT observed_at, priced_at, withdrawn, discount_ends_at, CASE WHEN source = 'doubtful' THEN 1 ELSE 0 END FROM listing
	WHERE platform = $1 AND region = $2 AND product = $3`
	insert = "INSERT INTO history (platform, region, product, at, steps) VALUES ($1, $2, $3, $4, $5)"
)

// The flags of a price change.
const (
	flagPriced = 1 << iota
	flagTrial
	flagSubscription
)

// change is a row of price_change: a step of a listing.
type change struct {
	platform        int64
	region, product string
	step            history.Step
}

// SchemaTable is the table of the applied migrations.
const SchemaTable = "schema_version"

// NewProvider returns what applies the migrations of an engine: those in the folder migrations of
// files, and those of this package.
func NewProvider(dialect goose.Dialect, pool *sql.DB, files fs.FS, more ...goose.ProviderOption) (*goose.Provider, error) {
	files, err := fs.Sub(files, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(dialect, pool, files, append(more, goose.WithTableName(SchemaTable), goose.WithDisableGlobalRegistry(true),
		goose.WithGoMigrations(goose.NewGoMigration(11, &goose.GoFunc{RunTx: moveHistory}, nil)))...)
}

// moveHistory moves the price changes into the history. What a listing shows now becomes
// the last step of its series.
func moveHistory(ctx context.Context, tx *sql.Tx) error {
	m := &moving{tx: tx}
	var err error
	if m.listed, err = tx.PrepareContext(ctx, listed); err != nil {
		return err
	}
	defer m.listed.Close()
	if m.insert, err = tx.PrepareContext(ctx, insert); err != nil {
		return err
	}
	defer m.insert.Close()
	if err := m.move(ctx, priceChanges); err != nil {
		return fmt.Errorf("move price changes: %w", err)
	}
	if err := m.move(ctx, withdrawn); err != nil {
		return fmt.Errorf("record withdrawals: %w", err)
	}
	return nil
}

type moving struct {
	tx             *sql.Tx
	listed, insert *sql.Stmt
}

// move saves the series of the steps that a query returns in the order of their listings.
func (m *moving) move(ctx context.Context, query string) error {
	var last change // read so far
	var steps []history.Step
	for {
		read, err := m.read(ctx, query, last.platform, last.region, last.product, int64(last.step.At), readAtOnce)
		if err != nil {
			return err
		}
		for _, c := range read {
			if len(steps) > 0 && (c.platform != last.platform || c.region != last.region || c.product != last.product) {
				if err := m.save(ctx, last, steps); err != nil {
					return err
				}
				steps = steps[:0]
			}
			steps, last = history.Record(steps, c.step), c
		}
		if len(read) < readAtOnce {
			break
		}
	}
	if len(steps) == 0 {
		return nil
	}
	return m.save(ctx, last, steps)
}

func (m *moving) read(ctx context.Context, query string, args ...any) ([]change, error) {
	rows, err := m.tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []change
	for rows.Next() {
		var c change
		var at, base, current, flags int64
		var currency string
		if err := rows.Scan(&c.platform, &c.region, &c.product, &at, &currency, &base, &current, &flags); err != nil {
			return nil, err
		}
		var price *catalog.Price
		if flags&flagPriced != 0 {
			price = &catalog.Price{Currency: money.Currency(currency), Base: money.Amount(base), Current: money.Amount(current),
				Trial: flags&flagTrial != 0, Subscription: flags&flagSubscription != 0}
		}
		c.step = history.StepOf(catalog.Millis(at), price)
		list = append(list, c)
	}
	return list, rows.Err()
}

// save writes the series of a listing, completed by what the listing shows now.
func (m *moving) save(ctx context.Context, key change, steps []history.Step) error {
	var observedAt, pricedAt, endsAt catalog.Millis
	var gone, doubtful int64
	err := m.listed.QueryRowContext(ctx, key.platform, key.region, key.product).Scan(&observedAt, &pricedAt, &gone, &endsAt, &doubtful)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("listing %d %s %s: %w", key.platform, key.region, key.product, err)
	}
	// Since priced_at, the listing has shown the end of its discount and whether its price
	// is doubtful, which price_change does not have.
	if now := steps[len(steps)-1]; now.State == history.Priced || now.State == history.Text {
		now.At, now.EndsAt, now.Doubtful = max(now.At, pricedAt), endsAt, doubtful == 1
		steps = history.Record(steps, now)
	}
	if gone == 1 {
		steps = history.Record(steps, history.StepGone(observedAt))
	}
	for some := range slices.Chunk(steps, history.MaxRow) {
		row, err := history.AppendRow(nil, some)
		if err != nil {
			return fmt.Errorf("listing %d %s %s: %w", key.platform, key.region, key.product, err)
		}
		if _, err := m.insert.ExecContext(ctx, key.platform, key.region, key.product, int64(some[0].At), row); err != nil {
			return err
		}
	}
	return nil
}
