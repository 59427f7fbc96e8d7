package game

import (
	"encoding/json"
	"testing"

	"gamedex/internal/dashboard/explore"
)

// TestRowsOfPrices checks what the table says of prices that are not just a number.
func TestRowsOfPrices(t *testing.T) {
	v := visit(t)
	for _, tt := range []struct {
		name, price        string
		text, usd          string
		sold, noRate       bool
		firstBadge, before string
	}{
		{"a number", `{"currency":"INR","base":74900,"current":74900,"currentText":"Rs 749","usd":8.44}`, "₹749.00", "$8.44", true, false, "", ""},
		{"no rate", `{"currency":"INR","base":74900,"current":74900,"currentText":"Rs 749","usd":null}`, "₹749.00", "", true, true, "", ""},
		{"only a text", `{"currency":"KZT","base":null,"current":null,"currentText":"9 190 ₸","usd":null}`, "9 190 ₸", "", true, false, "", ""},
		{"not for sale", `{"currency":null,"base":null,"current":null,"currentText":null,"usd":null}`, "", "", false, false, "", ""},
		{"a trial", `{"currency":"PLN","base":0,"current":0,"currentText":"Wersja próbna","usd":0,"isFree":true,"isTrial":true}`, "trial", "", true, false, "", ""},
		{"free", `{"currency":"PLN","base":0,"current":0,"currentText":"Bezpłatne","usd":0,"isFree":true}`, "free", "$0.00", true, false, "", ""},
		{"for subscribers", `{"currency":"USD","base":2000,"current":1000,"currentText":"$10","usd":10,"discountPercent":50,"isSubPlus":true}`, "$10.00", "$10.00", true, false, "card.subscription", "$20.00"},
		{"in a subscription", `{"currency":"USD","base":2000,"current":0,"currentText":"Included","usd":0,"isSubPlus":true}`, "with a subscription", "$0.00", true, false, "", ""},
		{"doubtful", `{"currency":"USD","base":1,"current":1,"currentText":"$0.01","usd":0.01,"source":"doubtful"}`, "$0.01", "$0.01", true, false, "card.doubtful", ""},
		{"no real discount", `{"currency":"USD","base":2000,"current":1000,"usd":10,"discountPercent":50,"lows":{"real":{"verdict":"none"}}}`, "$10.00", "$10.00", true, false, "card.verdict.none.short", "$20.00"},
	} {
		var p explore.RegionPrice
		if err := json.Unmarshal([]byte(tt.price), &p); err != nil {
			t.Fatal(tt.name, err)
		}
		row := rowOf(v, &p)
		badge := ""
		if len(row.Badges) > 0 {
			badge = row.Badges[0].Key
		}
		if row.Text != tt.text || row.USD != tt.usd || row.Sold != tt.sold || row.NoRate != tt.noRate || badge != tt.firstBadge || row.Before != tt.before {
			t.Errorf("%s: %+v", tt.name, row)
		}
	}
}
