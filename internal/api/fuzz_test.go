package api_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"gamedex/internal/money"
)

// fuzzHandler is the API over the sample catalog, without a network. Its
// answers are checked for what no answer may contain.
func fuzzHandler(f *testing.F) func(t *testing.T, r *http.Request) int {
	w := newWorld(f, unlimited)
	return func(t *testing.T, r *http.Request) int {
		w.now.Add(60_000) // a minute, so that no fuzzer reaches the limit
		r.Header.Set("Authorization", "Bearer "+w.token)
		out := httptest.NewRecorder()
		w.api.ServeHTTP(out, r)
		var body struct {
			OK    *bool
			Error struct {
				Code    string
				Details struct{ Field, Constraint string }
			}
		}
		if err := json.Unmarshal(out.Body.Bytes(), &body); err != nil || body.OK == nil || *body.OK != (out.Code == 200) {
			t.Fatalf("%s %s: %d with the body %.300s (%v)", r.Method, r.URL, out.Code, out.Body, err)
		}
		if !slices.Contains([]int{200, 400, 404, 413, 415}, out.Code) {
			t.Fatalf("%s %s: %d %s", r.Method, r.URL, out.Code, out.Body)
		}
		if body.Error.Code == "INVALID_PARAMS" && (body.Error.Details.Field == "" && !strings.Contains(r.URL.RawQuery, "=")) {
			t.Fatalf("%s %s: no field in %s", r.Method, r.URL, out.Body)
		}
		return out.Code
	}
}

// request returns a request whose query string is exactly the given one.
func request(method, path, query string, body []byte) *http.Request {
	return &http.Request{
		Method: method, URL: &url.URL{Path: "/api/v1" + path, RawQuery: query}, Header: http.Header{},
		Body: http.NoBody, ContentLength: int64(len(body)),
	}
}

func FuzzQueryParameters(f *testing.F) {
	for _, seed := range []string{
		"", "q=star", "q=%zz", "q=%ff", "q=a%", "q=+&limit=1", "q=ab&limit=-0", "q=ab&limit=9223372036854775808", "q=ab&platform=%20ALL",
		"q=ab&includeRelated=TRUE&includeMembers=0", "q=\x00\x01", "q=ab&q=%", "=&&=x;&", "q=𝕊𝕥&offset=2147483647", "ids=a;b&regions=all&include=fx",
		"types=game,dlc&platforms=ps5;;&genres=a,b;c&publishers=%2c", "releasedFrom=2025-01-01&releasedTo=2025-02-30&addedAfter=x&priced", "sort=added&facets=types&cursor=AQ",
		"minDiscount=5&maxDiscount=95&maxPrice=100&maxUsd=19.99&free=no&subscription=any&sort=price", "regions=all&low=allTime&nearLow=5&real=1&endsWithin=48h&startedWithin=7d&sort=started",
		"ids=a&currency=eur", "ids=a&currency=%zz&currency=EUR", "ids=a&regions=ukr,ÜA, tr&platform=PCSTORE&include=fx,URL", "ids=a&regions=U A,001",
		"q=star&ids=a&lang=en", "q=star&ids=a&lang=zh-Hant-TW", "ids=a&lang=en-", "q=ab&lang=%ff", "lang=i-klingon&ids=" + forge,
	} {
		f.Add(seed)
	}
	answer := fuzzHandler(f)
	f.Fuzz(func(t *testing.T, query string) {
		for _, path := range []string{"/catalog/search", "/catalog/suggest", "/catalog/prices", "/catalog/history", "/catalog/browse", "/catalog/deals", "/account/me", "/catalog/platforms", "/catalog/games/" + forge} {
			code := answer(t, request("GET", path, query, nil))
			if _, err := url.ParseQuery(strings.ReplaceAll(query, ";", "")); err != nil && code == 200 {
				t.Fatalf("%s?%s is accepted, though %v", path, query, err)
			}
		}
	})
}

func FuzzIDs(f *testing.F) {
	for _, seed := range []string{
		"", forge, "a,b;c d\ne", ",;\r\n\t ", "ÄÖÜ,äöü", "star-forge,STAR-FORGE", "a\x00b", "\xff", strings.Repeat("x", 9000), former,
		"ſ,S,s", "İi̇", "12345678,ABCDEFGH,abcdefgh",
	} {
		f.Add(seed)
	}
	answer := fuzzHandler(f)
	f.Fuzz(func(t *testing.T, ids string) {
		inQuery := answer(t, request("GET", "/catalog/prices", "ids="+url.QueryEscape(ids), nil))
		body, err := json.Marshal(map[string]any{"ids": []string{ids}})
		must(t, err)
		r := request("POST", "/catalog/prices", "", body)
		r.Body = http.MaxBytesReader(nil, readCloser(body), 2<<20)
		if inBody := answer(t, r); inBody != inQuery && strings.ToValidUTF8(ids, "") == ids {
			t.Fatalf("%q: %d in a query, %d in a body", ids, inQuery, inBody)
		}
		answer(t, request("GET", "/catalog/games/"+ids, "", nil))
		answer(t, request("GET", "/catalog/pcstore/games/"+ids, "", nil))
	})
}

