package pack

import (
	"cmp"
	"strings"
	"unicode"

	"gamedex/internal/catalog"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/money"
)

// priceFormatter writes prices as their region does (contract, section 4).
type priceFormatter struct {
	formatter money.Formatter
	regions   []string      // codes, by number
	words     []money.Words // by number
}

func newPriceFormatter(regions []catalog.Region) *priceFormatter {
	f := new(priceFormatter)
	for _, r := range regions {
		f.regions = append(f.regions, r.String())
		f.words = append(f.words, money.RegionWords(r.String()))
	}
	return f
}

// shownPrice is an amount, the text that the store showed, and the fields that
// select another text.
type shownPrice struct {
	amount           money.Amount
	text             string
	region, currency uint8
	flags            uint8 // FlagTrial, FlagSubscription
}

// shownPrices returns the base and current price of a listing. If both amounts
// are the same and there is no discount, a text of one is also the other's.
func shownPrices(p *catalog.Price, region uint8, x *extra) (base, current shownPrice) {
	base = shownPrice{
		amount: max(p.Base, money.None), text: p.BaseText,
		region: region, currency: x.currency, flags: x.flags & (layout.FlagTrial | layout.FlagSubscription),
	}
	current = base
	current.amount, current.text = max(p.Current, money.None), p.CurrentText
	if p.Base == p.Current && p.DiscountPercent <= 0 {
		base.text, current.text = cmp.Or(base.text, current.text), cmp.Or(current.text, base.text)
	}
	return base, current
}

// text returns the store's text, else a word for zero or the amount by CLDR.
func (f *priceFormatter) text(s shownPrice, c money.Currency) string {
	switch {
	case s.amount == 0 && strings.IndexFunc(s.text, unicode.IsLetter) < 0:
		return f.zero(s.region, s.flags)
	case s.text != "":
		return s.text
	case s.amount.Known():
		return f.formatter.Format(f.regions[s.region], c, s.amount)
	}
	return ""
}

// zero returns the word for a price of zero.
func (f *priceFormatter) zero(region, flags uint8) string {
	switch words := f.words[region]; {
	case flags&layout.FlagTrial != 0:
		return words.Trial
	case flags&layout.FlagSubscription != 0:
		return words.Included
	default:
		return words.Free
	}
}
