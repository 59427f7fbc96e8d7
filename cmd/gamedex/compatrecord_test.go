package main

import (
	"context"
	"encoding/json"
	"flag"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/node"
	"gamedex/internal/sqldb"
)

// releaseProgram is the program of a new release, whose data and answers
// TestRecordRelease keeps.
var releaseProgram = flag.String("release", "", "program of a release to record in testdata/compat")

// releaseMachine runs the program of a release in one data folder.
type releaseMachine struct {
	t   *testing.T
	dir string
}

func (m releaseMachine) command(args ...string) *exec.Cmd {
	cmd := command(m.t, m.dir, args...)
	cmd.Path = *releaseProgram
	return cmd
}

// run runs a command that has to succeed.
func (m releaseMachine) run(stdin string, args ...string) string {
	m.t.Helper()
	cmd := m.command(args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil {
		m.t.Fatalf("%v: %v %s", args, err, out)
	}
	return string(out)
}

// TestRecordRelease runs the program of a release, and keeps what it wrote and answered in
// testdata/compat. It never changes what is there.
func TestRecordRelease(t *testing.T) {
	if *releaseProgram == "" {
		t.Skip("only for a new release: -release PROGRAM")
	}
	m := releaseMachine{t, t.TempDir()}
	to := filepath.Join(releases, strings.TrimSpace(m.run("", "version")))
	if err := os.Mkdir(to, 0o755); err != nil {
		t.Fatal(err)
	}
	keys := m.fill()
	s := startCommand(t, m.command(serveAnywhere...))
	u := &apiUser{t, s.api, keys["active"], http.DefaultClient}
	u.eventually("/catalog/search?q=star", func(a answer) bool { return a.status == 200 })
	answers := record(u, keys)
	s.stop()
	for name, value := range map[string]any{"keys.json": keys, "answers.json": answers, "differences.json": []difference{}, "wire.json": []wireDifference{}} {
		text, err := json.MarshalIndent(value, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(to, name), string(text)+"\n")
	}
	writeFile(t, filepath.Join(to, "openapi.json"), m.run("", "openapi"))
	writeFile(t, filepath.Join(to, "config.md"), read(t, "../../doc/config.md"))
	writeFile(t, filepath.Join(to, "requests.sh"), strings.Join(readmeRequests(t), "\n")+"\n")
	commit, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(to, "commit"), string(commit))
	m.keepData(filepath.Join(to, "data"))
}

// fill stores listings, their past prices, rates, users, and a key in each state.
func (m releaseMachine) fill() (keys map[string]string) {
	m.t.Helper()
	feed := read(m.t, testFeed)
	m.run(feed, "import", "-")
	for _, price := range []string{"2024-06-01 60000", "2024-07-01 45000", "2024-08-01 90000"} {
		day, amount, _ := strings.Cut(price, " ")
		m.run(`{"platform":"pcstore","region":"UKR","product":"a1","slug":"star-forge","title":"Star Forge","locale":"en-UA","type":"base","price":{"currency":"UAH","base":90000,"current":`+
			amount+`},"observedAt":"`+day+`T10:00:00Z"}`+"\n", "import", "-")
	}
	m.run("", "rates", "import", "testdata/rates.json")
	m.run("correct-horse-battery-9\n", "user", "create", "owner@example.org", "--password-stdin")
	keys, ids := map[string]string{}, map[string]string{}
	for name, args := range map[string][]string{
		"active": highLimits, "suspended": nil, "revoked": nil, "catalog": {"--permissions", "read:catalog"},
		"owned": {"--user", "owner@example.org"},
	} {
		ids[name], keys[name] = printedKey(m.t, m.run("", append([]string{"key", "create", "--json", "--name", name}, args...)...))
	}
	m.run("", "key", "suspend", ids["suspended"], "--reason", "too many requests")
	m.run("", "key", "revoke", ids["revoked"])
	withDB(m.t, m.dir, func(ctx context.Context, db *sqldb.DB) (err error) { // the command refuses an end in the past
		then := time.Now().Add(-time.Hour)
		_, keys["expired"], err = node.CreateKey(ctx, db, account.Draft{Name: "expired", ExpiresAt: then.UnixMilli() + 1}, then)
		return err
	})
	return keys
}

// record sends the requests whose answers later versions must give too.
func record(u *apiUser, keys map[string]string) (answers []recorded) {
	u.t.Helper()
	add := func(key, request, body string) {
		method, target, _ := strings.Cut(request, " ")
		a := u.do(method, target, body, bearer(keys[key]), header("Content-Type", "application/json"))
		parts := decoded[struct{ Data, Error json.RawMessage }](u.t, string(a.body))
		answers = append(answers, recorded{request, body, key, a.status, parts.Data, parts.Error})
	}
	for _, path := range slices.Sorted(maps.Keys(everything(u))) {
		add("active", "GET "+path, "")
	}
	for _, path := range []string{
		"/account/me", "/account/usage", "/catalog/search?q=star&platform=consolestore&limit=2&offset=1", "/catalog/search?q=s", "/catalog/search",
		"/catalog/games/NOSUCH00", "/catalog/pcstore/games/star-forge-old", "/catalog/prices", "/catalog/prices?ids=star-forge&regions=ZZ", "/nothing",
	} {
		add("active", "GET "+path, "")
	}
	for _, body := range []string{
		`{"ids":["star-forge","moonfarm","nothing"]}`, `{"ids":"star-forge,moonfarm","regions":"UA,TR","include":"fx,editions"}`,
		`{"ids":"star-forge,moonfarm","regions":"ua;tr","include":"fx,editions"}`,
		`{"ids":["star-forge"],"regions":["UA","US"],"include":["url","image"],"platform":null}`, `{"ids":[]}`, `{`,
	} {
		add("active", "POST /catalog/prices", body)
	}
	for _, key := range []string{"suspended", "revoked", "expired", "unknown"} {
		add(key, "GET /account/me", "")
		add(key, "GET /catalog/prices?ids=star-forge", "")
	}
	add("catalog", "GET /account/me", "")
	add("owned", "GET /account/me", "")
	return answers
}

// keepData copies the database, as one file, and the newest snapshot.
func (m releaseMachine) keepData(to string) {
	m.t.Helper()
	snapshots := filepath.Join(m.dir, "snapshots")
	manifests, err := filepath.Glob(filepath.Join(snapshots, "manifest", "*"))
	if err != nil || len(manifests) == 0 {
		m.t.Fatalf("no manifest in %s: %v", snapshots, err)
	}
	newest := manifests[len(manifests)-1]
	for _, file := range append(regexp.MustCompile(`blob/[0-9a-f]{64}`).FindAllString(read(m.t, newest), -1), "manifest/"+filepath.Base(newest)) {
		kept := filepath.Join(to, "snapshots", file)
		if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
			m.t.Fatal(err)
		}
		writeFile(m.t, kept, read(m.t, filepath.Join(snapshots, file)))
	}
	m.run("", "backup", absolute(m.t, filepath.Join(to, "gamedex.db")))
}