// FuzzCurrency checks that queries and bodies, bulk prices and cards take the same
// currencies: those of package money, and none that is empty.
func FuzzCurrency(f *testing.F) {
	for _, seed := range []string{"", "EUR", " usd\n", "TrY", "XBT", "ZZZ", "€", "EUR,USD", "ſEK", "\x00\x00\x00", "\xff", "null"} {
		f.Add(seed)
	}
	answer := fuzzHandler(f)
	f.Fuzz(func(t *testing.T, sent string) {
		want := 200
		if _, err := money.ParseCurrency(sent); err != nil && strings.TrimSpace(sent) != "" {
			want = 400
		}
		query := url.Values{"ids": {forge}, "currency": {sent}}.Encode()
		for _, path := range []string{"/catalog/prices", "/catalog/deals", "/catalog/games/" + forge, "/catalog/pcstore/games/star-forge"} {
			if code := answer(t, request("GET", path, query, nil)); code != want {
				t.Fatalf("%s with %q: %d, want %d", path, sent, code, want)
			}
		}
		if !utf8.ValidString(sent) {
			return // not to be sent in JSON
		}
		body, err := json.Marshal(map[string]any{"ids": []string{forge}, "currency": sent})
		must(t, err)
		r := request("POST", "/catalog/prices", "", body)
		r.Body = readCloser(body)
		if code := answer(t, r); code != want {
			t.Fatalf("a body with %q: %d, want %d", sent, code, want)
		}
	})
}

// FuzzTimes checks that times and dates are read as the standard library reads them, in
// queries and in bodies.
func FuzzTimes(f *testing.F) {
	for _, seed := range []string{"", "2026-11-20", " 2026-11-20t07:00:00.5z\n", "2026-11-20T07:00:00+23:59", "2026-02-29", "0000-01-01", "9999-12-31T23:59:59-12:00", "2026-11-20T24:00:00Z", "2026-11-20T07:00:60Z", "1e9", "\xff"} {
		f.Add(seed)
	}
	answer := fuzzHandler(f)
	f.Fuzz(func(t *testing.T, sent string) {
		want := 200
		if text := strings.ToUpper(strings.TrimSpace(sent)); text != "" || !utf8.ValidString(sent) {
			instant, err := time.Parse(time.RFC3339, text)
			date, noDate := time.Parse(time.DateOnly, text)
			if err != nil && noDate != nil || err == nil && instant.Year() < 1 || noDate == nil && date.Year() < 1 || !utf8.ValidString(sent) {
				want = 400
			}
		}
		if code := answer(t, request("GET", "/catalog/browse", url.Values{"addedAfter": {sent}}.Encode(), nil)); code != want {
			t.Fatalf("addedAfter %q: %d, want %d", sent, code, want)
		}
		if !utf8.ValidString(sent) {
			return // not to be sent in JSON
		}
		body, err := json.Marshal(map[string]any{"ids": forge, "since": "0001-01-02", "until": sent})
		must(t, err)
		r := request("POST", "/catalog/history", "", body)
		r.Body = readCloser(body)
		code := answer(t, r)
		if early := code == 400 && strings.Contains(sent, "0001-01-0"); code != want && !early { // before since
			t.Fatalf("until %q in a body: %d, want %d", sent, code, want)
		}
	})
}

func FuzzBodies(f *testing.F) {
	for _, seed := range []string{
		`{"ids":["a"]}`, `{"ids":"a,b","regions":["UA"],"include":"fx"}`, `{"ids":[1]}`, `{"ids":{}}`, `{}`, ``, `[]`, `{"ids":["a"],"ids":1}`,
		`{"x":[[[[{"y":[-0.1e-2,true,false,null,"\u00e9\ud83d\ude00\\"]}]]]],"ids":["\ud800"]}`, `{"ids":["a"]}}`, "{\"ids\":[\"\xff\"]}",
		`{"ids":null,"platform":null}`, `{"ids":["a"],"currency":"uah"}`, `{"ids":["a"],"currency":["EUR"]}`, "\ufeff{}", `{"ids":[`, `{"a":1e}`, `{"a":tru}`, `{"":"","":""}`, `{"ids":["a",]}`,
	} {
		f.Add([]byte(seed))
	}
	answer := fuzzHandler(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		r := request("POST", "/catalog/prices", "", body)
		r.Body = readCloser(body)
		code := answer(t, r)
		var object map[string]json.RawMessage
		if err := json.Unmarshal(body, &object); code == 200 && (err != nil || object == nil) {
			t.Fatalf("%q is accepted, though it is not a JSON object: %v", body, err)
		}
	})
}

type closer struct{ *bytes.Reader }

func (closer) Close() error { return nil }

func readCloser(b []byte) closer { return closer{bytes.NewReader(b)} }
