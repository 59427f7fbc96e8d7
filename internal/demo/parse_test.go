package demo

import (
	"strings"
	"testing"
)

func TestBrokenTables(t *testing.T) {
	const good = "A | 2020-01-01 | P | D | Action | 12 | 9.99 | 45,pc | off=10\n"
	tests := []struct{ name, in, want string }{
		{"detail first", "  ru: А", "line 1: "},
		{"missing field", "A | 2020-01-01 | P", "3 fields, want 9"},
		{"age", strings.Replace(good, "12", "x", 1), `age "x"`},
		{"dollars", strings.Replace(good, "9.99", "9", 1), `price "9"`},
		{"place", strings.Replace(good, "45", "3", 1), `sold at "3"`},
		{"note", strings.Replace(good, "off", "of", 1), `"of" is not a note`},
		{"percent", strings.Replace(good, "=10", "=101", 1), `"101" is not 1 to 100`},
		{"region", strings.Replace(good, "off=10", "not=ZZ", 1), "ZZ"},
		{"label", good + "  de: A", `line 2: "de" is not a label`},
		{"no label", good + "  A", "has no label"},
		{"twice", good + good, "A is listed twice"},
		{"holds", good + "  pack: B | 1.00\n  holds: C", `B contains "C"`},
	}
	if _, err := newCatalog(good); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newCatalog(tt.in)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}
