package consolestore_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/consolestore"
	"gamedex/internal/feed"
	"gamedex/internal/sweep"
	"gamedex/internal/upstream"
)

// small returns a profile with one region that has two other locales.
func small() consolestore.Profile {
	p := profile()
	p.Regions = []consolestore.Region{region("UA", "uk-ua", "UAH", "ru-ua", "en-ua")}
	return p
}

// TestNoAnswers checks that an answer without the requested data is an error of
// the kind that makes the loop retry.
func TestNoAnswers(t *testing.T) {
	tests := []struct {
		name   string
		kind   sweep.Kind
		answer string
		want   string
	}{
		{"empty region", sweep.Prices, `{"data":{"categoryGridRetrieve":{"concepts":[],"pageInfo":{"totalCount":0,"isLast":true}}}}`, "the region is empty"},
		{"empty page of many", sweep.Prices, `{"data":{"categoryGridRetrieve":{"concepts":[],"pageInfo":{"totalCount":8000}}}}`, "the region is empty"},
		{"no concepts", sweep.Prices, `{"data":{"categoryGridRetrieve":{"pageInfo":{"totalCount":0}}}}`, "the region is empty"},
		{"empty in the further locale", sweep.Titles, `{"data":{"categoryGridRetrieve":{"concepts":[],"pageInfo":{"totalCount":0}}}}`, "the region is empty"},
		{"no page info", sweep.Prices, `{"data":{"categoryGridRetrieve":{"concepts":[{"id":"1"}]}}}`, "has no pageInfo.totalCount"},
		{"a grid of the wrong type", sweep.Prices, `{"data":{"categoryGridRetrieve":[]}}`, "categoryGridRetrieve"},
		{"no grid", sweep.Prices, `{"data":{"categoryGridRetrieve":null},"errors":[{"message":"Operation timed out!"}]}`, `has no categoryGridRetrieve: "Operation timed out!"`},
		{"data of the wrong type", sweep.Prices, `{"data":[1]}`, "data is not an object"},
		{"no game", sweep.Editions, `{"data":{"conceptRetrieve":null},"errors":[{"message":"Operation timed out!"}]}`, `has no conceptRetrieve: "Operation timed out!"`},
		{"no game, no reason", sweep.Editions, `{"data":{"conceptRetrieve":null}}`, "has no conceptRetrieve"},
		{"another game", sweep.Editions, `{"data":{"conceptRetrieve":{"id":"2","products":[]}}}`, `the request is about 1, but the answer about "2"`},
		{"no product", sweep.Details, `{"data":null,"errors":[{"message":"Internal error"}]}`, `has no productRetrieve: "Internal error"`},
		{"another product", sweep.Details, `{"data":{"productRetrieve":{"id":"2"}}}`, `the request is about 1, but the answer about "2"`},
		{"a product of the wrong type", sweep.Details, `{"data":{"productRetrieve":{"id":1}}}`, "productRetrieve"},
		{"no add-ons", sweep.AddOns, `{"data":{"addOnProductsRetrieve":{"pageInfo":{"totalCount":0}}}}`, "has no addOnProducts"},
		{"a foreign game", sweep.Editions, foreign(t, fields{"id": "1", "products": []fields{dollars("A"), dollars("B")}}, "conceptRetrieve"), "not in UAH"},
		{"a foreign product", sweep.Details, foreign(t, dollars("1"), "productRetrieve"), "not in UAH"},
		{"foreign add-ons", sweep.AddOns, foreign(t, fields{"addOnProducts": []fields{dollarsListed("A")}}, "list"), "not in UAH"},
		{"a foreign region", sweep.Prices, foreign(t, fields{"concepts": []fields{dollarsListed("1")}, "pageInfo": fields{"totalCount": 1}}, "categoryGridRetrieve"), "not in UAH"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, small(), always(tt.answer))
			page, err := s.try(t, "UA", tt.kind, begin(tt.kind))
			broken, ok := errors.AsType[*upstream.Error](err)
			if !ok || broken.Kind != upstream.Broken || broken.Host != s.Host() {
				t.Fatalf("error %v, page\n%s", err, text(page))
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q does not contain %q", err, tt.want)
			}
		})
	}
}

func foreign(t testing.TB, object fields, name string) string {
	return body(t, fields{"data": fields{name: object}})
}

