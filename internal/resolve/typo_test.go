package resolve_test

import (
	"testing"

	"gamedex/internal/catalog"
	. "gamedex/internal/resolve"
)

// TestTyposAreDoubted resolves titles with a typing error and something else that does not fit the only game that is
// like them: no more than without the error.
func TestTyposAreDoubted(t *testing.T) {
	for _, tt := range []struct {
		item Item
		want Status
	}{
		{Item{Text: "Eldn Ring"}, Resolved}, {Item{Text: "Eldn Ring", Year: 2022}, Resolved}, {Item{Text: "Eldn Ring (2022)"}, Resolved},
		{Item{Text: "Elden Ring", Year: 1999}, Ambiguous}, {Item{Text: "Eldn Ring", Year: 1999}, Ambiguous},
		{Item{Text: "Eldn Ring (1999)"}, Ambiguous}, {Item{Text: "Eldn Ring PS3"}, Ambiguous},
		{Item{Text: "Elden Ring", Devices: []string{"PS3"}}, Ambiguous}, {Item{Text: "Eldn Ring", Devices: []string{"PS3"}}, Ambiguous},
	} {
		r := &Resolver{View: world()}
		for _, m := range r.Resolve(tt.item, nil) {
			if m.Platform == catalog.ConsoleStore && m.Status != tt.want {
				t.Errorf("%+v: %v, want %v", tt.item, m.Status, tt.want)
			}
		}
	}
}
