package api_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/account"
	"gamedex/internal/api"
	"gamedex/internal/index"
	"gamedex/internal/sqldb/accounts"
	"gamedex/internal/sqldb/webhooks"
	"gamedex/internal/testing/golden"
	"gamedex/internal/testing/sqldbtest"
	"gamedex/internal/webhook"
)

// webhookWorld is a world in which webhooks are on and in a database.
type webhookWorld struct {
	*world
	store    *webhooks.Repository
	accounts *accounts.Repository
}

// newWebhookWorld returns a world whose key may make webhooks.
func newWebhookWorld(t *testing.T) *webhookWorld {
	t.Helper()
	db := sqldbtest.Open(t)
	w := &webhookWorld{store: webhooks.New(db), accounts: accounts.New(db)}
	w.world = newWorld(t, unlimited, func(w0 *world, c *api.Config) {
		c.Webhooks, c.WebhookHosts, c.Rand = w.store, webhook.Hosts{"127.0.0.1"}, w0.keys
	})
	w.key, w.token = w.webhookKey("mine")
	return w
}

// webhookKey puts a key that may only make webhooks into the cached keys and the database.
func (w *webhookWorld) webhookKey(name string) (account.Key, string) {
	w.t.Helper()
	k, token := w.newKey(account.Draft{Name: name, Permissions: account.WriteWebhooks})
	must(w.t, w.accounts.CreateKey(w.t.Context(), k, account.By{Actor: "test", At: start}))
	return k, token
}

// subscribe makes a webhook.
func (w *webhookWorld) subscribe(body string, change ...with) reply {
	w.t.Helper()
	return w.do(http.MethodPost, "/account/webhooks", body, change...)
}

// text returns the string at a path of an answer.
func (r reply) text(path string) string {
	r.t.Helper()
	text, _ := r.at(path).(string)
	return text
}

// TestWebhookShapes checks the answers of a webhook's life.
func TestWebhookShapes(t *testing.T) {
	w := newWebhookWorld(t)
	show := func(name string, r reply) {
		t.Helper()
		golden.Check(t, "testdata/webhook-"+name+".json", r.indented())
	}
	show("none", w.get("/account/webhooks").want(200))
	made := w.subscribe(`{` + receiver + `,"ids":["` + former + `","STAR-FORGE-OLD, ` + strings.ToLower(forge) + `","Nope"],"regions":"tr,UKR","when":"drop"}`).want(201)
	show("made", made)
	id := made.text("data.id")
	path := "/account/webhooks/" + id
	err := errors.Join(w.store.RequestPing(t.Context(), id), w.try(id, webhook.Try{At: start + 5000, MessageID: "msg_1", Status: 204, Took: 84}),
		w.try(id, webhook.Try{At: start + 9000, MessageID: "msg_2", Error: "no answer within 10 s", Took: 10_000}))
	must(t, err)
	show("pending", w.get(path).want(200))
	show("tries", w.get(path+"/tries").want(200))
	show("off", w.do(http.MethodPatch, path, `{"active":false}`).want(200))
	show("ping", w.do(http.MethodPost, path+"/ping", "").want(202))
	w.subscribe(`{` + receiver + `,"ids":"` + forge + `","regions":"UA","when":"Below","amount":50000}`).want(201)
	show("list", w.get("/account/webhooks").want(200))
	show("deals", w.subscribe(`{`+receiver+`,"deals":{"regions":"ua, TR","minDiscount":5,"types":["game","Bundle"],"real":false,"sort":null}}`).want(201))
	show("deleted", w.do(http.MethodDelete, path, "").want(200))
}

// try stores a try as the sender does; one without an answer leaves its message undelivered.
func (w *webhookWorld) try(id string, try webhook.Try) error {
	s, _, err := w.store.Load(w.t.Context(), id, nil)
	if err != nil {
		return err
	}
	if try.Status == 0 {
		s.Message = webhook.Message{ID: try.MessageID, Body: []byte("{}"), Failures: 1, NextTry: try.At + 60_000}
	}
	_, err = w.store.Save(w.t.Context(), s, webhook.Outcome{Try: &try, NewMessage: s.Message.ID != ""})
	return err
}

