package postgres

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gamedex/internal/sqldb/engine"
)

// rowsPerStatement bounds the arrays of one statement.
const rowsPerStatement = 4096

// InsertRows inserts n rows, whose keys differ, and returns how many it inserted or
// changed.
func (c *conn) InsertRows(ctx context.Context, in *engine.Insert, n int, fill func(args []any, i int) []any) (changed int64, err error) {
	err = eachBatch(n, in.Width(), fill, func(b *batch) error {
		text := "INSERT INTO " + in.Table + " (" + in.Columns + ") SELECT " + strings.Join(b.values, ", ") + " FROM " + b.rowByRow() + " " + in.Then
		rows, err := c.Exec(ctx, text, b.args...)
		changed += rows
		return err
	})
	return changed, err
}

// UpdateRows implements engine.Conn.
func (c *conn) UpdateRows(ctx context.Context, up *engine.Update, n int, fill func(args []any, i int) []any) (left []int, err error) {
	from := 0
	err = eachBatch(n, up.Width(), fill, func(b *batch) error {
		if up.If == "" {
			_, err := c.Exec(ctx, updateText(up, b, b.rowByRow()), b.args...)
			return err
		}
		more, err := c.updateSome(ctx, updateSomeText(up, b), b)
		for _, i := range more {
			left = append(left, from+i)
		}
		from += b.rows
		return err
	})
	return left, err
}

// updateSome runs a statement that returns the places of the rows that it updates, from
// 1, and returns those of the others, from 0.
func (c *conn) updateSome(ctx context.Context, text string, b *batch) (left []int, err error) {
	updated := make([]bool, b.rows)
	var place int
	dest := []any{&place}
	err = c.Query(ctx, text, b.args, func(rows engine.Rows) error {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		updated[place-1] = true
		return nil
	})
	for i, done := range updated {
		if !done {
			left = append(left, i)
		}
	}
	return left, err
}

// updateText returns the statement that updates the rows of b, which come from rows.
func updateText(up *engine.Update, b *batch, rows string) string {
	set, key := strings.Split(up.Set, ", "), strings.Split(up.Key, ", ")
	for i, name := range set {
		set[i] = name + " = " + b.values[i]
	}
	for i, name := range key {
		key[i] = up.Table + "." + name + " = " + b.values[len(set)+i]
	}
	return "UPDATE " + up.Table + " SET " + strings.Join(set, ", ") +
		" FROM " + rows + " WHERE " + strings.Join(key, " AND ")
}

func updateSomeText(up *engine.Update, b *batch) string {
	condition, given := up.If, strings.Split(up.Given, ", ")
	for i, name := range given {
		condition = strings.Replace(condition, "new."+name, b.values[len(b.values)-len(given)+i], 1)
	}
	return updateText(up, b, b.numbered()) + " AND " + condition + " RETURNING new.place"
}

// batch is the values of some rows.
type batch struct {
	rows   int
	args   []any
	values []string // what stands for the value of each column, such as "new.c2"
	arrays []string // the columns whose values differ, such as "$2::text[]"
	names  []string // of these columns, such as "c2"
}

// rowByRow returns what has the rows of b under the name new. The server makes one row at a
// time of functions in a list of what is selected. Of functions after FROM it would first
// store all values of each column.
func (b *batch) rowByRow() string {
	columns := make([]string, len(b.arrays))
	for i, array := range b.arrays {
		columns[i] = "unnest(" + array + ") AS " + b.names[i]
	}
	return "(SELECT " + strings.Join(columns, ", ") + ") AS new"
}

// numbered returns what has the rows of b, and the place of each, which only functions after
// FROM get, under the name new.
func (b *batch) numbered() string {
	return "unnest(" + strings.Join(b.arrays, ", ") + ") WITH ORDINALITY AS new (" + strings.Join(b.names, ", ") + ", place)"
}

// newBatch returns a batch. A column with one value for all rows is one argument instead
// of an array: that costs the server less.
func newBatch(columns []column, rows int) *batch {
	b := &batch{rows: rows}
	for i := range columns {
		number, name := i+1, fmt.Sprintf("c%d", i+1)
		last := i == len(columns)-1 && len(b.names) == 0 // unnest needs one
		if value, kind := columns[i].same(); value != nil && rows > 1 && !last {
			b.args = append(b.args, value)
			b.values = append(b.values, fmt.Sprintf("$%d::%s", number, kind))
			continue
		}
		values, kind := columns[i].array()
		b.args, b.values = append(b.args, values), append(b.values, "new."+name)
		b.arrays, b.names = append(b.arrays, fmt.Sprintf("$%d::%s[]", number, kind)), append(b.names, name)
	}
	return b
}

