package demo

import (
	"strings"
	"testing"
)

func TestBrokenTables(t *testing.T) {
	const good = `{"name": "A", "slug": "a", "genres": ["Action"], "console": "45", "cents": 999, "off": 10}`
	tests := []struct{ name, in, want string }{
		{"no table", good, "read sample table: "},
		{"unknown field", "[" + strings.Replace(good, "off", "of", 1) + "]", `unknown object member name "of"`},
		{"type", "[" + strings.Replace(good, "999", `"9.99"`, 1) + "]", "/0/cents"},
		{"twice", "[" + good + "," + good + "]", "A is listed twice"},
		{"holds", "[" + strings.Replace(good, "}", `, "products": [{"name": "B", "holds": ["C"]}]}`, 1) + "]", `B contains "C"`},
	}
	if _, err := newCatalog([]byte("[" + good + "]")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newCatalog([]byte(tt.in))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}
