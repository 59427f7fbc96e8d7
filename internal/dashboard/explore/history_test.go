package explore

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

func change(at catalog.Millis, base, current money.Amount) catalog.PriceChange {
	return catalog.PriceChange{At: at, Currency: "UAH", Base: base, Current: current, Priced: true}
}

func TestEndedDiscount(t *testing.T) {
	sale := []catalog.PriceChange{change(10, 100, 100), change(20, 100, 50)}
	gone := catalog.PriceChange{At: 20, Base: money.None, Current: money.None}
	for _, tt := range []struct {
		name    string
		changes []catalog.PriceChange
		endsAt  int64
		want    []catalog.PriceChange
	}{
		{"no end is known", sale, 0, sale},
		{"it goes on", sale, 41, sale},
		{"it is over", sale, 40, append(sale[:2:2], change(40, 100, 100))},
		{"the price is newer than the end", sale, 15, sale},
		{"not for sale", []catalog.PriceChange{gone}, 40, []catalog.PriceChange{gone}},
		{"nothing is recorded", nil, 40, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, withDiscountEnd(tt.changes, index.Row{EndsAt: tt.endsAt}, 40)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// visit returns a visit at second 1.
func visit(t *testing.T) *web.Visit {
	site, err := web.New(web.Config{PublicURL: "http://localhost", Now: func() time.Time { return time.UnixMilli(1000) }})
	if err != nil {
		t.Fatal(err)
	}
	return site.NewVisit(nil, httptest.NewRequest(http.MethodGet, "/", nil))
}

func TestDistinctChanges(t *testing.T) {
	var view changesView
	view.addChanges(visit(t), "UA", []catalog.PriceChange{change(1, 100, 100), change(2, 100, 100), change(3, 100, 50), change(4, 100, 100)})
	var got []int64
	for _, row := range view.Rows {
		got = append(got, row.At)
	}
	if diff := cmp.Diff([]int64{4, 3, 1}, got); diff != "" {
		t.Error(diff)
	}
}

// TestChangesOfCurrency: amounts of a former currency are in the table, and
// not on the axis of another one.
func TestChangesOfCurrency(t *testing.T) {
	v := visit(t)
	dollars := catalog.PriceChange{At: 1, Currency: "USD", Base: 5000, Current: 5000, Priced: true}
	var view changesView
	view.addChanges(v, "UA", []catalog.PriceChange{dollars, change(500, 9000, 9000), change(700, 9000, 4500)})
	if len(view.Rows) != 3 || view.Rows[0].Before == "" || len(view.Chart.Points) != 2 || view.Chart.Levels[0] != 10000 {
		t.Errorf("%d rows, chart %+v", len(view.Rows), view.Chart)
	}
	view = changesView{}
	var many []catalog.PriceChange
	for i := range money.Amount(shownChanges + 5) {
		many = append(many, change(catalog.Millis(i), 9000, i))
	}
	view.addChanges(v, "UA", many)
	if view.Left != 5 || len(view.Rows) != shownChanges || view.Rows[0].At != int64(shownChanges+4) {
		t.Errorf("%d rows from %+v, %d left", len(view.Rows), view.Rows[0], view.Left)
	}
}
