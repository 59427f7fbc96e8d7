package endpoints

import (
	"maps"
	"testing"
)

func TestLike(t *testing.T) {
	card := func(id, title string, price any) map[string]any {
		return map[string]any{"id": id, "title": title, "price": price}
	}
	base := found{Results: []map[string]any{card("a", "One", 1.0), card("b", "Two", nil)}, Total: 2}
	for _, c := range []struct {
		name  string
		other found
		same  bool
	}{
		{"itself", base, true},
		{"another order and language", found{[]map[string]any{card("b", "Zwei", nil), card("a", "Eins", 1.0)}, 2}, true},
		{"other ones of many", found{[]map[string]any{card("c", "Three", 3.0), card("d", "Four", 1.0)}, 2}, true},
		{"another price", found{[]map[string]any{card("a", "One", 2.0), card("b", "Two", nil)}, 2}, false},
		{"another total", found{base.Results, 3}, false},
		{"fewer shown", found{base.Results[:1], 2}, false},
	} {
		ours := found{[]map[string]any{maps.Clone(base.Results[0]), maps.Clone(base.Results[1])}, 2}
		if err := ours.like(c.other); (err == nil) != c.same {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := (found{}).like(found{}); err == nil {
		t.Error("nothing on both sides shows nothing")
	}
}
