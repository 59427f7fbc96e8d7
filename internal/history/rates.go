package history

import (
	"cmp"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// RatesDays is how many days older than a price its table of exchange rates may be.
const RatesDays = 7

// DayRates is the last table of exchange rates of a UTC day.
type DayRates struct {
	Day   int64 // days since 1970-01-01
	Rates money.Rates
}

// RatesAt returns the table for the dollars of a price of a moment: that of its UTC day,
// else the newest one of the RatesDays days before, else the zero Rates. The tables are in
// the order of their days.
func RatesAt(tables []DayRates, at catalog.Millis) money.Rates {
	day := at.Day()
	later, _ := slices.BinarySearchFunc(tables, day+1, func(t DayRates, day int64) int { return cmp.Compare(t.Day, day) })
	if later == 0 || day-tables[later-1].Day > RatesDays {
		return money.Rates{}
	}
	return tables[later-1].Rates
}
