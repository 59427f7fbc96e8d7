package consolestore_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/consolestore"
)

// section is a section as an operator writes it.
func section() fields {
	return fields{
		"graphql": "https://api.store.example/graphql/op", "origin": "https://www.store.example",
		"operations": fields{
			"categoryGridRetrieve": hashes.Grid, "conceptRetrieveForUpsellWithCtas": hashes.Concept,
			"getAddOnProductsByConcept": hashes.AddOns, "metGetProductById": hashes.Product,
		},
		"category": "all-games", "pageSize": 200, "addOnPageSize": 24,
		"productURL": "https://www.store.example/{locale}/product/{product}",
		"regions": []fields{
			{"region": "UA", "locale": "uk-ua", "currency": "UAH", "titles": []string{"ru-ua"}},
			{"region": "TWN", "locale": "zh-hant-tw", "currency": "twd"},
		},
	}
}

func TestParseProfile(t *testing.T) {
	got, err := consolestore.ParseProfile(json.RawMessage(body(t, section())))
	if err != nil {
		t.Fatal(err)
	}
	want := consolestore.Profile{
		GraphQL: "https://api.store.example/graphql/op", Origin: "https://www.store.example", Operations: hashes, Category: "all-games",
		PageSize: 200, AddOnPageSize: 24, ProductURL: "https://www.store.example/{locale}/product/{product}",
		Regions: []consolestore.Region{region("UA", "uk-ua", "UAH", "ru-ua"), region("TW", "zh-hant-tw", "TWD")},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestProfileDefaults(t *testing.T) {
	s := section()
	for _, name := range []string{"origin", "pageSize", "addOnPageSize"} {
		delete(s, name)
	}
	got, err := consolestore.ParseProfile(json.RawMessage(body(t, s)))
	if err != nil || got.PageSize != 100 || got.AddOnPageSize != 50 || got.Origin != "" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestProfileRefusals(t *testing.T) {
	regions := func(more fields) fields {
		ua := fields{"region": "UA", "locale": "uk-ua", "currency": "UAH"}
		return fields{"regions": []fields{{"region": "PL", "locale": "pl-pl", "currency": "PLN"}, ua.with(more)}}
	}
	operations := func(name string, hash any) fields {
		return fields{"operations": section()["operations"].(fields).with(fields{name: hash})}
	}
	many := make([]fields, 251)
	for i := range many {
		many[i] = fields{}
	}
	tests := []struct {
		name string
		more fields
		want string
	}{
		{"unknown field", fields{"graphQL2": 1}, `consolestore: unknown field "graphQL2"`},
		{"wrong type", fields{"pageSize": "100"}, "consolestore.pageSize: is a JSON string, want int"},
		{"graphql", fields{"graphql": "ftp://api.store.example"}, `consolestore.graphql: "ftp://api.store.example" is not an http or https address`},
		{"graphql missing", fields{"graphql": ""}, `consolestore.graphql: "" is not`},
		{"graphql with a password", fields{"graphql": "https://a:b@api.store.example/"}, "consolestore.graphql: "},
		{"origin", fields{"origin": "store.example"}, "consolestore.origin: "},
		{"hash", operations("metGetProductById", "abc"), `consolestore.operations.metGetProductById: "abc" is not a sha-256`},
		{"no hash", operations("categoryGridRetrieve", ""), "consolestore.operations.categoryGridRetrieve: "},
		{"hash in upper case", operations("conceptRetrieveForUpsellWithCtas", strings.Repeat("A", 64)), "consolestore.operations.conceptRetrieveForUpsellWithCtas: "},
		{"operation", operations("getEverything", hashes.Grid), `unknown field "getEverything"`},
		{"category", fields{"category": ""}, `consolestore.category: "" is not the id of a category`},
		{"page size 1", fields{"pageSize": 1}, "consolestore.pageSize: 1 is not between 2 and 300"},
		{"page size 301", fields{"pageSize": 301}, "consolestore.pageSize: 301 is not"},
		{"add-on page size", fields{"addOnPageSize": -1}, "consolestore.addOnPageSize: -1 is not between 1 and 300"},
		{"product URL", fields{"productURL": "https://www.store.example/p"}, "consolestore.productURL: \"https://www.store.example/p\" has no {product}"},
		{"product URL with other braces", fields{"productURL": "https://www.store.example/{lang}/{product}"}, "consolestore.productURL: "},
		{"product URL without scheme", fields{"productURL": "www.store.example/{product}"}, "consolestore.productURL: "},
		{"no regions", fields{"regions": []fields{}}, "consolestore.regions: there are 0, want 1 to 250"},
		{"many regions", fields{"regions": many}, "consolestore.regions: there are 251"},
		{"region", regions(fields{"region": "UK"}), `consolestore.regions[1].region: region "UK" is not a country code`},
		{"region twice", regions(fields{"region": "PL", "locale": "en-pl"}), "consolestore.regions[1].region: PL is given twice"},
		{"locale", regions(fields{"locale": "ukrainian"}), `consolestore.regions[1].locale: "ukrainian" is not a locale`},
		{"locale elsewhere", regions(fields{"locale": "ru-ru"}), `consolestore.regions[1].locale: "ru-ru" is not of the region UA`},
		{"currency", regions(fields{"currency": "UAN"}), "consolestore.regions[1].currency: "},
		{"titles elsewhere", regions(fields{"titles": []string{"ru-ua", "ru-ru"}}), `consolestore.regions[1].titles[1]: "ru-ru" is not of the region UA`},
		{"titles in the locale itself", regions(fields{"titles": []string{"uk-ua"}}), `consolestore.regions[1].titles[0]: "uk-ua" is given twice`},
		{"titles twice", regions(fields{"titles": []string{"ru-ua", "ru-ua"}}), `consolestore.regions[1].titles[1]: "ru-ua" is given twice`},
		{"many titles", regions(fields{"titles": make([]string, 9)}), "consolestore.regions[1].titles: there are 9"},
		{"region's unknown field", regions(fields{"language": "uk"}), `unknown field "language"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := consolestore.ParseProfile(json.RawMessage(body(t, section().with(tt.more))))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
	for _, raw := range []string{"", "null {}", "[]", `{"graphql":`, "{} {}"} {
		if _, err := consolestore.ParseProfile(json.RawMessage(raw)); err == nil {
			t.Errorf("%q is a profile", raw)
		}
	}
	for _, rest := range []string{"{}", "}", "]"} {
		_, err := consolestore.ParseProfile(json.RawMessage(body(t, section()) + rest))
		if err == nil || !strings.Contains(err.Error(), "something after the object") {
			t.Errorf("followed by %s: %v", rest, err)
		}
	}
}
