package postgres

import (
	"context"
	"fmt"
	"strings"

	"gamedex/internal/sqldb"
)

// rowsPerStatement bounds the arrays of one statement.
const rowsPerStatement = 4096

// InsertRows inserts n rows, whose keys differ, and returns how many it inserted or
// changed. Each column is one array.
func (c *conn) InsertRows(ctx context.Context, in *sqldb.Insert, n int, fill func(args []any, i int) []any) (changed int64, err error) {
	err = eachBatch(n, in.Width(), fill, func(columns []any, arrays string) error {
		text := "INSERT INTO " + in.Table + " (" + in.Columns + ") SELECT * FROM unnest(" + arrays + ") " + in.Then
		batch, err := c.Exec(ctx, text, columns...)
		changed += batch
		return err
	})
	return changed, err
}

// UpdateRows updates n rows, whose keys differ.
func (c *conn) UpdateRows(ctx context.Context, up *sqldb.Update, n int, fill func(args []any, i int) []any) error {
	return eachBatch(n, up.Width(), fill, func(columns []any, arrays string) error {
		_, err := c.Exec(ctx, updateText(up, arrays), columns...)
		return err
	})
}

func updateText(up *sqldb.Update, arrays string) string {
	equal := func(columns, before, join string) string {
		names := strings.Split(columns, ", ")
		for i, name := range names {
			names[i] = before + name + " = new." + name
		}
		return strings.Join(names, join)
	}
	return "UPDATE " + up.Table + " SET " + equal(up.Set, "", ", ") +
		" FROM unnest(" + arrays + ") AS new (" + up.Set + ", " + up.Key + ")" +
		" WHERE " + equal(up.Key, up.Table+".", " AND ")
}

// eachBatch calls run with the columns of up to rowsPerStatement rows and with the
// parameters of unnest, such as "$1::int8[], $2::text[]".
func eachBatch(n, width int, fill func(args []any, i int) []any, run func(columns []any, arrays string) error) error {
	var row []any
	for from := 0; from < n; from += rowsPerStatement {
		size := min(n-from, rowsPerStatement)
		columns := make([]column, width)
		for i := range size {
			if row = fill(row[:0], from+i); len(row) != width {
				return fmt.Errorf("row %d has %d values, not %d", from+i, len(row), width)
			}
			for k, value := range row {
				if err := columns[k].add(value, size); err != nil {
					return fmt.Errorf("column %d of row %d: %w", k+1, from+i, err)
				}
			}
		}
		args, arrays := make([]any, width), make([]string, width)
		for k := range columns {
			var name string
			args[k], name = columns[k].array()
			arrays[k] = fmt.Sprintf("$%d::%s[]", k+1, name)
		}
		if err := run(args, strings.Join(arrays, ", ")); err != nil {
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

func (c *column) add(value any, size int) error {
	switch v := value.(type) {
	case string:
		c.texts = grow(c.texts, plain(v), size)
	case int64:
		c.ints = grow(c.ints, v, size)
	case int:
		c.ints = grow(c.ints, int64(v), size)
	case float64:
		c.floats = grow(c.floats, v, size)
	case []byte:
		c.bytes = grow(c.bytes, v, size)
	default:
		return fmt.Errorf("a %T cannot be stored", value)
	}
	return nil
}

func grow[T any](list []T, value T, size int) []T {
	if list == nil {
		list = make([]T, 0, size)
	}
	return append(list, value)
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
