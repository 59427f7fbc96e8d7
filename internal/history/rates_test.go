package history_test

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	. "gamedex/internal/history"
)

// TestRatesOfDays compares the chosen tables with those that are found day by day.
func TestRatesOfDays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		day := rapid.Int64Range(0, 60)
		wanted := rapid.SliceOf(day).Draw(t, "wanted")
		tables := slices.Sorted(slices.Values(rapid.SliceOfDistinct(day, rapid.ID).Draw(t, "tables")))
		got := map[int64]int64{}
		chooser := ChooseRates(wanted, func(days []int64, table DayRates) error {
			if string(table.Body) != strconv.FormatInt(table.Day, 10) {
				t.Fatalf("the table of day %d has the body %q", table.Day, table.Body)
			}
			for _, d := range days {
				if _, twice := got[d]; twice {
					t.Fatalf("day %d has two tables", d)
				}
				got[d] = table.Day
			}
			return nil
		})
		first, last, ok := chooser.Bounds()
		if ok != (len(wanted) > 0) || ok && (first != slices.Min(wanted)-7 || last != slices.Max(wanted)) {
			t.Fatalf("Bounds() = %d, %d, %v of %v", first, last, ok, wanted)
		}
		var body []byte
		for _, d := range tables {
			if d < first || d > last {
				continue
			}
			body = strconv.AppendInt(body[:0], d, 10)
			if err := chooser.Add(DayRates{Day: d, Body: body}); err != nil {
				t.Fatal(err)
			}
		}
		if err := chooser.End(); err != nil {
			t.Fatal(err)
		}
		for _, d := range wanted {
			want, found := int64(0), false
			for back := int64(0); back <= 7 && !found; back++ {
				want, found = d-back, slices.Contains(tables, d-back)
			}
			if table, ok := got[d]; ok != found || found && table != want {
				t.Errorf("day %d: the table of day %d (%v), want %d (%v)", d, table, ok, want, found)
			}
		}
	})
}