// dollars is a product that is sold for dollars.
func dollars(id string) fields {
	action := pay("ADD_TO_CART", "$10.00", 1000, "$10.00", 1000)
	action["price"].(fields)["currencyCode"] = "USD"
	return fields{"id": id, "name": "Dollars " + id, "webctas": []fields{action}}
}

func dollarsListed(id string) fields {
	return fields{"id": id, "name": "Dollars", "price": fields{"basePrice": "$10.00", "basePriceValue": 1000, "currencyCode": "USD"}}
}

// TestForeignEntries checks that a few prices of another region are omitted.
func TestForeignEntries(t *testing.T) {
	hryvnias := dollars("C")
	hryvnias["webctas"].([]fields)[0]["price"].(fields)["currencyCode"] = "uah"
	hryvnias["price"] = fields{"basePrice": "10,00", "basePriceValue": 1000, "currencyCode": "UAH"}
	tests := []struct {
		kind   sweep.Kind
		answer string
	}{
		{sweep.Editions, foreign(t, fields{"id": "1", "products": []fields{dollars("A"), hryvnias}}, "conceptRetrieve")},
		{sweep.AddOns, foreign(t, fields{"addOnProducts": []fields{dollarsListed("A"), hryvnias}}, "list")},
		{sweep.Prices, foreign(t, fields{"pageInfo": fields{"totalCount": 2}, "concepts": []fields{
			dollarsListed("A").with(fields{"products": []fields{{"id": "A"}}}), hryvnias.with(fields{"products": []fields{{"id": "C"}}})}}, "categoryGridRetrieve")},
	}
	for _, tt := range tests {
		t.Run(tt.kind.String(), func(t *testing.T) {
			page := open(t, small(), always(tt.answer)).read(t, "UA", tt.kind, begin(tt.kind))
			if !page.Interrupted || len(page.Parts) != 1 || page.Parts[0].Product != "C" || len(page.Present) > 0 {
				t.Errorf("the page is\n%s", text(page))
			}
		})
	}
}

// TestMissingProducts checks that a product that is not sold here is not a gap,
// and that one that could not be read is.
func TestMissingProducts(t *testing.T) {
	for code, interrupted := range map[string]bool{"3166081": false, "3162368": false, "500": true} {
		answer := fields{
			"data":   fields{"conceptRetrieve": fields{"id": "1", "products": []any{nil, fields{"id": "A", "name": "A", "webctas": []any{}}}}},
			"errors": []fields{{"message": "Product", "errorCode": json.Number(code)}},
		}
		page := open(t, small(), always(body(t, answer))).read(t, "UA", sweep.Editions, "1")
		if page.Interrupted != interrupted || len(page.Parts) != 1 {
			t.Errorf("%s:\n%s", code, text(page))
		}
	}
}

// TestOutdatedProfile checks that a rotated hash is reported as an outdated
// profile.
func TestOutdatedProfile(t *testing.T) {
	s := open(t, small(), always(`{"errors":[{"message":"PersistedQueryNotFound"}]}`))
	for _, kind := range []sweep.Kind{sweep.Prices, sweep.Titles, sweep.Editions, sweep.AddOns, sweep.Details} {
		_, err := s.try(t, "UA", kind, "")
		if failed, ok := errors.AsType[*upstream.Error](err); !ok || failed.Kind != upstream.Outdated {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestUnknownJobs checks jobs that the store does not have.
func TestUnknownJobs(t *testing.T) {
	p := small()
	p.Regions[0].Titles = nil
	s := open(t, p, always(`{"data":{}}`))
	for _, tt := range []struct {
		code string
		kind sweep.Kind
	}{{"PL", sweep.Prices}, {"UA", sweep.Titles}, {"UA", 0}, {"UA", 77}} {
		if _, err := s.try(t, tt.code, tt.kind, ""); err == nil {
			t.Errorf("%s %d is not an error", tt.code, tt.kind)
		}
	}
	if len(s.asked) > 0 {
		t.Errorf("asked %v", s.asked)
	}
}

// TestAddOnPages reads pages of two.
func TestAddOnPages(t *testing.T) {
	type page struct {
		ids  string
		info fields // nil: not in the answer
	}
	counted := func(total int) fields { return fields{"totalCount": total} }
	tests := []struct {
		name        string
		pages       []page // the last one is repeated
		want        string
		interrupted bool
	}{
		{"none", []page{{"", nil}}, "", false},
		{"none, counted", []page{{"", counted(0)}}, "", false},
		{"a full page and an empty one", []page{{"A B", nil}, {"", nil}}, "A B", false},
		{"two pages", []page{{"A B", nil}, {"C", nil}}, "A B C", false},
		{"counted", []page{{"A B", counted(4)}, {"C D", counted(4)}}, "A B C D", false},
		{"smaller pages than asked for", []page{{"A", counted(3)}, {"B", counted(3)}, {"C", counted(3)}}, "A B C", false},
		{"the count changes", []page{{"A B", counted(4)}, {"C D", counted(5)}, {"E", counted(5)}}, "A B C D E", true},
		{"the count is never reached", []page{{"A B", counted(4)}, {"", counted(4)}}, "A B", true},
		{"last before the count", []page{{"A B", fields{"totalCount": 4, "isLast": true}}}, "A B", true},
		{"one comes twice", []page{{"A B", counted(4)}, {"B C", counted(4)}}, "A B C", true},
		{"one without id", []page{{"A -", counted(2)}}, "A", true},
		{"no end", []page{{"A B", counted(1e6)}}, "A B", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			s := open(t, small(), func(q question) string {
				if want := fmt.Sprintf(`{"conceptId":"1","pageArgs":{"size":2,"offset":%d}}`, offset(t, q)); q.Variables != want {
					t.Errorf("asked %s, want %s", q.Variables, want)
				}
				p := tt.pages[min(asked, len(tt.pages)-1)]
				asked++
				list := fields{"addOnProducts": addOns(p.ids)}
				if p.info != nil {
					list["pageInfo"] = p.info
				}
				return body(t, fields{"data": fields{"some": nil, "list": list}})
			})
			got := s.read(t, "UA", sweep.AddOns, "1")
			var ids []string
			for _, part := range got.Parts {
				ids = append(ids, part.Product)
			}
			if strings.Join(ids, " ") != tt.want || got.Interrupted != tt.interrupted || got.Requests != asked {
				t.Errorf("%d of %d requests\n%s", got.Requests, asked, text(got))
			}
		})
	}
}

func addOns(ids string) []fields {
	list := []fields{}
	for id := range strings.FieldsSeq(ids) {
		list = append(list, fields{"id": strings.Trim(id, "-"), "name": "Add-on " + id, "price": fields{"basePrice": "₴10"}})
	}
	return list
}

func offset(t testing.TB, q question) int {
	var asked struct {
		PageArgs struct{ Offset int }
	}
	if err := json.Unmarshal([]byte(q.Variables), &asked); err != nil {
		t.Error(err)
	}
	return asked.PageArgs.Offset
}

// TestIncompleteAddOns checks that the add-ons before a failure do not count as all
// add-ons.
func TestIncompleteAddOns(t *testing.T) {
	s := open(t, small(), func(q question) string {
		if offset(t, q) > 0 {
			return `{"data":{"list":null},"errors":[{"message":"Concept not available","errorCode":3166081}]}`
		}
		return body(t, fields{"data": fields{"list": fields{"addOnProducts": addOns("A B")}}})
	})
	if page, err := s.try(t, "UA", sweep.AddOns, "1"); err == nil {
		t.Errorf("the page is\n%s", text(page))
	}
}

// TestPartialAddOns checks that a missing price is not taken for "not for
// sale".
func TestPartialAddOns(t *testing.T) {
	s := open(t, small(), always(`{"errors":[{"message":"Operation timed out!"}],"data":{"list":{"addOnProducts":[{"id":"A","name":"Coins","price":null}]}}}`))
	page := s.read(t, "UA", sweep.AddOns, "1")
	if !page.Interrupted || !slices.Equal(page.Present, []string{"A"}) || page.Parts[0].Shows&sweep.ShowsPrice != 0 {
		t.Errorf("the page is\n%s", text(page))
	}
}

// seeds are the seeds of fuzzing: objects by name, as answered.
var seeds = []string{
	`{"conceptRetrieve":{"id":"1","products":[{"id":"A","name":"A","edition":{"type":"PREMIUM"},"webctas":[{"type":"ADD_TO_CART","price":{"basePrice":"1,00","basePriceValue":100,"discountedValue":"50"}}]}]}}`,
	`{"categoryGridRetrieve":{"concepts":[{"id":"1","name":"A","price":{"basePrice":"1","isFree":true},"products":[{"id":"A"}]}],"pageInfo":{"totalCount":2}}}`,
	`{"list":{"addOnProducts":[{"id":"A","name":"A","storeDisplayClassification":"ITEM","price":{"basePrice":"Free","isFree":true,"endTime":1}}],"pageInfo":{"totalCount":1,"isLast":true}}}`,
	`{"productRetrieve":{"id":"1","name":"A","releaseDate":"9999-12-31T23:00:00Z","descriptions":[{"type":"LONG","value":"<p>a<br"}],"media":[{"role":"MASTER","url":"https://a/b"}],"starRating":{"totalRatingsCount":5},"contentRating":{"name":"X_1"},"webctas":[]}}`,
}

// FuzzRead checks that no answer makes the store panic, or return listings that
// the feed's checks refuse.
func FuzzRead(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed), "Operation timed out!")
		f.Add([]byte(seed), "")
	}
	cfg := consolestore.Config{Profile: small(), Texts: true, Images: true, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)}
	regions := []catalog.Region{catalog.MustRegion("UA")}
	f.Fuzz(func(t *testing.T, data []byte, fault string) {
		var faults []upstream.GraphError
		if fault != "" {
			faults = append(faults, upstream.GraphError{Message: fault})
		}
		for kind := sweep.Prices; kind <= sweep.Titles; kind++ {
			job := sweep.Job{Scope: sweep.Scope{Platform: catalog.ConsoleStore, Region: regions[0], Kind: kind}, Regions: regions}
			for _, from := range []string{"1", "uk-ua|1|2|1"} {
				page, err := consolestore.Decode(cfg, job, from, data, faults...)
				if err == nil {
					judge(t, page)
				}
			}
		}
	})
}

