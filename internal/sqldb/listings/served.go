package listings

import (
	"context"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb/engine"
)

var insertServed = engine.Insert{Table: "served_id", Columns: "platform, id, product", Then: "ON CONFLICT (platform, id, product) DO NOTHING"}

// Remember stores the products of served ids. Known ones may repeat.
func (repo *Repository) Remember(ctx context.Context, more []catalog.Served) error {
	for batch := range slices.Chunk(more, MaxBatch) {
		err := repo.db.Write(ctx, "remember served ids", func(t *engine.Tx) error {
			_, err := t.InsertRows(ctx, &insertServed, len(batch), func(args []any, i int) []any {
				return append(args, int64(batch[i].Platform), batch[i].ID, batch[i].Product)
			})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Served calls fn for every stored product of an id, by platform and id.
func (repo *Repository) Served(ctx context.Context, fn func(catalog.Served) error) error {
	const text = "SELECT platform, id, product FROM served_id ORDER BY platform, id, product"
	return repo.db.Query(ctx, "read served ids", text, nil, func(rows engine.Rows) error {
		var s catalog.Served
		if err := rows.Scan(&s.Platform, &s.ID, &s.Product); err != nil {
			return err
		}
		return fn(s)
	})
}