// eachBatch calls run with up to rowsPerStatement rows at a time.
func eachBatch(n, width int, fill func(args []any, i int) []any, run func(*batch) error) error {
	var row []any
	for from := 0; from < n; from += rowsPerStatement {
		size := min(n-from, rowsPerStatement)
		columns := make([]column, width)
		for i := range size {
			if row = fill(row[:0], from+i); len(row) != width {
				return fmt.Errorf("row %d has %d values, not %d", from+i, len(row), width)
			}
			for k, value := range row {
				if err := columns[k].add(value); err != nil {
					return fmt.Errorf("column %d of row %d: %w", k+1, from+i, err)
				}
			}
		}
		if err := run(newBatch(columns, size)); err != nil {
			return err
		}
	}
	return nil
}

// column collects the values of a column, which have the same type.
type column struct {
	texts  []string
	ints   []int64
	floats []float64
	bytes  [][]byte
}

func (c *column) add(value any) error {
	switch v := value.(type) {
	case string:
		c.texts = append(c.texts, engine.Plain(v))
	case int64:
		c.ints = append(c.ints, v)
	case int:
		c.ints = append(c.ints, int64(v))
	case float64:
		c.floats = append(c.floats, v)
	case []byte:
		c.bytes = append(c.bytes, v)
	default:
		return fmt.Errorf("a %T cannot be stored", value)
	}
	return nil
}

// array returns the values and the name of their type.
func (c *column) array() (values any, name string) {
	switch {
	case c.texts != nil:
		return c.texts, "text"
	case c.floats != nil:
		return c.floats, "float8"
	case c.bytes != nil:
		return c.bytes, "bytea"
	}
	return c.ints, "int8"
}

// same returns the value that all rows have, and the name of its type; nil if they differ.
// Floats and bytes always count as different.
func (c *column) same() (value any, name string) {
	switch {
	case c.texts != nil && allEqual(c.texts):
		return c.texts[0], "text"
	case c.ints != nil && allEqual(c.ints):
		return c.ints[0], "int8"
	}
	return nil, ""
}

func allEqual[T comparable](list []T) bool {
	return !slices.ContainsFunc(list, func(v T) bool { return v != list[0] })
}

// filling is a transaction that fills a database. One of its statements may take hours.
var filling = writer{"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; " +
	"SET LOCAL lock_timeout = '10s'; SET LOCAL statement_timeout = '24h'; SET LOCAL idle_in_transaction_session_timeout = '1h'",
	24 * time.Hour, time.Hour}

// tableColumns reads only the tables of migrations: the schema may have others.
const tableColumns = `SELECT c.relname::text, a.attname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
	WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname = ANY($1)
	AND a.attnum > 0 AND NOT a.attisdropped ORDER BY c.relname COLLATE "C", a.attname COLLATE "C"`

// Tables implements engine.Engine. It refuses a newer schema, whose tables it does not know.
func (db *DB) Tables(ctx context.Context, q engine.Querier) ([]engine.Table, error) {
	var version int64
	err := q.Query(ctx, appliedVersion, nil, func(rows engine.Rows) error { return rows.Scan(&version) })
	if err == nil {
		err = engine.CheckVersion("database "+db.name, version, SchemaVersion(), 0)
	}
	if err != nil {
		return nil, err
	}
	return engine.ReadTables(ctx, q, tableColumns, relationNames())
}

// Fill implements engine.Engine. It locks all tables, and updates the statistics that plans
// depend on before it commits.
func (db *DB) Fill(ctx context.Context, fn func(engine.Conn) error) error {
	return db.writeOnce(ctx, filling, func(c *conn) error {
		tables, err := db.Tables(ctx, c)
		if err != nil {
			return err
		}
		names := make([]string, len(tables))
		for i, table := range tables {
			names[i] = quote(table.Name)
		}
		list := strings.Join(names, ", ")
		if _, err := c.tx.Exec(ctx, "LOCK TABLE "+list+" IN ACCESS EXCLUSIVE MODE"); err != nil {
			return err
		}
		if err := fn(c); err != nil {
			return err
		}
		_, err = c.tx.Exec(ctx, "ANALYZE "+list)
		return err
	})
}

// Load implements engine.Conn with the COPY protocol.
func (c *conn) Load(ctx context.Context, table engine.Table, rows iter.Seq2[[]any, error]) (loaded int64, err error) {
	next, stop := iter.Pull2(rows)
	defer stop()
	var cause error // the driver reports it as the server's
	loaded, err = c.tx.CopyFrom(ctx, pgx.Identifier{table.Name}, table.Columns, pgx.CopyFromFunc(func() ([]any, error) {
		row, err, more := next()
		if !more || err != nil {
			cause = err
			return nil, err
		}
		for i, value := range row {
			if text, ok := value.(string); ok {
				row[i] = engine.Plain(text)
			}
		}
		return row, nil
	}))
	if cause != nil {
		err = cause
	}
	if err != nil && ctx.Err() != nil {
		err = ctx.Err() // when ctx ends, the driver closes the connection, and may report that
	}
	return loaded, err
}
