package history_test

import (
	"testing"

	. "gamedex/internal/history"
	"gamedex/internal/money"
)

func TestRatesAt(t *testing.T) {
	// on is the tables of days of the history, in their order.
	on := func(days ...int64) (tables []DayRates) {
		for _, d := range days {
			at := moment(float64(d))
			rates, err := money.NewRates("USD", map[money.Currency]string{"PLN": "4"}, int64(at))
			if err != nil {
				t.Fatal(err)
			}
			tables = append(tables, DayRates{Day: at.Day(), Rates: rates})
		}
		return tables
	}
	const none = -1
	for _, tt := range []struct {
		name   string
		tables []DayRates
		at     float64
		want   int64 // the day of the table
	}{
		{"no tables", nil, 10.5, none},
		{"its day", on(9, 10, 11), 10.5, 10},
		{"the first moment of its day", on(9, 10, 11), 10, 10},
		{"the last moment of its day", on(9, 10, 11), 11 - 1.0/86_400_000, 10},
		{"the day before", on(8, 9, 11), 10.5, 9},
		{"the newest before a gap", on(1, 4, 6), 10.5, 6},
		{"seven days before", on(2, 3, 11), 10.5, 3},
		{"seven days before the last moment", on(3), 11 - 1.0/86_400_000, 3},
		{"eight days before", on(1, 2, 11), 10, none},
		{"only later days", on(11, 12), 10.5, none},
		{"after the last", on(1, 2, 3), 10, 3},
	} {
		want := money.Rates{}
		for _, table := range tt.tables {
			if table.Day == moment(float64(tt.want)).Day() {
				want = table.Rates
			}
		}
		got := RatesAt(tt.tables, moment(tt.at))
		if got.Hash() != want.Hash() || got.IsZero() != (tt.want == none) {
			t.Errorf("%s: the table of %s, want day %d", tt.name, got.AppendJSON(nil), tt.want)
		}
	}
}
