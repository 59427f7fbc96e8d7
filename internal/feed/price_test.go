package feed_test

import (
	"strconv"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/money"
)

// pricesWithTexts are prices whose texts say something else than the numbers, and some that
// look as if they did.
var pricesWithTexts = []struct{ region, members, want, warning string }{
	// numbers and texts that contradict each other
	{"TR", `"currency":"TRY","base":101,"current":101,"currentText":"1.012,00 TL"`, "101/101 TRY doubtful", `price.current: 101 and the text "1.012,00 TL" contradict each other, so the price is doubtful`},
	{"TR", `"currency":"TRY","current":157,"currentText":"1.574 TL"`, "157/157 TRY doubtful", `price.current: 157 and the text "1.574 TL" contradict`},
	{"JP", `"currency":"JPY","current":7980,"currentText":"￥7,980"`, "7980/7980 JPY doubtful", `price.current: 7980 and the text "￥7,980" contradict`},
	{"KW", `"currency":"KWD","current":5750,"currentText":"KWD 5.750"`, "5750/5750 KWD doubtful", `price.current: 5750 and`},
	{"US", `"currency":"USD","base":4999,"current":2499,"baseText":"$4,999","currentText":"$24.99"`, "2499/4999 USD doubtful", `price.base: 4999 and the text "$4,999" contradict`},
	{"US", `"currency":"USD","current":0,"currentText":"$59.99"`, "0/0 USD doubtful", `price.current: 0 and the text "$59.99" contradict`},
	{"TR", `"currency":"TRY","current":5999,"currentText":"US$59.99"`, "5999/5999 TRY doubtful", `price.current: TRY and the text "US$59.99" name two currencies`},
	{"US", `"currency":"USD","current":2499,"currentText":"€24.99","source":"graphql"`, "2499/2499 USD doubtful", `price.current: USD and the text "€24.99" name two`},
	{"TR", `"currency":"TRY","current":101,"currentText":"1.012,00 TL","source":"doubtful"`, "101/101 TRY doubtful", ""},
	{"TR", `"currency":"TRY","current":101200,"currentText":"1.012,00 TL"`, "101200/101200 TRY", ""},
	{"KW", `"currency":"KWD","current":575,"currentText":"KWD 5.750"`, "575/575 KWD", ""},
	{"BG", `"currency":"EUR","current":6130,"currentText":"61,30 €"`, "6130/6130 EUR", ""},
	// zeros with a text
	{"TR", `"currency":"TRY","current":0,"currentText":"Unavailable"`, "none", `price.currentText: "Unavailable" is no price, so there is none`},
	{"UA", `"currency":"UAH","base":0,"current":0,"baseText":"Скоро"`, "none", `"Скоро" is no price`},
	{"PL", `"currency":"PLN","base":19900,"current":0,"currentText":"Niedostępne"`, "none", `"Niedostępne" is no price`},
	{"US", `"currency":"USD","current":0,"currentText":"—"`, "none", `"—" is no price`},
	{"JP", `"currency":"JPY","current":0,"currentText":"販売終了","source":"doubtful"`, "none", `"販売終了" is no price`},
	{"TR", `"currency":"TRY","current":0`, "0/0 TRY", ""},
	{"TR", `"currency":"TRY","current":0,"currentText":"0,00 TL"`, "0/0 TRY", ""},
	{"TR", `"currency":"TRY","current":0,"currentText":"Ücretsiz"`, "0/0 TRY", ""},
	{"JP", `"currency":"JPY","base":200000,"current":0,"baseText":"¥2,000","currentText":"無料"`, "0/200000 JPY", ""},
	{"PL", `"currency":"PLN","current":0,"currentText":"Wersja próbna"`, "0/0 PLN", ""},
	{"US", `"currency":"USD","current":0,"currentText":"5-hour trial"`, "0/0 USD", ""},
	{"US", `"currency":"USD","current":0,"currentText":"Perks","subscription":true`, "0/none USD", ""},
	{"US", `"currency":"USD","base":4999,"current":0,"currentText":"Join for $5","trial":true`, "0/4999 USD", ""},
	{"US", `"currency":"USD","current":0,"currentText":"Get","source":"graphql"`, "0/0 USD graphql", ""},
	// texts alone
	{"TR", `"currentText":"US$59.99"`, "none/none USD", ""},
	{"TR", `"currentText":"$59.99","baseText":"$69.99"`, "none/none USD", ""},
	{"TR", `"baseText":"59,99 €"`, "none/none EUR", ""},
	{"UA", `"currentText":"199,00 zł"`, "none/none PLN", ""},
	{"PL", `"currency":"PLN","currentText":"£49.99"`, "none/none GBP", ""},
	{"CA", `"currentText":"$59.99"`, "none/none ", ""},
	{"TR", `"currentText":"59,99 TL"`, "none/none ", ""},
	{"TR", `"currentText":"Coming soon"`, "none/none ", ""},
}

// TestPricesWithTexts checks what is made of prices with texts, that it is reported, and
// that a second check changes nothing.
func TestPricesWithTexts(t *testing.T) {
	for _, tt := range pricesWithTexts {
		line := strings.Replace(price(tt.members), `"region":"TR"`, `"region":"`+tt.region+`"`, 1)
		r := newReader(t, line)
		var l catalog.Listing
		if _, err := r.Next(&l); err != nil {
			t.Errorf("%s: %v", tt.members, err)
			continue
		}
		warning := ""
		if why := r.Warning(); why != nil {
			warning = why.Error()
		}
		if tt.warning == "" && warning != "" || !strings.HasPrefix(warning, "line 1: ") && warning != "" || !strings.Contains(warning, tt.warning) {
			t.Errorf("%s: warning %q, want %q", tt.members, warning, tt.warning)
		}
		if got := priceText(l.Price); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.members, got, tt.want)
		}
		if err := feed.Check(&l, catalog.MillisOf(clock())); err != nil || priceText(l.Price) != tt.want {
			t.Errorf("%s: checked again: %s, %v", tt.members, priceText(l.Price), err)
		}
	}
}

func priceText(p *catalog.Price) string {
	if p == nil {
		return "none"
	}
	amount := func(a money.Amount) string {
		if !a.Known() {
			return "none"
		}
		return strconv.FormatInt(int64(a), 10)
	}
	return strings.TrimSuffix(amount(p.Current)+"/"+amount(p.Base)+" "+string(p.Currency)+" "+p.Source, " ")
}
