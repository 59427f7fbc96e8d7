package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const pricesPath = "/catalog/prices?ids=star-forge"

// unknownToken has a valid checksum but belongs to no key.
var unknownToken = tokenOf("000000000000000000000000000000")

func TestInvalidKeys(t *testing.T) {
	u := sharedClient(t)
	broken := u.token[:len(u.token)-1] + string('0'+(u.token[len(u.token)-1]-'0'+1)%10)
	if broken == u.token {
		broken = "gdx_" + strings.Repeat("0", 36)
	}
	for name, key := range map[string]with{
		"none":              noKey,
		"empty bearer":      header("Authorization", "Bearer "),
		"empty x-api-key":   func(r *http.Request) { noKey(r); r.Header.Set("X-Api-Key", "") },
		"other scheme":      header("Authorization", "Basic Zm9vOmJhcg=="),
		"malformed":         bearer("nonsense"),
		"no prefix":         bearer(strings.TrimPrefix(u.token, "gdx_")),
		"other prefix":      bearer("abc_" + strings.TrimPrefix(u.token, "gdx_")),
		"too long":          bearer(u.token + "0"),
		"wrong checksum":    bearer(broken),
		"unknown":           bearer(unknownToken),
		"in the URL":        noKey,
		"unknown x-api-key": func(r *http.Request) { noKey(r); r.Header.Set("X-Api-Key", unknownToken) },
		"bearer comes first": func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+unknownToken)
			r.Header.Set("X-Api-Key", u.token)
		},
	} {
		bulk := "api_key_invalid"
		if slices.Contains([]string{"none", "empty bearer", "empty x-api-key", "other scheme", "in the URL"}, name) {
			bulk = "api_key_missing"
		}
		inURL := "api_key=" + u.token + "&key=" + u.token
		for _, path := range []string{"/account/me?" + inURL, "/catalog/search?q=star&" + inURL, "/catalog/games/x", "/catalog/platforms"} {
			u.get(path, key).code(401, "UNAUTHORIZED").in("WWW-Authenticate", "Bearer").hasNoLimits()
		}
		u.get(pricesPath+"&"+inURL, key).code(401, bulk).in("WWW-Authenticate", "Bearer").hasNoLimits()
		u.post(`{"ids":["a"]}`, key).code(401, bulk).in("Cache-Control", "no-store")
	}
}

