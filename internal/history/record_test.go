package history_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/money"
)

func TestStepOf(t *testing.T) {
	price := catalog.Price{Currency: "TRY", Base: 300, Current: 200, DiscountEndsAt: 9, DiscountPercent: 33, Source: catalog.SourceExact}
	doubtful, text, subscription := price, price, price
	doubtful.Source, doubtful.Trial = catalog.SourceDoubtful, true
	text.Base, text.Current, text.CurrentText, text.DiscountEndsAt = money.None, money.None, "soon", 0
	subscription.Subscription = true
	for _, tt := range []struct {
		name  string
		price *catalog.Price
		want  history.Step
	}{
		{"a discount", &price, history.Step{At: 5, State: history.Priced, Currency: "TRY", Base: 300, Current: 200, EndsAt: 9}},
		{"a doubtful trial", &doubtful, history.Step{At: 5, State: history.Priced, Currency: "TRY", Base: 300, Current: 200, EndsAt: 9, Doubtful: true, Trial: true}},
		{"subscribers only", &subscription, history.Step{At: 5, State: history.Priced, Currency: "TRY", Base: 300, Current: 200, EndsAt: 9, Subscription: true}},
		{"a text", &text, history.Step{At: 5, State: history.Text, Currency: "TRY", Base: money.None, Current: money.None}},
		{"not for sale", nil, history.Step{At: 5, State: history.Unpriced, Base: money.None, Current: money.None}},
	} {
		if diff := cmp.Diff(tt.want, history.StepOf(5, tt.price)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestRecord(t *testing.T) {
	at := func(ms catalog.Millis, current money.Amount) history.Step {
		return history.Step{At: ms, State: history.Priced, Currency: "TRY", Base: 300, Current: current}
	}
	prolonged := at(2, 200)
	prolonged.EndsAt = 9
	gone := history.StepGone(2)
	type steps []history.Step
	for _, tt := range []struct {
		name   string
		before steps
		now    history.Step
		want   steps
	}{
		{"the first step", nil, at(1, 300), steps{at(1, 300)}},
		{"another price", steps{at(1, 300)}, at(2, 200), steps{at(1, 300), at(2, 200)}},
		{"the same price", steps{at(1, 300)}, at(2, 300), steps{at(1, 300)}},
		{"another end of the discount", steps{at(1, 200)}, prolonged, steps{at(1, 200), prolonged}},
		{"withdrawn", steps{at(1, 300)}, gone, steps{at(1, 300), gone}},
		{"back at the same price", steps{at(1, 300), gone}, at(3, 300), steps{at(1, 300), gone, at(3, 300)}},
		{"of two steps at one time the later counts", steps{at(1, 300), at(2, 200)}, at(2, 100), steps{at(1, 300), at(2, 100)}},
		{"at one time as before it", steps{at(1, 300), at(2, 200)}, at(2, 300), steps{at(1, 300)}},
		{"the only step replaced", steps{at(1, 300)}, at(1, 200), steps{at(1, 200)}},
		{"an earlier time", steps{at(1, 300), at(3, 200)}, at(2, 100), steps{at(1, 300), at(3, 100)}},
	} {
		if diff := cmp.Diff(tt.want, steps(history.Record(tt.before, tt.now))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestPrepend(t *testing.T) {
	at := func(ms catalog.Millis, current money.Amount) history.Step {
		return history.Step{At: ms, State: history.Priced, Currency: "TRY", Base: 300, Current: current}
	}
	type steps []history.Step
	for _, tt := range []struct {
		name          string
		series, older steps
		added         int
		want          steps
	}{
		{"nothing", steps{at(5, 300)}, nil, 0, steps{at(5, 300)}},
		{"older steps", steps{at(5, 300)}, steps{at(1, 200), at(2, 100)}, 2, steps{at(1, 200), at(2, 100), at(5, 300)}},
		{"the last one shows the same", steps{at(5, 300), at(6, 200)}, steps{at(1, 100), at(2, 300)}, 2, steps{at(1, 100), at(2, 300), at(6, 200)}},
		{"some are not older", steps{at(5, 300)}, steps{at(1, 200), at(5, 100), at(6, 50)}, 1, steps{at(1, 200), at(5, 300)}},
		{"repeated steps", steps{at(5, 300)}, steps{at(1, 200), at(2, 200)}, 2, steps{at(1, 200), at(5, 300)}},
		{"to an empty series", nil, steps{at(1, 200)}, 1, steps{at(1, 200)}},
	} {
		got, added := history.Prepend(tt.series, tt.older)
		if diff := cmp.Diff(tt.want, steps(got)); diff != "" || added != tt.added {
			t.Errorf("%s: added %d, want %d (-want +got):\n%s", tt.name, added, tt.added, diff)
		}
	}
}

func TestStates(t *testing.T) {
	for _, name := range []string{"priced", "text", "unpriced", "gone"} {
		if s, ok := history.ParseState(name); !ok || s.String() != name {
			t.Errorf("%s is %d %s, %v", name, s, s, ok)
		}
	}
	for _, name := range []string{"", "sold"} {
		if s, ok := history.ParseState(name); ok {
			t.Errorf("%q is the state %s", name, s)
		}
	}
}
