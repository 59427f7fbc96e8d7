package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// fields is one table of the specification: name → kind. A name that ends with
// ? may be absent; a kind may have alternatives ("time|null"). The object may
// have no other names.
type fields map[string]string

// The tables of spec.md, row by row.
var (
	keyFields = fields{
		"keyId": "string", "name": "string", "status": "string", "createdAt": "time",
		"expiresAt": "time|null", "lastUsedAt": "time", "permissions": "strings",
	}
	usageFields   = fields{"minute": "object", "day": "object", "history": "object"}
	windowFields  = fields{"limit": "integer", "used": "integer", "remaining": "integer", "resetAt": "time"}
	historyFields = fields{"last24h": "integer", "last7d": "integer", "last30d": "integer"}
	metaFields    = fields{"timestamp": "time", "rateLimit": "object"}
	limitFields   = fields{"limit": "integer", "remaining": "integer", "resetAt": "time"}

	ratesFields    = fields{"base": "string", "rates": "object", "updatedAt": "time"}
	platformFields = fields{"id": "string", "name": "string", "status": "string", "regions": "strings", "features": "object",
		"freshness": "object"} // an addition
	featureFields = fields{"search": "boolean", "details": "boolean", "prices": "boolean", "related": "boolean"}
	healthFields  = fields{"ok": "boolean", "status": "string", "version": "string", "uptime": "integer"}

	priceFields    = fields{"value": "integer|null", "currency": "string", "formatted": "string", "discount?": "object"}
	discountFields = fields{"percentage": "integer", "originalPrice": "integer", "endsAt?": "time"}
	entryFields    = fields{"id": "string", "title": "string", "type": "string", "price": "object|null"}

	searchFields = fields{
		"id": "string", "platform": "string", "title": "string", "type": "string", "thumbnail": "url",
		"price": "object|null", "regions": "strings", "storeUrl": "url", "platforms": "strings", "editionName": "string|null",
		"related?": "array", "members?": "array",
	}
	suggestFields = fields{"id": "string", "platform": "string", "title": "string", "thumbnail": "url", "platforms": "strings", "editionName": "string|null"}

	consoleCardFields = fields{
		"id": "string", "platform": "string", "title": "string", "description": "string", "type": "string",
		"thumbnail": "url", "images": "object", "price": "object|null", "regions": "strings", "releaseDate": "date",
		"publisher": "string", "developer": "string", "genres": "strings", "rating": "object", "storeUrl": "url",
		"related": "array", "variants": "array", "details": "object",
	}
	pcCardFields = fields{
		"slug": "string", "platform": "string", "title": "string", "description": "string", "type": "string",
		"thumbnail": "url", "images": "object", "price": "object|null", "releaseDate": "date",
		"publisher": "string", "developer": "string", "genres": "strings", "rating": "object", "storeUrl": "url",
		"offers": "array", "details": "object",
	}
	ratingFields  = fields{"age": "string", "system": "string"}
	detailsFields = fields{"editionName": "string|null", "platforms": "strings", "invariantName": "string", "titleIds": "strings"}

	bulkFields   = fields{"ok": "boolean", "filters": "object", "counts": "object", "regions": "strings", "data": "object", "meta": "object"}
	filterFields = fields{"platform": "string", "regions": "strings", "include": "strings"}
	countFields  = fields{"requested": "integer", "resolved": "integer", "notFound": "integer"}
	dataFields   = fields{"items": "array", "notFound": "strings", "exchangeRates?": "object|null", "moved?": "object"}
	bulkMeta     = fields{
		"version": "string", "requestId": "string", "timestamp": "time", "rateLimit": "object",
		"exchangeRates": "object|null", "indexBuiltAt": "time",
	}
	itemFields = fields{
		"id": "string", "platform": "string", "title": "string", "regions": "object", "regionsCount": "integer",
		"cheapest": "object|null", "updatedAt": "time",
	}
	itemBlocks      = fields{"imageUrl": "url|null", "storeUrl": "url|null", "links": "object", "meta": "object"}
	itemMetaFields  = fields{"editionName": "string|null", "publisher": "string", "releaseDate": "date", "genres": "strings", "platforms": "strings", "invariantName": "string"}
	linkFields      = fields{"card": "string", "store": "url|null"}
	cheapestFields  = fields{"region": "string", "usd": "number", "text": "string", "comparedRegions": "integer", "regionsCount": "integer"}
	rowPriceFields  = fields{"currency": "string", "base": "integer|null", "current": "integer|null", "baseText": "string", "currentText": "string", "discountPercent": "integer|null", "usd": "number|null", "isFree": "boolean", "isTrial": "boolean", "isSubPlus": "boolean", "edition": "string|null", "sku": "string|null"}
	regionOnly      = fields{"alpha2": "string", "discountLabel": "string|null", "discountEndAt": "time|null", "source": "string|null", "pricedAt": "time", "variantsCount": "integer"}
	regionBlocks    = fields{"storeUrl": "url|null", "editions": "array"}
	editionOnly     = fields{"id": "string", "title": "string", "type": "string"}
	regionFields    = joined(rowPriceFields, regionOnly)
	editionFields   = joined(rowPriceFields, editionOnly)
	fullItemFields  = joined(itemFields, itemBlocks)
	fullRegionField = joined(regionFields, regionBlocks)
)

