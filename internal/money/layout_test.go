package money

import (
	"strconv"
	"testing"

	"github.com/bojanz/currency"
	cldr "golang.org/x/text/currency"
	"golang.org/x/text/language"
	"pgregory.net/rapid"
)

// TestLayoutAgreesWithCLDR compares the layouts, which samples determine, with the general
// formatter: for every region, every currency that a store could use there, and amounts of
// every length.
func TestLayoutAgreesWithCLDR(t *testing.T) {
	var f Formatter
	amounts := []Amount{0, 1, 10, 99, 100, 12345, 99999, 100000, 100050, 1000000, 12345678, 1234567890, 1000000000000000}
	for _, region := range allRegions(t) {
		own, _ := RegionCurrency(region)
		for _, c := range []Currency{own, "USD", "EUR", "JPY", "KWD", "UAH", "CLF"} {
			if c == "" {
				continue
			}
			for _, a := range amounts {
				if got, want := f.Format(region, c, a), general(region, c, a); got != want {
					t.Errorf("Format(%s, %s, %d) = %q, want %q", region, c, a, got, want)
				}
			}
		}
	}
}

func TestLayoutAgreesWithCLDRAnywhere(t *testing.T) {
	var f Formatter
	regions := allRegions(t)
	rapid.Check(t, func(t *rapid.T) {
		region := rapid.SampledFrom(regions).Draw(t, "region")
		c := Currency(rapid.SampledFrom(currency.GetCurrencyCodes()).Draw(t, "currency"))
		a := Amount(rapid.Int64Range(0, 1<<62).Draw(t, "amount"))
		if got, want := f.Format(region, c, a), general(region, c, a); got != want {
			t.Fatalf("Format(%s, %s, %d) = %q, want %q", region, c, a, got, want)
		}
	})
}

// general formats without a layout, in Latin digits.
func general(region string, c Currency, a Amount) string {
	n := strconv.FormatInt(int64(a)/100, 10) + "." + strconv.Itoa(int(a)%100 + 100)[1:]
	amount, err := currency.NewAmount(n, string(c))
	if err != nil {
		return err.Error()
	}
	f := currency.NewFormatter(regionLocale(region))
	if unit, err := cldr.ParseISO(string(c)); err == nil && a%100 == 0 {
		if cash, _ := cldr.Cash.Rounding(unit); cash == 0 {
			f.MinDigits, f.MaxDigits = 0, 0
		}
	}
	return latinDigits(f.Format(amount))
}

// allRegions are the upper-case alpha-2 codes of all countries.
func allRegions(t *testing.T) []string {
	var codes []string
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string(a) + string(b)
			if r, err := language.ParseRegion(code); err == nil && r.IsCountry() && r.String() == code {
				codes = append(codes, code)
			}
		}
	}
	if len(codes) < 240 {
		t.Fatalf("found %d regions, want at least 240", len(codes))
	}
	return codes
}
