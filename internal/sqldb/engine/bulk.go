package engine

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Insert describes the insertion of rows.
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

// Update describes the update of rows, each by its key.
type Update struct {
	Table string
	Set   string // the columns to change, separated by ", "
	Key   string // the columns that find the row, separated by ", "
	// If is a further condition; "" without one. It reads the columns of the stored row
	// as table.column, and the values of Given as new.name: each once, in their order.
	If    string
	Given string // names of further values, separated by ", "; "" without any
}

// Values returns the names of the values of a row: those of Set, Key and Given.
func (up *Update) Values() string {
	if up.Given == "" {
		return up.Set + ", " + up.Key
	}
	return up.Set + ", " + up.Key + ", " + up.Given
}

// Width returns the number of values of a row.
func (up *Update) Width() int { return width(up.Values()) }

// Text returns the statement that updates one row, with an argument for each value.
func (up *Update) Text() string {
	equal := func(columns, join string, before int) string {
		names := strings.Split(columns, ", ")
		for i := range names {
			names[i] += fmt.Sprintf(" = $%d", before+i+1)
		}
		return strings.Join(names, join)
	}
	text := "UPDATE " + up.Table + " SET " + equal(up.Set, ", ", 0) + " WHERE " + equal(up.Key, " AND ", width(up.Set))
	if up.If == "" {
		return text
	}
	condition := up.If
	for i, name := range strings.Split(up.Given, ", ") {
		condition = strings.Replace(condition, "new."+name, fmt.Sprintf("$%d", width(up.Set)+width(up.Key)+i+1), 1)
	}
	return text + " AND " + condition
}

func width(columns string) int { return strings.Count(columns, ", ") + 1 }

// RawBytes is scanned bytes of the engine's, which are valid only until the next row.
type RawBytes []byte

// Scan implements sql.Scanner.
func (b *RawBytes) Scan(value any) error {
	switch v := value.(type) {
	case []byte:
		*b = v
	case string:
		*b = []byte(v)
	case nil:
		*b = nil
	default:
		return fmt.Errorf("a %T is not bytes", value)
	}
	return nil
}

// ScanBytes implements the scanner of raw bytes of the PostgreSQL driver.
func (b *RawBytes) ScanBytes(v []byte) error {
	*b = v
	return nil
}

// Bool is a scanned condition or a stored 0 or 1: engines differ in what a condition
// is. A *bool is converted to a *Bool.
type Bool bool

// Scan implements sql.Scanner.
func (b *Bool) Scan(value any) error {
	switch v := value.(type) {
	case bool:
		*b = Bool(v)
	case int64:
		*b = v != 0
	default:
		return fmt.Errorf("a %T is not a condition", value)
	}
	return nil
}

// BoolInt returns b as it is stored: 0 or 1.
func BoolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// IsPlain reports whether s can be stored as a text: it is UTF-8 without zero bytes.
func IsPlain(s string) bool { return strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) }

// Plain returns s with the replacement character for what cannot be stored. Stores and
// checks before them refuse such texts where they matter; what is left, such as the
// address in an audit entry, must not make a change fail.
func Plain(s string) string {
	if IsPlain(s) {
		return s
	}
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", "\uFFFD"), "\uFFFD")
}
