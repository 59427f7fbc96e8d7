package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestEnvironmentIsForServe checks that only flags of serve and common ones can be
// set by environment variables.
func TestEnvironmentIsForServe(t *testing.T) {
	for _, name := range []string{"LIMIT_MINUTE", "LIMIT_DAY", "FORCE", "USER", "REASON", "NAME", "ADMIN", "JSON", "STRICT", "COMPLETE"} {
		t.Setenv("GAMEDEX_"+name, "77")
	}
	t.Setenv("GAMEDEX_DATA_DIR", "elsewhere")
	t.Setenv("GAMEDEX_PUBLIC_URL", "https://games.example")
	c := parse(t, "key", "create", "--name", "mine")
	if k := c.Key.Create; k.LimitMinute != 0 || k.LimitDay != 0 || k.User != "" || c.DataDir != "elsewhere" {
		t.Errorf("key create has %+v in %s", k, c.DataDir)
	}
	if url := parse(t, "user", "invite", "ann@example.com").User.Invite.PublicURL; url != "https://games.example" {
		t.Errorf("user invite has --public-url %s", url)
	}
	if n := parse(t, "serve").Serve.LimitMinute; n != 77 {
		t.Errorf("serve has --limit-minute %d", n)
	}
	model := docParser(t).Model
	for _, command := range model.Leaves(false) {
		for _, f := range command.Flags {
			if len(f.Envs) > 0 && !hasFlag(model.Children, "serve", f.Name) && f.Envs[0] != "GAMEDEX_COPY_TO" {
				t.Errorf("%s --%s: has %v", command.FullPath(), f.Name, f.Envs)
			}
		}
	}
}

func hasFlag(nodes []*kong.Node, command, flag string) bool {
	for _, n := range nodes {
		for _, f := range n.Flags {
			if n.Name == command && f.Name == flag {
				return true
			}
		}
	}
	return false
}

// TestLinksOfTheRunningServer checks that a printed link leads to the server that
// runs, on whatever port.
func TestLinksOfTheRunningServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir)
	r := run(t, dir, "", "user", "invite", "ann@example.com")
	if !strings.HasPrefix(r.stdout, s.api+"/") || !strings.Contains(r.stderr, "this machine only") {
		t.Errorf("the link is %q, want one that starts with %s\n%s", r.stdout, s.api, r.stderr)
	}
	if r := run(t, dir, "", "user", "invite", "--public-url", "https://games.example", "ann@example.com"); !strings.HasPrefix(r.stdout, "https://games.example/") {
		t.Errorf("with --public-url: %q", r.stdout)
	}
	used, usedToo := strings.TrimPrefix(s.api, "http://"), strings.TrimPrefix(s.ops, "http://")
	for _, flags := range [][]string{{"--addr", used, "--ops-addr", "127.0.0.1:0"}, {"--ops-addr", used, "--addr", "127.0.0.1:0"}, {"--addr", used, "--ops-addr", usedToo}} {
		want := "gamedex: " + flags[0] + " " + flags[1] + ": address already in use; "
		if flags[3] == usedToo {
			want += "--ops-addr " + usedToo + ": address already in use; "
		}
		if second := run(t, t.TempDir(), "", append([]string{"serve"}, flags...)...); second.status != statusFailed || second.stderr != want+"choose another address\n" {
			t.Errorf("on used ports: %d %s", second.status, second.stderr)
		}
	}
}

// TestHintsNameTheBinary checks that hints can be copied as they are.
func TestHintsNameTheBinary(t *testing.T) {
	for name, want := range map[string]string{
		"gamedex": "gamedex", "./bin/gamedex": "./bin/gamedex", "/tmp/go-build1/b001/exe/gamedex": "go run ./cmd/gamedex",
	} {
		var stderr strings.Builder
		p := &program{Name: calledAs(name), Stdout: io.Discard, Stderr: &stderr}
		if status := p.run(t.Context(), []string{"--data-dir", filepath.Join(t.TempDir(), "gamedex data"), "key", "list"}); status != statusFailed {
			t.Errorf("status %d", status)
		}
		if said := withoutData(stderr.String()); !strings.Contains(said, "`"+want+" import FILE`, `"+want+" serve` or `"+want+" migrate`") || !strings.Contains(said, "/gamedex data/") {
			t.Errorf("called as %s: %s", name, said)
		}
	}
}

// withoutData returns a text without the flags in hints that say which data they are about.
func withoutData(text string) string {
	return regexp.MustCompile(`gamedex( --(data-dir|database) ('[^']*'|[^ '`+"`"+`]+))+`).ReplaceAllString(text, "gamedex")
}

// TestHintsNameTheData checks that hints work on the data of the command that gives them,
// and show no password.
func TestHintsNameTheData(t *testing.T) {
	for _, c := range []struct {
		args, text, want string
	}{
		{"", "gamedex key list", "gamedex key list"},
		{"--data-dir /srv/games", "run gamedex key list, or gamedex serve", "run gamedex --data-dir /srv/games key list, or gamedex --data-dir /srv/games serve"},
		{"--data-dir /srv/games", "see gamedex --help and gamedex version", "see gamedex --help and gamedex version"},
		{"--data-dir=it's|here", "`gamedex history export`", "`gamedex --data-dir 'it'\\''s here' history export`"},
		{"--database sqlite:x.db", "gamedex check", "gamedex --database sqlite:x.db check"},
		{"--database postgres://me@db.example/games", "gamedex check", "gamedex --database postgres://me@db.example/games check"},
		{"--database postgres://me:secret@db.example/games --data-dir d", "gamedex check", "gamedex --data-dir d check"},
		{"--database postgres://db.example/games?user=me&password=secret", "gamedex check", "gamedex check"},
		{"--database postgres://db.example/games?sslkey=k&sslp%61ssword=secret", "gamedex check", "gamedex check"},
	} {
		args := strings.Fields(c.args)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "|", " ")
		}
		if got := (&program{onData: parse(t, append(args, "version")...).onData()}).hint(c.text); got != c.want {
			t.Errorf("%s: got %s, want %s", c.args, got, c.want)
		}
	}
}

// TestHintsOfTheServer checks that also the log and the readiness of a server name the
// program as it was called.
func TestHintsOfTheServer(t *testing.T) {
	t.Parallel()
	cmd := command(t, t.TempDir(), serveAnywhere...)
	cmd.Args[0] = "/opt/games/gamedex"
	s := startCommand(t, cmd)
	const want = "no listings yet: /opt/games/gamedex import FILE, or restart serve with --demo"
	if res, body := fetch(t, "GET", s.ops+"/readyz"); res.StatusCode != 503 || !strings.Contains(withoutData(body), want) {
		t.Errorf("/readyz: %d %s", res.StatusCode, body)
	}
	for _, format := range []string{"text", "json"} {
		var out strings.Builder
		p := &program{Name: "go run ./cmd/gamedex"}
		log := (&serveCommand{LogFormat: format, LogLevel: "info"}).logger(&out, p.hint)
		log.Error("first gamedex check", "error", fmt.Errorf("then: %w", errors.New("gamedex rates import FILE")), "remedy", "gamedex key list", "n", 1)
		for _, part := range []string{"first go run ./cmd/gamedex check", "then: go run ./cmd/gamedex rates import FILE", "go run ./cmd/gamedex key list"} {
			if !strings.Contains(out.String(), part) {
				t.Errorf("the log in %s lacks %q: %s", format, part, out.String())
			}
		}
	}
}
