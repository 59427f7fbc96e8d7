package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"gamedex/internal/api/bulk"
)

const testFeed = "testdata/feed.ndjson"

// listing returns a line of the feed. more holds further members, including the
// title if it is to differ.
func listing(platform, region, product, observedAt, more string) string {
	if !strings.Contains(more, `"title":`) {
		more = strings.TrimSuffix(`"title":"Title of `+product+`",`+more, ",")
	}
	return fmt.Sprintf(`{"platform":%q,"region":%q,"product":%q,"observedAt":%q,%s}`+"\n", platform, region, product, observedAt, more)
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zstded(t *testing.T, text string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll([]byte(text), nil))
}

// testExport is what export prints for the test feed, imported in the simplest
// way.
func testExport(t *testing.T) string {
	t.Helper()
	return must(t, shared.open(t).dir, "", "export")
}

// TestImportInputs leaves the formats of a single input to the tests of package importer.
func TestImportInputs(t *testing.T) {
	t.Parallel()
	feed, want := read(t, testFeed), testExport(t)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/packed" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, gzipped(t, feed))
	}))
	t.Cleanup(web.Close)
	files := t.TempDir()
	half := len(feed) / 2
	half += strings.IndexByte(feed[half:], '\n') + 1
	writeFile(t, filepath.Join(files, "first"), feed[:half])
	writeFile(t, filepath.Join(files, "second.zst"), zstded(t, feed[half:]))
	for name, c := range map[string]struct {
		stdin string
		args  []string
	}{
		"packed standard input": {gzipped(t, feed), []string{"-"}},
		"two files":             {"", []string{filepath.Join(files, "second.zst"), filepath.Join(files, "first")}},
		"file and input":        {feed[half:], []string{filepath.Join(files, "first"), "-"}},
		"URL":                   {"", []string{web.URL + "/packed"}},
		"strict":                {feed, []string{"--strict", "-"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, dir, c.stdin, append([]string{"import"}, c.args...)...)
			if got := must(t, dir, "", "export"); got != want {
				t.Errorf("exports other listings:\n%s", got)
			}
		})
	}
	r := run(t, t.TempDir(), "", "import", web.URL+"/nowhere")
	if r.status != 1 || !strings.Contains(r.stderr, "404") || !strings.Contains(r.stderr, web.URL) {
		t.Errorf("a URL without a feed: %+v", r)
	}
}

func TestImportTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	u := s.user(t)
	before, answers := must(t, s.dir, "", "export"), everything(u)
	built := u.get(pricesPath).text("meta.indexBuiltAt")
	for range 2 {
		out := must(t, s.dir, "", "import", testFeed)
		if !strings.Contains(out, "stored 0 (0 new, 0 changed), unchanged 37, older 1, rejected 0") {
			t.Errorf("import prints %q", out)
		}
	}
	if after := must(t, s.dir, "", "export"); after != before {
		t.Error("the listings changed")
	}
	// A repeated line changes only the last-seen time; no snapshot is built for
	// it.
	later := strings.ReplaceAll(before, `"observedAt":"2024-05-`, `"observedAt":"2024-06-`)
	if out := must(t, s.dir, later, "import", "-"); !strings.Contains(out, "stored 0 (0 new, 0 changed), unchanged 37") {
		t.Errorf("import of the same, seen later, prints %q", out)
	}
	must(t, s.dir, listing("pcstore", "UA", "marker", "2024-05-01T10:00:00Z", `"slug":"marker"`), "import", "-")
	u.eventually("/catalog/pcstore/games/marker", func(a answer) bool { return a.status == 200 })
	if u.get(pricesPath).text("meta.indexBuiltAt") == built {
		t.Error("a new index has the old time")
	}
	after := everything(u)
	delete(after, "/catalog/platforms") // its times move
	delete(answers, "/catalog/platforms")
	compare(t, after, answers)
}

// everything returns the service's answers about the test feed: data and entity
// tag by path.
func everything(u *apiUser) map[string]string {
	u.t.Helper()
	var ids []string
	paths := []string{"/catalog/platforms", "/catalog/exchange-rates"}
	for _, q := range []string{"star", "moon", "night", "vault", "coming", "text", "lone", "зоряна", "forge+deluxe"} {
		path := "/catalog/search?limit=100&includeRelated=1&includeMembers=1&q=" + q
		paths = append(paths, path, "/catalog/suggest?q="+q)
		ids = append(ids, u.get(path).texts("data.results", "id")...)
	}
	for _, id := range ids {
		if strings.ToUpper(id) == id {
			paths = append(paths, "/catalog/games/"+id)
		} else {
			paths = append(paths, "/catalog/pcstore/games/"+id)
		}
	}
	paths = append(paths, "/catalog/prices?regions=all&include="+strings.Join(bulk.BlockNames[:], ",")+"&ids="+strings.Join(ids, ","))
	said := map[string]string{}
	for _, path := range paths {
		a := u.get(path).want(200)
		said[path] = fmt.Sprint(a.header.Get("ETag"), " ", a.at("data"))
	}
	return said
}

