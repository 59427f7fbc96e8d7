package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"gamedex/internal/account"
)

// resolve sends items and returns the answer.
func (w *world) resolve(items string, change ...with) reply {
	w.t.Helper()
	return w.do(http.MethodPost, "/catalog/resolve", `{"items":`+items+`}`, change...)
}

// TestResolve checks for each kind of item what is found in both stores.
func TestResolve(t *testing.T) {
	w := newWorld(t, unlimited)
	const none = `{"platform":"%s","status":"not_found"}`
	noConsole, noPC := fmt.Sprintf(none, "consolestore"), fmt.Sprintf(none, "pcstore")
	console := func(match string) string {
		return `{"platform":"consolestore","status":"resolved","match":"` + match + `","id":"` + forge + `","title":"Star Forge"}`
	}
	pc := func(match string) string {
		return `{"platform":"pcstore","status":"resolved","match":"` + match + `","id":"star-forge","title":"Star Forge"}`
	}
	for item, want := range map[string]string{
		`"star forge"`:                                console("exact") + `,` + pc("exact"),
		`{"title":"STAR FORGE™","ref":"r 1"}`:         console("exact") + `,` + pc("exact"),
		`"Star Forge PS4 & PS5"`:                      console("edition") + `,` + pc("edition"),
		`"Star Forge Steam Key GLOBAL"`:               console("edition") + `,` + pc("edition"),
		`"Star Forge Collector's Edition"`:            console("edition") + `,` + pc("edition"),
		`"Star Forge 2"`:                              noConsole + `,` + noPC,
		`"` + strings.ToLower(forge) + `"`:            console("id") + `,` + noPC,
		`{"title":"` + forge + `"}`:                   noConsole + `,` + noPC,
		`{"id":"Star Forge"}`:                         noConsole + `,` + noPC,
		`"star-forge-old"`:                            noConsole + `,` + pc("id"),
		`{"id":"sf-base"}`:                            noConsole + `,` + pc("id"),
		`"https://store.example/x/sf-base?a#b"`:       noConsole + `,` + pc("id"),
		`"https://other.example/x/sf-base"`:           noConsole + `,` + noPC,
		`{"title":"Star Forge","platform":"PCStore"}`: pc("exact"),
		`"zzzz"`: noConsole + `,` + noPC,
	} {
		w.resolve("["+item+"]").want(200).is("data.items.0.matches", sorted(t, "["+want+"]"))
	}
	w.resolve(`[{"title":"Star Forge","platforms":["for PlayStation 3"]}]`).want(200).is("data.items.0.matches.0.status", `"ambiguous"`).
		is("data.items.0.matches.0.candidates", `[{"id":"`+forge+`","platforms":["PS4","PS5"],"title":"Star Forge"}]`)
	moved := w.resolve(`["` + former + `"]`).want(200)
	moved.is("data.items.0.matches.0.movedFrom", `"`+former+`"`)
	if s := moved.at("data.items.0.matches.0.status"); s != "resolved" && s != "ambiguous" {
		t.Errorf("a former id is %v", s)
	}
}

// sorted returns JSON with the members of objects in order.
func sorted(t *testing.T, text string) string {
	t.Helper()
	var node any
	must(t, json.Unmarshal([]byte(text), &node))
	out, err := json.Marshal(node)
	must(t, err)
	return string(out)
}

