package web

import (
	"strings"
	"testing"
)

// TestPlurals checks that each language uses its plural forms, and groups digits its way. In the sentence about
// compared countries, Russian and Ukrainian have numbers that end in one in the singular.
func TestPlurals(t *testing.T) {
	all, err := loadLanguages()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		code string
		n    int
		want string
	}{
		{"en", 0, "0 deals"}, {"en", 1, "1 deal"}, {"en", 21, "21 deals"}, {"en", 1500, "1,500 deals"},
		{"ru", 0, "0 скидок"}, {"ru", 1, "1 скидка"}, {"ru", 3, "3 скидки"}, {"ru", 11, "11 скидок"}, {"ru", 1502, "1\u00a0502 скидки"},
		{"uk", 0, "0 знижок"}, {"uk", 1, "1 знижка"}, {"uk", 3, "3 знижки"}, {"uk", 12, "12 знижок"}, {"uk", 21, "21 знижка"}, {"uk", 1505, "1\u00a0505 знижок"},
		{"en", 1, "Compared: 1 country."}, {"en", 21, "Compared: 21 countries."}, {"en", 8, "Compared: 8 countries."},
		{"ru", 1, "Сравниваются цены в 1 стране."}, {"ru", 21, "Сравниваются цены в 21 стране."},
		{"ru", 3, "Сравниваются цены в 3 странах."}, {"ru", 11, "Сравниваются цены в 11 странах."},
		{"uk", 1, "Порівнюються ціни в 1 країні."}, {"uk", 31, "Порівнюються ціни в 31 країні."},
		{"uk", 4, "Порівнюються ціни в 4 країнах."}, {"uk", 60, "Порівнюються ціни в 60 країнах."},
	} {
		key := "deals.count"
		if strings.HasSuffix(tt.want, ".") {
			key = "card.compared.all"
		}
		if got := all.byCode(tt.code).plural(key, tt.n); got != tt.want {
			t.Errorf("%d in %s: %q, want %q", tt.n, tt.code, got, tt.want)
		}
	}
}
