package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"gamedex/internal/enginetest"
)

// guarded puts the database of a data folder on PostgreSQL, where its owner has a
// password, and returns the DSN, which contains it.
func guarded(t *testing.T, dir string) (dsn string) {
	t.Helper()
	name, s := usePostgres(t, dir), enginetest.SharedPostgres(t)
	s.Exec(t, name, "ALTER DATABASE "+name+" OWNER TO guarded", "ALTER SCHEMA public OWNER TO guarded")
	return strings.Replace(s.DSN(name, "guarded"), "@", ":open%20sesame@", 1)
}

// TestServeOnPostgres tells the life of a service on PostgreSQL: import, search, key,
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
	key := decodeObject(t, gamedex("", append([]string{"key", "create", "--json", "--name", "test"}, highLimits...)...))
	s := serve()
	u := newUser(t, s.api, key["key"].(string))
	u.eventually("/health", func(a answer) bool { return a.status == 200 })
	farm := idOf(u, "Moon Farm")
	gamedex(moonFarm("2024-06-01T10:00:00Z", "4200"), "import", "-")
	u.eventually("/catalog/prices?ids="+farm, valueIs("data.items.0.regions.UA.current", "4200"))
	if out := gamedex("", "check"); strings.Count(out, "good") < 2 || !strings.Contains(out, "database 127.0.0.1:") {
		t.Errorf("check prints %s", out)
	}

	// Two processes cannot count in memory; a builder may run beside.
	second := command(t, dir, serveAnywhere...)
	second.Env = append(second.Env, "GAMEDEX_DATABASE="+dsn)
	if out, err := second.CombinedOutput(); err == nil || !strings.Contains(string(out), fmt.Sprint("process ", s.process.Pid, " of ")) ||
		!strings.Contains(string(out), "--counters redis://") {
		t.Errorf("a second serve: %v %s", err, out)
	}
	builder := command(t, dir, append(serveAnywhere, "--roles", "build")...)
	builder.Env = append(builder.Env, "GAMEDEX_DATABASE="+dsn)
	if status := startCommand(t, builder).stop(); status != 0 {
		t.Errorf("a builder beside it ends with %d", status)
	}

	// A stop saves all counts.
	if status := s.stop(); status != 0 {
		t.Errorf("serve ends with %d: %s", status, s.stderr)
	}
	s.quietLog()
	s = serve()
	u = newUser(t, s.api, u.token)
	used := usedToday(u)
	u.get("/catalog/prices?ids="+farm).want(200).is("data.items.0.regions.UA.current", "4200")

	// The claim of a killed process ends by itself.
	for _, path := range []string{"/readyz", "/metrics", "/debug/pprof/cmdline"} {
		shown.WriteString(page(t, s.ops+path))
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

// usedToday returns how many requests of a key are counted today, with this one.
func usedToday(u *apiUser) int {
	u.t.Helper()
	n, err := strconv.Atoi(fmt.Sprint(u.get("/account/usage").want(200).at("data.day.used")))
	if err != nil {
		u.t.Fatal(err)
	}
	return n
}

// page returns the body of a page.
func page(t *testing.T, url string) string {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
