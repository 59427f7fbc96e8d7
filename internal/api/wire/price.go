package wire

import (
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// AppendSimplePrice appends the simple price object of a card or an offer, null if it has none. With
// to not nil it has converted too.
func AppendSimplePrice(dst []byte, s *index.Snapshot, of index.Rows, now int64, to *Conversion) []byte {
	row, ok := of.Simple(now)
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
	rows, n := c.Rows(), 0
	for i := range v.Active() {
		region := &v.Active()[i]
		if _, ok := rows.Find(region.No); ok {
			dst = AppendText(AppendComma(dst, n), region.Lower)
			n++
		}
	}
	return append(dst, ']')
}

// Conversion shows the prices of one answer in another currency too. It is not
// safe for concurrent use.
type Conversion struct {
	To money.Currency

	view *index.View
	form money.Form

	// By currency number, filled when the first price in a currency comes: an
	// answer has few of them, and a ratio is expensive.
	from  [256]money.Converter
	known [256]bool
}

// NewConversion returns the conversion of the view's prices to a currency. forms
// keeps the form of the currency for later answers.
func NewConversion(v *index.View, to money.Currency, forms *money.Formatter) *Conversion {
	return &Conversion{To: to, view: v, form: forms.Form(to.Home(), to)}
}

// Append appends the current price of a row in the currency, null if the row has
// no number or a rate is missing (contract, section 10).
func (c *Conversion) Append(dst []byte, row *index.Row) []byte {
	if !c.known[row.Currency] {
		c.known[row.Currency] = true
		c.from[row.Currency] = c.view.Rates.Converter(c.view.Currency(row.Currency), c.To)
	}
	value := c.from[row.Currency].Convert(row.Current)
	if !value.Known() {
		return append(dst, `null`...)
	}
	dst = append(append(append(dst, `{"currency":"`...), c.To...), `","value":`...)
	dst = append(AppendInt(dst, int64(value)), `,"formatted":"`...)
	return append(c.form.Append(dst, value), `"}`...) // no form needs an escape
}
