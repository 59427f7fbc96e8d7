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

// of returns the two texts of a price: what the store showed, else a word for
// zero or the amount by CLDR. Where both amounts are the same and nothing is
// taken off, the store's one text serves for both.
func (t *priceTexts) of(region uint8, c money.Currency, p *catalog.Price, flags byte) (base, current string) {
	base, current = p.BaseText, p.CurrentText
	if p.Base == p.Current && p.DiscountPercent <= 0 {
		base, current = either(base, current), either(current, base)
	}
	zero := t.zero(region, flags)
	return t.text(region, c, p.Base, base, zero), t.text(region, c, p.Current, current, zero)
}

// zero is the word for a price of nothing.
func (t *priceTexts) zero(region uint8, flags byte) string {
	switch words := t.words[region]; {
	case flags&flagTrial != 0:
		return words.Trial
	case flags&flagSubscription != 0:
		return words.Included
	default:
		return words.Free
	}
}

func (t *priceTexts) text(region uint8, c money.Currency, a money.Amount, shown, zero string) string {
	switch {
	case a == 0 && !hasLetter(shown):
		return zero
	case shown != "":
		return shown
	case a.Known():
		return t.formatter.Format(t.regions[region], c, a)
	}
	return ""
}

func hasLetter(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }
