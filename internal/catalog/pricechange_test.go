package catalog_test

import (
	"slices"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

func TestChangesToRecord(t *testing.T) {
	at := func(moment catalog.Millis, current money.Amount) catalog.PriceChange {
		return catalog.PriceSince(moment, &catalog.Price{Currency: "TRY", Base: 300, Current: current})
	}
	gone := catalog.PriceSince(2, nil)
	inEuros, trial := at(2, 300), at(2, 300)
	inEuros.Currency, trial.Trial = "EUR", true
	type changes []catalog.PriceChange
	tests := []struct {
		name     string
		was, now catalog.PriceChange
		recorded bool
		want     changes
	}{
		{"the second price records the first", at(1, 300), at(2, 200), false, changes{at(1, 300), at(2, 200)}},
		{"a later price", at(1, 300), at(2, 200), true, changes{at(2, 200)}},
		{"the same price", at(1, 300), at(1, 300), false, nil},
		{"the same price, recorded", at(1, 300), at(1, 300), true, nil},
		{"a new time or text records the first time", at(1, 300), at(2, 300), false, changes{at(1, 300)}},
		{"a new time or text, recorded", at(1, 300), at(2, 300), true, nil},
		{"at one moment the later line", at(1, 300), at(1, 200), false, changes{at(1, 200)}},
		{"at one moment the later line, recorded", at(1, 300), at(1, 200), true, changes{at(1, 200)}},
		{"not for sale", at(1, 300), gone, true, changes{gone}},
		{"for sale again", gone, at(3, 300), true, changes{at(3, 300)}},
		{"another currency", at(1, 300), inEuros, true, changes{inEuros}},
		{"a trial", at(1, 300), trial, true, changes{trial}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := catalog.ChangesToRecord(tt.was, tt.now, tt.recorded); !slices.Equal(got, tt.want) {
				t.Errorf("record %v, want %v", got, tt.want)
			}
		})
	}
}
