package money_test

import (
	"encoding/json"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/money"
)

func TestFromMinor(t *testing.T) {
	tests := []struct {
		name   string
		units  int64
		digits int
		want   money.Amount
		fails  bool
	}{
		{"cents stay", 129900, 2, 129900, false},
		{"yen have no decimals", 1000, 0, 100000, false},
		{"one decimal", 125, 1, 1250, false},
		{"dinar fits", 12340, 3, 1234, false},
		{"dinar rounds half up", 12345, 3, 1235, false},
		{"dinar rounds down", 12344, 3, 1234, false},
		{"four decimals", 12350, 4, 124, false},
		{"zero", 0, 3, 0, false},
		{"largest", math.MaxInt64, 2, math.MaxInt64, false},
		{"negative", -1, 2, money.None, true},
		{"too large", math.MaxInt64 / 10, 0, money.None, true},
		{"negative decimals", 1, -1, money.None, true},
		{"too many decimals", 1, 10, money.None, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := money.FromMinor(tt.units, tt.digits)
			if got != tt.want || (err != nil) != tt.fails {
				t.Errorf("FromMinor(%d, %d) = %d, %v; want %d, error %v", tt.units, tt.digits, got, err, tt.want, tt.fails)
			}
		})
	}
}

func TestDiscountPercent(t *testing.T) {
	tests := []struct {
		base, current money.Amount
		want          int
	}{
		{174900, 87450, 50}, {100, 0, 100}, {100, 100, 0}, {1000, 995, 1}, {1000, 996, 1}, {1_000_000, 999_999, 1}, {math.MaxInt64, math.MaxInt64 - 1, 1}, {1000, 984, 2},
		{300, 200, 33}, {300, 100, 67}, {1, 0, 100},
		{0, 0, 0}, {money.None, 5, 0}, {100, money.None, 0}, {100, 101, 0},
		{math.MaxInt64, 0, 100}, {math.MaxInt64, math.MaxInt64 / 2, 50},
	}
	for _, tt := range tests {
		if got := money.DiscountPercent(tt.base, tt.current); got != tt.want {
			t.Errorf("DiscountPercent(%d, %d) = %d, want %d", tt.base, tt.current, got, tt.want)
		}
	}
}

func TestAppendUSDIsTheJSONNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cents := rapid.Int64Range(-1_000_000_000_000, 1_000_000_000_000).Draw(t, "cents")
		want, err := json.Marshal(float64(cents) / 100)
		if err != nil {
			t.Fatal(err)
		}
		if got := money.AppendUSD(nil, cents); string(got) != string(want) {
			t.Fatalf("AppendUSD(%d) = %s, want %s", cents, got, want)
		}
	})
}

func TestCentsAreUnknown(t *testing.T) {
	rates := mustParse(t, `{"base":"EUR","rates":{"USD":1.08,"UAH":44.8812345},"updatedAt":"2026-11-20T03:00:00Z"}`)
	for _, tt := range []struct {
		name     string
		rates    money.Rates
		currency money.Currency
		amount   money.Amount
	}{
		{"no number", rates, "UAH", money.None},
		{"no rate", rates, "PLN", 100},
		{"no currency", rates, "", 100},
		{"no table", money.Rates{}, "USD", 100},
	} {
		if got, ok := tt.rates.USD(tt.currency).Cents(tt.amount); ok || got != 0 {
			t.Errorf("%s: Cents(%d %s) = %d, %v; want none", tt.name, tt.amount, tt.currency, got, ok)
		}
	}
}

// roundHalfUp is a × to / from, rounded by the definition: floor(x + 1/2).
func roundHalfUp(a int64, to, from string) *big.Int {
	u, _ := new(big.Rat).SetString(to)
	f, _ := new(big.Rat).SetString(from)
	x := new(big.Rat).SetInt64(a)
	x.Mul(x, u).Quo(x, f).Add(x, big.NewRat(1, 2))
	return new(big.Int).Div(x.Num(), x.Denom())
}

