package history

import (
	"slices"

	"gamedex/internal/catalog"
)

// RatesDays is how many days older than a price its table of exchange rates may be.
const RatesDays = 7

// DayRates is the last table of exchange rates of a UTC day.
type DayRates struct {
	Day     int64          // days since 1970-01-01
	Body    []byte         // the table as JSON, which the reader checks
	Source  string         // where the table is from
	TakenAt catalog.Millis // when it was saved or, if it is of a day before, kept
}

// RatesChooser chooses the tables of exchange rates for the dollars of past prices: for
// each day the table of that day, else the newest one of the RatesDays days before. It
// sees the tables in the order of their days.
type RatesChooser struct {
	days []int64 // without a choice yet, in order
	last DayRates
	use  func(days []int64, table DayRates) error
}

// ChooseRates returns a chooser for some days, in any order. It calls use for each table
// that was chosen, with the days that it was chosen for; Body is valid until use returns.
func ChooseRates(days []int64, use func(days []int64, table DayRates) error) *RatesChooser {
	days = slices.Sorted(slices.Values(days))
	return &RatesChooser{days: slices.Compact(days), last: DayRates{Day: -RatesDays - 1}, use: use}
}

// Bounds returns the first and the last day whose tables can be chosen; ok is false if
// there is none.
func (c *RatesChooser) Bounds() (first, last int64, ok bool) {
	if len(c.days) == 0 {
		return 0, 0, false
	}
	return c.days[0] - RatesDays, c.days[len(c.days)-1], true
}

// Add takes the next table, whose Body may change after it returns.
func (c *RatesChooser) Add(t DayRates) error {
	before, _ := slices.BinarySearch(c.days, t.Day)
	if err := c.choose(before); err != nil {
		return err
	}
	t.Body = append(c.last.Body[:0], t.Body...)
	c.last = t
	return nil
}

// End is called after the last table.
func (c *RatesChooser) End() error { return c.choose(len(c.days)) }

// choose uses the last table for those of the first n days that it is not too old for.
func (c *RatesChooser) choose(n int) error {
	young, _ := slices.BinarySearch(c.days[:n], c.last.Day+RatesDays+1)
	days := c.days[:young]
	c.days = c.days[n:]
	if len(days) == 0 {
		return nil
	}
	return c.use(days, c.last)
}
