package rates_test

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/money"
	"gamedex/internal/rates"
)

// oddNumber matches a number that is not a plain decimal.
var oddNumber = regexp.MustCompile(`[0-9][eE]|\.[,}]`)

// rate draws a decimal of up to 8 digits, from 0.00001 to 99999999, and its
// exact value.
func rate(t *rapid.T, name string) (string, *big.Rat) {
	n, decimals := rapid.Int64Range(1, 99999999).Draw(t, name), rapid.IntRange(0, 5).Draw(t, name+" decimals")
	r := new(big.Rat).SetFrac(big.NewInt(n), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil))
	return r.FloatString(decimals), r
}

// TestTablesKeepCrossRates checks that conversions through a table equal the
// cross rate of the banks' numbers, to 10 digits.
func TestTablesKeepCrossRates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		usdText, usd := rate(t, "dollars per euro")
		jpyText, jpy := rate(t, "yen per euro")
		uahText, uah := rate(t, "hryvnias per dollar")
		kztText, kzt := rate(t, "hryvnias per 100 tenge")
		r, err := banks(
			fmt.Sprintf(`<E><Cube><Cube time='2026-11-19'><Cube currency='USD' rate='%s'/><Cube currency='JPY' rate='%s'/></Cube></Cube></E>`, usdText, jpyText),
			fmt.Sprintf(`[{"cc":"USD","rate":%s,"exchangedate":"19.11.2026"},{"cc":"KZT","rate":%s,"units":100,"exchangedate":"19.11.2026"}]`, uahText, kztText),
		).Fetch(t.Context())
		want := map[money.Currency]*big.Rat{ // per dollar
			"USD": big.NewRat(1, 1),
			"EUR": new(big.Rat).Inv(usd),
			"JPY": new(big.Rat).Quo(jpy, usd),
			"UAH": uah,
			"KZT": new(big.Rat).Mul(big.NewRat(100, 1), new(big.Rat).Quo(uah, kzt)),
		}
		low, high := big.NewRat(1, 1e9), big.NewRat(1e9, 1)
		for code, exact := range want {
			if exact.Cmp(low) < 0 || exact.Cmp(high) > 0 {
				if r.PerBase(code) != nil || !strings.Contains(r.Skipped(), string(code)+" (") {
					t.Fatalf("%s %s per dollar was accepted", exact.FloatString(12), code)
				}
				delete(want, code)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if text := r.AppendJSON(nil); oddNumber.Match(text) {
			t.Fatalf("the table is written %s", text)
		}
		for a := range want {
			for b := range want {
				through, exact := new(big.Rat).Quo(r.PerBase(a), r.PerBase(b)), new(big.Rat).Quo(want[a], want[b])
				off := new(big.Rat).Quo(through, exact)
				off.Sub(off, big.NewRat(1, 1)).Abs(off)
				if off.Cmp(big.NewRat(1, 1e10)) > 0 {
					t.Errorf("%s/%s: %s, exactly %s", a, b, through.FloatString(20), exact.FloatString(20))
				}
			}
		}
	})
}

func FuzzProviders(f *testing.F) {
	f.Add(ecbUSD, nbuUSD)
	f.Add(`<E><Cube><Cube time='2026-11-19'><Cube currency='USD' rate='1e-9'/></Cube></Cube></E>`, `[{"cc":"USD","rate_per_unit":1E9,"exchangedate":"01.01.2020"}]`)
	f.Add("<exchange><error>", `{"timestamp":1,"base":"USD","rates":{"UAH":0.1e-7}}`)
	f.Add("", `{"base":"EUR","rates":{"USD":1.1},"updatedAt":"2026-11-19T00:00:00Z"}`)
	f.Fuzz(func(t *testing.T, ecb, other string) {
		o := documents{rates.OpenExchangeRatesURL: other, "https://rates.example/": other}
		for _, p := range []rates.Provider{
			banks(ecb, nbuUSD), banks(ecbUSD, other),
			rates.OpenExchangeRates{Client: o, Key: "k"}, rates.Table{Client: o, URL: "https://rates.example/"},
		} {
			r, err := p.Fetch(t.Context())
			if (err == nil) == r.IsZero() {
				t.Fatalf("%s: a table: %v, error %v", p.Name(), !r.IsZero(), err)
			}
			if err == nil && (r.Base() != money.USD || !r.USD("USD").Known()) {
				t.Errorf("%s: %s", p.Name(), r.AppendJSON(nil))
			}
		}
	})
}
