package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMakeInstall installs this program with make, twice, into an empty folder, and checks that
// the unit starts what was installed, and that settings are never overwritten.
func TestMakeInstall(t *testing.T) {
	t.Parallel()
	root, program := t.TempDir(), filepath.Join(t.TempDir(), "gamedex")
	itself, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, program, "#!/bin/sh\n"+asProgram+"=1 exec "+itself+" \"$@\"\n")
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	env := filepath.Join(root, "etc/gamedex.env")
	for _, settings := range []string{"", "GAMEDEX_LIMIT_MINUTE=31\n"} {
		if settings != "" {
			writeFile(t, env, settings)
		}
		cmd := exec.CommandContext(t.Context(), "make", "-C", "../..", "--no-print-directory", "install", "DESTDIR="+root, "PROGRAM="+program)
		cmd.ExtraFiles = []*os.File{lifeline.read}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if got := read(t, env); settings != "" && got != settings {
			t.Errorf("the settings are now\n%s", got)
		}
	}
	unit := read(t, filepath.Join(root, "etc/systemd/system/gamedex.service"))
	started := regexp.MustCompile(`(?m)^ExecStart=(\S+) serve$`).FindStringSubmatch(unit)
	settings := regexp.MustCompile(`(?m)^EnvironmentFile=-(\S+)$`).FindStringSubmatch(unit)
	if started == nil || settings == nil || settings[1] != "/etc/gamedex.env" {
		t.Fatalf("the unit is\n%s", unit)
	}
	if info, err := os.Stat(filepath.Join(root, started[1])); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the unit starts %s: %v, %v", started[1], info, err)
	}
	for file, want := range map[string]string{
		"man/man1/gamedex.1": "gamedex", "bash-completion/completions/gamedex": "complete", "zsh/site-functions/_gamedex": "#compdef gamedex",
		"fish/vendor_completions.d/gamedex.fish": "complete",
	} {
		if text := read(t, filepath.Join(root, "usr/local/share", file)); !strings.Contains(text, want) {
			t.Errorf("%s has no %q", file, want)
		}
	}
}
