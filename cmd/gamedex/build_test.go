package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

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
