package money_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"gamedex/internal/money"
)

func TestReadText(t *testing.T) {
	tests := []struct {
		name, text string
		want       []money.Amount
	}{
		{"dollars", "$69.99", []money.Amount{6999}},
		{"Hong Kong", "HK$398.00", []money.Amount{39800}},
		{"Taiwan", "NT$1,575", []money.Amount{157500, 158}},
		{"Turkish", "1.574,10 TL", []money.Amount{157410}},
		{"rupees after a no-break space", "Rs\u00a04,799", []money.Amount{479900, 480}},
		{"an abbreviation's point", "Rs. 479", []money.Amount{47900}},
		{"a sign with a point", "S/.19.90", []money.Amount{1990}},
		{"euros", "€79,99", []money.Amount{7999}},
		{"dollars after the number", "24,99\u00a0$", []money.Amount{2499}},
		{"won", "6,600원", []money.Amount{660000, 660}},
		{"yen", "¥7,678", []money.Amount{767800, 768}},
		{"hryvnias", "1 299,00 грн", []money.Amount{129900}},
		{"narrow space", "1\u202f299,00\u00a0₴", []money.Amount{129900}},
		{"thin space", "1\u2009299", []money.Amount{129900}},
		{"Swiss", "CHF 1'299.00", []money.Amount{129900}},
		{"Swiss with a real apostrophe", "CHF 1’299.00", []money.Amount{129900}},
		{"Indian groups", "₹12,34,56,789.00", []money.Amount{12345678900}},
		{"dash for the decimals", "199,- Kč", []money.Amount{19900}},
		{"full width", "￥１，９８０", []money.Amount{198000, 198}},
		{"Arabic", "١٬٢٩٩٫٥٠ ر.س.", []money.Amount{129950}},
		{"Arabic point alone", "١٫٢٩٩", []money.Amount{130}},
		{"Bengali", "৯৯.৫০৳", []money.Amount{9950}},
		{"direction marks", "\u200f99.99\u00a0ر.س.\u200f", []money.Amount{9999}},
		{"thousands or decimals", "1.574", []money.Amount{157400, 157}},
		{"half up", "1.575", []money.Amount{157500, 158}},
		{"one decimal", "1,5", []money.Amount{150}},
		{"three decimals behind a zero", "0.574", []money.Amount{57}},
		{"three decimals behind groups", "1,234.567", []money.Amount{123457}},
		{"three decimals, no groups", "KWD 1234.567", []money.Amount{123457}},
		{"four decimals", "12.3456", []money.Amount{1235}},
		{"millions", "12.345.678", []money.Amount{1234567800}},
		{"zero", "0", []money.Amount{0}},
		{"zero with decimals", "0,00 ₴", []money.Amount{0}},
		{"largest", "100.000.000.000,00", []money.Amount{1e13}},

		{"nothing", "", nil},
		{"a word", "Безкоштовно", nil},
		{"a discount", "-40%", nil},
		{"a discount with its space", "-25\u00a0%", nil},
		{"two numbers", "2 for $10", nil},
		{"two prices", "$19.99 $9.99", nil},
		{"a range", "10-15 €", nil},
		{"below nothing", "-5,00 €", nil},
		{"a space that parts no thousands", "1 29", nil},
		{"five decimals", "1.23456", nil},
		{"groups of all sizes", "1,23,4", nil},
		{"group after decimals", "1.299,000.5", nil},
		{"mixed groups", "1.234,567.891", nil},
		{"twice the point", "1,574,10", nil},
		{"one over the largest", "100.000.000.000,01", nil},
		{"endless", strings.Repeat("9", 5000), nil},
		{"endless groups", "1" + strings.Repeat(",000", 5000), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := money.ReadText(tt.text)
			if !slices.Equal(got, tt.want) {
				t.Errorf("ReadText(%q) = %d, want %d", tt.text, got, tt.want)
			}
			for _, a := range tt.want {
				if !money.Currency("KWD").Agrees(a, tt.text) {
					t.Errorf("Agrees(%d, %q) = false", a, tt.text)
				}
			}
		})
	}
}

func TestAgrees(t *testing.T) {
	tests := []struct {
		currency money.Currency
		amount   money.Amount
		text     string
		want     bool
	}{
		{"TWD", 157500, "NT$1,575", true},
		{"TWD", 1575, "NT$1,575", false},
		{"TWD", 158, "NT$1,575", false},
		{"KRW", 660000, "6,600원", true},
		{"KRW", 6600, "6,600원", false},
		{"TRY", 101, "1.012,00 TL", false},
		{"TRY", 101, "1.012 TL", false},
		{"TRY", 101200, "1.012 TL", true},
		{"JPY", 798, "￥7,980", false},
		{"JPY", 7980, "￥7,980", false},
		{"JPY", 798000, "￥7,980", true},
		{"KWD", 5750, "KWD 5.750", false},
		{"KWD", 575, "KWD 5.750", true},
		{"KWD", 575000, "KWD 5,750", true},
		{"USD", 6999, "$69.98", false},
		{"USD", 0, "Included", true},
		{"USD", 6999, "Free", true},
		{"USD", money.None, "Free", true},
		{"USD", money.None, "", true},
		{"USD", money.None, "$5", false},
		{"USD", 4000, "-40%", false},
		{"USD", 1000, "2 for $10", false},
	}
	for _, tt := range tests {
		if got := tt.currency.Agrees(tt.amount, tt.text); got != tt.want {
			t.Errorf("%s: Agrees(%d, %q) = %v, want %v", tt.currency, tt.amount, tt.text, got, tt.want)
		}
	}
}

// TestAgreesWithFormat checks that every text that the Formatter writes is read
// back, in every region and currency.
func TestAgreesWithFormat(t *testing.T) {
	regions, currencies := everywhere()
	if len(regions) < 240 || len(currencies) < 140 {
		t.Fatalf("%d regions, %d currencies", len(regions), len(currencies))
	}
	var f money.Formatter
	rapid.Check(t, func(t *rapid.T) {
		a := money.Amount(rapid.Int64Range(0, 1e13).Draw(t, "amount"))
		region := rapid.SampledFrom(regions).Draw(t, "region")
		for _, c := range currencies {
			text := f.Format(region, c, a)
			if !c.Agrees(a, text) {
				t.Fatalf("%s %s: Agrees(%d, %q) = false, read as %d", region, c, a, text, money.ReadText(text))
			}
			if named := money.CurrencyOf(text, c); named != c {
				t.Fatalf("%s %s: %q names %s", region, c, text, named)
			}
		}
	})
}

// everywhere returns all regions that have a currency, and those currencies.
func everywhere() (regions []string, currencies []money.Currency) {
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			region := string(a) + string(b)
			if c, ok := money.RegionCurrency(region); ok {
				regions = append(regions, region)
				currencies = append(currencies, c)
			}
		}
	}
	slices.Sort(currencies)
	return regions, slices.Compact(currencies)
}

// TestDigitsOfEveryScript counts from zero to nine through all that Unicode
// calls decimal digits.
func TestDigitsOfEveryScript(t *testing.T) {
	next := money.Amount(0)
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.IsDigit(r) {
			continue
		}
		if got := money.ReadText(string(r)); !slices.Equal(got, []money.Amount{next * 100}) {
			t.Fatalf("ReadText(%q) = %d, want %d", r, got, next*100)
		}
		next = (next + 1) % 10
	}
}

func FuzzReadText(f *testing.F) {
	for _, text := range []string{"$69.99", "1.574,10 TL", "6,600원", "1 299,00 ₴", "-40%", "١٬٢٩٩٫٥٠", "\u200f1", "2 for 10", "\xff1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		kwd := money.Currency("KWD") // has three decimals, so that all readings agree
		readings := money.ReadText(text)
		if len(readings) > 2 {
			t.Fatalf("%d readings of %q", len(readings), text)
		}
		for _, a := range readings {
			if a < 0 || a > 1e13 {
				t.Errorf("ReadText(%q) returns %d", text, a)
			}
			if !kwd.Agrees(a, text) || !kwd.Agrees(a, "Total: "+text+" only") {
				t.Errorf("%q does not agree with its own reading %d", text, a)
			}
		}
		if !strings.ContainsFunc(text, unicode.IsDigit) && (readings != nil || !kwd.Agrees(0, text)) {
			t.Errorf("%q has no number, but is read as %d", text, readings)
		}
	})
}

// locales are the regions of 40 forms of prices.
var locales = strings.Fields("UA TR PL IN US DE JP KZ GB FR IT ES PT BR MX AR CL CO CA AU NZ ZA SE NO DK FI CZ SK HU RO BG HR GR IL SA AE KW KR TW CN HK TH VN ID CH")

// FuzzAgreesInLocales checks in 40 locales that a number agrees with its own text and that
// no other number does: none with another power of ten, and none that is near.
func FuzzAgreesInLocales(f *testing.F) {
	var formatter money.Formatter
	for i, a := range []int64{0, 1, 99, 100, 1012, 101200, 798000, 575, 123456789, 1e13} {
		f.Add(uint8(i*7), a, int64(i), uint8(i))
	}
	f.Fuzz(func(t *testing.T, place uint8, number, other int64, zeros uint8) {
		region := locales[int(place)%len(locales)]
		own, _ := money.RegionCurrency(region)
		a, b := money.Amount(number&(1<<43-1)), money.Amount(other)
		if shift := money.Amount(math.Pow10(int(zeros % 8))); zeros%16 < 8 {
			b = a / shift
		} else if other%2 == 0 {
			b = a * shift
		}
		for _, c := range []money.Currency{own, "EUR", "USD", "JPY"} {
			text := formatter.Format(region, c, a)
			if !c.Agrees(a, text) {
				t.Errorf("%s: %d %s does not agree with its text %q", region, a, c, text)
			}
			if a != b && c.Digits() < 3 && c.Agrees(b, text) {
				t.Errorf("%s: %d %s agrees with %q, which is %d", region, b, c, text, a)
			}
			if named := money.CurrencyOf(text, c); named != c {
				t.Errorf("%s: %q names %s, not %s", region, text, named, c)
			}
		}
	})
}

func TestCurrencyOf(t *testing.T) {
	for _, tt := range []struct {
		text      string
		own, want money.Currency
	}{
		{"US$59.99", "TRY", "USD"},
		{"$59.99", "TRY", "USD"},
		{"$59.99", "CAD", "CAD"},
		{"59,99 €", "TRY", "EUR"},
		{"EUR 10", "UAH", "EUR"},
		{"USD59.99", "PLN", "USD"},
		{"49,99 zł", "UAH", "PLN"},
		{"£49.99", "INR", "GBP"},
		{"£49.99", "EGP", "EGP"},
		{"￥7,980", "CNY", "CNY"},
		{"￥7,980", "EUR", "JPY"},
		{"R$ 299,90", "USD", "BRL"},
		{"HK$468.00", "USD", "HKD"},
		{"1 199 ₴", "UAH", "UAH"},
		{"1.749,00 TL", "TRY", "TRY"},
		{"499,00 kr", "NOK", "NOK"},
		{"1 199", "UAH", "UAH"},
		{"Coming soon", "UAH", "UAH"},
		{"US$", "UAH", "UAH"},
		{"from 5", "UAH", "UAH"},
		{"£1 (€1.20)", "EUR", "EUR"},
		{"5 €", "", "EUR"},
	} {
		if got := money.CurrencyOf(tt.text, tt.own); got != tt.want {
			t.Errorf("CurrencyOf(%q, %s) = %s, want %s", tt.text, tt.own, got, tt.want)
		}
	}
}

func TestSaysZero(t *testing.T) {
	for _, text := range []string{
		"Free", "FREE!", "Free to play", "Ücretsiz", "ÜCRETSİZ", "Безкоштовно", "безкоштовний", "Бесплатно", "Za darmo", "Gratis", "Gratuito", "Δωρεάν", "ΔΩΡΕΑΝ",
		"مجانًا", "חינם", "無料", "無料で遊ぶ", "무료", "ฟรี", "Miễn phí", "Game Trial", "Пробна версія", "Deneme sürümü", "Oyun Denemesi", "Wersja próbna", "体験版",
		"Included", "У складі підписки", "Abonelikle", "W abonamencie", "Dahil", "包含", "Demo", "With PS Plus", "Spiel-Demo", "Demoversion", "Демоверсия", "Kostenloses Spiel", "Free-to-play", "Versione di prova", "Đăng ký",
	} {
		if !money.SaysZero(text) {
			t.Errorf("%q is no zero", text)
		}
	}
	for _, r := range locales {
		if w := money.RegionWords(r); !money.SaysZero(w.Free) || !money.SaysZero(w.Trial) || !money.SaysZero(w.Included) {
			t.Errorf("%s: the own words %q are no zeros", r, w)
		}
	}
	for _, text := range []string{"", "Unavailable", "Coming soon", "N/A", "—", "TBA", "Sold out", "Недоступно", "Скоро", "Kullanılamıyor", "Niedostępne", "Nicht verfügbar", "販売終了", "준비중", "Carefree", "Freezing", "Freedom", "Gratisfaction", "Democracy", "Trialling", "Provare", "Демократия", "Experimental"} {
		if money.SaysZero(text) {
			t.Errorf("%q is a zero", text)
		}
	}
}