func TestWaysToSendAKey(t *testing.T) {
	u := sharedClient(t)
	for name, key := range map[string]with{
		"bearer":            bearer(u.token),
		"lower-case scheme": header("Authorization", "bearer "+u.token),
		"x-api-key":         func(r *http.Request) { noKey(r); r.Header.Set("x-api-key", u.token) },
		"other scheme beside": func(r *http.Request) {
			r.Header.Set("Authorization", "Basic Zm9vOmJhcg==")
			r.Header.Set("X-Api-Key", u.token)
		},
		"bearer before a bad x-api-key": func(r *http.Request) { r.Header.Set("X-Api-Key", "nonsense") },
	} {
		if a := u.get("/account/me", key); a.status != 200 {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
}

// TestOrderOfChecks sends requests with many faults at once, and checks that
// the first one in the contract's order is reported.
func TestOrderOfChecks(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	u := s.user(t)
	revokedID, revoked := newKey(t, s.dir, "--limit-minute", "1", "--permissions", "read:account")
	laterID, later := newKey(t, s.dir, "--permissions", "read:account")
	_, narrow := newKey(t, s.dir, "--limit-day", "3", "--permissions", "read:account")

	badBody := func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }
	u.do("PUT", "/nowhere", "{", noKey, badBody).code(404, "NOT_FOUND")
	u.do("PUT", "/catalog/prices", "{", noKey, badBody).code(405, "METHOD_NOT_ALLOWED")
	u.do("POST", "/catalog/prices", "{", noKey, badBody).code(401, "api_key_missing")
	// The server learns of changes in their order, once it knows a key. A request with the
	// revoked key itself would use up its minute.
	untilLater := func(status int) {
		u.eventually("/health", func(answer) bool { return u.get("/account/me", bearer(later)).status == status })
	}
	untilLater(200)
	must(t, s.dir, "", "key", "revoke", revokedID)
	must(t, s.dir, "", "key", "revoke", laterID)
	untilLater(403)
	for range 3 {
		u.do("POST", "/catalog/prices", "{", bearer(revoked), badBody).code(403, "KEY_REVOKED").hasLimits().in("X-RateLimit-Remaining-Minute", "1")
	}
	u.get("/catalog/search", bearer(narrow)).code(403, "INSUFFICIENT_PERMISSIONS").hasLimits().in("X-RateLimit-Remaining-Day", "2")
	u.do("POST", "/catalog/prices", "{", bearer(narrow), badBody).code(403, "INSUFFICIENT_PERMISSIONS").in("X-RateLimit-Remaining-Day", "1")
	u.get("/account/me", bearer(narrow)).want(200).in("X-RateLimit-Remaining-Day", "0")
	u.do("POST", "/catalog/prices", "{", bearer(narrow), badBody).code(429, "rate_limit_day").hasLimits()
	u.get("/catalog/search", bearer(narrow)).code(429, "RATE_LIMIT_EXCEEDED")

	large := strings.Repeat("x", 1<<20+1)
	u.do("POST", "/catalog/prices", large, badBody).code(415, "UNSUPPORTED_MEDIA_TYPE").hasLimits()
	u.post(large).code(413, "PAYLOAD_TOO_LARGE").hasLimits()
	u.post(`{"platform":"no"}`).code(400, "ids_required")
	u.get("/catalog/prices?regions=ZZ&include=no&platform=no&ids=a").invalid("platform", `"no"`, "enum:auto,consolestore,pcstore")
	u.get("/catalog/prices?regions=ZZ&include=no&ids=a").invalid("regions", `"ZZ"`, "country")
	u.get("/catalog/prices?include=no&ids=a").invalid("include", `"no"`, "enum:image,url,editions,meta,fx,lows")
	u.get("/catalog/prices?currency=no&ids=a").invalid("currency", `"no"`, "currency")
	u.get("/catalog/games/x?currency=no").invalid("currency", `"no"`, "currency")
	u.get("/catalog/search?offset=x&limit=x&platform=x&q=x").invalid("q", `"x"`, "minLength:2")
	u.get("/catalog/search?offset=x&limit=x&platform=x&q=xx").invalid("platform", `"x"`, "enum:all,consolestore,pcstore")
	u.get("/catalog/search?offset=x&limit=x&q=xx").invalid("limit", `"x"`, "integer")
	u.get("/catalog/search?offset=x&q=xx&includeMembers=x&includeRelated=x").invalid("offset", `"x"`, "integer")
	u.get("/catalog/search?q=xx&includeMembers=x&includeRelated=y").invalid("includeRelated", `"y"`, "boolean")
}

func TestSearchParameters(t *testing.T) {
	u := sharedClient(t)
	long := strings.Repeat("ж", 201)
	for _, c := range []struct{ query, field, value, constraint string }{
		{"", "q", "null", "required"},
		{"q=", "q", "null", "required"},
		{"q=&q=star", "q", "null", "required"},
		{"q=a", "q", `"a"`, "minLength:2"},
		{"q=%20a%20%20", "q", `" a  "`, "minLength:2"},
		{"q=%20", "q", `" "`, "minLength:2"},
		{"q=ж", "q", `"ж"`, "minLength:2"},
		{"q=" + long, "q", strconv.Quote(long), "maxLength:200"},
		{"q=%zz", "q", `"%zz"`, "encoding"},
		{"q=star%", "q", `"star%"`, "encoding"},
		{"q=%ff", "q", `"%ff"`, "encoding"},
		{"q=star&platform=%c3", "platform", `"%c3"`, "encoding"},
		{"q=star&unknown=%zz", "unknown", `"%zz"`, "encoding"},
		{"q=star&platform=steam", "platform", `"steam"`, "enum:all,consolestore,pcstore"},
		{"q=star&limit=0", "limit", `"0"`, "min:1"},
		{"q=star&limit=-5", "limit", `"-5"`, "min:1"},
		{"q=star&limit=ten", "limit", `"ten"`, "integer"},
		{"q=star&limit=1.5", "limit", `"1.5"`, "integer"},
		{"q=star&limit=1e1", "limit", `"1e1"`, "integer"},
		{"q=star&limit=0x10", "limit", `"0x10"`, "integer"},
	} {
		for _, endpoint := range []string{"search", "suggest"} {
			u.get("/catalog/"+endpoint+"?"+c.query).invalid(c.field, c.value, c.constraint).hasLimits().in("Cache-Control", "no-store")
		}
	}
	u.get("/catalog/search?q=star&limit=101").invalid("limit", `"101"`, "max:100")
	u.get("/catalog/search?q=star&limit=99999999999999999999").invalid("limit", `"99999999999999999999"`, "max:100")
	u.get("/catalog/suggest?q=star&limit=21").invalid("limit", `"21"`, "max:20")
	u.get("/catalog/search?q=star&offset=-1").invalid("offset", `"-1"`, "min:0")
	u.get("/catalog/search?q=star&includeRelated=yes").invalid("includeRelated", `"yes"`, "boolean")
	u.get("/catalog/search?q=star&includeMembers=2").invalid("includeMembers", `"2"`, "boolean")
	for _, path := range []string{"/account/me?x=%zz", "/account/usage?%zz=1", "/catalog/platforms?x=%ff", "/catalog/exchange-rates?x=%", "/catalog/games/x?x=%zz", pricesPath + "&x=%zz"} {
		if a := u.get(path).code(400, "INVALID_PARAMS"); a.text("error.details.constraint") != "encoding" {
			t.Errorf("%s: %s", path, a.body)
		}
	}
}

func TestLenientParameters(t *testing.T) {
	u := sharedClient(t)
	ok := func(query string) answer { return u.get("/catalog/search?" + query).want(200) }
	ok("q=star").is("data.limit", "10").is("data.offset", "0")
	ok("q=" + strings.Repeat("ж", 200))
	ok("q=%20star%09%0Aforge%20").is("data.total", ok("q=star+forge").at("data.total").(json.Number).String())
	ok("q=star&q=zz&limit=100&limit=0").is("data.limit", "100")
	ok("q=star&platform=&limit=&offset=&includeRelated=&unknown=1").is("data.limit", "10")
	ok("q=star&platform=%20PcStore%20").is("data.total", "1")
	ok("q=star&platform=ALL").is("data.total", ok("q=star").at("data.total").(json.Number).String())
	ok("q=star&offset=1000000").is("data.results", "[]").is("data.offset", "1000000")
	for _, yes := range []string{"1", "true", "TRUE", "%20True%20"} {
		ok("q=star&includeRelated="+yes).hasEach("data.results.0.related", entryFields)
	}
	for _, no := range []string{"0", "false", "FALSE", ""} {
		ok("q=star&includeRelated="+no).is("data.results.0.related", "null")
	}
	u.get("/catalog/suggest?q=star&limit=20").want(200)
	u.get("/catalog/suggest?q=star&limit=1").want(200).is("data.suggestions.1", "null")
}

func TestBulkBodies(t *testing.T) {
	u := sharedClient(t)
	for _, c := range []struct{ body, field, value, constraint string }{
		{"nonsense", "body", `"nonsense"`, "json"},
		{"[1]", "body", `"[1]"`, "json"},
		{`"ids"`, "body", `"\"ids\""`, "json"},
		{`{"ids":["a"]} x`, "body", `"{\"ids\":[\"a\"]} x"`, "json"},
		{`{"ids":["a"]`, "body", `"{\"ids\":[\"a\"]"`, "json"},
		{`{"ids":["a"],"ids":["b"]}`, "body", `"{\"ids\":[\"a\"],\"ids\":[\"b\"]}"`, "json"},
		{`{"ids":["a"],"x":1,"x":2}`, "body", `"{\"ids\":[\"a\"],\"x\":1,\"x\":2}"`, "json"},
		{`{"ids":5}`, "ids", "5", "array"},
		{`{"ids":{}}`, "ids", "{}", "array"},
		{`{"ids":true}`, "ids", "true", "array"},
		{`{"ids":["a",1]}`, "ids", `["a",1]`, "string"},
		{`{"ids":["a",null]}`, "ids", `["a",null]`, "string"},
		{`{"ids":["a"],"platform":1}`, "platform", "1", "string"},
		{`{"ids":["a"],"platform":["auto"]}`, "platform", `["auto"]`, "string"},
		{`{"ids":["a"],"platform":"xbox"}`, "platform", `"xbox"`, "enum:auto,consolestore,pcstore"},
		{`{"ids":["a"],"regions":1}`, "regions", "1", "string"},
		{`{"ids":["a"],"regions":[1]}`, "regions", "[1]", "string"},
		{`{"ids":["a"],"regions":"UA,XX"}`, "regions", `"XX"`, "country"},
		{`{"ids":["a"],"include":{}}`, "include", "{}", "string"},
		{`{"ids":["a"],"currency":"XBT"}`, "currency", `"XBT"`, "currency"},
		{`{"ids":["a"],"currency":["EUR"]}`, "currency", `["EUR"]`, "string"},
		{`{"ids":["a"],"include":["fx","all"]}`, "include", `["fx","all"]`, "enum:image,url,editions,meta,fx,lows"},
	} {
		u.post(c.body).invalid(c.field, c.value, c.constraint).hasLimits()
	}
	u.post("{\"ids\":[\"\xff\"]}").code(400, "INVALID_PARAMS")
	for _, none := range []string{"", "null", `{}`, `{"ids":null}`, `{"ids":[]}`, `{"ids":""}`, `{"ids":[" ,; \n"]}`, `{"IDS":["a"]}`} {
		u.post(none).code(400, "ids_required")
	}
	for _, none := range []string{"", "?ids=", "?ids=,%20;", "?IDS=a"} {
		u.get("/catalog/prices"+none).code(400, "ids_required")
	}
	u.do("POST", "/catalog/prices?ids=star-forge", "{}").code(400, "ids_required")
	u.do("POST", "/catalog/prices?ids=%zz", `{"ids":"a","platform":null,"regions":null,"include":null,"x":{"y":[1]}}`).want(200)
}

func TestBodyTypesAndSizes(t *testing.T) {
	u := sharedClient(t)
	const body = `{"ids":["a"]}`
	for kind, status := range map[string]int{
		"application/json": 200, "application/json; charset=utf-8": 200, "APPLICATION/JSON": 200,
		"text/plain": 415, "application/x-www-form-urlencoded": 415, "multipart/form-data; boundary=x": 415, "nonsense": 415,
	} {
		a := u.post(body, header("Content-Type", kind)).want(status)
		if status == 415 {
			a.code(415, "UNSUPPORTED_MEDIA_TYPE").hasLimits()
		}
	}
	u.do("POST", "/catalog/prices", body).want(200)
	u.post(body, header("Content-Encoding", "identity")).want(200)
	for _, coding := range []string{"gzip", "zstd"} {
		u.post(body, header("Content-Encoding", coding)).code(415, "UNSUPPORTED_MEDIA_TYPE")
	}
	fitting := body + strings.Repeat(" ", 1<<20-len(body))
	u.post(fitting).want(200)
	u.post(fitting+" ").code(413, "PAYLOAD_TOO_LARGE")
	chunked := func(r *http.Request) { r.ContentLength = -1 }
	u.post(fitting, chunked).want(200)
	u.post(fitting+" ", chunked).code(413, "PAYLOAD_TOO_LARGE")
	u.post(strings.Repeat("x", 3<<20), chunked).code(413, "PAYLOAD_TOO_LARGE")
}

func TestTooManyIDs(t *testing.T) {
	u := sharedClient(t)
	list := func(n int) string {
		ids := make([]string, n)
		for i := range ids {
			ids[i] = fmt.Sprint("game-", i)
		}
		return strings.Join(ids, ",")
	}
	u.post(`{"ids":"`+list(1000)+`"}`).want(200).is("counts", `{"notFound":1000,"requested":1000,"resolved":0}`)
	u.post(`{"ids":"` + list(1000) + `,GAME-1 game-2"}`).want(200)
	u.post(`{"ids":"`+list(1001)+`"}`).code(400, "too_many_ids").is("limit", "1000").is("received", "1001").is("error.details", "null")
	u.post(`{"ids":"` + list(200) + `","include":"editions"}`).want(200)
	u.post(`{"ids":"`+list(201)+`","include":["meta"," EDITIONS "]}`).code(400, "too_many_ids").is("limit", "200").is("received", "201")
	u.get("/catalog/prices?include=editions&ids="+list(201)).code(400, "too_many_ids").is("limit", "200")
	u.get("/catalog/prices?ids="+list(1001)).code(400, "too_many_ids").is("received", "1001").hasLimits()
}

func TestUnknownCards(t *testing.T) {
	u := sharedClient(t)
	long := strings.Repeat("a", 2000)
	for sent, id := range map[string]string{
		"NOTHING0": "NOTHING0", "x": "x", "star-forge": "star-forge", "%20": " ", "a%2Fb": "a/b", "..": "..",
		"%D0%B6": "ж", long: long, "EP0001-PPSA00001_00-STARFORGE0000001": "EP0001-PPSA00001_00-STARFORGE0000001",
	} {
		u.get("/catalog/games/"+sent).code(404, "GAME_NOT_FOUND").is("error.details", `{"gameId":"`+id+`"}`).hasLimits()
	}
	for _, slug := range []string{"nothing", "far-game", "star", starForge(u), "Far-Game"} {
		u.get("/catalog/pcstore/games/"+slug).code(404, "GAME_NOT_FOUND").is("error.details", `{"gameId":"`+slug+`"}`)
	}
}
