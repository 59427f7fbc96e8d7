package wire

import (
	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// Priced is a card or an offer: each has a simple price.
type Priced interface {
	SimplePrice(now int64) (index.Row, bool)
}

// AppendSimplePrice appends the simple price object, null if there is none.
func AppendSimplePrice[T Priced](dst []byte, s *index.Snapshot, of T, now int64) []byte {
	row, ok := of.SimplePrice(now)
	if !ok {
		return append(dst, `null`...)
	}
	dst = append(dst, `{"value":`...)
	dst = AppendAmount(dst, row.Current)
	dst = append(dst, `,"currency":`...)
	dst = AppendText(dst, string(s.Currency(row.Currency)))
	dst = append(dst, `,"formatted":`...)
	dst = AppendText(dst, row.CurrentText())
	// A percentage means nothing without the price it is taken off.
	if row.Discounted() && row.Base.Known() {
		dst = append(dst, `,"discount":{"percentage":`...)
		dst = AppendInt(dst, int64(row.Percent))
		dst = append(dst, `,"originalPrice":`...)
		dst = AppendAmount(dst, row.Base)
		if row.EndsAt != 0 {
			dst = append(dst, `,"endsAt":`...)
			dst = AppendMoment(dst, row.EndsAt)
		}
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// Entry is what lists of cards and offers show of each.
type Entry interface {
	Priced
	ID() string
	Title() string
	Type() catalog.Type
}

// AppendEntry appends one item of variants, related, members or offers: id,
// title, type and price.
func AppendEntry[T Entry](dst []byte, s *index.Snapshot, of T, now int64) []byte {
	dst = append(dst, `{"id":`...)
	dst = AppendText(dst, of.ID())
	dst = append(dst, `,"title":`...)
	dst = AppendText(dst, of.Title())
	dst = append(dst, `,"type":`...)
	dst = AppendText(dst, of.Type().String())
	dst = append(dst, `,"price":`...)
	dst = AppendSimplePrice(dst, s, of, now)
	return append(dst, '}')
}

// AppendActiveRegions appends the active regions that list the card, in
// configured order.
func AppendActiveRegions(dst []byte, v *index.View, c index.Card) []byte {
	dst = append(dst, '[')
	rows, first := c.Rows(), true
	for i := range v.Active() {
		region := &v.Active()[i]
		if _, ok := rows.Find(region.No); !ok {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = AppendText(dst, region.Lower)
	}
	return append(dst, ']')
}
