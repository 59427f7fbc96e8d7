package enginetest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"gamedex/internal/testing/porttest"
)

// packages are the Debian packages of the programs. Others are built. Valkey is used instead of
// Redis where it is there.
var packages = map[string]string{
	"postgres":      "postgresql",
	"redis-server":  "redis-server",
	"valkey-server": "valkey-server",
	"pgbouncer":     "pgbouncer",
	"haproxy":       "haproxy",
	"nginx":         "nginx-light",
	"caddy":         "caddy",
}

// folders hold servers that are often not on the PATH; scripts/setup looks in the same ones.
var folders = []string{
	"/usr/lib/postgresql/*/bin", "/usr/local/sbin", "/usr/sbin", // Debian
	"/opt/homebrew/opt/postgresql@*/bin", "/usr/local/opt/postgresql@*/bin", // Homebrew
}

// Find returns the path of a program. Its error is one line that says how to get it.
func Find(program string) (string, error) {
	if unsupported != nil {
		return "", unsupported
	}
	if os.Getenv("GAMEDEX_ENGINES") == "none" {
		return "", errors.New("GAMEDEX_ENGINES is none, as make quick sets it")
	}
	if packages[program] == "" {
		return findBuilt(program)
	}
	if path, err := exec.LookPath(program); err == nil {
		return path, nil
	}
	for _, folder := range folders {
		if found, err := filepath.Glob(filepath.Join(folder, program)); err == nil && len(found) > 0 {
			return slices.Max(found), nil
		}
	}
	return "", fmt.Errorf("%s is missing: run scripts/setup engines, or install it (apt-get install %s)", program, packages[program])
}

// findWithPort returns the path of a program, and a port for it.
func findWithPort(program string) (path string, port int, err error) {
	if path, err = Find(program); err == nil {
		port, err = porttest.Reserve()
	}
	return path, port, err
}

// findBuilt returns the path of a program that scripts/setup engines builds. Its folder is
// at the top of the repository, which has several modules.
func findBuilt(program string) (string, error) {
	folder, err := os.Getwd()
	for err == nil {
		path := filepath.Join(folder, ".cache", "bin", program)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
		if folder == filepath.Dir(folder) {
			break
		}
		folder = filepath.Dir(folder)
	}
	return "", fmt.Errorf("%s is missing: run scripts/setup engines, which builds it", program)
}

// Need skips the test unless all programs are there. Where GAMEDEX_ENGINES is
// "required", the test fails instead; where it is "none", no program is there.
func Need(t testing.TB, programs ...string) {
	t.Helper()
	for _, program := range programs {
		_, err := Find(program)
		switch {
		case err != nil && required():
			t.Fatal(err)
		case err != nil:
			t.Skip(err)
		}
	}
}

// Wanted reports whether tests that run on several engines are to run on the one of
// this program too: it is there, or required.
func Wanted(program string) bool {
	_, err := Find(program)
	return err == nil || required()
}

func required() bool { return os.Getenv("GAMEDEX_ENGINES") == "required" }
