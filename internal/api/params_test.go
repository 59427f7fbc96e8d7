package api_test

import (
	"strings"
	"testing"
)

// wrong is the details of the one fault of a request, as JSON.
type wrong struct{ field, value, constraint string }

func (r reply) invalid(want wrong) {
	r.t.Helper()
	r.code(400, "INVALID_PARAMS").is("error.details.field", `"`+want.field+`"`).
		is("error.details.constraint", `"`+want.constraint+`"`).is("error.details.value", want.value)
}

func TestInvalidQueryParameters(t *testing.T) {
	w := newWorld(t, unlimited)
	const platforms = "enum:all,consolestore,pcstore"
	for _, c := range []struct {
		path string
		want wrong
	}{
		{"/catalog/search", wrong{"q", "null", "required"}},
		{"/catalog/search?q=", wrong{"q", "null", "required"}},
		{"/catalog/search?q=&q=star", wrong{"q", "null", "required"}},
		{"/catalog/search?q=%20a%20", wrong{"q", `" a "`, "minLength:2"}},
		{"/catalog/search?q=%D1%8F", wrong{"q", `"я"`, "minLength:2"}},
		{"/catalog/search?q=" + strings.Repeat("a", 201), wrong{"q", `"` + strings.Repeat("a", 201) + `"`, "maxLength:200"}},
		{"/catalog/search?q=%zz", wrong{"q", `"%zz"`, "encoding"}},
		{"/catalog/search?q=%ff%fe", wrong{"q", `"%ff%fe"`, "encoding"}},
		{"/catalog/search?q=star&q=%zz", wrong{"q", `"%zz"`, "encoding"}},
		{"/catalog/search?q=ab&other=%zz", wrong{"other", `"%zz"`, "encoding"}},
		{"/catalog/search?q=ab&platform=auto", wrong{"platform", `"auto"`, platforms}},
		{"/catalog/search?q=ab&limit=x", wrong{"limit", `"x"`, "integer"}},
		{"/catalog/search?q=ab&limit=1.5", wrong{"limit", `"1.5"`, "integer"}},
		{"/catalog/search?q=ab&limit=10.", wrong{"limit", `"10."`, "integer"}},
		{"/catalog/search?q=ab&limit=1.0.0", wrong{"limit", `"1.0.0"`, "integer"}},
		{"/catalog/search?q=ab&limit=%2B5", wrong{"limit", `"+5"`, "integer"}},
		{"/catalog/search?q=ab&limit=0", wrong{"limit", `"0"`, "min:1"}},
		{"/catalog/search?q=ab&limit=-99999999999999999999", wrong{"limit", `"-99999999999999999999"`, "min:1"}},
		{"/catalog/search?q=ab&limit=101", wrong{"limit", `"101"`, "max:100"}},
		{"/catalog/search?q=ab&offset=-1", wrong{"offset", `"-1"`, "min:0"}},
		{"/catalog/search?q=ab&offset=99999999999999999999", wrong{"offset", `"99999999999999999999"`, "max:2147483647"}},
		{"/catalog/search?q=ab&includeRelated=yes", wrong{"includeRelated", `"yes"`, "boolean"}},
		{"/catalog/search?q=ab&includeMembers=2", wrong{"includeMembers", `"2"`, "boolean"}},
		{"/catalog/suggest?q=a", wrong{"q", `"a"`, "minLength:2"}},
		{"/catalog/suggest?q=ab&limit=21", wrong{"limit", `"21"`, "max:20"}},
		{"/catalog/prices?ids=%zz", wrong{"ids", `"%zz"`, "encoding"}},
		{"/catalog/prices?ids=a&platform=all", wrong{"platform", `"all"`, "enum:auto,consolestore,pcstore"}},
		{"/catalog/prices?ids=a&regions=UA,+xx%3BTR", wrong{"regions", `"xx"`, "country"}},
		{"/catalog/prices?ids=a&regions=all,XX", wrong{"regions", `"XX"`, "country"}},
		{"/catalog/prices?ids=a&include=fx,all", wrong{"include", `"fx,all"`, "enum:image,url,editions,meta,fx,lows"}},
		{"/catalog/history", wrong{"ids", "null", "required"}},
		{"/catalog/history?ids=%20,", wrong{"ids", `" ,"`, "required"}},
		{"/catalog/history?ids=a&platform=all", wrong{"platform", `"all"`, "enum:auto,consolestore,pcstore"}},
		{"/catalog/history?ids=a&regions=xx", wrong{"regions", `"xx"`, "country"}},
		{"/catalog/history?ids=a&since=yesterday", wrong{"since", `"yesterday"`, "date"}},
		{"/catalog/history?ids=a&since=2026-01-01T00:00:00+02:00", wrong{"since", `"2026-01-01T00:00:00 02:00"`, "date"}},
		{"/catalog/history?ids=a&until=1767225600", wrong{"until", `"1767225600"`, "date"}},
		{"/catalog/history?ids=a&since=2026-03-02&until=2026-03-01T23:59:59Z", wrong{"until", `"2026-03-01T23:59:59Z"`, "min:2026-03-02T00:00:00.000Z"}},
		{"/catalog/history?ids=a&since=2027-01-01", wrong{"since", `"2027-01-01"`, "max:2026-11-20T07:00:12.345Z"}},
		{"/catalog/history?ids=a&until=x&since=x&regions=x", wrong{"regions", `"x"`, "country"}},
		{"/catalog/history?ids=a&until=x&since=x", wrong{"since", `"x"`, "date"}},
		{"/catalog/browse?platform=ps5", wrong{"platform", `"ps5"`, "enum:all,consolestore,pcstore"}},
		{"/catalog/browse?regions=ua,xx&types=x", wrong{"regions", `"xx"`, "country"}},
		{"/catalog/browse?types=game,base&sort=x", wrong{"types", `"game,base"`, "enum:game,edition,bundle,subscription,season-pass,dlc"}},
		{"/catalog/browse?genres=" + strings.Repeat("a,", 60) + "&genres=" + strings.Repeat("b;", 50), wrong{"genres", `"` + strings.Repeat("a,", 60) + "," + strings.Repeat("b;", 50) + `"`, "maxLength:100"}},
		{"/catalog/browse?publishers=a&publishers=%zz", wrong{"publishers", `"%zz"`, "encoding"}},
		{"/catalog/browse?releasedFrom=2025", wrong{"releasedFrom", `"2025"`, "date"}},
		{"/catalog/browse?releasedTo=2025-01-01T00:00:00Z", wrong{"releasedTo", `"2025-01-01T00:00:00Z"`, "date"}},
		{"/catalog/browse?addedAfter=yesterday&priced=x", wrong{"addedAfter", `"yesterday"`, "date"}},
		{"/catalog/browse?priced=maybe&sort=x", wrong{"priced", `"maybe"`, "boolean"}},
		{"/catalog/browse?distinct=cards&sort=x", wrong{"distinct", `"cards"`, "enum:games"}},
		{"/catalog/deals?distinct=1&sort=x", wrong{"distinct", `"1"`, "enum:games"}},
		{"/catalog/search?q=star&distinct=game&lang=e", wrong{"distinct", `"game"`, "enum:games"}},
		{"/catalog/browse?sort=price&facets=x", wrong{"sort", `"price"`, "enum:id,popularity,title,released,added"}},
		{"/catalog/browse?facets=types,all", wrong{"facets", `"types,all"`, "enum:types,genres,publishers,platforms,regions,years"}},
		{"/catalog/browse?limit=0&cursor=x", wrong{"limit", `"0"`, "min:1"}},
		{"/catalog/browse?limit=1001", wrong{"limit", `"1001"`, "max:1000"}},
		{"/catalog/browse?cursor=x&x=%zz", wrong{"cursor", `"x"`, "cursor"}},
		{"/catalog/deals?platform=ps5&regions=xx", wrong{"platform", `"ps5"`, "enum:all,consolestore,pcstore"}},
		{"/catalog/deals?regions=ua,xx&types=x", wrong{"regions", `"xx"`, "country"}},
		{"/catalog/deals?types=base&minDiscount=x", wrong{"types", `"base"`, "enum:game,edition,bundle,subscription,season-pass,dlc"}},
		{"/catalog/deals?minDiscount=101&maxDiscount=x", wrong{"minDiscount", `"101"`, "max:100"}},
		{"/catalog/deals?minDiscount=5.5", wrong{"minDiscount", `"5.5"`, "integer"}},
		{"/catalog/deals?maxDiscount=-1&maxPrice=x", wrong{"maxDiscount", `"-1"`, "min:0"}},
		{"/catalog/deals?maxPrice=19.99&maxUsd=x", wrong{"maxPrice", `"19.99"`, "integer"}},
		{"/catalog/deals?maxPrice=-1&regions=ua,tr", wrong{"maxPrice", `"-1"`, "min:0"}},
		{"/catalog/deals?maxPrice=9007199254740992", wrong{"maxPrice", `"9007199254740992"`, "max:9007199254740991"}},
		{"/catalog/deals?maxPrice=100&regions=ua,tr&maxUsd=x", wrong{"maxPrice", `"100"`, "oneRegion"}},
		{"/catalog/deals?maxPrice=100&regions=all", wrong{"maxPrice", `"100"`, "oneRegion"}},
		{"/catalog/deals?maxPrice=100&regions=eu", wrong{"maxPrice", `"100"`, "oneRegion"}},
		{"/catalog/deals?maxUsd=-1&low=x", wrong{"maxUsd", `"-1"`, "number"}},
		{"/catalog/deals?maxUsd=90071992547409.92", wrong{"maxUsd", `"90071992547409.92"`, "max:90071992547409.91"}},
		{"/catalog/deals?low=ever&nearLow=x", wrong{"low", `"ever"`, "enum:allTime,year,days90"}},
		{"/catalog/deals?nearLow=51&real=x", wrong{"nearLow", `"51"`, "max:50"}},
		{"/catalog/deals?nearLow=-1", wrong{"nearLow", `"-1"`, "min:0"}},
		{"/catalog/deals?real=maybe&endsWithin=x", wrong{"real", `"maybe"`, "boolean"}},
		{"/catalog/deals?endsWithin=48&startedWithin=x", wrong{"endsWithin", `"48"`, "duration"}},
		{"/catalog/deals?endsWithin=3651d", wrong{"endsWithin", `"3651d"`, "duration"}},
		{"/catalog/deals?startedWithin=yesterday&free=x", wrong{"startedWithin", `"yesterday"`, "duration"}},
		{"/catalog/deals?free=yes&subscription=x", wrong{"free", `"yes"`, "enum:no,only,any"}},
		{"/catalog/deals?subscription=1&sort=x", wrong{"subscription", `"1"`, "enum:no,only,any"}},
		{"/catalog/deals?sort=id&limit=x", wrong{"sort", `"id"`, "enum:discount,price,usd,saving,ends,started,popularity,title"}},
		{"/catalog/deals?sort=price&regions=ua,tr&limit=0", wrong{"sort", `"price"`, "oneRegion"}},
		{"/catalog/deals?limit=0&cursor=x", wrong{"limit", `"0"`, "min:1"}},
		{"/catalog/deals?limit=201", wrong{"limit", `"201"`, "max:200"}},
		{"/catalog/deals?cursor=x&currency=x", wrong{"cursor", `"x"`, "cursor"}},
		{"/catalog/deals?currency=EURO&x=%zz", wrong{"currency", `"EURO"`, "currency"}},
		{"/catalog/deals?x=%zz", wrong{"x", `"%zz"`, "encoding"}},
		{"/catalog/browse?x=%zz", wrong{"x", `"%zz"`, "encoding"}},
		{"/catalog/history?ids=a&since=%zz", wrong{"since", `"%zz"`, "encoding"}},
		{"/catalog/history?ids=a&other=%zz", wrong{"other", `"%zz"`, "encoding"}},
		{"/catalog/prices?ids=a&currency=%20xyz", wrong{"currency", `" xyz"`, "currency"}},
		{"/catalog/prices?ids=a&currency=XBT&currency=EUR", wrong{"currency", `"XBT"`, "currency"}},
		{"/catalog/prices?ids=a&currency=EUR&currency=%zz", wrong{"currency", `"%zz"`, "encoding"}},
		{"/catalog/games/" + forge + "?currency=ZZZ", wrong{"currency", `"ZZZ"`, "currency"}},
		{"/catalog/games/nope?currency=ZZZ", wrong{"currency", `"ZZZ"`, "currency"}},
		{"/catalog/games/" + forge + "?x=%zz&currency=ZZZ", wrong{"currency", `"ZZZ"`, "currency"}},
		{"/catalog/pcstore/games/star-forge?currency=1", wrong{"currency", `"1"`, "currency"}},
		{"/account/me?x=%", wrong{"x", `"%"`, "encoding"}},
		{"/catalog/platforms?%zz=1", wrong{"%zz", `"1"`, "encoding"}},
		{"/catalog/search?q=ab&lang=english", wrong{"lang", `"english"`, "language"}},
		{"/catalog/suggest?q=ab&lang=uk&lang=%zz", wrong{"lang", `"%zz"`, "encoding"}},
		{"/catalog/games/nope?lang=und", wrong{"lang", `"und"`, "language"}},
		{"/catalog/games/" + forge + "?lang=xx&currency=ZZZ", wrong{"currency", `"ZZZ"`, "currency"}},
		{"/catalog/pcstore/games/star-forge?lang=*", wrong{"lang", `"*"`, "language"}},
		{"/catalog/prices?ids=a&lang=x-private", wrong{"lang", `"x-private"`, "language"}},
		{"/catalog/prices?lang=x&currency=x&ids=a", wrong{"currency", `"x"`, "currency"}},
		{"/catalog/prices?ids=a&lang=" + strings.Repeat("en-", 3000), wrong{"lang", `"` + strings.Repeat("en-", 3000) + `"`, "language"}},
		{"/catalog/history?ids=a&lang=%E2%82%AC", wrong{"lang", `"€"`, "language"}},
		{"/catalog/deals?lang=zxx", wrong{"lang", `"zxx"`, "language"}},
		{"/catalog/browse?lang=e", wrong{"lang", `"e"`, "language"}},
		// The first fault in the order of the specification's table is reported.
		{"/catalog/search?offset=-1&limit=0&platform=x&q=a", wrong{"q", `"a"`, "minLength:2"}},
		{"/catalog/search?offset=-1&limit=0&platform=x&q=ab", wrong{"platform", `"x"`, platforms}},
		{"/catalog/search?offset=-1&limit=0&q=ab", wrong{"limit", `"0"`, "min:1"}},
		{"/catalog/search?types=x&includeMembers=x&q=ab", wrong{"includeMembers", `"x"`, "boolean"}},
		{"/catalog/search?types=game,x&q=ab", wrong{"types", `"game,x"`, "enum:game,edition,bundle,subscription,season-pass,dlc"}},
		{"/catalog/prices?include=x&regions=x&platform=x&ids=a", wrong{"platform", `"x"`, "enum:auto,consolestore,pcstore"}},
		{"/catalog/prices?include=x&regions=x&ids=a", wrong{"regions", `"x"`, "country"}},
		{"/catalog/prices?currency=x&include=x&ids=a", wrong{"include", `"x"`, "enum:image,url,editions,meta,fx,lows"}},
	} {
		t.Run(c.path[:min(len(c.path), 60)], func(t *testing.T) { w.get(c.path).invalid(c.want) })
	}
}

