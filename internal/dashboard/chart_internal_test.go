package dashboard

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestScale(t *testing.T) {
	for _, tt := range []struct{ highest, step, top int64 }{
		{0, 1, 2}, {1, 1, 2}, {2, 1, 2}, {3, 1, 3}, {4, 1, 4}, {5, 2, 6}, {8, 2, 8}, {9, 5, 10}, {20, 5, 20}, {21, 10, 30},
		{99, 50, 100}, {101, 50, 150}, {43_200, 20_000, 60_000}, {1 << 51, 1e15, 3e15},
	} {
		if step, top := scale(tt.highest); step != tt.step || top != tt.top {
			t.Errorf("scale(%d) = %d, %d, want %d, %d", tt.highest, step, top, tt.step, tt.top)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, tt := range []struct {
		step, top int64
		want      []tick
	}{
		{1, 2, []tick{{80, 1, ""}, {0, 2, ""}}},
		{500, 1500, []tick{{106.7, 500, ""}, {53.3, 1000, ""}, {0, 1500, ""}}},
		{20_000, 40_000, []tick{{80, 20, "usage.thousands"}, {0, 40, "usage.thousands"}}},
		{1_000_000, 2_000_000, []tick{{80, 1, "usage.millions"}, {0, 2, "usage.millions"}}},
		{5e9, 1e10, []tick{{80, 5, "usage.billions"}, {0, 10, "usage.billions"}}},
	} {
		if diff := cmp.Diff(tt.want, ticks(tt.step, tt.top)); diff != "" {
			t.Errorf("ticks(%d, %d): (-want +got)\n%s", tt.step, tt.top, diff)
		}
	}
}

func TestHeights(t *testing.T) {
	for _, tt := range []struct {
		name   string
		counts []int64
		top    int64
		want   []int
	}{
		{"nothing", []int64{0, 0, 0}, 2, []int{0, 0, 0}},
		{"half", []int64{1, 0, 0}, 2, []int{800, 0, 0}},
		{"three parts", []int64{1, 1, 2}, 4, []int{400, 400, 800}},
		{"thirds add up", []int64{1, 1, 1}, 3, []int{533, 534, 533}},
		{"the small are seen, the large gives", []int64{9998, 1, 1}, 10_000, []int{1560, 20, 20}},
		{"all are small", []int64{1, 1, 1}, 1_000_000, []int{20, 20, 20}},
	} {
		if diff := cmp.Diff(tt.want, heights(tt.counts, tt.top)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tt.name, diff)
		}
	}
}

func TestDrawOneColumnAndNone(t *testing.T) {
	c := draw([]value{{Title: "now", Label: "12:00", Amount: amount{Answered: 3, Failed: 1}}})
	want := []column{{Left: "0.00%", Width: "100.00%", Title: "now", Parts: []part{
		{"answered", "14.00%", "72.00%", 40, 120}, {"failed", "14.00%", "72.00%", 0, 40},
	}}}
	if diff := cmp.Diff(want, c.Columns); diff != "" {
		t.Errorf("one column: (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]label{{"50.00%", "12:00", false}}, c.Labels); diff != "" {
		t.Errorf("its label: (-want +got)\n%s", diff)
	}
	if c := draw(nil); len(c.Columns) != 0 || len(c.Ticks) != 2 {
		t.Errorf("no columns: %+v", c)
	}
}

// TestChartsAreInTheirBox draws any values, nonsense among them.
func TestChartsAreInTheirBox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.OneOf(rapid.Int64Range(0, 50), rapid.Int64Range(0, 1e7), rapid.Int64())
		values := make([]value, rapid.IntRange(0, 40).Draw(t, "columns"))
		for i := range values {
			values[i] = value{Title: fmt.Sprint(i), Amount: amount{count.Draw(t, "a"), count.Draw(t, "r"), count.Draw(t, "f")}}
		}
		c := draw(values)
		if len(c.Columns) != len(values) || len(c.Ticks) < 2 || len(c.Ticks) > 4 || c.Ticks[len(c.Ticks)-1].Y != 0 {
			t.Fatalf("%d columns of %d values, ticks %v", len(c.Columns), len(values), c.Ticks)
		}
		right := 0.0
		for i, col := range c.Columns {
			checkColumn(t, col, values[i].Amount.bounded())
			if left := fromPercent(t, col.Left); math.Abs(left-right) > .02 {
				t.Fatalf("column %d begins at %v, the one before it ends at %v", i, left, right)
			}
			right = fromPercent(t, col.Left) + fromPercent(t, col.Width)
		}
		if right > 100.02 {
			t.Fatalf("the last column ends at %v %%", right)
		}
		checkProportions(t, c, values)
	})
}

// checkColumn checks that the parts stand on each other and on the axis, and
// that there is one for each amount.
func checkColumn(t *rapid.T, col column, a amount) {
	edge, sum := float64(chartHeight), 0.0
	kinds := map[string]bool{}
	for _, p := range col.Parts {
		if p.Height < leastPart || p.Y < 0 || math.Abs(p.Y+p.Height-edge) > .01 {
			t.Fatalf("part %+v stands on %v, in %+v", p, edge, col)
		}
		edge, sum, kinds[p.Kind] = p.Y, sum+p.Height, true
	}
	if sum > chartHeight+.01 {
		t.Fatalf("column %+v is %v high", col, sum)
	}
	want := map[string]bool{}
	for kind, n := range map[string]int64{"answered": a.Answered, "refused": a.Refused, "failed": a.Failed} {
		if n > 0 {
			want[kind] = true
		}
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Fatalf("parts of %+v: (-want +got)\n%s", a, diff)
	}
}

// checkProportions checks that what is more is not drawn lower.
func checkProportions(t *rapid.T, c chart, values []value) {
	height := func(i int) (h float64) {
		for _, p := range c.Columns[i].Parts {
			h += p.Height
		}
		return h
	}
	for i := range values {
		for j := range values {
			a, b := values[i].Amount.bounded().sum(), values[j].Amount.bounded().sum()
			if h := height(i); a > b && h < height(j) && h > 3*leastPart {
				t.Fatalf("%d is drawn %v high, %d %v", a, h, b, height(j))
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
