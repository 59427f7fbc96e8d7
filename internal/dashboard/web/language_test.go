package web

import "testing"

// TestPlurals checks that each language uses its plural forms, and groups digits its way.
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
	} {
		if got := all.byCode(tt.code).plural("deals.count", tt.n); got != tt.want {
			t.Errorf("%d in %s: %q, want %q", tt.n, tt.code, got, tt.want)
		}
	}
}
