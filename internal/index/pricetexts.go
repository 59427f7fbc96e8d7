package index

import (
	"strings"
	"unicode"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// priceTexts says how a price is written in a region (contract, section 4).
type priceTexts struct {
	formatter money.Formatter
	regions   []string      // codes, by number
	words     []money.Words // by number
}

func newPriceTexts(regions []catalog.Region) *priceTexts {
	t := new(priceTexts)
	for _, r := range regions {
		t.regions = append(t.regions, r.String())
		t.words = append(t.words, money.RegionWords(r.String()))
	}
	return t
}

// askedPrice is an amount, the text that the store showed, and all that chooses
// another text.
type askedPrice struct {
	amount           money.Amount
	shown            string
	region, currency uint8
	flags            uint8 // of the trial and the subscription
}

// askedPrices are the two of a price. Where both amounts are the same and
// nothing is taken off, the store's one text serves for both.
func askedPrices(p *catalog.Price, region uint8, x *extra) (base, current askedPrice) {
	base = askedPrice{
		amount: max(p.Base, money.None), shown: p.BaseText,
		region: region, currency: x.currency, flags: x.flags & (flagTrial | flagSubscription),
	}
	current = base
	current.amount, current.shown = max(p.Current, money.None), p.CurrentText
	if p.Base == p.Current && p.DiscountPercent <= 0 {
		base.shown, current.shown = either(base.shown, current.shown), either(current.shown, base.shown)
	}
	return base, current
}

// text is what the store showed, else a word for zero or the amount by CLDR.
func (t *priceTexts) text(a askedPrice, c money.Currency) string {
	switch {
	case a.amount == 0 && !hasLetter(a.shown):
		return t.zero(a.region, a.flags)
	case a.shown != "":
		return a.shown
	case a.amount.Known():
		return t.formatter.Format(t.regions[a.region], c, a.amount)
	}
	return ""
}

// zero is the word for a price of nothing.
func (t *priceTexts) zero(region, flags uint8) string {
	switch words := t.words[region]; {
	case flags&flagTrial != 0:
		return words.Trial
	case flags&flagSubscription != 0:
		return words.Included
	default:
		return words.Free
	}
}

func hasLetter(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }
