package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"gamedex/internal/publish"
	"gamedex/internal/testing/await"
)

// publishedFiles returns the number of the newest manifest in the folder of a bucket, and the
// names of its files by what they are.
func publishedFiles(t *testing.T, folder string) (seq int64, files map[string]string) {
	t.Helper()
	all := manifestNames(t, folder)
	content := []byte(read(t, filepath.Join(folder, all[len(all)-1])))
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()
	if plain, err := decoder.DecodeAll(content, nil); err == nil { // of an S3 service
		content = plain
	}
	m, err := publish.DecodeManifest(content)
	if err != nil {
		t.Fatal(err)
	}
	return m.Seq, map[string]string{"manifest": publish.ManifestName(m.Seq), "catalog": m.Catalog, "prices": m.Prices, "lows": m.Lows[0]}
}

// manifestNames returns the names of the manifests in the folder of a bucket, oldest first.
func manifestNames(t *testing.T, folder string) (names []string) {
	t.Helper()
	found, err := os.ReadDir(filepath.Join(folder, "manifest"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no manifests: %v", err)
	}
	for _, file := range found {
		names = append(names, "manifest/"+file.Name())
	}
	return names
}

// isWhole reports whether gamedex check finds no damage.
func isWhole(t *testing.T, dir string, args ...string) bool {
	t.Helper()
	return run(t, dir, "", append([]string{"check"}, args...)...).status == 0
}

// TestDamageOnOneMachine damages each file of the newest snapshot of a running service. It
// publishes them again, without being asked, and goes on.
func TestDamageOnOneMachine(t *testing.T) {
	fileOnly(t, "an S3 service is listed every ten minutes only")
	t.Parallel()
	s := newShop(t)
	u := s.user(t)
	must(t, s.dir, besideLine, "import", "-")
	u.eventually("/catalog/search?q=beside", func(a answer) bool { // its builder has begun: it repairs, and does not begin anew
		found, ok := a.at("data.results").([]any)
		return ok && len(found) > 0
	})
	want := everything(u)
	for _, which := range []string{"manifest", "catalog", "prices", "lows"} {
		seq, files := publishedFiles(t, snapshotFolder(t, s.dir))
		scribble(t, filepath.Join(snapshotFolder(t, s.dir), files[which]))
		r := run(t, s.dir, "", "check")
		if !strings.Contains(r.stderr, "publishes the newest again") && r.status != 0 {
			t.Errorf("check does not say what to do: %+v", r)
		}
		repaired := func() bool { // the files are whole before the next manifest is written
			if !isWhole(t, s.dir) {
				return false
			}
			after, _ := publishedFiles(t, snapshotFolder(t, s.dir))
			return after > seq
		}
		if !await.Progress(repaired, await.Nothing) {
			t.Fatalf("the %s is not repaired:\n%s", which, s.stderr)
		}
		s.logs("are missing or damaged; publishing it again")
		compare(t, everything(u), want)
	}
	s.stop()
	again := start(t, s.dir)
	compare(t, everything(newUser(t, again.api, s.token)), want)
}

// TestDamageInASharedBucket damages what several machines share. Without a builder, nodes that
// start say what is damaged, and one that is behind another is not ready. Builders repair
// it when they start, and when a node reports it.
func TestDamageInASharedBucket(t *testing.T) {
	d := newDeployment(t)
	k := newStock(40, "UA")
	d.fill(k)
	_, token := newKey(t, d.dir, unlimited...)
	at := d.at(strings.TrimPrefix(d.s3.URL, "http://"))
	folder := filepath.Join(d.s3.Folder(d.bucket), "gamedex")
	harm := func(name string, change func([]byte) []byte) {
		t.Helper()
		file := filepath.Join(folder, name)
		writeFile(t, file, string(change([]byte(read(t, file)))))
	}
	noise := func(content []byte) []byte { return []byte(strings.Repeat("?", len(content))) }
	fourBytes := func(content []byte) []byte {
		for i := len(content) / 2; i < len(content)/2+4; i++ {
			content[i] ^= 0xff
		}
		return content
	}

	builder := d.start("build", "--node-name", "builder")
	api1 := d.start("api", "--node-name", "api1")
	api1.waitForVersion(token, k, 0)
	must(t, d.dir, k.feed(1), "import", "-")
	api1.waitForVersion(token, k, 1)
	builder.stop()
	newest, files := publishedFiles(t, folder)
	harm(files["manifest"], noise)
	api2 := d.start("api", "--node-name", "api2")
	api2.readyzSays("not ready", fmt.Sprintf("other nodes serve %d", newest))
	api2.readyzSays("not ready", "this process cannot use "+files["manifest"])
	if _, metrics := fetch(t, "GET", api2.ops+"/metrics"); !hasLine(metrics, fmt.Sprintf("gamedex_damaged_file{file=%q} 1", files["manifest"])) {
		t.Errorf("the metrics are\n%s", metrics)
	}
	if out := must(t, d.dir, "", "nodes"); !strings.Contains(out, "api2 cannot use "+files["manifest"]) {
		t.Errorf("gamedex nodes says\n%s", out)
	}
	api1.readyzSays("ready", "")
	for _, name := range manifestNames(t, folder) {
		harm(name, noise)
	}
	api3 := d.start("api", "--node-name", "api3")
	api3.readyzSays("not ready", "no prices yet: this process cannot use manifest/")
	if r := run(t, d.dir, "", append([]string{"check"}, at...)...); r.status != 1 || !strings.Contains(r.stderr, "role build publishes the newest again") {
		t.Errorf("check: %+v", r)
	}

	all := []*member{api1, api2, api3}
	repaired := func(what string) {
		t.Helper()
		began := time.Now()
		await.That(t, what, func() bool { return isWhole(t, d.dir, at...) })
		t.Logf("%s: check finds no damage after %v", what, time.Since(began).Round(time.Second/10))
		for _, m := range all {
			m.readyzSays("ready", "")
			m.waitForVersion(token, k, 1)
		}
	}
	builders := []*member{d.start("build", "--node-name", "builder1"), d.start("build", "--node-name", "builder2")}
	repaired("a builder that starts")
	for _, which := range []string{"catalog", "prices", "lows", "manifest"} {
		_, files := publishedFiles(t, folder)
		harm(files[which], fourBytes)
		all = append(all, d.start("api", "--node-name", "for "+which))
		repaired("the " + which)
	}
	for _, m := range append(all, builders...) {
		m.stop()
	}
	if log := builders[0].stderr.String() + builders[1].stderr.String(); !strings.Contains(log, "publishing it again") {
		t.Errorf("the builders do not say that they repaired anything: %s", log)
	}
}
