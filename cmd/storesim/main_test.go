//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gamedex/internal/testing/await"
	"gamedex/internal/testing/storesim"
)

// asProgram makes a process of this test binary run as the program.
const asProgram = "STORESIM_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestSimulation runs the stores and the service: the service collects from them, shows
// prices to who signs in with the printed link, and sees them change. A Ctrl-C ends both
// and leaves nothing behind.
func TestSimulation(t *testing.T) {
	t.Parallel()
	const games = 12
	temp, out := t.TempDir(), &await.Text{}
	gamedex := filepath.Join(t.TempDir(), "gamedex")
	if text, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", gamedex, "gamedex/cmd/gamedex").CombinedOutput(); err != nil {
		t.Fatalf("build gamedex: %v\n%s", err, text)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-games", fmt.Sprint(games), "-day", "6s",
		gamedex, "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0", "--log-level", "warn", "--limit-minute", "100000", "--limit-day", "1000000")
	cmd.Env = append(os.Environ(), asProgram+"=1", "TMPDIR="+temp)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // its service too
		if t.Failed() {
			t.Logf("the output is\n%s", out)
		}
	})
	find := func(pattern string) string {
		t.Helper()
		var found []string
		if !await.Progress(func() bool {
			found = regexp.MustCompile(pattern).FindStringSubmatch(out.String())
			return found != nil
		}, await.Nothing) { // days of the stores are printed for ever
			t.Fatalf("waited for %s in the output:\n%s", pattern, out)
		}
		return found[1]
	}
	hint := find(`see (\S+ .*collect plan)\n`)
	await.That(t, "the plan of "+hint, func() bool { // the service stores it after it has said so
		plan, err := exec.Command("sh", "-c", hint).CombinedOutput()
		return err == nil && strings.Contains(string(plan), "consolestore/UA/prices")
	})
	api, key, link := find(`API +(\S+)\n`), find(`key: +(gdx_\S+)\n`), find(`(http\S+/setup/\S+)\n`)

	get := func(path string) (string, error) {
		req, err := http.NewRequest("GET", api+path, nil)
		if err != nil {
			return "", err
		}
		req.Header.Set("Authorization", "Bearer "+key)
		return body(http.DefaultClient.Do(req))
	}
	world := storesim.New(storesim.Config{Seed: 1, ConsoleGames: games, PCGames: games, Regions: regions(), Start: time.Now()})
	tenCards := func() (ids []string) { // with titles that the stores sell
		await.That(t, "ten cards", func() bool {
			for _, l := range world.Truth(time.Now()) {
				text, _ := get("/catalog/search?limit=1&platform=" + l.Platform.String() + "&q=" + url.QueryEscape(l.Facts.Title))
				id := regexp.MustCompile(`"results":\[\{"id":"(\w+)"`).FindStringSubmatch(text)
				if id != nil && !slices.Contains(ids, id[1]) {
					ids = append(ids, id[1])
				}
				if len(ids) == 10 {
					return true
				}
			}
			return false
		})
		return ids
	}
	ids := tenCards()

	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	form := url.Values{"email": {"sim@store.example"}, "password": {"a long password of a test"}}
	req, err := http.NewRequest("POST", link, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", strings.TrimSuffix(api, "/api/v1"))
	if text, err := body(browser.Do(req)); err != nil {
		t.Fatalf("create the administrator: %v\n%.500s", err, text)
	}
	await.That(t, "a page with prices", func() bool {
		return slices.ContainsFunc(ids, func(id string) bool { // a card may have been withdrawn since
			page, err := body(browser.Get(strings.TrimSuffix(api, "/api/v1") + "/en/games/consolestore/" + id))
			return err == nil && strings.Contains(page, "<table") && regexp.MustCompile(`[0-9][.,][0-9]{2}`).MatchString(page)
		})
	})

	var first string
	all := func() string {
		text, err := get("/catalog/prices?regions=all&ids=" + strings.Join(ids, ","))
		if err != nil {
			t.Log(err)
			return ""
		}
		if strings.Contains(text, `"moved":`) { // now that the editions are known, other cards have their prices
			ids, first = tenCards(), ""
			return ""
		}
		return strings.Join(regexp.MustCompile(`"(current|base)":\d+|"alpha2":"\w+"`).FindAllString(text, -1), " ")
	}
	await.That(t, "prices", func() bool { first = all(); return first != "" })
	await.That(t, "another price", func() bool {
		now := all()
		if first == "" {
			first = now
		}
		return now != first && now != ""
	})

	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("Ctrl-C: %v", err)
		}
	case <-time.After(await.Patience):
		t.Fatalf("still running after Ctrl-C:\n%s", out)
	}
	if _, err := get("/account/me"); err == nil { // the key is unknown to another service on this port
		t.Error("the service still answers")
	}
	if left, err := filepath.Glob(filepath.Join(temp, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if !strings.Contains(out.String(), "nothing is left behind") {
		t.Error("the output does not say that nothing is left behind")
	}
}

// TestClosedOutput closes the output of a run, as `| head` does, and `| tee` at Ctrl-C:
// the service ends, and nothing is left behind.
func TestClosedOutput(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	ended := filepath.Join(t.TempDir(), "ended")
	service := filepath.Join(t.TempDir(), "service")
	script := fmt.Sprintf("#!/bin/sh\ntrap 'echo stopped; echo yes >%q; exit 0' INT\necho started\nwhile :; do sleep 0.1; done\n", ended)
	if err := os.WriteFile(service, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-games", "1", "-day", "1s", service)
	cmd.Env = append(os.Environ(), asProgram+"=1", "TMPDIR="+temp)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "started"; {
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // what it left behind counts
	if _, err := os.Stat(ended); err != nil {
		t.Errorf("the service was not stopped: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(temp, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestUsage checks what is said about a wrong call, and about a service that ends.
func TestUsage(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "the path of gamedex is required"},
		{[]string{"-games", "0", "gamedex"}, "at least one game"},
		{[]string{"-games", "1", "false"}, "gamedex serve has ended: exit status 1"},
	} {
		err := run(t.Context(), c.args, io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.args, err, c.want)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "gamedex-sim-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// body returns the body of an answer with status 200.
func body(res *http.Response, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %.300s", res.StatusCode, text)
	}
	return string(text), err
}
