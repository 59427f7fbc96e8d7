package engine

import (
	"context"
	"iter"
)

// Engine is what databases differ in. An error of its methods is the engine's own,
// without the name of the action: DB adds that.
type Engine interface {
	// Write runs fn in a transaction. It is on disk when Write returns nil, and
	// has changed nothing when fn failed. Write may run fn again after an attempt
	// that committed nothing.
	Write(ctx context.Context, fn func(Conn) error) error
	// Read runs fn on one consistent snapshot, which may be long: it blocks
	// nobody.
	Read(ctx context.Context, fn func(Querier) error) error
	// Querier runs queries outside a transaction.
	Querier
	// Remedy returns which database err is about, what is wrong with it and how
	// to fix it; "" if err is not about the database.
	Remedy(err error) string
	// Damage returns how the stored data are damaged, if err says so; otherwise "".
	Damage(err error) string
	// CheckStructure adds the faults of what the engine itself stores, such as
	// pages and indexes.
	CheckStructure(ctx context.Context, q Querier, faults *Faults) error
	// Erase removes deleted rows from where the engine may still keep them, as
	// far as readers allow.
	Erase(ctx context.Context) error
	// ID returns the id of the database, which copies share.
	ID() string
	// Epoch returns the text of an expression whose value changes when the same
	// numbers may stand for other data, such as after a restore. gap names the
	// part that is left out, because the role may not read it; "" if there is none.
	Epoch() (text, gap string)
	// Tables returns the tables of gamedex by name, without those of the engine and of
	// migrations.
	Tables(ctx context.Context, q Querier) ([]Table, error)
	// Fill runs fn in a transaction that others can neither read nor change before it
	// ends. It may last long. Unlike Write it runs fn once.
	Fill(ctx context.Context, fn func(Conn) error) error
	Close() error
}

// Querier runs queries. See Conn for texts and arguments. That of a transaction is for one
// goroutine, and valid until the function that got it returns.
type Querier interface {
	// Query calls row for each row of the result. It returns an error of row as
	// it is, and asks for no further row.
	Query(ctx context.Context, text string, args []any, row func(Rows) error) error
}

// Rows is the current row of a result.
type Rows interface {
	// Scan stores the columns in what dest points to. Queries of many rows make
	// dest once: a new one for each row is allocated.
	Scan(dest ...any) error
}

// Conn runs the statements of a transaction that writes. It is for one goroutine,
// and valid until the function that got it returns.
//
// Arguments are $1, $2 …, in any order, each as often as needed. An argument is an
// int, int64, float64, string or []byte, or a list: a []string, []int64 or
// [][]byte. The text of a list is "= ANY($n)"; a statement has at most one. Its
// values should not repeat. With an empty list a statement does nothing.
//
// " FOR UPDATE" at the end of a text locks the rows found until the transaction ends.
type Conn interface {
	Querier
	// Exec runs a statement and returns how many rows it changed.
	Exec(ctx context.Context, text string, args ...any) (changed int64, err error)
	// InsertRows inserts n rows, whose keys differ, and returns how many it
	// inserted or changed. fill appends the values of row i to args, in the order
	// of the columns.
	InsertRows(ctx context.Context, in *Insert, n int, fill func(args []any, i int) []any) (changed int64, err error)
	// UpdateRows updates n rows, whose keys differ. fill appends the values of row
	// i to args, in the order of up.Values. If up has a condition, UpdateRows returns
	// the rows that it did not update, in ascending order: those that do not exist or
	// do not fulfill it.
	UpdateRows(ctx context.Context, up *Update, n int, fill func(args []any, i int) []any) (left []int, err error)
	// Lock makes this transaction the only one that holds any of the names, until
	// it ends. It locks them in sorted order.
	Lock(ctx context.Context, names ...string) error
	// Now returns the time of the engine's clock in Unix milliseconds.
	Now(ctx context.Context) (int64, error)
	// Load adds many rows to a table and returns how many. A row has a value for each
	// column; rows may reuse its memory for the next one. Load returns the first error of
	// rows.
	Load(ctx context.Context, table Table, rows iter.Seq2[[]any, error]) (loaded int64, err error)
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