func TestValidQueryParameters(t *testing.T) {
	w := newWorld(t, unlimited)
	for _, c := range []struct{ path, at, want string }{
		{"/catalog/search?q=star&foo=bar", "data.total", "5"},
		{"/catalog/search?q=star&limit=1&limit=x", "data.limit", "1"},
		{"/catalog/search?q=star&limit=10.0&offset=0.00", "data.limit", "10"},
		{"/catalog/search?q=star&limit=&offset=", "data.limit", "10"},
		{"/catalog/search?q=star&offset=2147483647", "data.results", "[]"},
		{"/catalog/search?q=star&platform=%20PcStore%20", "data.total", "1"},
		{"/catalog/search?q=star&platform=ALL", "data.total", "5"},
		{"/catalog/search?q=trilogy&includeMembers=TRUE", "data.results.0.members.0.id", `"` + forge + `"`},
		{"/catalog/search?q=trilogy&includeMembers=0", "data.results.0.members", "null"},
		{"/catalog/search?q=%20star%09%20forge%20", "data.total", "5"},
		{"/catalog/search?q=star+forge", "data.total", "5"},
		{"/catalog/search?q=star;forge", "data.total", "5"},
		{"/catalog/suggest?q=star&limit=1", "data.suggestions.1", "null"},
		{"/catalog/prices?ids=" + strings.ToLower(forge) + "&ids=star-forge", "counts.resolved", "2"},
		{"/catalog/prices?ids=" + forge + ";STAR-FORGE", "counts.resolved", "2"},
		{"/catalog/prices?ids=a%0Ab%0D%0Ac%09d,,e;%20f", "counts.requested", "6"},
		{"/catalog/prices?ids=a&regions=ua,%20TUR,ukr&regions=pl", "filters.regions", `["UA","TR","PL"]`},
		{"/catalog/prices?ids=a&regions=ua;TUR%20pl%0Ain", "filters.regions", `["UA","TR","PL","IN"]`},
		{"/catalog/prices?ids=a&regions=uk,GB", "filters.regions", `["GB"]`},
		{"/catalog/prices?ids=a&regions=Global", "filters.regions", `["all"]`},
		{"/catalog/prices?ids=" + forge + "&regions=eu", "data.items.0.regions", `{}`},
		{"/catalog/prices?ids=a&regions=eu,tr", "filters.regions", `["TR"]`},
		{"/catalog/search?q=star&limit=1&includeRelated", "data.results.0.related.0.type", `"season-pass"`},
		{"/catalog/search?q=star&limit=1&includeRelated=", "data.results.0.related", "null"},
		{"/catalog/prices?ids=a&regions=,", "filters.regions", `["UA","TR","PL","IN"]`},
		{"/catalog/prices?ids=a&regions=us,ALL", "filters.regions", `["all"]`},
		{"/catalog/prices?ids=a&include=FX,image,fx&include=url", "filters.include", `["fx","image","url"]`},
		{"/catalog/history?ids=nope,NOPE;" + forge + "%20a", "counts.requested", "3"},
		{"/catalog/history?ids=a&since=2026-01-01", "filters.since", `"2026-01-01T00:00:00.000Z"`},
		{"/catalog/history?ids=a&since=&until=", "filters.since", "null"},
		{"/catalog/history?ids=a&since=%202026-01-01t02:00:00.5%2b02:00%20&since=x", "filters.since", `"2026-01-01T00:00:00.500Z"`},
		{"/catalog/history?ids=a&since=0001-01-01&until=9999-12-31", "filters.until", `"9999-12-31T00:00:00.000Z"`},
		{"/catalog/history?ids=a&since=2026-01-01&until=2026-01-01", "counts.steps", "0"},
		{"/catalog/prices?ids=a&platform=Auto", "filters.platform", `"auto"`},
		{"/catalog/prices?ids=a&currency=%20eUr%0A", "filters.currency", `"EUR"`},
		{"/catalog/prices?ids=a&currency=EUR&currency=XBT", "filters.currency", `"EUR"`},
		{"/catalog/prices?ids=a&currency=&currency=XBT", "filters", `{"include":[],"platform":"auto","regions":["UA","TR","PL","IN"]}`},
		{"/catalog/prices?ids=a&currency", "filters.currency", "null"},
		{"/catalog/games/" + forge + "?currency=&currency=XBT", "data.price.converted", "null"},
		{"/catalog/games/" + forge + "?currency=uah", "data.price.converted.currency", `"UAH"`},
		{"/catalog/deals?regions=UKR,ua&sort=Price&maxPrice=149900", "data.total", "1"}, // one country
		{"/catalog/deals?maxUsd=%2036.3%20&low=DAYS90", "data.total", "1"},
		{"/catalog/deals?maxUsd=90071992547409.91&maxPrice=9007199254740991", "data.total", "1"},
		{"/catalog/deals?endsWithin=2D&startedWithin=10m", "data.total", "1"},
		{"/catalog/deals?real", "data.total", "1"},
		{"/catalog/deals?free=only&subscription=ANY", "data.total", "0"},
		{"/catalog/deals?regions=us", "data.items", "[]"},
		{"/catalog/deals?limit=200&cursor=&currency=", "data.items.0.price.converted", "null"},
		{"/catalog/deals?currency=usd", "data.items.0.price.converted.value", "3630"},
		{"/catalog/prices?ids=a&currency=EUR&lang=%20PT-br", "filters", `{"currency":"EUR","include":[],"lang":"pt","platform":"auto","regions":["UA","TR","PL","IN"]}`},
		{"/catalog/prices?ids=a&lang=zh-TW&lang=x", "filters.lang", `"zh-Hant"`},
		{"/catalog/prices?ids=a&lang=&lang=x", "filters.lang", "null"},
		{"/catalog/history?ids=a&lang=en-GB", "filters.lang", `"en"`},
		{"/catalog/history?ids=a", "filters", `{"platform":"auto","regions":["UA","TR","PL","IN"],"since":null,"until":null}`},
		{"/catalog/games/" + forge + "?lang=%20", "data.title", `"Star Forge"`},
		// Search has no such parameter, and unknown ones are ignored.
		{"/catalog/search?q=star&currency=XBT", "data.total", "5"},
	} {
		t.Run(c.path, func(t *testing.T) { w.get(c.path).want(200).is(c.at, c.want) })
	}
}