// TestWebhooksOfKeys checks that a key sees and changes only its own webhooks, has at most five,
// and reads a secret once.
func TestWebhooksOfKeys(t *testing.T) {
	w := newWebhookWorld(t)
	_, other := w.webhookKey("another")
	body := `{` + receiver + `,"ids":"` + forge + `"}`
	var secrets, ids []string
	for range webhook.MaxOfKey {
		r := w.subscribe(body).want(201).is("data.when", `"change"`).is("data.regions", "null").is("data.notFound", "[]")
		w.now.Add(1) // ids of one millisecond have any order
		ids, secrets = append(ids, r.text("data.id")), append(secrets, r.text("data.secret"))
	}
	w.subscribe(body).code(409, "TOO_MANY_WEBHOOKS")
	w.subscribe(body, bearer(other)).want(201)
	path := "/account/webhooks/" + ids[0]
	for _, r := range []struct{ method, path, body string }{
		{"GET", path, ""}, {"GET", path + "/tries", ""}, {"POST", path + "/ping", ""}, {"PATCH", path, `{"active":false}`}, {"DELETE", path, ""},
	} {
		w.do(r.method, r.path, r.body, bearer(other)).code(404, "NOT_FOUND")
		for _, unknown := range []string{"whk_01KAG6Y2T9Q4R7X8ZC5D1E3F6H", strings.TrimPrefix(ids[0], "whk_"), "whk_%00", "whk_%ff", "x"} {
			w.do(r.method, strings.Replace(r.path, ids[0], unknown, 1), r.body).code(404, "NOT_FOUND")
		}
	}
	seen := string(w.get("/account/webhooks").want(200).is("data.webhooks.0.id", `"`+ids[0]+`"`).is("data.webhooks.0.active", "true").is("data.webhooks.5", "null").body)
	for _, r := range []reply{
		w.get(path).want(200), w.get(path + "/tries").want(200), w.do("POST", path+"/ping", "").want(202),
		w.do("PATCH", path, `{}`).want(200).is("data.active", "true"), w.subscribe(body), w.do("DELETE", path, "").want(200),
	} {
		seen += string(r.body)
	}
	for _, secret := range secrets {
		if !strings.HasPrefix(secret, "whsec_") || len(secret) < 38 || strings.Contains(seen, strings.TrimPrefix(secret, "whsec_")) {
			t.Errorf("the secret %q is too short, or in another answer", secret)
		}
	}
	w.get(path).code(404, "NOT_FOUND")
	w.subscribe(body).want(201)
}

// TestChangeWebhook turns a webhook with a message that waits off and on, and moves it.
func TestChangeWebhook(t *testing.T) {
	w := newWebhookWorld(t)
	id := w.subscribe(`{` + receiver + `,"ids":"` + forge + `"}`).want(201).text("data.id")
	must(t, w.try(id, webhook.Try{At: start, MessageID: "msg_1", Error: "refused"}))
	change := func(body string) reply {
		t.Helper()
		return w.do(http.MethodPatch, "/account/webhooks/"+id, body).want(200).is("data.pending.messageId", `"msg_1"`)
	}
	change(`{"active":true}`).is("data.pending.failures", "1") // it is on
	change(`{"active":false}`).is("data.active", "false").is("data.offAt", `"2026-11-20T07:00:12.345Z"`).is("data.offReason", `"turned off by its owner"`)
	w.now.Add(1000)
	change(`{"active":false}`).is("data.offAt", `"2026-11-20T07:00:12.345Z"`)
	change(`{"active":null,"other":1}`).is("data.active", "false").is("data.pending.failures", "1")
	change(`{"active":true}`).is("data.active", "true").is("data.offReason", "null").is("data.pending.failures", "0").is("data.pending.nextTryAt", "null")
	must(t, w.try(id, webhook.Try{At: start, MessageID: "msg_1", Error: "refused"}))
	change(`{`+receiver+`}`).is("data.pending.failures", "1")
	change(`{"url":"http://127.0.0.1:9000/x"}`).is("data.url", `"http://127.0.0.1:9000/x"`).is("data.pending.failures", "0")
}

