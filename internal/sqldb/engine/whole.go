package engine

import (
	"context"
	"iter"
)

// Whole is an engine whose databases can be copied as a whole.
type Whole interface {
	Engine
	// Tables returns the tables of gamedex by name, without those of the engine and of
	// migrations.
	Tables(ctx context.Context, q Querier) ([]Table, error)
	// Fill runs fn in a transaction that others can neither read nor change before it
	// ends. It may last long. Unlike Write it runs fn once.
	Fill(ctx context.Context, fn func(Loader) error) error
}

// Table is a table as the engine's catalog describes it.
type Table struct {
	Name    string
	Columns []string // sorted
}

// ReadTables reads tables with a text whose rows are a table and one of its columns, in
// the order of both.
func ReadTables(ctx context.Context, q Querier, text string, args ...any) (tables []Table, err error) {
	err = q.Query(ctx, text, args, func(rows Rows) error {
		var table, column string
		err := rows.Scan(&table, &column)
		if n := len(tables); n == 0 || tables[n-1].Name != table {
			tables = append(tables, Table{Name: table})
		}
		last := &tables[len(tables)-1]
		last.Columns = append(last.Columns, column)
		return err
	})
	return tables, err
}

// Loader is a transaction that adds many rows.
type Loader interface {
	Conn
	// Load adds rows to a table and returns how many. A row has a value for each
	// column; it is used before the next one is asked for. Load returns the first
	// error of rows.
	Load(ctx context.Context, table Table, rows iter.Seq2[[]any, error]) (loaded int64, err error)
}