func TestInvalidBodies(t *testing.T) {
	w := newWorld(t, unlimited)
	for _, c := range []struct {
		name, body string
		want       wrong
	}{
		{"no JSON", "ids=a", wrong{"body", `"ids=a"`, "json"}},
		{"an array", `["a"]`, wrong{"body", `"[\"a\"]"`, "json"}},
		{"cut off", `{"ids":["a"]`, wrong{"body", `"{\"ids\":[\"a\"]"`, "json"}},
		{"something after it", `{"ids":["a"]} x`, wrong{"body", `"{\"ids\":[\"a\"]} x"`, "json"}},
		{"a key twice", `{"ids":["a"],"ids":["b"]}`, wrong{"body", `"{\"ids\":[\"a\"],\"ids\":[\"b\"]}"`, "json"}},
		{"a key twice, spelled differently", `{"x":1,"\u0078":2}`, wrong{"body", `"{\"x\":1,\"\\u0078\":2}"`, "json"}},
		{"bad UTF-8", "{\"ids\":[\"\xff\"]}", wrong{"body", `"{\"ids\":[\"�\"]}"`, "encoding"}},
		{"half of a surrogate pair", `{"ids":["a\ud800"]}`, wrong{"body", `"{\"ids\":[\"a\\ud800\"]}"`, "encoding"}},
		{"the other half, in a name", `{"\udfff":1}`, wrong{"body", `"{\"\\udfff\":1}"`, "encoding"}},
		{"two halves in the wrong order", `{"ids":"\udc00\ud800"}`, wrong{"body", `"{\"ids\":\"\\udc00\\ud800\"}"`, "encoding"}},
		{"a control character", "{\"ids\":[\"a\nb\"]}", wrong{"body", `"{\"ids\":[\"a\nb\"]}"`, "json"}},
		{"a bad number in a field nobody reads", `{"x":01}`, wrong{"body", `"{\"x\":01}"`, "json"}},
		{"too deep", `{"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`,
			wrong{"body", `"{\"x\":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}"`, "json"}},
		{"ids a number", `{"ids":5}`, wrong{"ids", "5", "array"}},
		{"ids an object", `{"ids":{"a":1}}`, wrong{"ids", `{"a":1}`, "array"}},
		{"ids of numbers", `{"ids":["a",7]}`, wrong{"ids", `["a",7]`, "string"}},
		{"ids with null", `{"ids":["a",null]}`, wrong{"ids", `["a",null]`, "string"}},
		{"platform a number", `{"ids":["a"],"platform":1}`, wrong{"platform", "1", "string"}},
		{"platform an array", `{"ids":["a"],"platform":["auto"]}`, wrong{"platform", `["auto"]`, "string"}},
		{"regions a boolean", `{"ids":["a"],"regions":true}`, wrong{"regions", "true", "string"}},
		{"regions of numbers", `{"ids":["a"],"regions":[1]}`, wrong{"regions", "[1]", "string"}},
		{"no country", `{"ids":["a"],"regions":["UA","ZZ"]}`, wrong{"regions", `"ZZ"`, "country"}},
		{"currency a number", `{"ids":["a"],"currency":978}`, wrong{"currency", "978", "string"}},
		{"currency an array", `{"ids":["a"],"currency":["EUR"]}`, wrong{"currency", `["EUR"]`, "string"}},
		{"no currency, long", `{"ids":["a"],"currency":"` + strings.Repeat("x", 4096) + `"}`, wrong{"currency", "null", "currency"}},
		{"lang a number", `{"ids":["a"],"lang":1}`, wrong{"lang", "1", "string"}},
		{"no language", `{"ids":["a"],"lang":"en US"}`, wrong{"lang", `"en US"`, "language"}},
		{"no block", `{"ids":["a"],"include":"x"}`, wrong{"include", `"x"`, "enum:image,url,editions,meta,fx,lows"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.value = strings.ReplaceAll(c.want.value, "\n", `\n`)
			w.post(c.body).invalid(c.want)
		})
	}
}