// TestResolveWrongItems checks that a wrong item spoils no other, and that only a body that is
// wrong as a whole is refused.
func TestResolveWrongItems(t *testing.T) {
	w := newWorld(t, unlimited)
	long := strings.Repeat("x", 201)
	for item, want := range map[string][3]string{
		`7`:              {"items[1]", `7`, "string"},
		`null`:           {"items[1]", `null`, "string"},
		`" "`:            {"items[1]", `" "`, "minLength:1"},
		`"` + long + `"`: {"items[1]", `"` + long + `"`, "maxLength:200"},
		`"https://a.example/` + strings.Repeat("x", 2048) + `"`: {"items[1]", `"https://a.example/` + strings.Repeat("x", 2048) + `"`, "maxLength:2048"},
		`{}`:                                 {"items[1].title", `null`, "required"},
		`{"title":[1]}`:                      {"items[1].title", `[1]`, "string"},
		`{"title":"a","id":5}`:               {"items[1].id", `5`, "string"},
		`{"title":"a","ref":7}`:              {"items[1].ref", `7`, "string"},
		`{"title":"a","ref":"` + long + `"}`: {"items[1].ref", `"` + long + `"`, "maxLength:200"},
		`{"title":"a","platform":"ps5"}`:     {"items[1].platform", `"ps5"`, "enum:all,consolestore,pcstore"},
		`{"title":"a","year":"2020"}`:        {"items[1].year", `"2020"`, "integer"},
		`{"title":"a","year":20.5}`:          {"items[1].year", `20.5`, "integer"},
		`{"title":"a","year":1899}`:          {"items[1].year", `1899`, "min:1900"},
		`{"title":"a","year":1e+99}`:         {"items[1].year", `1e+99`, "integer"},
		`{"title":"a","platforms":{}}`:       {"items[1].platforms", `{}`, "array"},
		`{"title":"a","platforms":[5]}`:      {"items[1].platforms", `[5]`, "string"},
		`{"title":"a","platforms":["for PlayStation 5","Toaster"]}`: {"items[1].platforms", `"Toaster"`, "enum:PS5,PS4,PS3,Windows,Xbox Series X,Xbox One,Switch"},
	} {
		r := w.resolve(`["star forge",` + item + `,{"title":"star forge","ref":null,"other":[[]]}]`).want(200)
		r.is("data.items.1.status", `"invalid"`).is("data.items.1.field", `"`+want[0]+`"`).is("data.items.1.value", want[1]).
			is("data.items.1.constraint", `"`+want[2]+`"`).is("data.items.1.matches", `[]`)
		if strings.HasPrefix(item, "{") {
			r.is("data.items.1.input", sorted(t, item))
		}
		r.is("data.items.0.matches.0.id", `"`+forge+`"`).is("data.items.2.matches.0.id", `"`+forge+`"`).is("data.items.2.ref", `null`)
	}
	many := "[" + strings.Repeat(`"zz",`, 1000)
	for body, want := range map[string][2]string{
		``: {"items", "required"}, `{}`: {"items", "required"}, `{"items":[]}`: {"items", "required"}, `{"items":null}`: {"items", "required"},
		`{"items":"a"}`: {"items", "array"}, `[]`: {"body", "json"}, `{"items":[`: {"body", "json"}, `{"items":["\ud800"]}`: {"body", "encoding"},
		`{"items":` + many + `"zz"]}`: {"items", "maxLength:1000"},
	} {
		w.do(http.MethodPost, "/catalog/resolve", body).code(400, "INVALID_PARAMS").is("error.details.field", `"`+want[0]+`"`).is("error.details.constraint", `"`+want[1]+`"`)
	}
	if text, _ := w.resolve(`{}`).code(400, "INVALID_PARAMS").at("error.message").(string); !strings.HasSuffix(text, "send an array of strings or objects") {
		t.Errorf("items {}: %q", text)
	}
	w.resolve(strings.TrimSuffix(many, ",")+"]").want(200).is("data.items.999.matches.0.status", `"not_found"`)
}

// TestResolveIsOneRequest checks what a request for many items costs, and its checks before.
func TestResolveIsOneRequest(t *testing.T) {
	w := newWorld(t)
	before := w.resolve(`["star forge"]`).want(200)
	after := w.resolve(`[` + strings.Repeat(`"star forge",`, 999) + `"zz"]`).want(200)
	if a, b := before.at("meta.rateLimit.remaining").(float64), after.at("meta.rateLimit.remaining").(float64); b != a-1 {
		t.Errorf("remaining is %v, then %v", a, b)
	}
	if got := after.header.Get("Cache-Control"); got != "no-store" || after.header.Get("ETag") != "" {
		t.Errorf("Cache-Control %q, ETag %q", got, after.header.Get("ETag"))
	}
	w.get("/catalog/resolve").code(405, "METHOD_NOT_ALLOWED")
	w.do(http.MethodPost, "/catalog/resolve", `{"items":["a"]}`, header("Content-Type", "text/plain")).code(415, "UNSUPPORTED_MEDIA_TYPE")
	w.resolve(`["`+strings.Repeat("x", 1<<20)+`"]`).code(413, "PAYLOAD_TOO_LARGE")
	_, other := w.newKey(account.Draft{Name: "account only", Permissions: account.ReadAccount})
	w.resolve(`["a"]`, bearer(other)).code(403, "INSUFFICIENT_PERMISSIONS")
	w.live.Swap(nil)
	w.resolve(`["a"]`).code(503, "SERVICE_UNAVAILABLE")
}

// FuzzResolve checks that any title, id and link gets an answer that the reference allows.
func FuzzResolve(f *testing.F) {
	for _, seed := range []string{
		"Star Forge", "Star Forge II PS4 & PS5", "(2020)", "x (2020)", "ps5", "PS5 PS4 Steam Key", "Deluxe Edition", "the the the", "гта 5 (ПК)", "龍が如く７", "\x00", "ſ",
		"https://store.example/UA/sf-base", "https://store.example", "://", "https://store.example/%2f%zz//?#", "store.example/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r", forge, former, "a 1 2 3 iv x 10",
		strings.Repeat("a ", 100), strings.Repeat("ab", 100), "remake remaster hd", "or and for",
	} {
		f.Add(seed)
	}
	w := newWorld(f, unlimited)
	f.Fuzz(func(t *testing.T, text string) {
		w.t, w.client = t, newClient(t)
		w.now.Add(60_000)
		if !utf8.ValidString(text) {
			return // not to be sent in JSON
		}
		quoted, err := json.Marshal(text)
		must(t, err)
		q := string(quoted)
		r := w.resolve(`[` + q + `,{"title":` + q + `,"ref":` + q + `},{"id":` + q + `},{"title":"star forge","platforms":[` + q + `],"platform":` + q + `}]`).want(200)
		var answer struct {
			Data struct{ Items []struct{ Matches []any } }
		}
		if err := json.Unmarshal(r.body, &answer); err != nil || len(answer.Data.Items) != 4 {
			t.Fatalf("%d items (%v)", len(answer.Data.Items), err)
		}
	})
}
