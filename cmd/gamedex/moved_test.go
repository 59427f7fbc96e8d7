package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMovedInstallation moves the sample catalog with two years of prices into an empty
// database by export and import, and compares the answers of both services byte for byte.
func TestMovedInstallation(t *testing.T) {
	t.Parallel()
	old := sharedDemo.open(t)
	moved := &shop{dir: t.TempDir()}
	must(t, moved.dir, must(t, old.dir, "", "export"), "import", "-")
	past := must(t, old.dir, "", "history", "export")
	must(t, moved.dir, past, "history", "import", "-")
	if out := must(t, moved.dir, past, "history", "import", "-"); !regexp.MustCompile(`added 0 steps, left out [1-9]\d{3,} (?s:.*)days with exchange rates: 0 added, [1-9]\d\d left out`).MatchString(out) {
		t.Errorf("second import: %s", out)
	}
	must(t, moved.dir, string(old.user(t).get("/catalog/exchange-rates").want(200).body), "rates", "import", "-")
	_, moved.token = newKey(t, moved.dir, highLimits...)
	moved.server = start(t, moved.dir)
	moved.healthy()

	list := ids(t, old.dir)
	paths := requestsOfAll(list)
	want, got := data(unchecked(t, old), paths), data(unchecked(t, moved), paths)
	compared := 0
	for path, said := range want {
		compared += len(said)
		if got[path] != said {
			t.Fatalf("%s: the moved installation answers otherwise (-old +moved):\n%.4000s", path, cmp.Diff(indented(t, said), indented(t, got[path])))
		}
	}
	t.Logf("%d bytes about %d cards are the same", compared, len(list))
	if len(list) < 100 || compared < 1<<20 {
		t.Error("the sample shows too little")
	}
}

// requestsOfAll returns requests whose answers together show everything about prices.
func requestsOfAll(ids []string) map[string]string {
	paths := map[string]string{}
	for some := range slices.Chunk(ids, 100) {
		paths["/catalog/prices?regions=all&include=lows,url,image,fx,meta,editions&ids="+strings.Join(some, ",")] = ""
	}
	for some := range slices.Chunk(ids, 20) {
		paths["/catalog/history?regions=all&since=2000-01-01&ids="+strings.Join(some, ",")] = ""
	}
	for _, order := range []string{"id", "popularity", "title", "released", "added"} {
		paths[fmt.Sprintf("/catalog/browse?limit=1000&sort=%s&facets=types,genres,publishers,platforms,regions,years", order)] = ""
	}
	for _, order := range []string{"discount", "usd", "saving", "ends", "started", "popularity", "title"} {
		for _, filter := range []string{"", "low=year", "nearLow=20", "real=1", "startedWithin=7d", "subscription=any"} {
			paths[fmt.Sprintf("/catalog/deals?limit=200&regions=all&sort=%s&%s", order, filter)] = ""
		}
	}
	return paths
}

// indented returns JSON with a line for each value.
func indented(t *testing.T, text string) string {
	t.Helper()
	value := decoded[any](t, text)
	out, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
