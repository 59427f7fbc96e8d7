package money_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/money"
)

func TestParseRates(t *testing.T) {
	const in = ` {"rates":{"usd":1.0,"UAH":41.9500,"JPY":1.5e2,"PLN":3.61},"note":{"a":[1]},"updatedAt":"2026-11-20T05:00:00.123456+02:00","base":"USD"} `
	const want = `{"base":"USD","rates":{"JPY":1.5e2,"PLN":3.61,"UAH":41.9500,"USD":1.0},"updatedAt":"2026-11-20T03:00:00.123Z"}`
	r := mustParse(t, in)
	if r.Base() != "USD" || r.UpdatedAt() != 1795143600123 || r.IsZero() {
		t.Errorf("base %s, updatedAt %d, zero %v", r.Base(), r.UpdatedAt(), r.IsZero())
	}
	if got, want := r.Currencies(), []money.Currency{"JPY", "PLN", "UAH", "USD"}; !slices.Equal(got, want) {
		t.Errorf("Currencies = %v, want %v", got, want)
	}
	if diff := cmp.Diff(want, string(r.AppendJSON(nil))); diff != "" {
		t.Errorf("AppendJSON (-want +got):\n%s", diff)
	}
	if again := mustParse(t, want); again.Hash() != r.Hash() {
		t.Errorf("the written table has hash %x, the read one %x", again.Hash(), r.Hash())
	}
	if !json.Valid(r.AppendJSON(nil)) {
		t.Error("AppendJSON is not JSON")
	}
}

// TestParsePastRates reads a table with a currency that has gone out of use.
func TestParsePastRates(t *testing.T) {
	past := []byte(`{"base":"EUR","rates":{"BGN":1.9558,"EUR":1,"PLN":4.25,"USD":1.16},"updatedAt":"2025-12-31T00:00:00Z"}`)
	if r := mustParse(t, strings.Replace(string(past), "2025-12-31", "2026-02-01", 1)); r.PerBase("BGN") != nil {
		t.Fatal("BGN is a currency in February 2026")
	}
	r, err := money.ParsePastRates(past, map[money.Currency]bool{"BGN": true, "TRY": true})
	if err != nil || !slices.Equal(r.Currencies(), []money.Currency{"BGN", "USD"}) {
		t.Fatalf("ParsePastRates = %v, %v; want BGN and USD", r.Currencies(), err)
	}
	if cents, ok := r.USD("BGN").Cents(1000); !ok || cents != 593 {
		t.Errorf("10 BGN = %d cents, %v; want 593", cents, ok)
	}
	if cents, ok := r.USD("EUR").Cents(1000); !ok || cents != 1160 {
		t.Errorf("10 EUR = %d cents, %v; want 1160: the base needs no rate", cents, ok)
	}
	for _, damaged := range []string{`{"base":"EUR","rates":{"EUR":1},"updatedAt":"2025-12-31T00:00:00Z"}`, `{"base":"EUR","rates":{"USD":1.16}}`, `{"base"`} {
		if r, err := money.ParsePastRates([]byte(damaged), nil); err == nil {
			t.Errorf("%s: %v, want an error", damaged, r.Currencies())
		}
	}
}

func TestZeroRates(t *testing.T) {
	var r money.Rates
	if !r.IsZero() || r.Hash() != 0 || len(r.Currencies()) != 0 || r.USD("").Known() {
		t.Error("the zero Rates is not empty")
	}
	if got := string(r.AppendJSON(nil)); got != "null" {
		t.Errorf("AppendJSON = %s, want null", got)
	}
}

func TestHashSeesEveryPart(t *testing.T) {
	const first = `{"base":"USD","rates":{"UAH":41.95},"updatedAt":"2026-11-20T03:00:00Z"}`
	seen := map[uint64]string{mustParse(t, first).Hash(): first}
	for _, change := range [][2]string{{"41.95", "41.96"}, {"UAH", "TRY"}, {"03:00", "04:00"}, {`"UAH":41.95`, `"UAH":41.95,"USD":1`}} {
		other := strings.Replace(first, change[0], change[1], 1)
		h := mustParse(t, other).Hash()
		if before, ok := seen[h]; ok {
			t.Errorf("%s and %s have the same hash", before, other)
		}
		seen[h] = other
	}
}