// TestDealsOfWebhooks compares webhooks with the list of deals: filters are read alike, and what the list has when a
// webhook is created counts as sent.
func TestDealsOfWebhooks(t *testing.T) {
	w := newWebhookWorld(t)
	_, reader := w.newKey(account.Draft{Name: "reader"})
	accepted := 0
	for _, c := range [][2]string{
		{"platform", ""}, {"regions", "TR"}, {"regions", "all"}, {"regions", "eu;UA"}, {"regions", "XX"}, {"platform", "pcstore"}, {"platform", "auto"},
		{"types", "bundle,Game"}, {"types", "toy"}, {"publishers", "Nobody; Somebody"}, {"genres", strings.Repeat("a;", 101)}, {"minDiscount", "30"}, {"minDiscount", "-1"},
		{"maxDiscount", "x"}, {"maxPrice", "9007199254740992"}, {"maxUsd", "1.234"}, {"maxUsd", "20"}, {"low", "year"}, {"low", "week"}, {"nearLow", "51"},
		{"real", "true"}, {"real", "2"}, {"endsWithin", "0h"}, {"endsWithin", "30d"}, {"startedWithin", "90m"}, {"free", "only"}, {"free", "yes"},
		{"subscription", "any"}, {"distinct", "games"}, {"distinct", "all"}, {"sort", "title"}, {"sort", "id"},
	} {
		listed := w.get("/catalog/deals?limit=200&"+url.Values{c[0]: {c[1]}}.Encode(), bearer(reader))
		raw, err := json.Marshal(map[string]string{c[0]: c[1]})
		must(t, err)
		made := w.subscribe(`{` + receiver + `,"deals":` + string(raw) + `}`)
		if listed.status != 200 {
			made.code(400, "INVALID_PARAMS").is("error.details.field", `"deals.`+c[0]+`"`)
			for _, detail := range []string{"value", "constraint"} {
				if want, got := listed.at("error.details."+detail), made.at("error.details."+detail); want != got {
					t.Errorf("%v: the list has the %s %v, the webhook %v", c, detail, want, got)
				}
			}
			continue
		}
		accepted++
		var want []string
		for _, item := range listed.at("data.items").([]any) {
			item := item.(map[string]any)
			want = append(want, item["platform"].(string)+"/"+item["id"].(string))
		}
		slices.Sort(want)
		id := made.want(201).is("data.games.0", "null").text("data.id")
		s, err := w.store.Find(t.Context(), id)
		must(t, err)
		if diff := cmp.Diff(want, s.Games); diff != "" {
			t.Errorf("%v: the webhook counts other deals as sent than those of the list:\n%s", c, diff)
		}
		must(t, w.store.Delete(t.Context(), id))
	}
	if accepted < 15 {
		t.Errorf("%d filters were accepted", accepted)
	}
}

