package deploy_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// commandLine is what doc/config.md, which is generated from the program, says.
type commandLine struct {
	variables map[string]bool            // GAMEDEX_…
	flags     map[string]map[string]bool // by command, for example "serve"
}

func readCommandLine(t *testing.T) commandLine {
	t.Helper()
	known := commandLine{map[string]bool{}, map[string]map[string]bool{}}
	heading := regexp.MustCompile("^## `gamedex ([a-z ]*[a-z])")
	row := regexp.MustCompile("^\\| `(--[a-z-]+)` \\| (?:`(GAMEDEX_[A-Z_]+)`)? ?\\|")
	common, command := map[string]bool{}, ""
	for line := range strings.Lines(read(t, "../doc/config.md")) {
		if found := heading.FindStringSubmatch(line); found != nil {
			command = found[1]
			known.flags[command] = map[string]bool{}
			for flag := range common {
				known.flags[command][flag] = true
			}
		}
		if found := row.FindStringSubmatch(line); found != nil {
			if command == "" {
				common[found[1]] = true
			} else {
				known.flags[command][found[1]] = true
			}
			if found[2] != "" {
				known.variables[found[2]] = true
			}
		}
	}
	if len(known.flags) < 20 || len(known.variables) < 30 || !known.flags["serve"]["--data-dir"] {
		t.Fatalf("doc/config.md is not understood: %d commands, %d variables", len(known.flags), len(known.variables))
	}
	return known
}

// check checks the arguments and the environment of one process.
func (c commandLine) check(t *testing.T, where string, args []string, environment map[string]string) {
	t.Helper()
	if len(args) == 0 {
		t.Errorf("%s: no command", where)
		return
	}
	flags, ok := c.flags[args[0]]
	if !ok {
		t.Errorf("%s: gamedex has no command %q", where, args[0])
	}
	for _, arg := range args[1:] {
		if name, _, _ := strings.Cut(arg, "="); strings.HasPrefix(name, "--") && !flags[name] {
			t.Errorf("%s: gamedex %s has no flag %s", where, args[0], name)
		}
	}
	for name := range environment {
		if strings.HasPrefix(name, "GAMEDEX_") && !c.variables[name] {
			t.Errorf("%s: gamedex does not read %s", where, name)
		}
	}
}

// readVariables reads a file of lines NAME=VALUE.
func readVariables(t *testing.T, file string) map[string]string {
	t.Helper()
	variables := map[string]string{}
	for line := range strings.Lines(read(t, file)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			t.Errorf("%s: %q is no variable", file, line)
		}
		variables[name] = value
	}
	return variables
}