// compare fails the test if two services differ.
func compare(t *testing.T, got, want map[string]string) {
	t.Helper()
	for path, said := range want {
		if got[path] != said {
			t.Errorf("%s says\n%s\nwant\n%s", path, got[path], said)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d answers, want %d", len(got), len(want))
	}
}

// serveFeed starts a service in a folder that has its listings.
func serveFeed(t *testing.T, dir string) *apiUser {
	t.Helper()
	must(t, dir, "", "rates", "import", "testdata/rates.json")
	_, token := newKey(t, dir, highLimits...)
	u := start(t, dir).client(token)
	return u
}

func TestRejectedLines(t *testing.T) {
	dir := t.TempDir()
	const at = "2024-05-01T10:00:00Z"
	feed := listing("consolestore", "UA", "P1", at, "") +
		"# a comment\n\n" +
		listing("xbox", "UA", "P2", at, "") +
		listing("pcstore", "UA", "P3", at, "") +
		"nonsense\n" +
		listing("consolestore", "UA", "P4", at, `"price":{"currency":"UAH","base":100,"current":200}`) +
		listing("consolestore", "UA", "P5", at, `"vat":20,"price":{"currency":"UAH","base":100,"tax":1}`) +
		listing("consolestore", "UA", "P6", at, `"vat":20,"title":"once","title":"twice"`) +
		listing("consolestore", "UA", "P7", "2999-01-01T00:00:00Z", "")
	r := run(t, dir, feed, "import", "-")
	if r.status != 1 || !strings.Contains(r.stdout, "read 8, stored 2 (2 new, 0 changed), unchanged 0, older 0, rejected 6") {
		t.Errorf("import: %+v", r)
	}
	for _, want := range []string{
		`line 4: platform: "xbox"`, "line 5: slug:", "line 6: nonsense", "line 7: price.current: 200 is above base 100", `line 9: title`, "line 10: observedAt:",
	} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("import does not say %q:\n%s", want, r.stderr)
		}
	}
	for _, want := range []string{`unknown field "vat" ignored`, `unknown field "price.tax" ignored`} {
		if strings.Count(r.stdout, want) != 1 {
			t.Errorf("import does not say %q once:\n%s", want, r.stdout)
		}
	}

}

// TestStrictCopiesNextToDatabase checks that --strict copies the input to the
// folder of the database, since the data folder need not exist where --database
// names another place.
func TestStrictCopiesNextToDatabase(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "missing")
	database := "sqlite:" + filepath.Join(t.TempDir(), "elsewhere", "x.db")
	text := listing("consolestore", "TR", "P1", "2024-05-01T10:00:00Z", "")
	out := must(t, missing, text, "--database", database, "import", "--strict", "-")
	if !strings.HasPrefix(out, "read 1, stored 1 ") {
		t.Errorf("import --strict printed %q", out)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("it made an unused data folder")
	}
}

// TestComplete leaves what is withdrawn when to the tests of package importer.
func TestComplete(t *testing.T) {
	t.Parallel()
	const may, june = "2024-05-01T10:00:00Z", "2024-06-01T10:00:00Z"
	region := func(at string, from, to int) string {
		var b strings.Builder
		for i := from; i < to; i++ {
			b.WriteString(listing("consolestore", "TR", fmt.Sprintf("P%02d", i), at, ""))
		}
		return b.String()
	}
	other := listing("consolestore", "UA", "P99", may, "") + listing("pcstore", "TR", "P99", may, `"slug":"p99"`)
	fresh := func() string {
		dir := t.TempDir()
		must(t, dir, region(may, 0, 20)+other, "import", "-")
		return dir
	}
	withdrawn := func(dir string) int { return strings.Count(must(t, dir, "", "export"), `"withdrawn":true`) }

	dir := fresh()
	out := must(t, dir, region(june, 2, 20), "import", "--complete", "consolestore:TUR", "-")
	if !strings.Contains(out, "withdrawn 2") || withdrawn(dir) != 2 {
		t.Errorf("import --complete prints %q", out)
	}

	dir = fresh()
	r := run(t, dir, region(june, 3, 20), "import", "--complete", "consolestore:TR", "-")
	if r.status != 1 || !strings.Contains(r.stderr, "lacks 3 of the 20 listings of consolestore:TR") || !strings.Contains(r.stderr, "--force") || withdrawn(dir) != 0 {
		t.Errorf("more than a tenth: %+v, %d withdrawn", r, withdrawn(dir))
	}
	must(t, dir, region(june, 3, 20), "import", "--force", "--complete", "consolestore:TR", "-")
	if withdrawn(dir) != 3 {
		t.Errorf("--force withdraws %d, want 3", withdrawn(dir))
	}

}
