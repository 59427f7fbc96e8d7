package feed_test

import (
	"fmt"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
)

// listOf returns a JSON list of n copies of a value.
func listOf(n int, value string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(value+",", n), ",") + "]"
}

func price(members string) string { return console(`"price":{` + members + `}`) }

var refusals = []struct{ name, line, want string }{
	{"platform missing", console(`"platform":null`), `platform: is required`},
	{"platform empty", console(`"platform":""`), `platform: is required`},
	{"platform unknown", console(`"platform":"phone"`), `platform: "phone" is not one of consolestore, pcstore`},
	{"platform of a wrong type", console(`"platform":1`), `platform: 1 is a number, not a string`},
	{"region missing", console(`"region":null`), `region: is required`},
	{"region no country", console(`"region":"EU"`), `region: "EU" is not a country code (ISO 3166 alpha-2 or alpha-3)`},
	{"product missing", console(`"product":null`), `product: is required`},
	{"product too long", console(`"product":"` + strings.Repeat("x", 129) + `"`),
		`product: "` + strings.Repeat("x", 60) + `…" is longer than 128 bytes`},
	{"product counted in bytes", console(`"product":"` + strings.Repeat("ж", 65) + `"`),
		`product: "` + strings.Repeat("ж", 30) + `…" is longer than 128 bytes`},
	{"product with a control character", console(`"product":"a\u0007b"`), `product: "a\ab" has a control character`},
	{"product with a C1 control character", console(`"product":"a\u0085b"`), `product: "a\u0085b" has a control character`},
	{"slug missing on pcstore", pc(`"slug":null`), `slug: is required`},
	{"slug with a space", pc(`"slug":"star forge"`), `slug: "star forge" is not a slug: 1 to 128 bytes of letters, digits, -, _ and .`},
	{"slug blank", pc(`"slug":" "`), `slug: " " is not a slug: 1 to 128 bytes of letters, digits, -, _ and .`},
	{"slug that is a step up in a path", pc(`"slug":".."`), `slug: ".." is not a slug: 1 to 128 bytes of letters, digits, -, _ and .`},
	{"slug with a separator of ids", pc(`"slug":"star,forge"`), `slug: "star,forge" is not a slug: 1 to 128 bytes of letters, digits, -, _ and .`},
	{"slug with percent escapes", pc(`"slug":"citro%C3%ABn"`), `slug: "citro%C3%ABn" is not a slug: 1 to 128 bytes of letters, digits, -, _ and .`},
	{"slug too long", pc(`"slug":"` + strings.Repeat("x", 129) + `"`),
		`slug: "` + strings.Repeat("x", 60) + `…" is not a slug: 1 to 128 bytes of letters, digits, -, _ and .`},
	{"slug wrong on consolestore too", console(`"slug":"a/b"`), `slug: "a/b" is not a slug: 1 to 128 bytes of letters, digits, -, _ and .`},
	{"alias wrong", pc(`"aliases":["ok","not ok"]`), `aliases: "not ok" is not a slug: 1 to 128 bytes of letters, digits, -, _ and .`},
	{"aliases no list", pc(`"aliases":"a"`), `aliases: "a" is a string, not a list`},
	{"title ids over the bound", console(`"titleIds":` + listOf(201, `"PPSA00001"`)), `titleIds: has more than 200 entries`},
	{"title id of a wrong type", console(`"titleIds":["a",1]`), `titleIds: 1 is a number, not a string`},
	{"title missing", console(`"title":null`), `title: is required`},
	{"title blank", console(`"title":" \t"`), `title: " \t" is blank`},
	{"title too long", console(`"title":"` + strings.Repeat("ж", 501) + `"`),
		`title: "` + strings.Repeat("ж", 30) + `…" is longer than 500 characters`},
	{"title with NUL", console(`"title":"a\u0000"`), `title: "a\x00" holds a NUL character`},
	{"locale no tag", console(`"locale":"en_US"`), `locale: "en_US" is not a language tag (BCP 47)`},
	{"locale with an empty part", console(`"locale":"en-"`), `locale: "en-" is not a language tag (BCP 47)`},
	{"locale with a long part", console(`"locale":"en-abcdefghi"`), `locale: "en-abcdefghi" is not a language tag (BCP 47)`},
	{"locale that begins with a digit", console(`"locale":"1en"`), `locale: "1en" is not a language tag (BCP 47)`},
	{"titles no object", console(`"titles":["a"]`), `titles: ["a"] is a list, not an object`},
	{"titles with a bad locale", console(`"titles":{"":"a"}`), `titles: "" is not a language tag (BCP 47)`},
	{"titles with a wrong type", console(`"titles":{"ru":5}`), `titles.ru: 5 is a number, not a string`},
	{"titles with a locale twice", console(`"titles":{"ru":"a","ru":"b"}`), `titles.ru: is given twice`},
	{"titles too long", console(`"titles":{"ru":"` + strings.Repeat("x", 501) + `"}`),
		`titles.ru: "` + strings.Repeat("x", 60) + `…" is longer than 500 characters`},
	{"titles over the bound", console(`"titles":` + manyTitles(201)), `titles: has more than 200 entries`},
	{"type unknown", console(`"type":"toy"`),
		`type: "toy" is not one of game, dlc, edition, bundle, season-pass, subscription, base`},
	{"base on consolestore", console(`"type":"base"`), `type: "base" is for pcstore only`},
	{"demo no boolean", console(`"demo":"yes"`), `demo: "yes" is a string, not a boolean`},
	{"description too long", console(`"description":"` + strings.Repeat("x", 64<<10+1) + `"`),
		`description: "` + strings.Repeat("x", 60) + `…" is longer than 65536 bytes`},
	{"edition of 4097 bytes", console(`"edition":"` + strings.Repeat("x", 4097) + `"`),
		`edition: "` + strings.Repeat("x", 60) + `…" is longer than 4096 bytes`},
	{"store URL without scheme", console(`"storeUrl":"store.example/x"`), `storeUrl: "store.example/x" is not an http or https URL`},
	{"store URL of another scheme", console(`"storeUrl":"javascript:alert(1)"`), `storeUrl: "javascript:alert(1)" is not an http or https URL`},
	{"store URL without host", console(`"storeUrl":"https:///x"`), `storeUrl: "https:///x" is not an http or https URL`},
	{"store URL too long", console(`"storeUrl":"https://` + strings.Repeat("x", 2041) + `"`),
		`storeUrl: "https://` + strings.Repeat("x", 52) + `…" is longer than 2048 bytes`},
	{"store URL with a control character", console(`"storeUrl":"https://a.example/\u0001"`),
		`storeUrl: "https://a.example/\x01" has a control character`},
	{"release date in another form", console(`"releaseDate":"2026-1-2"`), `releaseDate: "2026-1-2" is not a date (YYYY-MM-DD)`},
	{"release date that does not exist", console(`"releaseDate":"2026-02-30"`), `releaseDate: "2026-02-30" is not a date (YYYY-MM-DD)`},
	{"genres over the bound", console(`"genres":` + listOf(201, `"RPG"`)), `genres: has more than 200 entries`},
	{"empty entries count for the bound", console(`"genres":` + listOf(201, `""`)), `genres: has more than 200 entries`},
	{"platforms no list", console(`"platforms":{"a":1}`), `platforms: {"a":1} is an object, not a list`},
	{"rating no object", console(`"rating":"18"`), `rating: "18" is a string, not an object`},
	{"rating age a number", console(`"rating":{"age":18}`), `rating.age: 18 is a number, not a string`},
	{"cover no URL", console(`"images":{"cover":"/c.jpg"}`), `images.cover: "/c.jpg" is not an http or https URL`},
	{"thumbnail no URL", console(`"images":{"thumbnail":"t"}`), `images.thumbnail: "t" is not an http or https URL`},
	{"logo no URL", console(`"images":{"logo":"l"}`), `images.logo: "l" is not an http or https URL`},
	{"screenshot no URL", console(`"images":{"screenshots":["http://a.example/1","ftp://a.example"]}`),
		`images.screenshots: "ftp://a.example" is not an http or https URL`},
	{"member too long", console(`"members":["` + strings.Repeat("x", 129) + `"]`),
		`members: "` + strings.Repeat("x", 60) + `…" is longer than 128 bytes`},
	{"popularity negative", console(`"popularity":-0.5`), `popularity: -0.5 is not a number of 0 or more`},
	{"popularity too large", console(`"popularity":1e999`), `popularity: 1e999 is too large`},
	{"popularity no number", console(`"popularity":"7"`), `popularity: "7" is a string, not a number`},
	{"price no object", console(`"price":100`), `price: 100 is a number, not an object`},
	{"price with nothing", price(``), `price: has no number and no text`},
	{"price with a currency only", price(`"currency":"TRY"`), `price: has no number and no text`},
	{"currency missing", price(`"current":100`), `price.currency: is required`},
	{"currency unknown", price(`"currency":"XYZ","current":100`), `price.currency: "XYZ" is not an ISO 4217 code in use at observedAt`},
	{"currency that had ended", price(`"currency":"BGN","current":100`), `price.currency: "BGN" is not an ISO 4217 code in use at observedAt`},
	{"current above base", price(`"currency":"TRY","base":4000,"current":5000`), `price.current: 5000 is above base 4000`},
	{"base negative", price(`"currency":"TRY","base":-1`), `price.base: -1 is not between 0 and 10000000000000`},
	{"current over the bound", price(`"currency":"TRY","current":10000000000001`),
		`price.current: 10000000000001 is not between 0 and 10000000000000`},
	{"current beyond 64 bits", price(`"currency":"TRY","current":100000000000000000000`),
		`price.current: 100000000000000000000 is not between 0 and 10000000000000`},
	{"current with a fraction", price(`"currency":"TRY","current":12.50`), `price.current: 12.50 must be whole hundredths: 1250`},
	{"current with an empty fraction", price(`"currency":"TRY","current":12.0`), `price.current: 12.0 must be whole hundredths: 1200`},
	{"current with an exponent", price(`"currency":"TRY","current":1e2`), `price.current: 1e2 must be whole hundredths: 10000`},
	{"current a string", price(`"currency":"TRY","current":"12"`), `price.current: "12" is a string, not an integer`},
	{"percent over 100", price(`"currency":"TRY","current":1,"discountPercent":101`), `price.discountPercent: 101 is not between 0 and 100`},
	{"percent negative", price(`"currency":"TRY","current":1,"discountPercent":-1`), `price.discountPercent: -1 is not between 0 and 100`},
	{"percent with a fraction", price(`"currency":"TRY","current":1,"discountPercent":33.3`), `price.discountPercent: 33.3 must be a whole number`},
	{"discount end no time", price(`"currentText":"1","discountEndsAt":"tomorrow"`),
		`price.discountEndsAt: "tomorrow" is not an RFC 3339 time such as 2026-11-20T03:00:00Z`},
	{"trial no boolean", price(`"currentText":"1","trial":1`), `price.trial: 1 is a number, not a boolean`},
	{"observedAt missing", console(`"observedAt":null`), `observedAt: is required`},
	{"observedAt without zone", console(`"observedAt":"2026-11-20T03:00:00"`),
		`observedAt: "2026-11-20T03:00:00" is not an RFC 3339 time such as 2026-11-20T03:00:00Z`},
	{"observedAt ahead", console(`"observedAt":"2026-11-20T04:10:00.001Z"`),
		`observedAt: 2026-11-20T04:10:00.001Z is more than 10 minutes ahead of the clock: is it local time without its offset?`},
	{"observedAt before 1970", console(`"observedAt":"1969-12-31T23:59:59Z"`),
		`observedAt: "1969-12-31T23:59:59Z" is not between the years 1970 and 9999`},
	{"firstSeenAt later", console(`"firstSeenAt":"2026-11-20T03:00:01Z"`),
		`firstSeenAt: 2026-11-20T03:00:01Z is after observedAt 2026-11-20T03:00:00Z`},
	{"pricedAt later", console(`"pricedAt":"2026-11-20T03:00:01Z"`),
		`pricedAt: 2026-11-20T03:00:01Z is after observedAt 2026-11-20T03:00:00Z`},
	{"withdrawn without product", line(`"platform":"pcstore","region":"TR"`, `"withdrawn":true`), `product: is required`},
	{"withdrawn with a wrong field", console(`"withdrawn":true,"storeUrl":"x"`), `storeUrl: "x" is not an http or https URL`},
	{"field twice", console(`"family":"1","family":"1"`), `family: is given twice`},
	{"field twice, once escaped", console(`"family":"1","f\u0061mily":"1"`), `family: is given twice`},
	{"field twice, both null", console(`"family":null,"family":null`), `family: is given twice`},
	{"price field twice", price(`"currentText":"1","currentText":"1"`), `price.currentText: is given twice`},
	{"unknown field twice", console(`"vat":1,"vat":2`), `vat: is given twice`},
	{"field twice inside an unknown one", console(`"more":[{"a":1,"a":1}]`), `a: is given twice`},
	{"not an object", `["a"]`, `["a"] is not a JSON object`},
	{"CSV", `platform;region`, `platform;region is not a JSON object`},
	{"escape sequences for a terminal", "\x1b]0;gone\a\u009b2J", `\x1b]0;gone\a\u009b2J is not a JSON object`},
	{"escape sequences in a name", console("\"\\u001b[2J\":1,\"\\u001b[2J\":2"), `\x1b[2J: is given twice`},
	{"a byte order mark within a line", " \ufeff{}", ` \ufeff{} is not a JSON object`},
	{"cut off", `{"platform":"consolestore"`, `is not JSON: ends too early`},
	{"a comma too many", `{"platform":"consolestore",}`, `is not JSON: unexpected '}' at byte 28`},
	{"more after the object", console("") + "{}", `is not JSON: unexpected '{' at byte 114`},
	{"invalid UTF-8", console(`"family":"` + "\xff" + `"`), `is not valid UTF-8`},
	{"half a surrogate pair", console(`"family":"\ud83d"`), `family: is not JSON: half of a surrogate pair before at byte 130`},
	{"nested too deep", console(`"more":` + strings.Repeat("[", 100)), `is not JSON: nested deeper than 100 at byte 220`},
}

