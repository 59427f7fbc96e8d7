package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"gamedex/internal/testing/await"
)

// operationsPages have the commands that these tests run.
const operationsPages = "../../doc/operations/"

// commandsUnder returns the first shell commands of a place such as "backup.md#Restore":
// those under a heading of a page of operations, or those at the top of a page.
func commandsUnder(t *testing.T, place string) string {
	t.Helper()
	page, heading, _ := strings.Cut(place, "#")
	section := read(t, operationsPages+page)
	if heading != "" {
		_, section, _ = strings.Cut(section, "\n## "+heading+"\n")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	block := regexp.MustCompile("(?s)\n```sh\n(.*?)```\n").FindStringSubmatch(section)
	if block == nil {
		t.Fatalf("there are no commands at %s", place)
	}
	return block[1]
}

// machine is a folder that the page's commands take for the root of a machine with
// systemd, on which the service is installed.
type machine struct {
	t    *testing.T
	root string
	env  []string // of the commands and the service
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the page's commands are for Linux")
	}
	m := &machine{t: t, root: t.TempDir()}
	for _, dir := range []string{"var/lib/gamedex", "usr/local/bin", "run", "root"} {
		if err := os.MkdirAll(m.path(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	m.script("usr/local/bin/systemctl", `
case "$1" in
start)
	: >"$MACHINE/run/stdout"
	GAMEDEX_DATA_DIR="$MACHINE/var/lib/gamedex" gamedex serve --addr 127.0.0.1:0 --ops-addr 127.0.0.1:0 >"$MACHINE/run/stdout" 2>"$MACHINE/run/stderr" </dev/null &
	echo $! >"$MACHINE/run/pid" ;;
stop)
	kill -TERM "$(cat "$MACHINE/run/pid")" || exit 0
	while kill -0 "$(cat "$MACHINE/run/pid")" 2>/dev/null; do sleep 0.05; done ;;
esac`)
	t.Cleanup(func() { m.run("systemctl stop gamedex") })
	return m
}

func (m *machine) path(name string) string { return filepath.Join(m.root, name) }

// dataDir is the data folder of the service.
func (m *machine) dataDir() string { return m.path("var/lib/gamedex") }

func (m *machine) script(name, text string) {
	m.t.Helper()
	if err := os.WriteFile(m.path(name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		m.t.Fatal(err)
	}
}

// install puts a program in place: this one, or a script.
func (m *machine) install(name, script string) {
	m.t.Helper()
	if script == "" {
		program, err := os.Executable()
		if err != nil {
			m.t.Fatal(err)
		}
		script = fmt.Sprintf("exec %q \"$@\"", program)
	}
	m.script(name, script)
}

// run runs commands in one shell that ends at the first that fails.
func (m *machine) run(commands ...string) (output string, err error) {
	m.t.Helper()
	text := strings.Join(commands, "\n")
	for _, dir := range []string{"/var/lib/", "/var/backups/", "/usr/local/bin/"} {
		text = strings.ReplaceAll(text, dir, m.root+dir)
	}
	cmd := exec.Command("bash", "-e", "-u", "-c", text)
	cmd.Dir = m.path("root")
	cmd.ExtraFiles = []*os.File{lifeline.read}
	cmd.Env = append(os.Environ(), asProgram+"=1", "GAMEDEX_LOG_LEVEL=warn", "GAMEDEX_RATES=off", "GAMEDEX_DRAIN=0s",
		"MACHINE="+m.root, "PATH="+m.path("usr/local/bin")+":"+os.Getenv("PATH"))
	cmd.Env = append(cmd.Env, m.env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// does is run for commands that have to succeed.
func (m *machine) does(commands ...string) (output string) {
	m.t.Helper()
	output, err := m.run(commands...)
	if err != nil {
		m.t.Fatalf("%q: %v\n%s", commands, err, output)
	}
	return output
}

// must runs the commands of places in the pages of operations, which have to succeed.
func (m *machine) must(places ...string) string {
	m.t.Helper()
	commands := []string{commandsUnder(m.t, "backup.md")} // its variables
	for _, place := range places {
		commands = append(commands, commandsUnder(m.t, place))
	}
	return m.does(commands...)
}

// base waits until the service listens, and returns its URL.
func (m *machine) base() (url string) {
	m.t.Helper()
	if !await.Progress(func() bool {
		out, _ := os.ReadFile(m.path("run/stdout"))
		if found := printedAddress.FindSubmatch(out); found != nil && strings.Contains(string(out), "operations ") {
			url = string(found[2])
		}
		return url != ""
	}, await.Nothing) {
		m.t.Fatalf("the service does not listen: %s", read(m.t, m.path("run/stderr")))
	}
	return url
}

// user returns a client of the running service.
func (m *machine) user(token string) *apiUser {
	m.t.Helper()
	u := newUser(m.t, m.base(), token)
	u.eventually("/health", func(a answer) bool { return a.status == 200 })
	return u
}

// data returns the member data of answers, byte for byte, by path.
func data(u *apiUser, paths map[string]string) map[string]string {
	u.t.Helper()
	said := map[string]string{}
	for path := range paths {
		body := decoded[struct{ Data json.RawMessage }](u.t, string(u.get(path).want(200).body))
		said[path] = string(body.Data)
	}
	return said
}

// TestOperationsPageRestores backs up a running service, spoils or deletes its
// database, and restores it, with the page's commands.
func TestOperationsPageRestores(t *testing.T) {
	fileOnly(t, "it restores a database in a file")
	t.Parallel()
	for name, harm := range map[string]func(t *testing.T, m *machine, token string){
		"damaged": func(t *testing.T, m *machine, _ string) {
			dir := m.dataDir()
			writeFile(t, filepath.Join(dir, "gamedex.db"), strings.Repeat("nonsense ", 10_000))
			writeFile(t, filepath.Join(dir, "gamedex.db-wal"), strings.Repeat("nonsense ", 10_000))
			s := start(t, dir) // it has snapshots, but no key and no public pages
			res, ready := fetch(t, "GET", s.ops+"/readyz")
			if res.StatusCode != 503 || !strings.Contains(ready, "no key is known") || !strings.Contains(ready, notUsed) {
				t.Errorf("serve of a damaged database: %d %s", res.StatusCode, ready)
			}
			s.stop()
		},
		"deleted": func(t *testing.T, m *machine, _ string) {
			if err := errors.Join(os.RemoveAll(m.dataDir()), os.Mkdir(m.dataDir(), 0o700)); err != nil {
				t.Fatal(err)
			}
		},
		"changed": func(t *testing.T, m *machine, token string) { // good, and served, but it must not stay
			must(t, m.dataDir(), strings.ReplaceAll(read(t, testFeed), `"title":"`, `"title":"Another `), "import", "-")
			must(t, m.dataDir(), "", "key", "create", "--name", "later")
			m.does("systemctl start gamedex")
			m.user(token).eventually("/catalog/search?q=another", func(a answer) bool { return len(a.texts("data.results", "id")) > 0 })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.install("usr/local/bin/gamedex", "")
			dir := m.dataDir()
			token := fillFolder(t, dir)
			writeFile(t, filepath.Join(dir, "overrides.ndjson"), "# corrections\n")
			m.does("systemctl start gamedex")
			u := m.user(token)
			paths := everything(u)
			delete(paths, "/catalog/platforms") // its times move
			want := data(u, paths)
			m.must("backup.md#Backup")
			m.does("systemctl stop gamedex")
			harm(t, m, token)
			m.must("backup.md#Restore")
			again := m.user(token)
			for path, said := range want {
				again.eventually(path, func(a answer) bool { return a.status == 200 && strings.Contains(string(a.body), said) })
			}
			compare(t, data(again, paths), want)
			if out := must(t, dir, "", "key", "list"); strings.Contains(out, "later") {
				t.Errorf("a key that was made after the backup: %s", out)
			}
			if got := read(t, filepath.Join(dir, "overrides.ndjson")); got != "# corrections\n" {
				t.Errorf("the corrections are %q", got)
			}
		})
	}
}

// TestOperationsPageRollsBack rolls this version back from a later one, which has changed
// database and snapshots, with the page's commands.
func TestOperationsPageRollsBack(t *testing.T) {
	fileOnly(t, "it restores a database in a file")
	t.Parallel()
	m := newMachine(t)
	m.install("usr/local/bin/gamedex", "")
	token := fillFolder(t, m.dataDir())
	m.does("systemctl start gamedex")
	paths := map[string]string{"/catalog/search?q=star&limit=100": "", "/catalog/suggest?q=st": ""}
	u := m.user(token)
	u.eventually("/catalog/suggest?q=st", func(a answer) bool { return a.status == 200 })
	want := data(u, paths)
	m.must("backup.md#Backup")
	m.does("systemctl stop gamedex", "cp -p /usr/local/bin/gamedex /usr/local/bin/gamedex.old")
	m.install("usr/local/bin/gamedex", `case "$1" in serve) exec sleep 600 ;; esac`)
	m.does("systemctl start gamedex")
	file := filepath.Join(m.dataDir(), "gamedex.db")
	makeNewer(t, file, m.dataDir())
	r := run(t, m.dataDir(), "", "serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0")
	sentence := regexp.MustCompile(`^gamedex: .*` + regexp.QuoteMeta(file) + ` was made by a newer gamedex \(schema 99; this version supports \d+\); [^\n]*\n$`)
	if r.status != 1 || !sentence.MatchString(r.stderr) {
		t.Errorf("the old version says: %+v", r)
	}
	m.must("upgrade.md#Rollback", "backup.md#Restore")
	again := m.user(token)
	compare(t, data(again, paths), want)
}

// makeNewer gives a database and snapshots the marks of a later version.
func makeNewer(t *testing.T, file, dir string) {
	t.Helper()
	publishNewer(t, dir)
	db, err := sql.Open("sqlite", file)
	if err == nil {
		_, err = db.Exec("INSERT INTO schema_version (version_id, is_applied) VALUES (99, 1); UPDATE meta SET value = '99' WHERE name = 'oldest_schema'")
		db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range blobs(t, dir) {
		b := []byte(read(t, name))
		b[8]++ // the layout version
		writeFile(t, name, string(b))
	}
}
