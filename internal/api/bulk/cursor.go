package bulk

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"

	"gamedex/internal/index"
)

// Cursor says what an answer was made from, so that a later request can ask for what differs.
type Cursor struct {
	Seq int64 // of the snapshot
	// At is the time of the answer, in Unix milliseconds. Discounts that end later change it.
	At int64
	// Source is a hash of the database, its epoch and the lineage of manifests, in which Seq counts.
	Source uint64
	// Form is a hash of what all items have in common: how they are encoded, and which
	// currencies can be compared.
	Form uint32
}

// NewCursor returns the cursor of an answer that is made at now in a version of
// the encoding.
func NewCursor(v *index.View, wireVersion, now int64) Cursor {
	return Cursor{Seq: v.Seq, At: now, Source: v.Source, Form: uint32(wireVersion)<<24 ^ v.Currencies}
}

// IsAfter reports whether the cursor is of a newer snapshot of the same database.
func (c *Cursor) IsAfter(v *index.View) bool { return c.Source == v.Source && c.Seq > v.Seq }

const (
	cursorVersion = 1
	cursorSize    = 1 + 4 + 8 + 8 + 8 + 4 // version, checksum, fields
)

// Append appends the cursor as text of the letters, digits, - and _.
func (c Cursor) Append(dst []byte) []byte {
	b := make([]byte, 5, cursorSize)
	for _, v := range [...]uint64{uint64(c.Seq), uint64(c.At), c.Source} {
		b = binary.BigEndian.AppendUint64(b, v)
	}
	b = binary.BigEndian.AppendUint32(b, c.Form)
	b[0] = cursorVersion
	binary.BigEndian.PutUint32(b[1:], crc32.ChecksumIEEE(b[5:]))
	return base64.RawURLEncoding.AppendEncode(dst, b)
}

// ParseCursor reads the text of a cursor; ok is false if the text is not one. The checksum detects
// texts that were cut or altered. It is not a signature: a forged cursor only selects other items.
func ParseCursor(text string) (c Cursor, ok bool) {
	if len(text) != base64.RawURLEncoding.EncodedLen(cursorSize) { // the decoder ignores line breaks
		return c, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != cursorSize || b[0] != cursorVersion || binary.BigEndian.Uint32(b[1:]) != crc32.ChecksumIEEE(b[5:]) {
		return c, false
	}
	c = Cursor{Seq: int64(binary.BigEndian.Uint64(b[5:])), At: int64(binary.BigEndian.Uint64(b[13:])),
		Source: binary.BigEndian.Uint64(b[21:]), Form: binary.BigEndian.Uint32(b[29:])}
	return c, c.Seq >= 0 && c.At >= 0
}

// findChanged finds the cards whose items can differ from those that the client has. An
// item with editions shows the prices of other cards too.
func (a *Answer) findChanged() {
	all := a.earlier.Source != a.Cursor.Source || a.earlier.Form != a.Cursor.Form || a.earlier.Seq > a.Cursor.Seq
	since := a.View.Since(a.earlier.Seq, a.earlier.At, a.now)
	for i, c := range a.Cards {
		changed := all || since.Changed(c)
		if !changed && a.include.Has(Editions) {
			list := c.Editions()
			for j := 0; j < list.Len() && !changed; j++ {
				changed = since.Changed(list.At(j))
			}
		}
		if changed {
			a.shown = append(a.shown, int32(i))
		}
	}
}
