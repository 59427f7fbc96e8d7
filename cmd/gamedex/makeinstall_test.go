package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMakeInstall installs this program with make, twice, into an empty folder, and checks that
// the unit starts what was installed, and that settings are never overwritten. Then it uninstalls the
// program: only settings and data are left.
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
	makes := func(target string) string {
		cmd := exec.CommandContext(t.Context(), "make", "-C", "../..", "--no-print-directory", target, "DESTDIR="+root, "PROGRAM="+program)
		cmd.ExtraFiles = []*os.File{lifeline.read}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("make %s: %v\n%s", target, err, out)
		}
		return string(out)
	}
	for _, settings := range []string{"", "GAMEDEX_LIMIT_MINUTE=31\n"} {
		if settings != "" {
			writeFile(t, env, settings)
		}
		makes("install")
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

	data := filepath.Join(root, "var/lib/gamedex")
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(data, "gamedex.db"), "prices")
	for range 2 { // the second time there is nothing to remove
		if said := makes("uninstall"); !strings.Contains(said, "/etc/gamedex.env and the data, such as /var/lib/gamedex, stay") {
			t.Errorf("make uninstall says\n%s", said)
		}
	}
	var left []string
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			left = append(left, strings.TrimPrefix(path, root))
		}
		return err
	})
	if want := []string{"/etc/gamedex.env", "/var/lib/gamedex/gamedex.db"}; err != nil || !slices.Equal(left, want) {
		t.Errorf("make uninstall leaves %q, want %q; %v", left, want, err)
	}
}

// TestBuildShowsProgress runs scripts/build with a program that prints what go build -v does.
func TestBuildShowsProgress(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		script string
		wants  string
		fails  bool
	}{
		"good": {`seq 120 | sed 's,^,example.org/p,'`, `go: downloading example.org/p v1.0.0
compiled 50 of 120 packages: example.org/p50
compiled 100 of 120 packages: example.org/p100
compiled 105 of 120 packages: example.org/p105
compiled 110 of 120 packages: example.org/p110
compiled 115 of 120 packages: example.org/p115
compiled 120 of 120 packages: example.org/p120
built
`, false},
		"failing": {`echo '# example.org/p'; echo 'p.go:1:1: wrong'; exit 3`, `go: downloading example.org/p v1.0.0
# example.org/p
p.go:1:1: wrong
`, true},
	} {
		t.Run(name, func(t *testing.T) {
			fake := filepath.Join(t.TempDir(), "go")
			script := "#!/bin/sh\n[ $1 = list ] && exec seq 120\necho 'go: downloading example.org/p v1.0.0'\n" + tt.script + "\n"
			if err := os.WriteFile(fake, []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "../../scripts/build", "-o", "bin/p", "./p")
			cmd.Env = append(os.Environ(), "GO="+fake)
			out, err := cmd.CombinedOutput()
			_, got, _ := strings.Cut(string(out), "\n") // the first line says how long it takes
			if got != tt.wants || (err != nil) != tt.fails {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
