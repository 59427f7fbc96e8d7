package money

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestReadAmountOfFormatter checks that amounts as every region of CLDR writes them are read
// as they are or refused: alone, and together with an amount that decides the mark.
func TestReadAmountOfFormatter(t *testing.T) {
	var f Formatter
	regions, sure, read := allRegions(t), 0, 0
	rapid.Check(t, func(t *rapid.T) {
		amount := Amount(rapid.OneOf(rapid.Int64Range(0, 1e13), rapid.Int64Range(0, 1e8), rapid.Map(rapid.Int64Range(0, 1e11), func(n int64) int64 { return n * 100 })).Draw(t, "amount"))
		for _, region := range regions {
			c, ok := RegionCurrency(region)
			if !ok {
				continue
			}
			text := f.Format(region, c, amount)
			mark, known := DecimalMark(text)
			if known || mark == 0 {
				if got, err := c.ReadAmount(text, mark); err == nil && got != amount {
					t.Errorf("%s alone: %q of %d is %d", region, text, amount, got)
				}
			}
			mark, known = DecimalMark(f.Format(region, c, 123456))
			if got, err := c.ReadAmount(text, mark); err == nil && got != amount {
				t.Errorf("%s: %q of %d is %d", region, text, amount, got)
			} else if err == nil {
				read++
			}
			if of, unknown := f.CurrenciesOf(region, text); !slices.Contains(of, c) && len(of) > 0 || unknown != "" {
				t.Errorf("%s: %q is in %v, unknown %q, want %s", region, text, of, unknown, c)
			}
			if known {
				sure++
			}
		}
	})
	if read*100 < sure*99 {
		t.Errorf("read %d of %d amounts whose mark is decided", read, sure)
	}
}

func TestReadAmount(t *testing.T) {
	for _, tt := range []struct {
		c     Currency
		text  string
		point rune
		want  Amount
		err   string
	}{
		{"EUR", "1.049,99 €", ',', 104999, ""}, {"EUR", "30", 0, 3000, ""}, {"EUR", "19,- €", ',', 1900, ""}, {"EUR", "7,5", ',', 750, ""},
		{"PLN", "1 299,00 zł", ',', 129900, ""}, {"CHF", "CHF 1’299.90", '.', 129990, ""}, {"INR", "₹1,29,999.00", '.', 12999900, ""},
		{"JPY", "¥1,500", '.', 150000, ""}, {"JPY", "１，５００円", '.', 150000, ""}, {"EGP", "١٬٢٣٤٫٥٠", 0, 123450, ""},
		{"TRY", "₺1.749", ',', 174900, ""}, {"KWD", "1.250", '.', 125, ""}, {"KWD", "1,250.000", '.', 125000, ""}, {"BHD", "12.5", '.', 1250, ""},
		{"KWD", "1.255", '.', None, "has a third decimal, but prices are kept in hundredths: round it to two decimals"},
		{"OMR", "1.250", ',', None, "may have thousands or the three decimals of OMR: write it without thousands and with two decimals"},
		{"EUR", "1.250", '.', None, "has 3 decimals, and EUR has 2: write two"},
		{"EUR", "1,299.00", ',', None, `is not an amount with the decimal mark ","`},
		{"EUR", "-5", 0, None, "is not an amount"}, {"EUR", "$-5", 0, None, "is not an amount"}, {"EUR", "-$5", 0, None, "is not an amount"},
		{"EUR", "–5", 0, None, "is not an amount"}, {"CHF", "19.– CHF", 0, 1900, ""}, {"EUR", "(5.00)", '.', None, "is not an amount"}, {"EUR", "5.00-", '.', None, "is not an amount"}, {"EUR", "50%", 0, None, "is not an amount"},
		{"EUR", "free", 0, None, "has no number"}, {"USD", "$.99", '.', 99, ""}, {"EUR", ",9", ',', 90, ""}, {"INR", "Rs.99/-", 0, 9900, ""}, {"USD", ".99", ',', None, "is not an amount with"}, {"EUR", "2 x 5", 0, None, "is not an amount"}, {"EUR", "1 50", 0, None, "is not an amount"},
		{"EUR", "200000000000", 0, None, "is above"},
	} {
		got, err := tt.c.ReadAmount(tt.text, tt.point)
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
			t.Errorf("%s %q with %q: %d, %v, want %d, %s", tt.c, tt.text, tt.point, got, err, tt.want, tt.err)
		}
	}
}

func TestDecimalMark(t *testing.T) {
	for text, want := range map[string]struct {
		mark rune
		sure bool
	}{
		"1.049,99 €": {',', true}, "1,049.99": {'.', true}, "1.234": {'.', false}, "1,234": {',', false}, "12,34,567": {'.', true},
		"1.234.567": {',', true}, "0.125": {'.', true}, "1234,567": {',', true}, "5.5": {'.', true}, "30": {}, "1 234": {}, "1'234": {},
		"free": {}, "1.2.3": {}, "١٬٢٣٤٫٥٠": {}, "1 234,567": {',', true}, "": {}, "50,5 %": {}, ".99": {'.', true}, "Rs.99": {}, "रु.999": {},
	} {
		if mark, sure := DecimalMark(text); mark != want.mark || sure != want.sure {
			t.Errorf("%q: %q, %v, want %q, %v", text, mark, sure, want.mark, want.sure)
		}
	}
}

func TestSignsIn(t *testing.T) {
	for text, want := range map[string]string{"Price (EUR)": "EUR", "Now ($)": "$", "Was, US$": "US$", "Preis in Euro": "Euro", "Price": "", "price eur": "", "€/EUR": "€ EUR", "": ""} {
		if got := SignsIn(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestCurrenciesOf(t *testing.T) {
	var f Formatter
	for _, tt := range []struct{ region, text, want, unknown string }{
		{"DE", "19,99 €", "EUR", ""}, {"DE", "19,99", "", ""}, {"US", "US$ 5 USD", "USD", ""}, {"CA", "$5 CAD", "CAD", ""},
		{"GE", "5 usd", "USD", ""}, {"SE", "99 kr.", "SEK NOK DKK ISK", ""}, {"DE", "5 € USD", "", "USD"}, {"DE", "ab 5 €", "", "ab"}, {"DE", "1.2k", "", "k"},
	} {
		of, unknown := f.CurrenciesOf(tt.region, tt.text)
		var names []string
		for _, c := range of {
			names = append(names, string(c))
		}
		if strings.Join(names, " ") != tt.want || unknown != tt.unknown {
			t.Errorf("%s %q: %v, unknown %q, want %s", tt.region, tt.text, of, unknown, tt.want)
		}
	}
}