// TestReasonsOfInvalidBodies checks that the message says what is wrong, and where.
func TestReasonsOfInvalidBodies(t *testing.T) {
	w := newWorld(t, unlimited)
	for body, want := range map[string]string{
		`{"ids":["a"`:               "the body ends too early (line 1, column 12)",
		`{"ids":["a"],"ids":["b"]}`: "the name ids is there twice (line 1, column 14)",
		"{\n  \"ids\": [\"ї\",]\n}": "line 2, column 14)",
		`["a"]`:                     "not one JSON object (line 1, column 1)",
		`{"ids":["a"]} x`:           "(line 1, column 14)",
		`{ids:1}`:                   "(line 1, column 2)",
		`{"ids":["\ud800"]}`:        "invalid surrogate pair",
	} {
		r := w.post(body).code(400, "INVALID_PARAMS")
		if message, _ := r.at("error.message").(string); !strings.Contains(message, want) {
			t.Errorf("%s: the message is %q, want %q in it", body, message, want)
		}
	}
}

func TestValidBodies(t *testing.T) {
	w := newWorld(t, unlimited)
	for _, c := range []struct{ body, at, want string }{
		{`{"ids":["` + forge + `","star-forge"]}`, "counts.resolved", "2"},
		{`{"ids":"` + forge + `, star-forge"}`, "counts.resolved", "2"},
		{`{"ids":["` + forge + `;a","b c"]}`, "counts.requested", "4"},
		{" {\n\t\"ids\" : [ \"a\" , \"b\" ] } \n", "counts.requested", "2"},
		{`{"ids":["a"],"other":{"x":[1,-2.5e+3,true,null,"\u00e9\n"]}}`, "counts.requested", "1"},
		{`{"ids":["a"],"platform":null,"regions":null,"include":null,"currency":null}`, "filters.regions", `["UA","TR","PL","IN"]`},
		{`{"ids":["\ud83d\ude00"]}`, "data.notFound", `["😀"]`},
		{`{"ids":["a"],"regions":["UA","TUR"]}`, "filters.regions", `["UA","TR"]`},
		{`{"ids":["a"],"regions":"ua,tr"}`, "filters.regions", `["UA","TR"]`},
		{`{"ids":["a"],"include":["fx","URL"]}`, "filters.include", `["fx","url"]`},
		{`{"ids":["a"],"currency":" try "}`, "filters.currency", `"TRY"`},
		{`{"ids":["a"],"currency":""}`, "filters.currency", "null"},
		{`{"ids":["` + forge + `"],"lang":"uk-UA"}`, "data.items.0.title", `"Зоряна кузня"`},
		{`{"ids":["a"],"lang":null}`, "filters.lang", "null"},
		{`{"ids":["star-forge"],"platform":"CONSOLESTORE"}`, "counts.notFound", "1"},
	} {
		t.Run(c.body, func(t *testing.T) { w.post(c.body).want(200).is(c.at, c.want) })
	}
	t.Run("the query string is not read", func(t *testing.T) {
		w.do("POST", "/catalog/prices?ids=%zz&platform=x", `{"ids":["a"]}`).want(200)
	})
}

