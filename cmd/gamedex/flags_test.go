package main

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestServeRefusesURLs(t *testing.T) {
	const public, origin = "--public-url", "--cors-origin"
	for _, c := range []struct {
		flag, value string
		good        bool
	}{
		{public, "https://games.example", true},
		{public, "https://games.example/prices/", true},
		{public, "http://[::1]:8080", true},
		{public, "games.example", false},
		{public, "//games.example", false},
		{public, "ftp://games.example", false},
		{public, "https://", false},
		{public, "https://user@games.example", false},
		{public, "https://games.example?a=b", false},
		{public, "https://games.example/%zz", false},
		{origin, "*", true},
		{origin, "https://app.example", true},
		{origin, "http://127.0.0.1:3000", true},
		{origin, "https://app.example/", false},
		{origin, "app.example", false},
		{origin, "https://a.example,https://b.example", false},
	} {
		var parsed commands
		parser, err := newParser(&parsed, &program{Stdout: io.Discard, Stderr: io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse([]string{"serve", c.flag, c.value}); err != nil {
			t.Fatal(err)
		}
		_, err = parsed.Serve.check(&parsed)
		if good := err == nil; good != c.good {
			t.Errorf("%s %s: %v", c.flag, c.value, err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), c.flag+" "+c.value+": must be ") {
			t.Errorf("%s %s: %v names neither flag nor value", c.flag, c.value, err)
		}
	}
}

// TestNoArguments checks that the help is printed, on standard error because
// there is no command.
func TestNoArguments(t *testing.T) {
	var stdout, stderr strings.Builder
	p := &program{Stdout: &stdout, Stderr: &stderr}
	if status := p.run(t.Context(), nil); status != statusUsage || stdout.String() != "" {
		t.Errorf("status %d, standard output %q", status, stdout.String())
	}
	for _, want := range []string{"Usage: gamedex <command>", "gamedex serve --demo", "Run the service"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("the help lacks %q:\n%s", want, stderr.String())
		}
	}
}

// TestWrongCommandLineNamesItsHelp checks that the error for a mistyped command
// line names the help of the command that was meant.
func TestWrongCommandLineNamesItsHelp(t *testing.T) {
	for line, want := range map[string]string{
		"":                       "gamedex",
		"serv":                   "gamedex",
		"key":                    "gamedex key",
		"key create":             "gamedex key create",
		"serve --no-such-flag":   "gamedex serve",
		"serve --log-level loud": "gamedex serve",
		"import":                 "gamedex import",
	} {
		parser, err := newParser(&commands{}, &program{Stdout: io.Discard, Stderr: io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		_, err = parser.Parse(strings.Fields(line))
		if got := meant(err); err == nil || got != want {
			t.Errorf("%q: got %q (%v), want %q", line, got, err, want)
		}
	}
	if got := meant(errors.New("another")); got != "gamedex" {
		t.Errorf("got %q", got)
	}
}
