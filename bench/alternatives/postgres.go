package alternatives

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"gamedex/bench/harness"
)

// PostgresJSON is PostgreSQL, which makes the JSON itself.
type PostgresJSON struct{ conn *pgx.Conn }

const postgresSchema = `
CREATE TABLE game (id text PRIMARY KEY, platform text, title text, cheapest_region text, cheapest_usd numeric, cheapest_text text, compared_regions int, updated_at text);
CREATE TABLE price (id text, region text, alpha2 text, currency text, base bigint, current bigint, base_text text, current_text text,
	discount_percent int, usd numeric, discount_label text, discount_end_at text, is_free bool, is_trial bool, is_sub_plus bool,
	edition text, sku text, source text, priced_at text, variants int, PRIMARY KEY (id, region))`

const postgresQuery = `SELECT json_agg(json_build_object('id', g.id, 'platform', g.platform, 'title', g.title,
	'regions', r.regions, 'regionsCount', r.n, 'comparedRegions', g.compared_regions,
	'cheapest', CASE WHEN g.cheapest_region IS NOT NULL THEN json_build_object('region', g.cheapest_region, 'usd', g.cheapest_usd, 'text', g.cheapest_text) END,
	'updatedAt', g.updated_at) ORDER BY asked.place)
	FROM unnest($1::text[]) WITH ORDINALITY AS asked (id, place) JOIN game AS g ON g.id = asked.id,
	LATERAL (SELECT count(*) AS n, json_object_agg(p.region, json_build_object('alpha2', p.alpha2, 'currency', p.currency,
		'base', p.base, 'current', p.current, 'baseText', p.base_text, 'currentText', p.current_text,
		'discountPercent', p.discount_percent, 'usd', p.usd, 'discountLabel', p.discount_label, 'discountEndAt', p.discount_end_at,
		'isFree', p.is_free, 'isTrial', p.is_trial, 'isSubPlus', p.is_sub_plus, 'edition', p.edition, 'sku', p.sku,
		'source', p.source, 'pricedAt', p.priced_at, 'variantsCount', p.variants)) AS regions
		FROM price AS p WHERE p.id = g.id) AS r`

// StartPostgres starts PostgreSQL and stores the items.
func StartPostgres(ctx context.Context, r *harness.Run, items []Item) (BulkPrices, error) {
	server, err := r.Postgres(ctx, "fsync=off")
	if err != nil {
		return nil, err
	}
	dsn, err := server.NewDatabase(ctx, "prices")
	if err != nil {
		return nil, err
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	r.AtEnd(func() error { return conn.Close(context.WithoutCancel(ctx)) })
	if _, err := conn.Exec(ctx, postgresSchema); err != nil {
		return nil, err
	}
	var games, prices [][]any
	for i := range items {
		games = append(games, gameRow(&items[i]))
		for region, p := range items[i].Regions {
			prices = append(prices, priceRow(items[i].ID, region, &p))
		}
	}
	if err := copyInto(ctx, conn, "game", games, "id platform title cheapest_region cheapest_usd cheapest_text compared_regions updated_at"); err != nil {
		return nil, err
	}
	err = copyInto(ctx, conn, "price", prices, "id region alpha2 currency base current base_text current_text discount_percent usd "+
		"discount_label discount_end_at is_free is_trial is_sub_plus edition sku source priced_at variants")
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		return nil, err
	}
	if _, err := conn.Prepare(ctx, "prices", postgresQuery); err != nil {
		return nil, err
	}
	return &PostgresJSON{conn}, checkPlan(ctx, conn, items)
}

// checkPlan returns an error if the plan reads all prices, which would not be a fair
// comparison.
func checkPlan(ctx context.Context, conn *pgx.Conn, items []Item) error {
	var ids []string
	for i := range min(1000, len(items)) {
		ids = append(ids, "'"+items[i].ID+"'")
	}
	rows, err := conn.Query(ctx, "EXPLAIN EXECUTE prices(ARRAY["+strings.Join(ids, ",")+"])")
	if err != nil {
		return err
	}
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	if text := strings.Join(plan, "\n"); strings.Contains(text, "Seq Scan on price") {
		return fmt.Errorf("the plan reads all prices:\n%s", text)
	}
	return nil
}

// Items implements [BulkPrices].
func (j *PostgresJSON) Items(ctx context.Context, ids []string) ([]byte, error) {
	var text []byte
	err := j.conn.QueryRow(ctx, "prices", ids).Scan(&text)
	return text, err
}

func copyInto(ctx context.Context, conn *pgx.Conn, table string, rows [][]any, columns string) error {
	_, err := conn.CopyFrom(ctx, pgx.Identifier{table}, strings.Fields(columns), pgx.CopyFromRows(rows))
	return err
}
