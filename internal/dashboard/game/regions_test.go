package game

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/money"
)

// TestRowsOfPrices checks what the table says of prices that are not just a number.
func TestRowsOfPrices(t *testing.T) {
	v := visit(t)
	for _, tt := range []struct {
		name, price        string
		text, converted    string
		sold, noRate       bool
		firstBadge, before string
	}{
		{"a number", `{"currency":"INR","base":74900,"current":74900,"currentText":"Rs 749","usd":8.44}`, "₹749.00", "$8.44", true, false, "", ""},
		{"no rate", `{"currency":"INR","base":74900,"current":74900,"currentText":"Rs 749","usd":null}`, "₹749.00", "", true, true, "", ""},
		{"only a text", `{"currency":"KZT","base":null,"current":null,"currentText":"9 190 ₸","usd":null}`, "9 190 ₸", "", true, false, "", ""},
		{"not for sale", `{"currency":null,"base":null,"current":null,"currentText":null,"usd":null}`, "", "", false, false, "", ""},
		{"a trial", `{"currency":"PLN","base":0,"current":0,"currentText":"Wersja próbna","usd":0,"isFree":true,"isTrial":true}`, "trial", "", true, false, "", ""},
		{"free", `{"currency":"PLN","base":0,"current":0,"currentText":"Bezpłatne","usd":0,"isFree":true}`, "free", "free", true, false, "", ""},
		{"for subscribers", `{"currency":"USD","base":2000,"current":1000,"currentText":"$10","usd":10,"discountPercent":50,"isSubPlus":true}`, "$10.00", "$10.00", true, false, "with a subscription", "$20.00"},
		{"free without a rate", `{"currency":"PLN","base":0,"current":0,"currentText":"Bezpłatne","usd":null,"isFree":true}`, "free", "free", true, false, "", ""},
		{"in a subscription", `{"currency":"USD","base":2000,"current":0,"currentText":"Included","usd":0,"isSubPlus":true}`, "with a subscription", "$0.00", true, false, "", ""},
		{"doubtful", `{"currency":"USD","base":1,"current":1,"currentText":"$0.01","usd":0.01,"source":"doubtful"}`, "$0.01", "$0.01", true, false, "doubtful", ""},
		{"no real discount", `{"currency":"USD","base":2000,"current":1000,"usd":10,"discountPercent":50,"lows":{"real":{"verdict":"none"}}}`, "$10.00", "$10.00", true, false, "ordinary price", "$20.00"},
	} {
		var p explore.RegionPrice
		if err := json.Unmarshal([]byte(tt.price), &p); err != nil {
			t.Fatal(tt.name, err)
		}
		row := rowOf(v, &p)
		badge := ""
		if len(row.Badges) > 0 {
			badge = row.Badges[0].Text
		}
		if row.Text != tt.text || row.Converted != tt.converted || row.Sold != tt.sold || row.NoRate != tt.noRate || badge != tt.firstBadge || row.Before != tt.before {
			t.Errorf("%s: %+v", tt.name, row)
		}
	}
}

// TestRowsInTheVisitorsCurrency checks the table and the sentence about the saving in several
// currencies. The order and the percentage are those of the dollars.
func TestRowsInTheVisitorsCurrency(t *testing.T) {
	for _, tt := range []struct{ currency, india, poland, rows, saving string }{
		{"USD", "844", "2000", "$8.44 $20.00 – free no rate", "Cheapest: India, $8.44. That is $11.56 (58%) less than the highest price: Poland, $20.00."},
		{"EUR", "729", "1726", "€7.29 €17.26 – free no rate", "Cheapest: India, €7.29. That is €9.97 (58%) less than the highest price: Poland, €17.26."},
		{"JPY", "130450", "309149", "¥1,305 ¥3,091 – free no rate", "Cheapest: India, ¥1,305. That is ¥1,786 (58%) less than the highest price: Poland, ¥3,091."},
		{"UAH", "34857", "82600", "348,57 ₴ 826,00 ₴ – free no rate", "Cheapest: India, 348,57 ₴. That is 477,43 ₴ (58%) less than the highest price: Poland, 826,00 ₴."},
		{"KZT", "", "", "no rate no rate – free no rate", ""},
		{"KZT", "431000", "", "4 310,00 ₸ no rate – free no rate", ""},
		{"KZT", "", "1022000", "no rate 10 220,00 ₸ – free no rate", ""},
	} {
		converted := func(value string) string {
			if value == "" {
				return "null"
			}
			return fmt.Sprintf(`{"currency":%q,"value":%s}`, tt.currency, value)
		}
		var answer explore.PricesAnswer
		if err := json.Unmarshal(fmt.Appendf(nil, `{"regions":["PL","IN","TR","UA","KZ"],"data":{"items":[{"cheapest":{"region":"IN"},"cheapestPrice":%[2]s,"comparedRegions":2,"regionsCount":5,"regions":{
			"PL":{"alpha2":"PL","currency":"PLN","current":8260,"usd":20,"converted":%[1]s},
			"IN":%[2]s,
			"TR":{"alpha2":"TR","currency":"TRY","current":0,"usd":0,"isTrial":true,"converted":%[3]s},
			"UA":{"alpha2":"UA","currency":"UAH","current":0,"usd":null,"isFree":true,"converted":null},
			"KZ":{"alpha2":"KZ","currency":"XAU","current":100,"usd":null,"converted":null}}}]}}`,
			converted(tt.poland), `{"alpha2":"IN","currency":"INR","current":74900,"usd":8.44,"converted":`+converted(tt.india)+`}`, converted("0")), &answer); err != nil {
			t.Fatal(err)
		}
		v := visit(t)
		v.Locale.Currency = money.Currency(tt.currency)
		view := regionPrices(v, &answer)
		var rows []string
		for _, code := range []string{"IN", "PL", "TR", "UA", "KZ"} {
			var m web.Markup
			view.in(code).addConverted(&m, v)
			rows = append(rows, tags.ReplaceAllString(strings.TrimSpace(string(m.HTML())), ""))
		}
		if got := strings.ReplaceAll(strings.Join(rows, " "), "\u00a0", " "); got != tt.rows {
			t.Errorf("%s: %q, want %q", tt.currency, got, tt.rows)
		}
		if got := strings.ReplaceAll(view.Saving, "\u00a0", " "); got != tt.saving {
			t.Errorf("%s: %q, want %q", tt.currency, got, tt.saving)
		}
		_, less, _ := strings.Cut(tt.saving, "That is ")
		less, _, _ = strings.Cut(less, " (")
		for code, want := range map[string]string{"PL": less, "IN": "", "TR": "", "UA": ""} {
			said := strings.ReplaceAll(explore.Judge(view.in(code).price, v.Now()).Sentence(v), "\u00a0", " ")
			if want != "" && !strings.HasSuffix(said, ". "+want+" less in India.") || want == "" && strings.Contains(said, "less in") {
				t.Errorf("%s in %s: the verdict is %q", tt.currency, code, said)
			}
		}
		if view.Rows[0].Code != "IN" || view.Rows[1].Code != "PL" || view.Rows[0].Width != 42 {
			t.Errorf("%s: rows %+v", tt.currency, view.Rows)
		}
	}
}

var tags = regexp.MustCompile(`<[^>]*>`)