// judge checks the listings of the parts alone.
func judge(t *testing.T, page sweep.Page) {
	t.Helper()
	for i := range page.Parts {
		l, ok := sweep.Overlay(nil, &page.Parts[i])
		if !ok {
			continue
		}
		if err := feed.Check(&l, catalog.MillisOf(now)); err != nil {
			t.Errorf("%v:\n%s", err, text(page))
		}
	}
}

func TestPlainText(t *testing.T) {
	tests := []struct{ html, want string }{
		{"", ""},
		{"Line<br/>line<BR>line<br />line", "Line\nline\nline\nline"},
		{"\r<br/>\r<br/>a", "a"},
		{"<p>One</p><p class='x'>Two</p>", "One\n\nTwo"},
		{"a<br><br><br><br>b", "a\n\nb"},
		{"<b>bold</b> &amp; <i>more</i> &lt;3&nbsp;", "bold & more <3"},
		{"a < b > c <3", "a < b > c <3"},
		{"cut <br", "cut"},
		{"<!-- no -->yes\x00", "yes"},
		{strings.Repeat("é", 70_000), strings.Repeat("é", 32<<10)},
		{strings.Repeat("<", 300_000), strings.Repeat("<", 64<<10)},
	}
	for _, tt := range tests {
		if got := consolestore.PlainText(tt.html); got != tt.want {
			t.Errorf("%.60q becomes %.60q (%d bytes), want %.60q (%d)", tt.html, got, len(got), tt.want, len(tt.want))
		}
	}
}

// TestReleaseDate checks local midnights, from Auckland to Honolulu.
func TestReleaseDate(t *testing.T) {
	tests := []struct{ at, want string }{
		{"2026-04-23T11:00:00Z", "2026-04-24"},
		{"2026-04-23T12:00:00Z", "2026-04-24"},
		{"2026-04-23T15:00:00Z", "2026-04-24"},
		{"2026-04-23T21:00:00Z", "2026-04-24"},
		{"2026-04-24T00:00:00Z", "2026-04-24"},
		{"2026-04-24T04:00:00Z", "2026-04-24"},
		{"2026-04-24T10:00:00Z", "2026-04-24"},
		{"2026-04-24T00:00:00+03:00", "2026-04-24"},
		{"2026-04-24", "2026-04-24"},
		{"9999-12-31T23:00:00Z", ""},
		{"soon", ""},
		{"", ""},
	}
	for _, tt := range tests {
		if got := consolestore.ReleaseDate(tt.at); got != tt.want {
			t.Errorf("%s is %q, want %q", tt.at, got, tt.want)
		}
	}
}
