package override_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/override"
)

func TestParse(t *testing.T) {
	const text = "\ufeff# two corrections\n\n" +
		`{"platform":"consolestore","product":"A","family":"7","edition":"","type":"bundle"}` + "\r\n" +
		` {"product":"B","platform":"PCSTORE","edition":"Gold"}`
	got, err := override.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	family, standard, gold, bundle := "7", "", "Gold", catalog.Bundle
	a := override.Rule{Platform: catalog.ConsoleStore, Product: "A", Family: &family, Edition: &standard, Type: &bundle}
	b := override.Rule{Platform: catalog.PCStore, Product: "B", Edition: &gold}
	for _, want := range []override.Rule{a, b} {
		found, ok := got.Find(want.Platform, want.Product)
		if d := cmp.Diff(want, found); !ok || d != "" {
			t.Errorf("override of %s (-want +got):\n%s", want.Product, d)
		}
	}
	if got.Len() != 2 {
		t.Errorf("%d overrides, want 2", got.Len())
	}
	if same := override.New(b, a); same.Hash() != got.Hash() {
		t.Error("the order of overrides changes their hash")
	}
}

func TestParseRefuses(t *testing.T) {
	const good = `{"platform":"consolestore","product":"A","family":"7"}`
	tests := []struct{ name, text, want string }{
		{"no JSON", "nonsense", "line 1: is not a JSON object"},
		{"no object", `["a"]`, "line 1: is not a JSON object"},
		{"cut", good + "\n" + `{"platform":"consolestore",`, "line 2: is not JSON"},
		{"not closed", `{"product":"A"`, "line 1: is not JSON"},
		{"a name without quotes", `{product:"A"}`, "line 1: is not JSON"},
		{"more", good + good, "line 1: has more after the object"},
		{"number", `{"platform":"consolestore","product":"A","family":7}`, "line 1: family: is not a string"},
		{"nested", `{"platform":{"a":"b"}}`, "line 1: platform: is not a string"},
		{"field twice", `{"product":"A","product":"B"}`, "line 1: product: is given twice"},
		{"unknown field", `{"produkt":"A"}`, "line 1: produkt: is not a field"},
		{"platform", `{"platform":"steam"}`, `line 1: platform: platform "steam" is not one of`},
		{"type", `{"type":"toy"}`, `line 1: type: type "toy" is not one of`},
		{"no platform", `{"product":"A","family":"7"}`, "line 1: platform: is missing"},
		{"long text", `{"platform":"consolestore","product":"A","edition":"` + strings.Repeat("x", 4097) + `"}`, "line 1: edition: is longer than 4096 bytes"},
		{"control character", `{"platform":"consolestore","product":"A","edition":"a\u001bb"}`, "line 1: edition: has a control character"},
		{"NUL", `{"platform":"consolestore","product":"A\u0000","edition":""}`, "line 1: product: has a control character"},
		{"Latin-1", "{\"platform\":\"consolestore\",\"product\":\"A\",\"edition\":\"D\xe9luxe\"}", "line 1: edition: is not valid UTF-8"},
		{"half a surrogate pair", `{"platform":"consolestore","product":"A","edition":"\ud800"}`, "line 1: edition: is not valid UTF-8"},
		{"no product", `{"platform":"consolestore","family":"7"}`, "line 1: product: is missing"},
		{"no correction", `{"platform":"consolestore","product":"A"}`, "line 1: corrects nothing"},
		{"product twice", good + "\n#\n" + good, `line 3: product: "A" is overridden in line 1 already`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := override.Parse([]byte(tt.text))
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
			if got.Len() != 0 {
				t.Errorf("%d overrides beside the error", got.Len())
			}
		})
	}
}

func TestHash(t *testing.T) {
	o := override.Rule{Platform: catalog.ConsoleStore, Product: "A", Family: new("1")}
	base := override.New(o).Hash()
	if none := (override.Set{}).Hash(); none != 0 || base == 0 {
		t.Errorf("hash of none = %d, of one = %d; want 0 and another", none, base)
	}
	product, family, edition := o, o, o
	product.Product, family.Family, edition.Edition = "B", new(""), new("")
	for name, other := range map[string]override.Rule{"product": product, "family": family, "edition": edition} {
		if override.New(other).Hash() == base {
			t.Errorf("another %s does not change the hash", name)
		}
	}
}
