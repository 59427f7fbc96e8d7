package pcstore_test

import (
	"testing"

	"gamedex/internal/sweep"
)

func TestPrice(t *testing.T) {
	ends := func(o object, ends ...any) object {
		rules := make([]any, len(ends))
		for i, end := range ends {
			rules[i] = object{"endDate": end}
		}
		o["lineOffers"] = []any{object{"appliedRules": rules}}
		return o
	}
	running := func(start, end string) object {
		return object{"promotionalOffers": []any{object{"promotionalOffers": []any{
			object{"startDate": start, "endDate": end, "discountSetting": object{"discountPercentage": 30}},
		}}}}
	}
	tests := []struct {
		name  string
		offer object
		want  string
	}{
		{"no discount", offer("a"), `EUR 2000 2000 "20,00 €" "20,00 €" graphql`},
		{"a discount, its first rule to end", offer("a", "price", ends(cost("EUR", 2, 1999, 599, "19,99 €", "5,99 €"), "2026-12-05T00:00:00.000Z", "2026-12-01T16:00:00.000Z", nil)),
			`EUR 1999 599 "19,99 €" "5,99 €" graphql until 2026-12-01T16:00:00Z`},
		{"30 % left, rounded down", offer("a", "price", cost("USD", 2, 1499, 374, "$14.99", "$3.74")), `USD 1499 374 "$14.99" "$3.74" graphql`},
		{"no rule has an end, but the running promotion has", offer("a", "price", cost("EUR", 2, 1999, 599, "19,99 €", "5,99 €"),
			"promotions", running("2026-11-19T15:00:00.000Z", "2026-11-26T15:00:00.000Z")), `EUR 1999 599 "19,99 €" "5,99 €" graphql until 2026-11-26T15:00:00Z`},
		{"a future promotion has no effect", offer("a", "price", cost("EUR", 2, 1999, 599, "19,99 €", "5,99 €"),
			"promotions", running("2026-11-21T15:00:00.000Z", "2026-11-26T15:00:00.000Z")), `EUR 1999 599 "19,99 €" "5,99 €" graphql`},
		{"a rule without a discount ends nothing", offer("a", "price", ends(cost("EUR", 2, 1999, 1999, "19,99 €", "19,99 €"), "2026-12-01T16:00:00.000Z")),
			`EUR 1999 1999 "19,99 €" "19,99 €" graphql`},
		{"free", offer("a", "price", cost("EUR", 2, 0, 0, "0", "0")), `EUR 0 0 "" "" graphql`},
		{"free in words", offer("a", "price", cost("EUR", 2, 0, 0, "Kostenlos", "Kostenlos")), `EUR 0 0 "Kostenlos" "Kostenlos" graphql`},
		{"given away", offer("a", "price", ends(cost("EUR", 2, 2499, 0, "24,99 €", "0"), "2026-11-27T16:00:00.000Z")),
			`EUR 2499 0 "24,99 €" "" graphql until 2026-11-27T16:00:00Z`},
		{"yen have no decimals", offer("a", "price", cost("JPY", 0, 7678, 7678, "¥7,678", "￥7,678")), `JPY 767800 767800 "¥7,678" "￥7,678" graphql`},
		{"dinars have three", offer("a", "price", cost("KWD", 3, 12500, 12500, "12.500 KWD", "KWD 12.500")), `KWD 1250 1250 "12.500 KWD" "KWD 12.500" graphql`},
		{"decimals not given", offer("a", "price", object{"totalPrice": object{"originalPrice": 500, "discountPrice": 500, "currencyCode": "JPY"}}),
			`JPY 50000 50000 "" "" graphql`},
		{"lira", offer("a", "price", cost("TRY", 2, 157410, 14900, "₺1.574,10", "₺149,00")), `TRY 157410 14900 "₺1.574,10" "₺149,00" graphql`},
		{"hryvnia with words", offer("a", "price", cost("UAH", 2, 129900, 129900, "1 299,00 грн", "1\u00a0299,00 ₴")), `UAH 129900 129900 "1 299,00 грн" "1\u00a0299,00 ₴" graphql`},
		{"dollars of any kind", offer("a", "price", cost("AUD", 2, 1399, 1399, "A$13.99", "$13.99")), `AUD 1399 1399 "A$13.99" "$13.99" graphql`},
		{"number and text disagree", offer("a", "price", cost("JPY", 2, 7678, 7678, "¥7,678", "¥7,678")), `JPY 7678 7678 "¥7,678" "¥7,678" doubtful`},
		{"one of two texts disagrees", offer("a", "price", cost("EUR", 2, 2000, 1000, "20,00 €", "1,00 €")), `EUR 2000 1000 "20,00 €" "1,00 €" doubtful`},
		{"a price whose text is zero", offer("a", "price", cost("EUR", 2, 2000, 1000, "20,00 €", "0")), `EUR 2000 1000 "20,00 €" "" doubtful`},
		{"a text in another currency says nothing", offer("a", "price", cost("UAH", 2, 129900, 129900, "31,00 €", "USD 33.10")), `UAH 129900 129900 "" "" graphql`},
		{"a bare text is not shown", offer("a", "price", cost("UAH", 2, 129900, 129900, "1 299,00", "1299")), `UAH 129900 129900 "" "" graphql`},
		{"dearer than before", offer("a", "price", cost("EUR", 2, 1000, 2000, "10,00 €", "20,00 €")), `EUR -1 2000 "" "20,00 €" doubtful`},
		{"another currency than the profile's", offer("a", "price", cost("USD", 2, 1999, 1999, "19,99 $", "19,99 $")), `USD 1999 1999 "19,99 $" "19,99 $" graphql`},
		{"none", offer("a", "price", nil), "none"},
		{"null", offer("a", "price", null), "none"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			page := one(t, tt.offer).mustRead("UA", sweep.Prices, "")
			if len(page.Parts) != 1 {
				t.Fatalf("page is %s", written(page))
			}
			if got := price(page.Parts[0].Price); got != tt.want {
				t.Errorf("price %s\nwant  %s", got, tt.want)
			}
		})
	}
}

// TestUnreadablePrice checks that a price that cannot be read leaves the stored
// offer unchanged.
func TestUnreadablePrice(t *testing.T) {
	for name, broken := range map[string]any{
		"negative":         cost("EUR", 2, -1, 5, "", ""),
		"no currency":      cost("", 2, 1, 1, "", ""),
		"unknown currency": cost("ZZZ", 2, 1, 1, "", ""),
		"absurd decimals":  cost("EUR", 77, 1, 1, "", ""),
		"too large":        cost("JPY", 0, 1<<62, 1, "", ""),
		"a text":           "20 €",
		"a fraction":       object{"totalPrice": object{"originalPrice": 19.99, "discountPrice": 19.99, "currencyCode": "EUR"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := (&shop{search: finds(offer("a", "price", broken), offer("b"))}).open(t)
			page := s.mustRead("UA", sweep.Prices, "")
			if len(page.Parts) != 1 || page.Parts[0].Product != "b" || len(page.Present) != 1 || page.Present[0] != "a" || page.Interrupted {
				t.Errorf("page is %s", written(page))
			}
		})
	}
}
