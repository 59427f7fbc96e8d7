package api

import (
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// priced is what has a simple price: a card or an offer.
type priced interface {
	SimplePrice(now int64) (index.Row, bool)
}

// appendSimplePrice appends the simple price object, null if there is none.
func appendSimplePrice[T priced](dst []byte, s *index.Snapshot, of T, now int64) []byte {
	row, ok := of.SimplePrice(now)
	if !ok {
		return append(dst, `null`...)
	}
	dst = append(dst, `{"value":`...)
	dst = appendAmount(dst, row.Current)
	dst = append(dst, `,"currency":`...)
	dst = appendText(dst, string(s.Currency(row.Currency)))
	dst = append(dst, `,"formatted":`...)
	dst = appendText(dst, row.CurrentText())
	// A percentage without the number it is taken of says nothing.
	if row.Discounted() && row.Base.Known() {
		dst = appendDiscount(dst, &row)
	}
	return append(dst, '}')
}

func appendDiscount(dst []byte, row *index.Row) []byte {
	dst = append(dst, `,"discount":{"percentage":`...)
	dst = appendInt(dst, int64(row.Percent))
	dst = append(dst, `,"originalPrice":`...)
	dst = appendAmount(dst, row.Base)
	if row.EndsAt != 0 {
		dst = append(dst, `,"endsAt":`...)
		dst = appendMoment(dst, row.EndsAt)
	}
	return append(dst, '}')
}

// appendAmount appends hundredths, null if there is no number.
func appendAmount(dst []byte, a money.Amount) []byte {
	if !a.Known() {
		return append(dst, `null`...)
	}
	return appendInt(dst, int64(a))
}

// entry is what lists of cards and offers show of each: id, title, type and
// price.
type entry interface {
	priced
	ID() string
	Title() string
	Type() catalog.Type
}

// appendEntry appends one item of variants, related, members or offers.
func appendEntry[T entry](dst []byte, s *index.Snapshot, of T, now int64) []byte {
	dst = append(dst, `{"id":`...)
	dst = appendText(dst, of.ID())
	dst = append(dst, `,"title":`...)
	dst = appendText(dst, of.Title())
	dst = append(dst, `,"type":`...)
	dst = appendText(dst, of.Type().String())
	dst = append(dst, `,"price":`...)
	dst = appendSimplePrice(dst, s, of, now)
	return append(dst, '}')
}
