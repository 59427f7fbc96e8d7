package bulk

import (
	"slices"
	"sync/atomic"

	"gamedex/internal/api/wire"
)

// extra is a row as text without its price, product and pricedAt. Many rows share it. Nobody changes it.
type extra struct {
	key                     uint32 // see findExtra
	flags, source, variants int32  // offsets in text; product and pricedAt come before source and variants
	text                    []byte
}

// extras are texts that all answers from a view share, by the hash of their keys. The first ones stay. Without
// them a request takes 1.03 times as long.
type extras [1 << extraBits]atomic.Pointer[extra]

const extraBits = 12

// findExtra returns the extra of a row. The next call may overwrite it.
func (a *Answer) findExtra(row *shownRow) *extra {
	number, published := row.Extra()
	if !published || a.language != 0 && row.HasEdition() { // a card can have its own name of the edition
		return a.formatExtra(0, row)
	}
	key := number << 1
	if row.Current == 0 {
		key |= 1
	}
	slot := &a.extras[uint64(key)*spread>>(64-extraBits)]
	e := slot.Load()
	if e != nil && e.key == key {
		return e
	}
	made := a.formatExtra(key, row)
	if e == nil {
		kept := *made
		kept.text = slices.Clone(made.text)
		slot.Store(&kept)
	}
	return made
}

// formatExtra returns the extra of a row, in the memory of the answer.
func (a *Answer) formatExtra(key uint32, row *shownRow) *extra {
	e := &a.ownExtra
	e.key = key
	dst := wire.AppendTextOrNull(append(e.text[:0], `,"discountLabel":`...), row.Label())
	dst = append(dst, `,"discountEndAt":`...)
	if row.EndsAt == 0 {
		dst = append(dst, `null`...)
	} else {
		dst = a.calendar.AppendTimestamp(dst, row.EndsAt)
	}
	e.flags = int32(len(dst))
	dst = append(append(dst, flags(row)...), `,"edition":`...)
	dst = append(wire.AppendTextOrNull(dst, row.EditionIn(a.language)), `,"sku":`...)
	e.source = int32(len(dst))
	dst = wire.AppendTextOrNull(append(dst, `,"source":`...), row.Source())
	dst = append(dst, `,"pricedAt":`...)
	e.variants = int32(len(dst))
	e.text = wire.AppendInt(append(dst, `,"variantsCount":`...), int64(row.Variants))
	return e
}
