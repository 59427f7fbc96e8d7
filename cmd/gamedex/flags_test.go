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
		{origin, "https://a.example,https://b.example", true},
		{origin, "https://a.example https://b.example", true},
		{origin, "", true},
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

func TestDrainIsBounded(t *testing.T) {
	for value, good := range map[string]bool{"0s": true, "10m": true, "-1s": false, "10m1ms": false} {
		var parsed commands
		parser, err := newParser(&parsed, &program{Stdout: io.Discard, Stderr: io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse([]string{"serve", "--drain=" + value}); err != nil {
			t.Fatal(err)
		}
		_, err = parsed.Serve.check(&parsed)
		if (err == nil) != good || err != nil && !strings.HasPrefix(err.Error(), "--drain "+parsed.Serve.Drain.String()+": must be ") {
			t.Errorf("%s: %v", value, err)
		}
	}
}

func TestSeveralOrigins(t *testing.T) {
	for name, c := range map[string]struct {
		env   string
		flags []string
		want  string // the origins, or the end of the error
	}{
		"flag given twice":       {"", []string{"--cors-origin", "https://a.example", "--cors-origin", "https://B.example"}, "https://a.example https://b.example"},
		"commas and spaces":      {"https://a.example, https://b.example https://c.example", nil, "https://a.example https://b.example https://c.example"},
		"the flag overrides":     {"https://a.example", []string{"--cors-origin", "*"}, "*"},
		"one of several is none": {"", []string{"--cors-origin", "https://a.example", "--cors-origin", "b.example"}, "--cors-origin b.example: must be * or an origin such as https://games.example, without a path"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.env != "" {
				t.Setenv("GAMEDEX_CORS_ORIGIN", c.env)
			}
			var parsed commands
			parser, err := newParser(&parsed, &program{Stdout: io.Discard, Stderr: io.Discard})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := parser.Parse(append([]string{"serve"}, c.flags...)); err != nil {
				t.Fatal(err)
			}
			got := strings.Join(parsed.Serve.origins(), " ")
			if _, err := parsed.Serve.check(&parsed); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
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
