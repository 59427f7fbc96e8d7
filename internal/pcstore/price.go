package pcstore

import (
	"fmt"
	"strings"
	"unicode"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

type price struct {
	Total struct {
		Original int64  `json:"originalPrice"`
		Discount int64  `json:"discountPrice"` // price to pay
		Currency string `json:"currencyCode"`
		Info     struct {
			Decimals *int `json:"decimals"`
		} `json:"currencyInfo"`
		Shown struct {
			Original string `json:"originalPrice"`
			Discount string `json:"discountPrice"`
		} `json:"fmtPrice"`
	} `json:"totalPrice"`
	LineOffers []struct {
		AppliedRules []struct {
			EndDate timestamp `json:"endDate"`
		} `json:"appliedRules"`
	} `json:"lineOffers"`
}

// promotions holds the running promotions in nested lists.
type promotions struct {
	Running []struct {
		Offers []struct {
			StartDate timestamp `json:"startDate"`
			EndDate   timestamp `json:"endDate"`
		} `json:"promotionalOffers"`
	} `json:"promotionalOffers"`
}

func (e *element) priceOf(now catalog.Millis) (*catalog.Price, error) {
	if e.Price == nil {
		return nil, nil
	}
	total := &e.Price.Total
	currency, err := money.ParseCurrency(total.Currency)
	if err != nil {
		return nil, fmt.Errorf("%w: price of %.64q: %w", errGarbage, e.ID, err)
	}
	decimals := currency.Digits()
	if total.Info.Decimals != nil {
		decimals = *total.Info.Decimals
	}
	p := &catalog.Price{Currency: currency, DiscountPercent: catalog.NoPercent, Source: catalog.SourceExact}
	if p.Base, err = money.FromMinor(total.Original, decimals); err == nil {
		p.Current, err = money.FromMinor(total.Discount, decimals)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: price of %.64q: %w", errGarbage, e.ID, err)
	}
	p.BaseText, p.CurrentText = shownText(p, p.Base, total.Shown.Original), shownText(p, p.Current, total.Shown.Discount)
	switch {
	case p.Current > p.Base: // either of the two may be wrong
		p.Base, p.BaseText, p.Source = money.None, "", catalog.SourceDoubtful
	case p.Current < p.Base:
		p.DiscountEndsAt = e.discountEnd(now)
	}
	return p, nil
}

// shownText returns the store's text for an amount if it can be shown: if it has a word or
// sign for the price's currency (the text of zero is only "0"). If the text contradicts
// the number, the price is marked as doubtful.
func shownText(p *catalog.Price, amount money.Amount, text string) string {
	text = strings.TrimSpace(text)
	if money.CurrencyOf(text, p.Currency) != p.Currency {
		return ""
	}
	if !p.Currency.Agrees(amount, text) {
		p.Source = catalog.SourceDoubtful
	}
	if !strings.ContainsFunc(text, func(c rune) bool { return unicode.IsLetter(c) || unicode.Is(unicode.Sc, c) }) {
		return ""
	}
	return text
}

// discountEnd returns the earliest end of the rules that apply to the price, or else of
// the running promotions.
func (e *element) discountEnd(now catalog.Millis) catalog.Millis {
	var end timestamp
	earlier := func(m timestamp) {
		if m != 0 && (end == 0 || m < end) {
			end = m
		}
	}
	for _, line := range e.Price.LineOffers {
		for _, rule := range line.AppliedRules {
			earlier(rule.EndDate)
		}
	}
	if end != 0 {
		return catalog.Millis(end)
	}
	for _, promotion := range e.Promotions.Running {
		for _, o := range promotion.Offers {
			if catalog.Millis(o.StartDate) <= now && now < catalog.Millis(o.EndDate) {
				earlier(o.EndDate)
			}
		}
	}
	return catalog.Millis(end)
}
