package lists

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"

	"gamedex/internal/catalog"
)

// ErrCursor says that a text is not a cursor of a list.
var ErrCursor = errors.New("not a cursor of this list")

const (
	cursorVersion   = 1
	maxCursor       = 16 << 10 // bytes of text, more than any title needs
	cursorHeadBytes = 1 + 4 + 8 + 1
)

// Cursor returns the cursor of a position. list describes the list: what it consists of and
// how it is sorted.
func Cursor(p Position, list string) string {
	b := make([]byte, 5, cursorHeadBytes+len(p.Text)+len(p.ID)+binary.MaxVarintLen64)
	b = binary.BigEndian.AppendUint64(b, uint64(p.Number))
	b = append(b, byte(p.Platform))
	b = catalog.AppendString(b, p.Text)
	b = append(b, p.ID...)
	b[0] = cursorVersion
	binary.BigEndian.PutUint32(b[1:], cursorSum(b[5:], list))
	return base64.RawURLEncoding.EncodeToString(b)
}

// ParseCursor returns the position that a cursor names. A text that is not what [Cursor]
// returned for the same list is an [ErrCursor].
func ParseCursor(text, list string) (Position, error) {
	if len(text) > maxCursor {
		return Position{}, ErrCursor
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) < cursorHeadBytes || b[0] != cursorVersion || binary.BigEndian.Uint32(b[1:]) != cursorSum(b[5:], list) {
		return Position{}, ErrCursor
	}
	p := Position{Number: int64(binary.BigEndian.Uint64(b[5:])), Platform: catalog.Platform(b[13])}
	length, n := binary.Uvarint(b[cursorHeadBytes:])
	rest := b[cursorHeadBytes:][max(n, 0):]
	if n <= 0 || length > uint64(len(rest)) {
		return Position{}, ErrCursor
	}
	p.Text, p.ID = string(rest[:length]), string(rest[length:])
	return p, nil
}

// cursorSum returns a checksum: it finds cursors that were cut or belong to another list.
// It is not a signature: a forged cursor only leads to a page that is public to its caller.
func cursorSum(position []byte, list string) uint32 {
	return crc32.Update(crc32.ChecksumIEEE(position), crc32.IEEETable, []byte(list))
}