func TestRatesAreImmutable(t *testing.T) {
	decimals := map[money.Currency]string{"UAH": "41.95"}
	r, err := money.NewRates("USD", decimals, 0)
	if err != nil {
		t.Fatal(err)
	}
	before := string(r.AppendJSON(nil))
	decimals["UAH"] = "1"
	r.Currencies()[0] = "GBP"
	if got := string(r.AppendJSON(nil)); got != before {
		t.Errorf("changed from %s to %s", before, got)
	}
}

func TestParseRatesRefuses(t *testing.T) {
	table := func(rates string) string {
		return `{"base":"EUR","rates":` + rates + `,"updatedAt":"2026-11-20T03:00:00Z"}`
	}
	tests := []struct{ name, in, want string }{
		{"nothing", ``, "not JSON"},
		{"not an object", `[]`, "must be an object"},
		{"cut off", `{"base":"USD"`, "not JSON"},
		{"two tables", table(`{"USD":1}`) + `{}`, "after top-level value"},
		{"no base", `{"rates":{"USD":1},"updatedAt":"2026-11-20T03:00:00Z"}`, "base: is missing"},
		{"null base", `{"base":null,"rates":{"USD":1},"updatedAt":"2026-11-20T03:00:00Z"}`, "base: is missing"},
		{"base not a string", `{"base":1,"rates":{"USD":1}}`, "base: must be a string"},
		{"unknown base", `{"base":"ZZZ","rates":{"USD":1},"updatedAt":"2026-11-20T03:00:00Z"}`, `base: parse currency: "ZZZ"`},
		{"base given twice", `{"base":"USD","base":"EUR"}`, "base: is given twice"},
		{"no rates", `{"base":"EUR","updatedAt":"2026-11-20T03:00:00Z"}`, "rates.USD: is missing"},
		{"rates a list", table(`[1]`), "rates: must be an object"},
		{"rates null", table(`null`), "rates: must be an object"},
		{"no dollar", table(`{"UAH":45}`), "rates.USD: is missing"},
		{"zero", table(`{"USD":0.00}`), `rates.USD: is missing, so there would be no prices in dollars; skipped: USD ("0.00" must be above zero)`},
		{"negative", table(`{"USD":-1}`), `USD ("-1" must be above zero)`},
		{"in quotes", table(`{"USD":"1"}`), "is not a JSON number"},
		{"null rate", table(`{"USD":null}`), "is not a JSON number"},
		{"object as rate", table(`{"USD":{}}`), "is not a JSON number"},
		{"leading zero", table(`{"USD":01}`), "not JSON"},
		{"huge exponent", table(`{"USD":1e999999999}`), "too large an exponent"},
		{"exponent beyond an int", table(`{"USD":1e99999999999999999999}`), "too large an exponent"},
		{"too many digits", table(`{"USD":1.` + strings.Repeat("3", 50) + `}`), "too many digits"},
		{"code twice", table(`{"USD":1,"USD":1}`), "USD: is given twice"},
		{"code twice in other case", table(`{"USD":1,"usd":1}`), "USD: is given twice"},
		{"own rate is not 1", table(`{"USD":1.08,"EUR":2}`), "rates.EUR: the base's own rate is 2, want 1"},
		{"no time", `{"base":"USD","rates":{"USD":1}}`, "updatedAt: is missing"},
		{"bad time", `{"base":"USD","rates":{},"updatedAt":"yesterday"}`, `updatedAt: "yesterday" is not an RFC 3339 time such as 2026-11-20T03:00:00Z`},
		{"time before 1970", `{"base":"USD","rates":{},"updatedAt":"1969-12-31T23:59:59Z"}`, "updatedAt:"},
		{"time after 9999", `{"base":"USD","rates":{},"updatedAt":"9999-12-31T23:59:59-01:00"}`, "updatedAt:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := money.ParseRates([]byte(tt.in))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			if !r.IsZero() {
				t.Errorf("returned a table with the error: %s", r.AppendJSON(nil))
			}
		})
	}
}