func joined(tables ...fields) fields {
	all := fields{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}

// has fails the test if the value at a path is not an object of this table.
func (a answer) has(path string, table fields) answer {
	a.t.Helper()
	checkFields(a.t, a.request+": "+path, a.at(path), table)
	return a
}

// hasEach calls has for all elements of an array or members of an object.
func (a answer) hasEach(path string, table fields) answer {
	a.t.Helper()
	count := 0
	switch of := a.at(path).(type) {
	case []any:
		for i, e := range of {
			checkFields(a.t, fmt.Sprintf("%s: %s.%d", a.request, path, i), e, table)
			count++
		}
	case map[string]any:
		for name, e := range of {
			checkFields(a.t, fmt.Sprintf("%s: %s.%s", a.request, path, name), e, table)
			count++
		}
	}
	if count == 0 {
		a.t.Errorf("%s: no elements at %s", a.request, path)
	}
	return a
}

func checkFields(t *testing.T, where string, v any, table fields) {
	t.Helper()
	object, ok := v.(map[string]any)
	if !ok {
		t.Errorf("%s is %v, want an object", where, v)
		return
	}
	for name, kind := range table {
		plain, optional := strings.CutSuffix(name, "?")
		value, present := object[plain]
		if !present {
			if !optional {
				t.Errorf("%s lacks %s", where, plain)
			}
			continue
		}
		if !slices.ContainsFunc(strings.Split(kind, "|"), func(k string) bool { return isKind(value, k) }) {
			t.Errorf("%s.%s is %v, want %s", where, plain, value, kind)
		}
	}
	for name := range object {
		_, required := table[name]
		if _, optional := table[name+"?"]; !required && !optional {
			t.Errorf("%s has %s, which is in no table", where, name)
		}
	}
}

// moment is RFC 3339 in UTC with milliseconds at most.
var moment = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$`)

// isKind checks a value of the answer. An unknown text is the empty string,
// whatever its kind.
func isKind(v any, kind string) bool {
	text, isText := v.(string)
	number, isNumber := v.(json.Number)
	switch kind {
	case "null":
		return v == nil
	case "string":
		return isText
	case "time":
		_, err := time.Parse(time.RFC3339Nano, text)
		return isText && (text == "" || err == nil && moment.MatchString(text))
	case "date":
		_, err := time.Parse(time.DateOnly, text)
		return isText && (text == "" || err == nil)
	case "url":
		u, err := url.Parse(text)
		return isText && (text == "" || err == nil && u.Host != "")
	case "integer":
		_, err := number.Int64()
		return isNumber && err == nil
	case "number":
		return isNumber
	case "boolean":
		_, ok := v.(bool)
		return ok
	case "object":
		_, ok := v.(map[string]any)
		return ok
	case "array":
		_, ok := v.([]any)
		return ok
	case "strings":
		list, ok := v.([]any)
		return ok && !slices.ContainsFunc(list, func(e any) bool { return !isKind(e, "string") })
	}
	return false
}
