package listings

import (
	"context"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/sqldb/engine"
)

// Check reports listings whose facts or prose do not exist, facts and prose that do not
// match their hashes, and damaged rows of history.
func Check(ctx context.Context, q engine.Querier, faults *engine.Faults) error {
	const text = `SELECT l.platform, l.region, l.product FROM listing l
		LEFT JOIN facts f ON f.id = l.facts_id LEFT JOIN prose p ON p.id = l.prose_id
		WHERE f.id IS NULL OR (l.prose_id <> 0 AND p.id IS NULL) LIMIT 20`
	err := q.Query(ctx, text, nil, func(rows engine.Rows) error {
		var p catalog.Platform
		var region, product string
		err := rows.Scan(&p, &region, &product)
		faults.AddFault("listing %s %s %s refers to facts or prose that do not exist", p, region, product)
		return err
	})
	if err != nil {
		return err
	}
	if err := checkContents(ctx, q, faults, "facts", catalog.ParseFacts); err != nil {
		return err
	}
	if err := checkContents(ctx, q, faults, "prose", catalog.ParseProse); err != nil {
		return err
	}
	return checkHistory(ctx, q, faults)
}

const allHistory = "SELECT platform, region, product, at, steps FROM history ORDER BY platform, region, product, at"

func checkHistory(ctx context.Context, q engine.Querier, faults *engine.Faults) error {
	var row historyRow
	var region string
	var last history.Step
	var lastKey catalog.Key
	dest := []any{&row.key.Platform, &region, &row.key.Product, &row.at, (*engine.RawBytes)(&row.steps)}
	return q.Query(ctx, allHistory, nil, func(rows engine.Rows) error {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		row.key.Region = regionOf(region)
		steps, err := row.appendTo(nil)
		switch {
		case err != nil:
			faults.AddFault("%v", err)
			return nil
		case row.key == lastKey && last.At >= row.at:
			faults.AddFault("history of %s %s %s: the rows before and from %d overlap", row.key.Platform, row.key.Region, row.key.Product, row.at)
		}
		last, lastKey = steps[len(steps)-1], row.key
		return nil
	})
}

func checkContents[T any](ctx context.Context, q engine.Querier, faults *engine.Faults, name string, parse func([]byte) (T, error)) error {
	var id int64
	var stored, body engine.RawBytes
	dest := []any{&id, &stored, &body}
	return q.Query(ctx, "SELECT id, hash, body FROM "+name, nil, func(rows engine.Rows) error {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		if h := hashOf(body); string(stored) != string(h[:]) {
			faults.AddFault("%s %d do not match their hash", name, id)
		} else if _, err := parse(body); err != nil {
			faults.AddFault("%s %d: %v", name, id, err)
		}
		return nil
	})
}
