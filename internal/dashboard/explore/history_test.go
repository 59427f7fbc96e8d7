package explore

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/history"
	"gamedex/internal/money"
)

func change(at catalog.Millis, base, current money.Amount) history.Span {
	return history.Span{Step: history.Step{At: at, State: history.Priced, Currency: "UAH", Base: base, Current: current}}
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
	view.addChanges(visit(t), "UA", []history.Span{change(1, 100, 100), change(2, 100, 100), change(3, 100, 50), change(4, 100, 100)})
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
	dollars := change(1, 5000, 5000)
	dollars.Currency = "USD"
	var view changesView
	view.addChanges(v, "UA", []history.Span{dollars, change(500, 9000, 9000), change(700, 9000, 4500)})
	if len(view.Rows) != 3 || view.Rows[0].Before == "" || len(view.Chart.Points) != 2 || view.Chart.Levels[0] != 10000 {
		t.Errorf("%d rows, chart %+v", len(view.Rows), view.Chart)
	}
	view = changesView{}
	var many []history.Span
	for i := range money.Amount(shownChanges + 5) {
		many = append(many, change(catalog.Millis(i), 9000, i))
	}
	view.addChanges(v, "UA", many)
	if view.Left != 5 || len(view.Rows) != shownChanges || view.Rows[0].At != int64(shownChanges+4) {
		t.Errorf("%d rows from %+v, %d left", len(view.Rows), view.Rows[0], view.Left)
	}
}
