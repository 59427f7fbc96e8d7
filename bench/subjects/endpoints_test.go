package subjects

import (
	"maps"
	"testing"
)

func TestCompareSearchResults(t *testing.T) {
	card := func(id, title string, price any) map[string]any {
		return map[string]any{"id": id, "title": title, "price": price}
	}
	base := searchResults{Results: []map[string]any{card("a", "One", 1.0), card("b", "Two", nil)}, Total: 2}
	for _, c := range []struct {
		name  string
		other searchResults
		same  bool
	}{
		{"itself", base, true},
		{"another order and language", searchResults{[]map[string]any{card("b", "Zwei", nil), card("a", "Eins", 1.0)}, 2}, true},
		{"other ones of many", searchResults{[]map[string]any{card("c", "Three", 3.0), card("d", "Four", 1.0)}, 2}, true},
		{"another price", searchResults{[]map[string]any{card("a", "One", 2.0), card("b", "Two", nil)}, 2}, false},
		{"a total above ours", searchResults{base.Results, 3}, false},
		{"a total below ours: an acronym", searchResults{base.Results[:1], 1}, true},
		{"fewer shown", searchResults{base.Results[:1], 2}, false},
	} {
		ours := searchResults{[]map[string]any{maps.Clone(base.Results[0]), maps.Clone(base.Results[1])}, 2}
		if err := ours.compare(c.other); (err == nil) != c.same {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := (searchResults{}).compare(searchResults{}); err == nil {
		t.Error("no results on both sides compare as equal")
	}
}