func TestNumberOfIDs(t *testing.T) {
	w := newWorld(t, unlimited)
	list := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(",id-")
			b.WriteString(strings.Repeat("x", i%7))
			b.WriteString(string(rune('a'+i/26%26)) + string(rune('a'+i%26)) + string(rune('a'+i/676)))
		}
		return b.String()
	}
	for _, c := range []struct {
		name, body, code string
		limit, received  string
	}{
		{"only separators", `{"ids":[" ,;\n\t"]}`, "ids_required", "null", "null"},
		{"1001", `{"ids":"` + list(1001) + `"}`, "too_many_ids", "1000", "1001"},
		{"1001 and some twice", `{"ids":["` + list(1001) + `","` + strings.ToUpper(list(500)) + `"]}`, "too_many_ids", "1000", "1001"},
		{"201 with editions", `{"ids":"` + list(201) + `","include":"editions"}`, "too_many_ids", "200", "201"},
		{"201 with editions and faults", `{"ids":"` + list(201) + `","include":"editions,x","platform":"x"}`, "too_many_ids", "200", "201"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.post(c.body).code(400, c.code).is("limit", c.limit).is("received", c.received)
		})
	}
	w.post(`{"ids":"`+list(1000)+`"}`).want(200).is("counts.requested", "1000")
	w.post(`{"ids":["`+list(1000)+`","`+strings.ToUpper(list(1000))+`"]}`).want(200).is("counts.requested", "1000")
	w.post(`{"ids":"` + list(200) + `","include":"editions"}`).want(200)
	w.get("/catalog/prices").code(400, "ids_required")
	w.get("/catalog/prices?ids=,;").code(400, "ids_required")
	w.get("/catalog/prices?ids="+list(1001)).code(400, "too_many_ids")
}
