package sqlite

import (
	"context"
	"iter"
	"strings"

	"gamedex/internal/sqldb/engine"
)

const tableColumns = `SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
	WHERE m.type = 'table' AND m.name <> $1 AND m.name NOT LIKE 'sqlite%' ORDER BY m.name, c.name`

// Tables implements engine.Whole.
func (db *DB) Tables(ctx context.Context, q engine.Querier) ([]engine.Table, error) {
	return engine.ReadTables(ctx, q, tableColumns, schemaTable)
}

// Fill implements engine.Whole. Others can read the database, but find it empty.
func (db *DB) Fill(ctx context.Context, fn func(engine.Loader) error) error {
	return db.Write(ctx, func(c engine.Conn) error { return fn(loader{c}) })
}

// loader is a transaction that adds many rows.
type loader struct{ engine.Conn }

// loadBatch is how many rows are kept until they are inserted.
const loadBatch = 512

// Load implements engine.Loader.
func (l loader) Load(ctx context.Context, table engine.Table, rows iter.Seq2[[]any, error]) (loaded int64, err error) {
	in := &engine.Insert{Table: table.Name, Columns: strings.Join(table.Columns, ", ")}
	width := len(table.Columns)
	batch := make([]any, 0, loadBatch*width)
	insert := func() error {
		n, err := l.InsertRows(ctx, in, len(batch)/width, func(args []any, i int) []any {
			return append(args, batch[i*width:(i+1)*width]...)
		})
		loaded, batch = loaded+n, batch[:0]
		return err
	}
	for row, err := range rows {
		if err == nil {
			batch = append(batch, row...)
		}
		if err == nil && len(batch) == cap(batch) {
			err = insert()
		}
		if err == nil {
			err = ctx.Err() // the statements ignore it
		}
		if err != nil {
			return loaded, err
		}
	}
	return loaded, insert()
}
