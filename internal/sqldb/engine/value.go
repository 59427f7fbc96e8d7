package engine

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

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