func TestNewRatesRefuses(t *testing.T) {
	tests := []struct {
		name     string
		base     money.Currency
		decimals map[money.Currency]string
	}{
		{"no base", "", map[money.Currency]string{"USD": "1"}},
		{"lower-case base", "usd", nil},
		{"lower-case code", "USD", map[money.Currency]string{"uah": "1"}},
		{"empty number", "USD", map[money.Currency]string{"UAH": ""}},
		{"not JSON numbers", "USD", map[money.Currency]string{"UAH": ".5"}},
		{"plus sign", "USD", map[money.Currency]string{"UAH": "+5"}},
		{"trailing point", "USD", map[money.Currency]string{"UAH": "5."}},
		{"hexadecimal", "USD", map[money.Currency]string{"UAH": "0x10"}},
		{"empty exponent", "USD", map[money.Currency]string{"UAH": "5e"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if r, err := money.NewRates(tt.base, tt.decimals, 0); err == nil {
				t.Errorf("accepted %s", r.AppendJSON(nil))
			}
		})
	}
}

// FuzzParseRates checks that an accepted table can be written and read again
// without change, and converts.
func FuzzParseRates(f *testing.F) {
	for _, seed := range []string{
		`{"base":"USD","rates":{"UAH":41.95,"USD":1},"updatedAt":"2026-11-20T03:00:00Z"}`,
		`{"base":"EUR","rates":{"usd":1.08e0,"KWD":0.33},"updatedAt":"2026-11-20T05:00:00.5+02:00"}`,
		`{"base":"USD","rates":{"UAH":1e-40},"updatedAt":"1970-01-01T00:00:00Z"}`,
		`{"base":"USD","rates":{"UAH":-1},"updatedAt":""}`, `{"base":"USD","base":"USD"}`, `{"rates":[]}`, `{`, `null`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := money.ParseRates(data)
		if err != nil {
			return
		}
		text := r.AppendJSON(nil)
		again, err := money.ParseRates(text)
		if err != nil {
			t.Fatalf("reading %s again: %v", text, err)
		}
		if string(again.AppendJSON(nil)) != string(text) || again.Hash() != r.Hash() {
			t.Fatalf("%s became %s", text, again.AppendJSON(nil))
		}
		for _, c := range append(r.Currencies(), r.Base(), money.USD) {
			if cents, ok := r.USD(c).Cents(0); !ok || cents != 0 {
				t.Fatalf("Cents(0 %s) = %d, %v", c, cents, ok)
			}
		}
	})
}

// TestSkippedRates reads tables in which one entry or several are no rates.
func TestSkippedRates(t *testing.T) {
	const unknown = " (no ISO 4217 code in use at the time of the table)"
	for _, tt := range []struct{ rates, at, want, skipped string }{
		{`"UAH":42,"BGN":1.68`, "2026-11-26", "UAH", `"BGN"` + unknown},
		{`"UAH":42,"BGN":1.68`, "2025-11-26", "BGN UAH", ""},
		{`"HRK":7,"UAH":42,"DEM":1.7`, "2023-01-14", "HRK UAH", `"DEM"` + unknown},
		{`"HRK":7,"UAH":42`, "2023-01-15", "UAH", `"HRK"` + unknown},
		{`"DEM":1.7,"VEF":10,"BYR":9000`, "2002-02-28", "BYR DEM", `"VEF"` + unknown}, // the bolivar fuerte is of 2008
		{`"BTC":0.00001,"ggp":0.8,"UAH":42,"XAU":3e-4,"CNH":7`, "2026-11-26", "UAH", `"BTC", "CNH", "GGP", "XAU"` + unknown},
		{`"PLN":null,"TRY":0,"UAH":42`, "2026-11-26", "UAH", `PLN ("null" is not a JSON number), TRY ("0" must be above zero)`},
		{`"":1,"Kč":23,"UAH":[42],"EUR":{"rate":1},"PLN":"3.6"`, "2026-11-26", "", `"", "KČ"` + unknown +
			`, EUR ("{\"rate\":1}" is not a JSON number), PLN ("\"3.6\"" is not a JSON number), UAH ("[42]" is not a JSON number)`},
	} {
		r := mustParse(t, `{"base":"USD","rates":{`+tt.rates+`},"updatedAt":"`+tt.at+`T12:00:00Z"}`)
		var got []string
		for _, c := range r.Currencies() {
			got = append(got, string(c))
		}
		if strings.Join(got, " ") != tt.want || r.Skipped() != tt.skipped {
			t.Errorf("%s at %s: %s, skipped %s; want %s, skipped %s", tt.rates, tt.at, got, r.Skipped(), tt.want, tt.skipped)
		}
	}
}

