package sqldb

import (
	"fmt"
	"strings"
)

// Insert describes the insertion of rows. Engines keep what they derive from it, so an
// Insert is a package's variable and does not change.
type Insert struct {
	Table   string
	Columns string // separated by ", "
	Then    string // "ON CONFLICT …", without arguments; "" if a key that exists is an error
}

// Width returns the number of columns.
func (in *Insert) Width() int { return width(in.Columns) }

// Text returns the statement that inserts a number of rows, with an argument for each
// value.
func (in *Insert) Text(rows int) string {
	list := make([]string, rows)
	for i := range list {
		values := make([]string, in.Width())
		for k := range values {
			values[k] = fmt.Sprintf("$%d", i*len(values)+k+1)
		}
		list[i] = "(" + strings.Join(values, ", ") + ")"
	}
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES %s %s", in.Table, in.Columns, strings.Join(list, ", "), in.Then)
}

// Update describes the update of rows, each by its key. Like an Insert, it is a
// package's variable and does not change.
type Update struct {
	Table string
	Set   string // the columns to change, separated by ", "
	Key   string // the columns that find the row, separated by ", "
}

// Width returns the number of columns, those of the key included.
func (up *Update) Width() int { return width(up.Set) + width(up.Key) }

// Text returns the statement that updates one row, with an argument for each column
// of Set and then of Key.
func (up *Update) Text() string {
	equal := func(columns, join string, before int) string {
		names := strings.Split(columns, ", ")
		for i := range names {
			names[i] += fmt.Sprintf(" = $%d", before+i+1)
		}
		return strings.Join(names, join)
	}
	return "UPDATE " + up.Table + " SET " + equal(up.Set, ", ", 0) + " WHERE " + equal(up.Key, " AND ", width(up.Set))
}

func width(columns string) int { return strings.Count(columns, ", ") + 1 }
