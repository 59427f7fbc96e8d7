package table

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

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
	currency money.Currency // "" if the row has no such amount, or its column has the currency
	amounts  [2]amountCell
}

type amountCell struct {
	name  string // in the field price
	value money.Amount
}

// readPrices reads the cells of price and fullPrice, which are of one currency.
func (r *Reader) readPrices(cells []string) (p prices, refused *RowError) {
	region := r.region(cells)
	if region == "" {
		return p, nil // the row is refused
	}
	given := money.Currency("")
	if at := r.currencyAt; at >= 0 && cells[at] != "" {
		var err error
		if given, err = money.ParseCurrency(cells[at]); err != nil {
			given = "" // it may have ended: the reader of the feed knows when
		}
	}
	own, _ := money.RegionCurrency(region)
	used, from := cmp.Or(given, own), column{at: -1}
	for i, c := range r.money {
		p.amounts[i].name = c.name
		p.amounts[i].value = money.None
		cell := cells[c.at]
		if cell == "" {
			continue
		}
		if money.IsFree(cell) {
			p.amounts[i].value = 0
			continue
		}
		named, reason := r.currencyOf(region, cell, cmp.Or(given, own))
		switch {
		case reason != "":
			return p, &RowError{Column: c.header, Value: cell, Reason: reason}
		case named != "" && given != "" && named != given:
			return p, &RowError{Column: c.header, Value: cell, Reason: "is in " + string(named) + ", but the column " + r.Column("price.currency") + " has " + string(given)}
		case named != "" && from.at >= 0 && named != used:
			return p, &RowError{Column: c.header, Value: cell, Reason: fmt.Sprintf("is in %s, but %s is in %s", named, from.header, used)}
		case named != "":
			used, from = named, c
		}
	}
	for i, c := range r.money {
		cell := cells[c.at]
		if cell == "" || p.amounts[i].value == 0 {
			continue
		}
		a, err := used.ReadAmount(cell, r.point)
		if err != nil {
			return p, &RowError{Column: c.header, Value: cell, Reason: err.Error()}
		}
		p.amounts[i].value = a
	}
	if len(r.money) == 2 {
		now, full := 0, 1
		if r.money[0].name == "base" {
			now, full = 1, 0
		}
		if f := p.amounts[full].value; f.Known() && p.amounts[now].value > f {
			c := r.money[now]
			return p, &RowError{Column: c.header, Value: cells[c.at], Reason: fmt.Sprintf("is above %s %q", r.money[full].header, cells[r.money[full].at])}
		}
	}
	if given == "" && (r.currencyAt < 0 || cells[r.currencyAt] == "") {
		p.currency = used
	}
	return p, nil
}

// currencyOf returns the currency that a cell names; "" if it names none. Of several that a
// sign may mean it is own, or the cell is refused.
func (r *Reader) currencyOf(region, cell string, own money.Currency) (c money.Currency, reason string) {
	of, unknown := r.forms.CurrenciesOf(region, cell)
	switch {
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

// append appends the amounts and the currency as members of price.
func (p prices) append(b []byte) []byte {
	if p.currency != "" {
		b = appendMember(b, "currency", string(p.currency))
	}
	for _, a := range p.amounts {
		if a.name != "" && a.value.Known() {
			b = append(strconv.AppendInt(append(appendText(b, a.name), ':'), int64(a.value), 10), ',')
		}
	}
	return b
}
