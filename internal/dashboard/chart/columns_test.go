package chart_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/dashboard/chart"
)

// of is the value of a column with counts of kinds "a", "b" and so on.
func of(counts ...int64) chart.Value {
	var v chart.Value
	for i, n := range counts {
		v.Counts = append(v.Counts, chart.Count{Kind: string(rune('a' + i)), N: n})
	}
	return v
}

func TestTicks(t *testing.T) {
	for _, tt := range []struct{ highest, first, last, unit int64 }{
		{0, 1, 2, 1}, {1, 1, 2, 1}, {2, 1, 2, 1}, {3, 1, 3, 1}, {4, 1, 4, 1}, {5, 2, 6, 1}, {8, 2, 8, 1},
		{9, 5, 10, 1}, {20, 5, 20, 1}, {21, 10, 30, 1}, {99, 50, 100, 1}, {101, 50, 150, 1},
		{1500, 500, 1500, 1}, {4000, 1000, 4000, 1e3}, {43_200, 20_000, 60_000, 1e3}, {2_000_000, 500_000, 2_000_000, 1e3},
		{4_000_000, 1_000_000, 4_000_000, 1e6}, {1e10, 5e9, 1e10, 1e9},
	} {
		c := chart.DrawColumns([]chart.Value{of(tt.highest)})
		first, last := c.Ticks[0].Number, c.Ticks[len(c.Ticks)-1].Number
		if first != tt.first || last != tt.last || c.Unit != tt.unit {
			t.Errorf("%d: ticks from %d to %d in units of %d, want %+v", tt.highest, first, last, c.Unit, tt)
		}
	}
	c := chart.DrawColumns([]chart.Value{of(1500)})
	if diff := cmp.Diff([]chart.Tick{{Y: 106.7, Number: 500}, {Y: 53.3, Number: 1000}, {Y: 0, Number: 1500}}, c.Ticks); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestHeights(t *testing.T) {
	for _, tt := range []struct {
		name   string
		values []chart.Value
		want   []float64 // of the first column's parts
	}{
		{"nothing", []chart.Value{of(0, 0, 0)}, nil},
		{"half", []chart.Value{of(1, 0, 0)}, []float64{80}},
		{"three parts", []chart.Value{of(1, 1, 2)}, []float64{40, 40, 80}},
		{"thirds add up", []chart.Value{of(1, 1, 1)}, []float64{53.3, 53.4, 53.3}},
		{"the small are seen, the large gives", []chart.Value{of(9998, 1, 1)}, []float64{156, 2, 2}},
		{"all are small", []chart.Value{of(1, 1, 1), of(1_000_000)}, []float64{2, 2, 2}},
		{"below nothing", []chart.Value{of(-5, 1)}, []float64{80}},
	} {
		var got []float64
		for _, p := range chart.DrawColumns(tt.values).Columns[0].Parts {
			got = append(got, p.Height)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tt.name, diff)
		}
	}
}

func TestOneColumnAndNone(t *testing.T) {
	v := of(3, 0, 1)
	v.Title, v.Label = "now", "12:00"
	c := chart.DrawColumns([]chart.Value{v})
	want := []chart.Column{{Left: "0.00%", Width: "100.00%", Title: "now", Parts: []chart.Part{
		{Kind: "a", Left: "14.00%", Width: "72.00%", Y: 40, Height: 120},
		{Kind: "c", Left: "14.00%", Width: "72.00%", Y: 0, Height: 40},
	}}}
	if diff := cmp.Diff(want, c.Columns); diff != "" {
		t.Errorf("one column: (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]chart.Label{{X: "50.00%", Text: "12:00"}}, c.Labels); diff != "" {
		t.Errorf("its label: (-want +got)\n%s", diff)
	}
	if c := chart.DrawColumns(nil); len(c.Columns) != 0 || len(c.Ticks) != 2 {
		t.Errorf("no columns: %+v", c)
	}
}

// leastPart is what can be seen, in pixels.
const leastPart = 2

// TestColumnsAreInTheirBox draws any values, nonsense among them.
func TestColumnsAreInTheirBox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.OneOf(rapid.Int64Range(0, 50), rapid.Int64Range(0, 1e7), rapid.Int64())
		counts := make([][]int64, rapid.IntRange(0, 40).Draw(t, "columns"))
		values := make([]chart.Value, len(counts))
		for i := range values {
			counts[i] = rapid.SliceOfN(count, 0, 4).Draw(t, "counts")
			values[i] = of(counts[i]...)
			values[i].Title = fmt.Sprint(i)
		}
		c := chart.DrawColumns(values)
		if len(c.Columns) != len(values) || len(c.Ticks) < 2 || len(c.Ticks) > 4 || c.Ticks[len(c.Ticks)-1].Y != 0 {
			t.Fatalf("%d columns of %d values, ticks %v", len(c.Columns), len(values), c.Ticks)
		}
		right := 0.0
		for i, column := range c.Columns {
			checkColumn(t, column, float64(c.Height), counts[i])
			if left := fromPercent(t, column.Left); math.Abs(left-right) > .02 {
				t.Fatalf("column %d begins at %v, the one before it ends at %v", i, left, right)
			}
			right = fromPercent(t, column.Left) + fromPercent(t, column.Width)
		}
		if right > 100.02 {
			t.Fatalf("the last column ends at %v %%", right)
		}
		checkProportions(t, c, counts)
	})
}

// checkColumn checks that the parts stand on each other and on the axis, and
// that there is one for each count.
func checkColumn(t *rapid.T, column chart.Column, height float64, counts []int64) {
	edge, kinds, want := height, "", ""
	for _, p := range column.Parts {
		if p.Height < leastPart || p.Y < 0 || math.Abs(p.Y+p.Height-edge) > .01 {
			t.Fatalf("part %+v stands on %v, in %+v", p, edge, column)
		}
		edge, kinds = p.Y, kinds+p.Kind
	}
	for i, n := range counts {
		if n > 0 {
			want += string(rune('a' + i))
		}
	}
	if kinds != want {
		t.Fatalf("counts %v: parts of kinds %q, want %q", counts, kinds, want)
	}
}

// checkProportions checks that a larger count is not drawn lower.
func checkProportions(t *rapid.T, c chart.Columns, counts [][]int64) {
	height := func(i int) (h float64) {
		for _, p := range c.Columns[i].Parts {
			h += p.Height
		}
		return h
	}
	sum := func(i int) (s int64) {
		for _, n := range counts[i] {
			s += min(max(n, 0), 1<<50)
		}
		return s
	}
	for i := range counts {
		for j := range counts {
			if h := height(i); sum(i) > sum(j) && h < height(j) && h > 4*leastPart {
				t.Fatalf("%v is drawn %v high, %v %v", counts[i], h, counts[j], height(j))
			}
		}
	}
}

func fromPercent(t *rapid.T, s string) float64 {
	n, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
