package money_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/bojanz/currency"

	"gamedex/internal/money"
	"gamedex/internal/testing/golden"
)

// TestFormatGolden compares the text of every currency of the stores, in the regions of the
// contract and in those with a difficult locale.
func TestFormatGolden(t *testing.T) {
	regions := strings.Fields("UA TR PL IN US DE JP KZ GB CH FR ES BR AR SA AE KW IL TW HK KR NO BG RS BD CZ HU SE ID CO XK ZZ")
	amounts := []money.Amount{0, 7, 999, 129900, 100050, 1234567890}
	var f money.Formatter
	var got bytes.Buffer
	for _, region := range regions {
		own, ok := money.RegionCurrency(region)
		if !ok {
			own = "USD"
		}
		for _, c := range []money.Currency{own, "USD", "JPY", "KWD"} {
			fmt.Fprintf(&got, "%s %s", region, c)
			for _, a := range amounts {
				fmt.Fprintf(&got, " | %+q", f.Format(region, c, a))
			}
			got.WriteByte('\n')
		}
	}
	golden.Check(t, "testdata/format.golden", got.String())
}

func TestFormat(t *testing.T) {
	tests := []struct {
		name, region string
		currency     money.Currency
		amount       money.Amount
		want         string
	}{
		{"ukrainian", "UA", "UAH", 129900, "1\u00a0299,00\u00a0₴"},
		{"whole koruna have no decimals", "CZ", "CZK", 19900, "199\u00a0Kč"},
		{"a koruna is free of decimals in English, too", "US", "CZK", 19900, "CZK\u00a0199"},
		{"dinars of Iraq have three or none", "US", "IQD", 100000, "IQD\u00a01,000"},
		{"a part of a dinar of Iraq", "US", "IQD", 100050, "IQD\u00a01,000.500"},
		{"kroner have coins of a half", "DK", "DKK", 19900, "199,00\u00a0kr."},
		{"newer than the history of currencies", "CW", "XCG", 1000, "Cg.10.00"},
		{"largest", "US", "USD", math.MaxInt64, "$92,233,720,368,547,758.07"},
		{"no number", "US", "USD", money.None, ""},
		{"unknown region", "ZZ", "EUR", 500, "€5.00"},
		{"region of another shape", "not a region", "EUR", 500, "€5.00"},
		{"no currency", "US", "", 500, "5.00"},
		{"unknown currency", "US", "ZZZ", 500, "5.00 ZZZ"},
	}
	var f money.Formatter
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for range 2 { // determined, then cached
				if got := f.Format(tt.region, tt.currency, tt.amount); got != tt.want {
					t.Errorf("Format(%s, %s, %d) = %q, want %q", tt.region, tt.currency, tt.amount, got, tt.want)
				}
			}
		})
	}
}

func TestFormatterAllocatesNothing(t *testing.T) {
	var f money.Formatter
	buf := make([]byte, 0, 64)
	f.Form("UA", "UAH")
	if n := testing.AllocsPerRun(100, func() { f.Form("UA", "UAH").Append(buf, 129900) }); n != 0 {
		t.Errorf("Form and Append made %v allocations, want 0", n)
	}
}

func TestHome(t *testing.T) {
	for c, want := range map[money.Currency]string{
		"UAH": "UA", "USD": "US", "GBP": "GB", "KZT": "KZ", "CHF": "CH",
		"EUR": "", "XOF": "", "CHE": "", "PAB": "", "": "", "U": "", "ZZZ": "",
	} {
		if got := c.Home(); got != want {
			t.Errorf("Home of %q is %q, want %q", c, got, want)
		}
	}
}

// TestFormsNeedNoEscape checks what encoders rely on: the form of a currency at
// home is UTF-8 that a JSON string holds as it is, and repeats the digits.
func TestFormsNeedNoEscape(t *testing.T) {
	var f money.Formatter
	for _, code := range currency.GetCurrencyCodes() {
		c := money.Currency(code)
		text := string(f.Form(c.Home(), c).Append(nil, 123456))
		if want := f.Format(c.Home(), c, 123456); text != want {
			t.Errorf("%s: Form gives %q, Format %q", c, text, want)
		}
		if quoted := string(f.Form(c.Home(), c).Append([]byte(`"`), 123456)) + `"`; !json.Valid([]byte(quoted)) || !utf8.ValidString(text) {
			t.Errorf("%s: %q needs an escape", c, text)
		}
		digits := strings.Map(func(r rune) rune {
			if '0' <= r && r <= '9' {
				return r
			}
			return -1
		}, text)
		if strings.TrimRight(digits, "0") != "123456" {
			t.Errorf("%s: %q does not show 1234.56", c, text)
		}
	}
	if got := f.Form("US", "USD").Append([]byte("x"), money.None); string(got) != "x" {
		t.Errorf("no number is %q", got)
	}
}

func TestFormatterFromManyGoroutines(t *testing.T) {
	var f money.Formatter
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, region := range []string{"UA", "TR", "PL", "IN", "JP"} {
				if got, want := f.Format(region, "USD", 999), new(money.Formatter).Format(region, "USD", 999); got != want {
					t.Errorf("%s: %q, want %q", region, got, want)
				}
			}
		})
	}
	wg.Wait()
}

func TestParseCurrency(t *testing.T) {
	tests := []struct {
		in   string
		want money.Currency
	}{
		{"UAH", "UAH"}, {" try\n", "TRY"}, {"Kwd", "KWD"},
		{"", ""}, {"ZZZ", ""}, {"TL", ""}, {"USDT", ""}, {"BTC", ""}, {"ı_x", ""}, {"₴", ""}, {"U D", ""},
	}
	for _, tt := range tests {
		got, err := money.ParseCurrency(tt.in)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("ParseCurrency(%q) = %q, %v; want %q", tt.in, got, err, tt.want)
		}
	}
}

func TestCurrencyDigits(t *testing.T) {
	for c, want := range map[money.Currency]int{"USD": 2, "JPY": 0, "KRW": 0, "KWD": 3, "CLF": 4, "": 2, "ZZZ": 2} {
		if got := c.Digits(); got != want {
			t.Errorf("%q.Digits() = %d, want %d", c, got, want)
		}
	}
}

func TestRegionCurrency(t *testing.T) {
	tests := []struct {
		region string
		want   money.Currency
		ok     bool
	}{
		{"UA", "UAH", true}, {"TR", "TRY", true}, {"PL", "PLN", true}, {"IN", "INR", true}, {"XK", "EUR", true},
		{"UK", "", false}, {"ZZ", "", false}, {"", "", false}, {"ua", "", false},
	}
	for _, tt := range tests {
		if got, ok := money.RegionCurrency(tt.region); got != tt.want || ok != tt.ok {
			t.Errorf("RegionCurrency(%q) = %q, %v; want %q, %v", tt.region, got, ok, tt.want, tt.ok)
		}
	}
}