func manyTitles(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"x-%d":"a"`, i)
	}
	return "{" + b.String()[1:] + "}"
}

func TestReaderRefuses(t *testing.T) {
	for _, tt := range refusals {
		t.Run(tt.name, func(t *testing.T) {
			if got, want := refusal(t, tt.line).Error(), "line 1: "+tt.want; got != want {
				t.Errorf("%.300s\n got %s\nwant %s", tt.line, got, want)
			}
		})
	}
}

// TestCheckRefuses checks listings that no line can contain.
func TestCheckRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(*catalog.Listing)
		want   string
	}{
		{"unknown platform", func(l *catalog.Listing) { l.Platform = 9 }, "platform: is not one of consolestore, pcstore"},
		{"unknown type", func(l *catalog.Listing) { l.Facts.Type = 99 }, "type: is not a type of the format"},
		{"invalid UTF-8", func(l *catalog.Listing) { l.Facts.Family = "\xff" }, "family: is not valid UTF-8"},
		{"locale twice", func(l *catalog.Listing) {
			l.Facts.Titles = []catalog.LocalTitle{{Locale: "ru", Title: "a"}, {Locale: "en", Title: "b"}, {Locale: "ru", Title: "c"}}
		}, "titles.ru: is given twice"},
		{"list over the bound", func(l *catalog.Listing) { l.Facts.Members = make([]string, 201); fill(l.Facts.Members) },
			"members: has more than 200 entries"},
		{"negative amount", func(l *catalog.Listing) { l.Price.Base = -2 }, "price.base: -2 is not between 0 and 10000000000000"},
		{"percent", func(l *catalog.Listing) { l.Price.DiscountPercent = 200 }, "price.discountPercent: 200 is not between 0 and 100"},
		{"discount end", func(l *catalog.Listing) { l.Price.DiscountEndsAt = 1 << 60 },
			"price.discountEndsAt: is not between the years 1970 and 9999"},
		{"observedAt negative", func(l *catalog.Listing) { l.ObservedAt = -1 }, "observedAt: is not between the years 1970 and 9999"},
		{"firstSeenAt negative", func(l *catalog.Listing) { l.FirstSeenAt = -1 }, "firstSeenAt: is not between the years 1970 and 9999"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := read(t, price(`"currency":"TRY","base":200,"current":100`))
			tt.change(&l)
			err := feed.Check(&l, catalog.MillisOf(now))
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func fill(list []string) {
	for i := range list {
		list[i] = "p"
	}
}
