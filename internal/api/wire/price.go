package wire

import "gamedex/internal/index"

// Priced is a card or an offer: each has a simple price.
type Priced interface {
	SimplePrice(now int64) (index.Row, bool)
}

// AppendSimplePrice appends the simple price object, null if there is none. With
// to not nil it has converted too.
func AppendSimplePrice[T Priced](dst []byte, s *index.Snapshot, of T, now int64, to *Conversion) []byte {
	row, ok := of.SimplePrice(now)
	if !ok {
		return append(dst, `null`...)
	}
	dst = AppendAmount(append(dst, `{"value":`...), row.Current)
	dst = AppendText(append(dst, `,"currency":`...), string(s.Currency(row.Currency)))
	dst = AppendText(append(dst, `,"formatted":`...), row.CurrentText())
	if to != nil {
		dst = to.Append(append(dst, `,"converted":`...), &row)
	}
	// A percentage means nothing without the price it is taken off.
	if row.Discounted() && row.Base.Known() {
		dst = AppendInt(append(dst, `,"discount":{"percentage":`...), int64(row.Percent))
		dst = AppendAmount(append(dst, `,"originalPrice":`...), row.Base)
		if row.EndsAt != 0 {
			dst = AppendTimestamp(append(dst, `,"endsAt":`...), row.EndsAt)
		}
		dst = append(dst, '}')
	}
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