// TestWebhookFaults checks what is wrong with requests, and that they store nothing.
func TestWebhookFaults(t *testing.T) {
	w := newWebhookWorld(t)
	id := w.subscribe(`{` + receiver + `,"ids":"` + forge + `"}`).want(201).text("data.id")
	ids := `"ids":["` + forge + `"]`
	for body, want := range map[string][3]string{ // field, value, constraint
		``: {"url", "null", "required"}, `null`: {"url", "null", "required"}, `{`: {"body", `"{"`, "json"}, `[]`: {"body", `"[]"`, "json"},
		`{"url":""}`: {"url", `""`, "required"}, `{"url":7}`: {"url", "7", "string"}, `{"url":["https://a.example"]}`: {"url", `["https://a.example"]`, "string"},
		`{"url":"ftp://a.example"}`: {"url", `"ftp://a.example"`, "url"}, `{"url":"http://a.example"}`: {"url", `"http://a.example"`, "url"},
		`{"url":"https://10.0.0.1/"}`: {"url", `"https://10.0.0.1/"`, "url"}, `{"url":"https://me:pw@a.example/"}`: {"url", `"https://me:pw@a.example/"`, "url"},
		`{` + receiver + `}`:                                                        {"ids", "null", "required"},
		`{` + receiver + `,"ids":[]}`:                                               {"ids", "[]", "required"},
		`{` + receiver + `,"ids":["Nope"]}`:                                         {"ids", `["Nope"]`, "known"},
		`{` + receiver + `,"ids":"` + forge + `","platform":"pcstore"}`:             {"ids", `"` + forge + `"`, "known"},
		`{` + receiver + `,` + ids + `,"platform":"ps5"}`:                           {"platform", `"ps5"`, "enum:auto,consolestore,pcstore"},
		`{` + receiver + `,` + ids + `,"regions":"XX"}`:                             {"regions", `"XX"`, "country"},
		`{` + receiver + `,` + ids + `,"when":"never"}`:                             {"when", `"never"`, "enum:change,drop,deal,below"},
		`{` + receiver + `,` + ids + `,"when":7}`:                                   {"when", `7`, "string"},
		`{` + receiver + `,` + ids + `,"when":"below","amount":5}`:                  {"regions", "null", "oneRegion"},
		`{` + receiver + `,` + ids + `,"when":"below","regions":"eu"}`:              {"regions", `"eu"`, "oneRegion"},
		`{` + receiver + `,` + ids + `,"when":"below","regions":"all"}`:             {"regions", `"all"`, "oneRegion"},
		`{` + receiver + `,` + ids + `,"when":"below","regions":"UA"}`:              {"amount", "null", "required"},
		`{` + receiver + `,` + ids + `,"when":"below","amount":0}`:                  {"amount", "0", "min:1"},
		`{` + receiver + `,` + ids + `,"when":"below","amount":1.5}`:                {"amount", "1.5", "integer"},
		`{` + receiver + `,` + ids + `,"amount":5}`:                                 {"when", "null", "enum:below"},
		`{` + receiver + `,` + ids + `,"amount":1000000000000001}`:                  {"amount", "1000000000000001", "max:1000000000000000"},
		`{"url":"https://a.example/` + strings.Repeat("x", 5000) + `"}`:             {"url", "null", "url"},
		`{` + receiver + `,"ids":["` + strings.Repeat("x", 5000) + `"]}`:            {"ids", "null", "known"},
		`{` + receiver + `,` + ids + `,"regions":"UA","when":"\ud800"}`:             {"body", "", "encoding"},
		`{` + receiver + `,` + ids + `,"deals":{}}`:                                 {"ids", `["` + forge + `"]`, "notWith:deals"},
		`{` + receiver + `,"deals":{},"regions":"UA"}`:                              {"regions", `"UA"`, "notWith:deals"},
		`{` + receiver + `,"deals":{},"amount":5}`:                                  {"amount", "5", "notWith:deals"},
		`{` + receiver + `,"deals":{},"when":"change"}`:                             {"when", `"change"`, "enum:deal"},
		`{` + receiver + `,"deals":{"minDicsount":5}}`:                              {"deals", `"minDicsount"`, "known"},
		`{` + receiver + `,"deals":"minDiscount=5"}`:                                {"deals", `"minDiscount=5"`, "json"},
		`{` + receiver + `,"deals":{"real":{}}}`:                                    {"deals.real", "{}", "string"},
		`{` + receiver + `,"deals":{"types":["game",["dlc"]]}}`:                     {"deals.types", `["dlc"]`, "string"},
		`{` + receiver + `,"deals":{"minDiscount":101}}`:                            {"deals.minDiscount", "101", "max:100"},
		`{` + receiver + `,"deals":{"regions":["UA","TR"],"maxPrice":9}}`:           {"deals.maxPrice", "9", "oneRegion"},
		`{` + receiver + `,"deals":{"genres":"` + strings.Repeat("x", 1994) + `"}}`: {"deals", `{"genres":"` + strings.Repeat("x", 1994) + `"}`, "maxLength:2000"},
	} {
		r := w.subscribe(body).code(400, "INVALID_PARAMS").is("error.details.field", `"`+want[0]+`"`).is("error.details.constraint", `"`+want[2]+`"`)
		if want[1] != "" {
			r.is("error.details.value", want[1])
		}
	}
	w.subscribe(fmt.Sprintf(`{%s,%s`, receiver, strings.TrimPrefix(idsBody(1001, ""), "{"))).code(400, "TOO_MANY_IDS").is("received", "1001")
	sixty := fmt.Sprintf(`,%s,"regions":"%s"}`, receiver, strings.Join(strings.Fields(allRegions)[:60], ","))
	served := w.live.View()
	w.live.Swap(index.NewView(largeSample(334, 60).open(t), sampleManifest(t)))
	w.subscribe(strings.TrimSuffix(idsBody(334, ""), "}")+sixty).code(400, "TOO_MANY_IDS").is("limit", "333").is("received", "334")
	w.subscribe(strings.TrimSuffix(idsBody(333, ""), "}") + sixty).want(201)
	w.live.Swap(served)
	w.subscribe("{}", header("Content-Type", "text/plain")).code(415, "UNSUPPORTED_MEDIA_TYPE")
	w.subscribe(strings.Repeat(" ", 1<<20+1)).code(413, "PAYLOAD_TOO_LARGE")
	for body, want := range map[string][2]string{
		`{"active":"yes"}`: {"active", "boolean"}, `{"url":"http://a.example"}`: {"url", "url"}, `{"url":""}`: {"url", "required"},
		`{"when":"drop"}`: {"when", "fixed"}, `{"deals":{}}`: {"deals", "fixed"}, `{"ids":[]}`: {"ids", "fixed"}, `{`: {"body", "json"},
	} {
		w.do(http.MethodPatch, "/account/webhooks/"+id, body).code(400, "INVALID_PARAMS").is("error.details.field", `"`+want[0]+`"`).is("error.details.constraint", `"`+want[1]+`"`)
	}
	w.get("/account/webhooks?x=%zz").code(400, "INVALID_PARAMS")
	w.get("/account/webhooks").want(200).is("data.webhooks.0.when", `"change"`).is("data.webhooks.0.active", "true").is("data.webhooks.2", "null")
	w.live.Swap(nil)
	w.subscribe(`{`+receiver+`,`+ids+`}`).code(503, "SERVICE_UNAVAILABLE")
	w.get("/account/webhooks").want(200)
}