func TestConvert(t *testing.T) {
	rates := mustParse(t, `{"base":"EUR","rates":{"USD":1.08,"UAH":44.8812345},"updatedAt":"2026-11-20T03:00:00Z"}`)
	tests := []struct {
		name     string
		from, to money.Currency
		amount   money.Amount
		want     money.Amount
	}{
		{"the same without a rate", "PLN", "PLN", 129901, 129901},
		{"no number", "UAH", "UAH", money.None, money.None},
		{"no rate of the amount's currency", "PLN", "UAH", 1, money.None},
		{"no rate of the other", "UAH", "PLN", 1, money.None},
		{"zero without a rate", "UAH", "PLN", 0, money.None},
		{"no currency", "", "UAH", 1, money.None},
		{"no currency on either side", "", "", 1, money.None},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := rates.Converter(tt.from, tt.to).Convert(tt.amount); got != tt.want {
				t.Errorf("%d %s = %d %s, want %d", tt.amount, tt.from, got, tt.to, tt.want)
			}
		})
	}
	var none money.Rates
	if got := none.Converter("USD", "USD").Convert(100); got != 100 {
		t.Errorf("without a table 100 US cents are %d, want 100", got)
	}
	if got := none.Converter("USD", "UAH").Convert(100); got != money.None {
		t.Errorf("without a table 100 US cents are %d kopecks, want none", got)
	}
}

// TestConvertIsExact compares conversions between two currencies, to and from the base, and
// to US cents with rational arithmetic, over ratios that fit 64 bits and ratios that do not.
func TestConvertIsExact(t *testing.T) {
	number := rapid.OneOf(
		rapid.StringMatching(`[1-9][0-9]{0,3}\.[0-9]{0,5}[1-9]`),
		rapid.StringMatching(`[1-9][0-9]{0,9}\.[0-9]{10,20}`),
		rapid.StringMatching(`0\.0{0,8}[1-9]{1,3}`),
		rapid.StringMatching(`[1-9](\.[0-9]{1,6})?[eE][+-]?[0-9]`),
		rapid.SampledFrom([]string{"1", "2", "4", "5", "8", "0.5", "1e-3"}), // halves are likely
	)
	rapid.Check(t, func(t *rapid.T) {
		table := map[money.Currency]string{"USD": number.Draw(t, "USD"), "TRY": number.Draw(t, "TRY"), "UAH": number.Draw(t, "UAH")}
		rates, err := money.NewRates("EUR", table, 0)
		if err != nil {
			t.Fatal(err)
		}
		table["EUR"] = "1"
		currencies := rapid.SampledFrom([]money.Currency{"EUR", "USD", "TRY", "UAH"})
		from, to := currencies.Draw(t, "from"), currencies.Draw(t, "to")
		a := rapid.OneOf(rapid.Int64Range(0, 1e3), rapid.Int64Range(0, 1e13), rapid.Int64Min(0)).Draw(t, "amount")
		want := roundHalfUp(a, table[to], table[from])
		got := rates.Converter(from, to).Convert(money.Amount(a))
		if got.Known() != want.IsInt64() || got.Known() && int64(got) != want.Int64() {
			t.Fatalf("%d %s = %d %s, want %v", a, from, got, to, want)
		}
		want = roundHalfUp(a, table["USD"], table[from])
		if cents, ok := rates.USD(from).Cents(money.Amount(a)); ok != want.IsInt64() || ok && cents != want.Int64() {
			t.Fatalf("%d %s = %d US cents, %v; want %v", a, from, cents, ok, want)
		}
	})
}

func TestCentsAllocatesNothing(t *testing.T) {
	k := mustParse(t, `{"base":"USD","rates":{"UAH":41.9512345678},"updatedAt":"2026-11-20T03:00:00Z"}`).USD("UAH")
	if n := testing.AllocsPerRun(100, func() { k.Cents(129900) }); n != 0 {
		t.Errorf("Cents made %v allocations, want 0", n)
	}
}

func mustParse(t *testing.T, table string) money.Rates {
	t.Helper()
	rates, err := money.ParseRates([]byte(table))
	if err != nil {
		t.Fatal(err)
	}
	return rates
}