// TestSkippedRatesAreBounded checks that a table of odd entries has a short description.
func TestSkippedRatesAreBounded(t *testing.T) {
	var odd strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&odd, `"%s%d":1,`, strings.Repeat("x", 100), i)
	}
	r := mustParse(t, `{"base":"USD","rates":{`+odd.String()+`"UAH":42},"updatedAt":"2026-11-26T00:00:00Z"}`)
	if got := r.Skipped(); len(got) > 1000 || !strings.Contains(got, " and 980 more (") {
		t.Errorf("%d bytes: %.300s", len(got), got)
	}
}

// TestBadEntriesSpoilNoTable adds bad entries to 1,000 random tables: each good rate stays
// exactly as it is, and each bad entry is named.
func TestBadEntriesSpoilNoTable(t *testing.T) {
	codes := []string{"UAH", "TRY", "PLN", "INR", "EUR", "GBP", "JPY", "KWD", "BRL", "KZT", "CLF", "XAF"}
	bad := rapid.SampledFrom([]string{"0", "0.000", "-1", "-0", "null", "true", `"12"`, `""`, "[]", "[1]", "{}", `{"rate":2}`, "1e99", "1e-99", strings.Repeat("9", 60)})
	odd := rapid.OneOf(rapid.SampledFrom([]string{"BGN", "HRK", "ANG", "DEM", "BTC", "CNH", "GGP", "XAU", "XDR", "XXX", "VEF", "USDT", "€", ""}),
		rapid.StringMatching(`[A-Za-z]{4,8}|[0-9]{1,3}|[а-я]{3}`))
	number := rapid.StringMatching(`[1-9][0-9]{0,5}(\.[0-9]{1,8})?(e-?[0-9])?`)
	for range 1000 / 25 {
		rapid.Check(t, func(rt *rapid.T) {
			good, entries, invalid := map[money.Currency]string{"USD": "1"}, map[string]string{"USD": "1"}, map[string]bool{}
			for _, code := range rapid.SliceOfNDistinct(rapid.SampledFrom(codes), 0, len(codes), rapid.ID).Draw(rt, "codes") {
				if rapid.Bool().Draw(rt, "bad") {
					entries[code], invalid[code] = bad.Draw(rt, "value"), true
				} else {
					entries[code] = number.Draw(rt, "rate")
					good[money.Currency(code)] = entries[code]
				}
			}
			for _, code := range rapid.SliceOfNDistinct(odd, 1, 6, strings.ToUpper).Draw(rt, "odd") {
				entries[code] = rapid.OneOf(bad, number).Draw(rt, "odd rate")
				invalid[strings.ToUpper(code)] = true
			}
			var list []string
			for _, code := range slices.Sorted(maps.Keys(entries)) {
				list = append(list, strconv.Quote(code)+":"+entries[code])
			}
			table := `{"base":"USD","rates":{` + strings.Join(rapid.Permutation(list).Draw(rt, "order"), ",") + `},"updatedAt":"2026-11-26T00:00:00Z"}`
			r, err := money.ParseRates([]byte(table))
			want, wantErr := money.NewRates("USD", good, r.UpdatedAt())
			if err != nil || wantErr != nil || r.Hash() != want.Hash() {
				rt.Fatalf("%s: %s, %v; want %s, %v", table, r.AppendJSON(nil), err, want.AppendJSON(nil), wantErr)
			}
			for code := range invalid {
				if !strings.Contains(r.Skipped(), code) {
					rt.Fatalf("%s: %q is not named: %s", table, code, r.Skipped())
				}
			}
		})
	}
}
