package main

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
	"gamedex/internal/testing/porttest"
)

// guarded puts the database of a data folder on PostgreSQL, where its owner has a
// password, and returns the DSN, which contains it.
func guarded(t *testing.T, dir string) (dsn string) {
	t.Helper()
	name, s := usePostgres(t, dir), enginetest.SharedPostgres(t)
	s.Exec(t, name, "ALTER DATABASE "+name+" OWNER TO guarded", "ALTER SCHEMA public OWNER TO guarded")
	return strings.Replace(s.DSN(name, "guarded"), "@", ":open%20sesame@", 1)
}

// TestServeOnPostgres takes a service on PostgreSQL through its life: import, search, key,
// restart, kill. The password of the database is shown nowhere.
func TestServeOnPostgres(t *testing.T) {
	enginetest.Need(t, "postgres")
	t.Parallel()
	dir := t.TempDir()
	dsn := guarded(t, dir)
	var shown strings.Builder
	gamedex := func(stdin string, args ...string) string {
		t.Helper()
		cmd := command(t, dir, args...)
		cmd.Env = append(cmd.Env, "GAMEDEX_DATABASE="+dsn)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		shown.Write(out)
		if err != nil {
			t.Fatalf("gamedex %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	serve := func() *server {
		t.Helper()
		cmd := command(t, dir, serveAnywhere...)
		cmd.Env = append(cmd.Env, "GAMEDEX_DATABASE="+dsn)
		return startCommand(t, cmd)
	}
	gamedex("", "import", "testdata/feed.ndjson")
	gamedex("", "rates", "import", "testdata/rates.json")
	key := decoded[map[string]any](t, gamedex("", append([]string{"key", "create", "--json", "--name", "test"}, highLimits...)...))
	s := serve()
	u := s.client(key["key"].(string))
	farm := idOf(u, "Moon Farm")
	gamedex(moonFarm("2024-06-01T10:00:00Z", "4200"), "import", "-")
	u.eventually("/catalog/prices?ids="+farm, valueIs("data.items.0.regions.UA.current", "4200"))
	if out := gamedex("", "check"); strings.Count(out, "good") < 2 || !strings.Contains(out, "database 127.0.0.1:") {
		t.Errorf("check prints %s", out)
	}

	// Two processes cannot count in memory; a builder may run beside.
	second := command(t, dir, serveAnywhere...)
	second.Env = append(second.Env, "GAMEDEX_DATABASE="+dsn)
	if other, err := launchCommand(t, second); err == nil {
		other.kill()
		t.Error("a second process counts in memory")
	} else if said := err.Error(); !strings.Contains(said, fmt.Sprint("process ", s.process.Pid, " of ")) || !strings.Contains(said, "--counters redis://") {
		t.Errorf("a second serve: %s", said)
	}
	builder := command(t, dir, append(serveAnywhere, "--roles", "build")...)
	builder.Env = append(builder.Env, "GAMEDEX_DATABASE="+dsn)
	startCommand(t, builder).stopInOrder()

	// A stop saves all counts.
	s.stopInOrder()
	s.quietLog()
	s = serve()
	u = newUser(t, s.api, u.token)
	used := usedToday(u)
	u.get("/catalog/prices?ids="+farm).want(200).is("data.items.0.regions.UA.current", "4200")

	// The claim of a killed process ends when its lease does.
	for _, path := range []string{"/readyz", "/metrics", "/debug/pprof/cmdline"} {
		_, page := fetch(t, "GET", s.ops+path)
		shown.WriteString(page)
	}
	arguments, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", s.process.Pid))
	if err == nil {
		shown.Write(arguments)
	}
	s.kill()
	fmt.Fprint(&shown, s.stdout, s.stderr)
	s = serve()
	s.logs("another process counts requests in memory; if it was killed, this one starts within 15s")
	u = newUser(t, s.api, u.token)
	u.get("/catalog/prices?ids="+farm).want(200).is("data.items.0.regions.UA.current", "4200")
	if now := usedToday(u); now < used {
		t.Errorf("%d requests are counted after the kill, %d before", now, used)
	}
	s.stop()
	fmt.Fprint(&shown, s.stdout, s.stderr)
	if strings.Contains(shown.String(), "sesame") {
		t.Error("the password of the database is shown")
	}
}

// TestServeWaitsForPostgres starts a service before its database can be reached.
func TestServeWaitsForPostgres(t *testing.T) {
	enginetest.Need(t, "postgres")
	t.Parallel()
	dir := t.TempDir()
	name, server := usePostgres(t, dir), enginetest.SharedPostgres(t)
	network := enginetest.NewProxy(t, fmt.Sprint("127.0.0.1:", server.Port))
	network.Break(t, enginetest.CutRequests)
	through := func(role string) string {
		return fmt.Sprintf("GAMEDEX_DATABASE=postgres://%s@%s/%s", role, network.Addr, name)
	}
	ops := porttest.Addr(t)
	cmd := command(t, dir, "serve", "--addr", "127.0.0.1:0", "--ops-addr", ops)
	cmd.Env = append(cmd.Env, through("gamedex:sesame"))
	s := newServer(t)
	cmd.Stdout, cmd.Stderr = s.stdout, s.stderr
	if err := s.begin(cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	s.logs("this process waits for the database and is not ready")
	ops = "http://" + ops
	await.That(t, "the process to say that it lives", func() bool {
		res, err := http.Get(ops + "/livez")
		return err == nil && res.Body.Close() == nil && res.StatusCode == http.StatusOK
	})
	if res, body := fetch(t, "GET", ops+"/readyz"); res.StatusCode != http.StatusServiceUnavailable ||
		!strings.Contains(body, "database "+network.Addr+"/"+name+" does not answer") {
		t.Errorf("while it waits: %d %s", res.StatusCode, body)
	}

	// A command does not wait, and a service does not wait for a stop.
	list := command(t, dir, "key", "list")
	list.Env = append(list.Env, through("gamedex"))
	if out, err := list.CombinedOutput(); err == nil || !strings.Contains(string(out), "does not answer") {
		t.Errorf("key list: %v %s", err, out)
	}
	second := command(t, t.TempDir(), serveAnywhere...)
	second.Env = append(second.Env, through("gamedex"))
	stopped := newServer(t)
	second.Stderr = stopped.stderr
	if err := stopped.begin(second); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stopped.kill)
	stopped.logs("this process waits")
	stopped.stopInOrder()

	network.Heal()
	if err := s.listens(); err != nil {
		t.Fatal(err)
	}
	s.readyzSays("not ready", "no listings yet")
	if log := s.stderr.String(); strings.Contains(log, "sesame") || strings.Count(log, "does not answer") != 1 {
		t.Errorf("logged: %s", log)
	}

	// What waiting does not mend ends the start.
	hopeless := command(t, t.TempDir(), serveAnywhere...)
	hopeless.Env = append(hopeless.Env, through("guarded:sesame"))
	if other, err := launchCommand(t, hopeless); err == nil {
		other.kill()
		t.Error("it starts with a wrong password")
	} else if said := err.Error(); !strings.Contains(said, "refuses the password of role guarded") || strings.Contains(said, "sesame") {
		t.Errorf("with a wrong password: %s", said)
	}
}

// TestOperationsPageRestoresPostgres backs up a database on PostgreSQL and restores it
// into another one, with the page's commands.
func TestOperationsPageRestoresPostgres(t *testing.T) {
	if !fullWorld() {
		t.Skip("in the full world")
	}
	enginetest.Need(t, "postgres")
	t.Parallel()
	m, server := newMachine(t), enginetest.SharedPostgres(t)
	m.install("usr/local/bin/gamedex", "")
	dir := m.dataDir()
	first, second := server.OwnDSN(usePostgres(t, dir)), server.OwnDSN(usePostgres(t, t.TempDir()))
	m.env = []string{"GAMEDEX_DATABASE=" + first, "RESTORED=" + second, "PATH=" + m.path("usr/local/bin") + ":" + server.Programs() + ":" + os.Getenv("PATH")}
	token := fillFolder(t, dir)
	m.does("systemctl start gamedex")
	u := m.user(token)
	paths := everything(u)
	delete(paths, "/catalog/platforms") // its times move
	want := data(u, paths)
	m.must("postgresql.md#Backup")
	must(t, dir, "", "key", "create", "--name", "later")
	must(t, dir, moonFarm("2024-06-01T10:00:00Z", "4200"), "import", "-")
	if out := m.must("postgresql.md#Restore"); !strings.Contains(out, "good") {
		t.Errorf("check prints %s", out)
	}
	m.env[0] = "GAMEDEX_DATABASE=" + second
	if out, err := m.run("systemctl start gamedex", "gamedex key list"); err != nil || strings.Contains(out, "later") {
		t.Fatalf("%v: %s", err, out)
	}
	again := m.user(token)
	for path, said := range want {
		again.eventually(path, func(a answer) bool { return a.status == 200 && strings.Contains(string(a.body), said) })
	}
	compare(t, data(again, paths), want)
}

// usedToday returns how many requests of a key are counted today, with this one.
func usedToday(u *apiUser) int {
	u.t.Helper()
	n, err := strconv.Atoi(fmt.Sprint(u.get("/account/usage").want(200).at("data.day.used")))
	if err != nil {
		u.t.Fatal(err)
	}
	return n
}
