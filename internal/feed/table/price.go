package table

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// The columns of amounts as people write them. In the header they are fields, but listings
// have their amounts as price.current and price.base.
const (
	price     = "price"
	fullPrice = "fullPrice"
	until     = "until" // of price, as a day or time
)

// prices has the amounts of a row as people write them.
type prices struct {
	currency money.Currency  // "" if the row has no such amount, or its column has the currency
	amounts  [2]money.Amount // of the columns money
}

// readPrices reads the cells of price and fullPrice, which are of one currency.
func (r *Reader) readPrices(cells []string) (p prices, refused *RowError) {
	region := r.region(cells)
	if region == "" {
		return p, nil // the row is refused
	}
	used, refused := r.usedCurrency(region, cells)
	if refused != nil {
		return p, refused
	}
	if r.currencyAt < 0 || cells[r.currencyAt] == "" {
		p.currency = used
	}
	for i, c := range r.money {
		var err error
		if p.amounts[i], err = r.readAmount(used, cells[c.at]); err != nil {
			return p, &RowError{Column: c.header, Value: cells[c.at], Reason: err.Error()}
		}
	}
	if len(r.money) == 2 {
		now, full := 0, 1
		if r.money[0].name == "base" {
			now, full = 1, 0
		}
		c, f := r.money[now], p.amounts[full]
		switch a := &p.amounts[now]; {
		case !a.Known() && c.sale:
			*a = f
		case *a == 0 && f > 0 && c.sale && !money.IsFree(cells[c.at]): // many programs write it for no discount
			return p, &RowError{Column: c.header, Value: cells[c.at], Reason: "may mean no discount or a give-away: leave the cell empty, or write free"}
		case f.Known() && *a > f:
			return p, &RowError{Column: c.header, Value: cells[c.at], Reason: fmt.Sprintf("is above %s %q", r.money[full].header, cells[r.money[full].at])}
		}
	}
	return p, nil
}

// readAmount reads a cell in a currency; an empty one is None.
func (r *Reader) readAmount(c money.Currency, cell string) (money.Amount, error) {
	switch {
	case cell == "":
		return money.None, nil
	case money.IsFree(cell):
		return 0, nil
	case !r.mixed:
		return c.ReadAmount(cell, r.point)
	}
	mark, sure := money.DecimalMark(cell)
	if mark != 0 && !sure {
		if c.Digits() > 0 {
			return money.None, errEitherMark
		}
		mark = otherMark(mark)
	}
	return c.ReadAmount(cell, mark)
}

var errEitherMark = errors.New("may have thousands or decimals, and other cells have both decimal marks: write it without thousands or with two decimals")

// otherMark returns the comma for the point, and the point for the comma.
func otherMark(mark rune) rune { return '.' + ',' - mark }

// isNothing reports whether a cell is what people and programs write for no value.
func isNothing(cell string) bool {
	if len(cell) > 4 {
		return false
	}
	switch strings.ToLower(cell) {
	case "-", "–", "—", "n/a", "#n/a", "na", "<na>", "nan", "nat", "none", "null":
		return true
	}
	return false
}

// usedCurrency returns the currency that the amounts of a row name, or else its own.
func (r *Reader) usedCurrency(region string, cells []string) (used money.Currency, refused *RowError) {
	own, given := r.ownCurrency(region, cells)
	used, from := own, "" // the column that names it
	for _, c := range r.money {
		cell := cells[c.at]
		if !utf8.ValidString(cell) {
			return "", &RowError{Column: c.header, Reason: notUTF8}
		}
		if !strings.ContainsFunc(cell, unicode.IsDigit) {
			continue
		}
		named, reason := r.currencyOf(c, region, cell, own)
		switch {
		case reason != "":
		case named == "":
			continue
		case given && named != own:
			reason = fmt.Sprintf("is in %s, but the column %s has %s", named, r.Column("price.currency"), own)
		case from != "" && named != used:
			reason = fmt.Sprintf("is in %s, but %s is in %s", named, from, used)
		}
		if reason != "" {
			return "", &RowError{Column: c.header, Value: cell, Reason: reason}
		}
		used, from = named, c.header
	}
	return used, nil
}

// ownCurrency returns the currency of amounts that name none: that of the column, if it is
// given there, or else that of the region.
func (r *Reader) ownCurrency(region string, cells []string) (own money.Currency, given bool) {
	if r.currencyAt >= 0 {
		if c, err := money.ParseCurrency(cells[r.currencyAt]); err == nil { // else it may have ended: the reader of the feed knows when
			return c, true
		}
	}
	own, _ = money.RegionCurrency(region)
	return own, false
}

// currencyOf returns the currency that a cell and the header of its column name; "" if they
// name none. Of several that a sign may mean it is own, or the cell is refused.
func (r *Reader) currencyOf(in column, region, cell string, own money.Currency) (c money.Currency, reason string) {
	if in.sign != "" {
		cell += " " + in.sign
	}
	of, unknown := r.forms.CurrenciesOf(region, cell)
	switch {
	case unknown != "" && strings.Contains(in.sign, unknown):
		return "", "has another currency than the name of its column, " + in.sign
	case unknown != "":
		return "", fmt.Sprintf("is not an amount: %q is no currency, or not that of the rest", unknown)
	case len(of) == 0:
		return "", ""
	case len(of) == 1:
		return of[0], ""
	}
	var codes []string
	for _, c := range of {
		if c == own {
			return c, ""
		}
		codes = append(codes, string(c))
	}
	return "", "may be in " + strings.Join(codes[:min(3, len(codes))], ", ") + " or another currency: write the code in the cell, or in a column currency"
}

// region returns the alpha-2 code of a row's region; "" if it has none.
func (r *Reader) region(cells []string) string {
	if r.regionAt < 0 {
		return r.defaults.region
	}
	cell := cells[r.regionAt]
	if code, known := r.regions[cell]; known {
		return code
	}
	code := ""
	if region, err := catalog.FindRegion(cell); err == nil {
		code = region.String()
	}
	if len(r.regions) == maxRegions {
		clear(r.regions)
	}
	r.regions[strings.Clone(cell)] = code
	return code
}

const maxRegions = 1000 // cells that are kept with their codes

// append appends the amounts of columns and the currency as members of price.
func (p prices) append(b []byte, columns []column) []byte {
	if p.currency != "" {
		b = appendMember(b, "currency", string(p.currency))
	}
	for i, c := range columns {
		if p.amounts[i].Known() {
			b = append(strconv.AppendInt(append(appendText(b, c.name), ':'), int64(p.amounts[i]), 10), ',')
		}
	}
	return b
}
