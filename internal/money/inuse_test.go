package money_test

import (
	"testing"
	"time"

	"gamedex/internal/money"
)

// TestLastDaysOfCurrencies checks that a code is accepted until the end of the currency's last
// day in CLDR 48, in UTC.
func TestLastDaysOfCurrencies(t *testing.T) {
	for code, last := range map[string]string{
		"ANG": "2025-06-30", "BGN": "2026-01-31", "CUC": "2021-06-01", "HRK": "2023-01-14", "MRO": "2018-06-30",
		"SLL": "2023-12-31", "VEF": "2018-08-20", "ZWL": "2024-08-31", "LTL": "2014-12-31", "ATS": "2002-02-28",
	} {
		day, err := time.Parse(time.DateOnly, last)
		if err != nil {
			t.Fatal(err)
		}
		end := day.AddDate(0, 0, 1)
		if _, err := money.ParseCurrencyAt(code, end.UnixMilli()-1); err != nil {
			t.Errorf("on the last day: %v", err)
		}
		_, err = money.ParseCurrencyAt(code, end.UnixMilli())
		if want := `parse currency: "` + code + `" is not an ISO 4217 code in use on ` + end.Format(time.DateOnly); err == nil || err.Error() != want {
			t.Errorf("on the day after it: %v, want %s", err, want)
		}
		if _, err := money.ParseCurrency(code); err == nil {
			t.Errorf("%s is in use now", code)
		}
	}
}
