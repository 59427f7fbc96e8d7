package feed

import (
	"cmp"
	"fmt"
	"strconv"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

const (
	maxAmount  = money.Amount(1e13)
	maxPercent = 100
)

func checkPrice(p *catalog.Price) *LineError {
	numbers := p.Base.Known() || p.Current.Known()
	if !numbers && p.BaseText == "" && p.CurrentText == "" {
		return refuse("price", "", "has no number and no text")
	}
	if refused := cmp.Or(
		checkCurrency(&p.Currency, numbers),
		checkAmount("price.base", p.Base),
		checkAmount("price.current", p.Current),
		checkText("price.baseText", p.BaseText),
		checkText("price.currentText", p.CurrentText),
		checkPercent(p.DiscountPercent),
		checkText("price.discountLabel", p.DiscountLabel),
		checkTime("price.discountEndsAt", p.DiscountEndsAt),
		checkText("price.source", p.Source),
	); refused != nil {
		return refused
	}
	if p.Base.Known() && p.Current > p.Base {
		return refuse("price.current", amount(p.Current), "is above base "+amount(p.Base))
	}
	// Complete the price. A subscriber's price without a base gets none: the
	// price for others is not known. Equal numbers are not a discount, so no
	// percentage is computed for them.
	switch {
	case !p.Current.Known():
	case !p.Base.Known() && !p.Subscription:
		p.Base, p.DiscountPercent = p.Current, catalog.NoPercent
	case p.DiscountPercent == catalog.NoPercent && p.Current < p.Base:
		p.DiscountPercent = money.DiscountPercent(p.Base, p.Current)
	}
	return nil
}

func checkCurrency(c *money.Currency, needed bool) *LineError {
	if *c == "" {
		return required("price.currency", "", needed)
	}
	known, err := money.ParseCurrency(string(*c))
	if err != nil {
		return refuse("price.currency", quoted(string(*c)), "is not an ISO 4217 code in use")
	}
	*c = known
	return nil
}

func checkAmount(field string, a money.Amount) *LineError {
	if a != money.None && (a < 0 || a > maxAmount) {
		return refuse(field, amount(a), fmt.Sprintf("is not between 0 and %d", maxAmount))
	}
	return nil
}

func checkPercent(n int) *LineError {
	if n != catalog.NoPercent && (n < 0 || n > maxPercent) {
		return refuse("price.discountPercent", strconv.Itoa(n), fmt.Sprintf("is not between 0 and %d", maxPercent))
	}
	return nil
}

func amount(a money.Amount) string { return strconv.FormatInt(int64(a), 10) }
