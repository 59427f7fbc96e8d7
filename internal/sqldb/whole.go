package sqldb

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

// Loader is a transaction that adds many rows.
type Loader interface {
	Conn
	// Load adds rows to a table and returns how many. A row has a value for each
	// column; it is used before the next one is asked for. Load returns the first
	// error of rows.
	Load(ctx context.Context, table Table, rows iter.Seq2[[]any, error]) (loaded int64, err error)
}
