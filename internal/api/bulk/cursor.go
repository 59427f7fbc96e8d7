package bulk

import (
	"encoding/binary"

	"gamedex/internal/index"
	"gamedex/internal/lists"
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

// Append appends the cursor as text, see [lists.Seal].
func (c Cursor) Append(dst []byte) []byte {
	b, _ := binary.Append(make([]byte, 0, cursorSize), binary.BigEndian, c)
	return lists.Seal(dst, b, "")
}

const cursorSize = 8 + 8 + 8 + 4

// ParseCursor reads the text of a cursor. A text that is not one is a [lists.ErrCursor].
func ParseCursor(text string) (*Cursor, error) {
	b, err := lists.Unseal(text, "")
	c := new(Cursor)
	if err != nil || len(b) != cursorSize {
		return nil, lists.ErrCursor
	}
	if _, err = binary.Decode(b, binary.BigEndian, c); err != nil || c.Seq < 0 || c.At < 0 {
		return nil, lists.ErrCursor
	}
	return c, nil
}

// findChanged finds the cards whose items can differ from those that the client has; all without an
// earlier answer. An item with editions shows the prices of other cards too.
func (a *Answer) findChanged() {
	if a.earlier == nil {
		for i := range a.Cards {
			a.shown = append(a.shown, int32(i))
		}
		return
	}
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
