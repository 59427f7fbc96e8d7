package feed

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

const (
	maxAmount  = money.Amount(1e13)
	maxPercent = 100
)

func checkPrice(p *catalog.Price, at catalog.Millis) *LineError {
	numbers := p.Base.Known() || p.Current.Known()
	if !numbers && p.BaseText == "" && p.CurrentText == "" {
		return refuse("price", "", "has no number and no text")
	}
	if refused := cmp.Or(
		checkCurrency(&p.Currency, numbers, at),
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
	case p.DiscountPercent <= 0 && p.Current < p.Base: // 0: rounded down
		p.DiscountPercent = money.DiscountPercent(p.Base, p.Current)
	}
	return nil
}

func checkCurrency(c *money.Currency, needed bool, at catalog.Millis) *LineError {
	if *c == "" {
		return required("price.currency", "", needed)
	}
	known, err := money.ParseCurrencyAt(string(*c), int64(at))
	if err != nil {
		return refuse("price.currency", quoted(string(*c)), "is not an ISO 4217 code in use at observedAt")
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

// compareTexts compares a price with its own texts, and returns what is wrong. A price
// that is only a text has the currency that the text names. A number that contradicts its
// text is doubtful. A zero whose text is no price is no price either.
func compareTexts(l *catalog.Listing) *LineError {
	p := l.Price
	if p == nil {
		return nil
	}
	if !p.Base.Known() && !p.Current.Known() {
		own, _ := money.RegionCurrency(l.Region.String())
		own = cmp.Or(p.Currency, own)
		if named := money.CurrencyOf(cmp.Or(p.CurrentText, p.BaseText), own); named != own {
			p.Currency = named
		}
		return nil
	}
	text := p.CurrentText
	if text == "" && p.Base == 0 {
		text = p.BaseText
	}
	// A zero may have a text that says for whom it is, or until when.
	said := p.Trial || p.Subscription || l.Facts.Demo || p.Source == catalog.SourceExact || money.SaysZero(text)
	if p.Current == 0 && text != "" && !said && !strings.ContainsFunc(text, unicode.IsDigit) {
		l.Price = nil
		return refuse("price.currentText", quoted(text), "is no price, so there is none: with a zero, a text must be a number or a word for free, a trial or a subscription")
	}
	if p.Source == catalog.SourceDoubtful {
		return nil
	}
	warning := cmp.Or(compare(p.Currency, "price.current", p.Current, p.CurrentText, said), compare(p.Currency, "price.base", p.Base, p.BaseText, said))
	if warning != nil {
		p.Source = catalog.SourceDoubtful
	}
	return warning
}

// compare returns whether an amount contradicts its text. said is that of compareTexts.
func compare(c money.Currency, field string, a money.Amount, text string, said bool) *LineError {
	switch {
	case !a.Known() || a == 0 && said:
		return nil
	case !c.Agrees(a, text):
		return refuse(field, amount(a)+" and the text "+quoted(text), "contradict each other, so the price is doubtful")
	case money.CurrencyOf(text, c) != c:
		return refuse(field, string(c)+" and the text "+quoted(text), "name two currencies, so the price is doubtful")
	}
	return nil
}
