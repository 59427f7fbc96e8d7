package golden

import (
	"flag"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite golden and generated files; read the diff before you commit it")

// Update reports whether tests rewrite their files (-update). Tests whose files are not text
// write them themselves.
func Update() bool { return *update }

// Check reports an error of the test unless the file contains got. With -update it writes
// the file, and its folder, instead.
func Check(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; to write it, run: %s", err, command(t))
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); if that is intended, run: %s\n%s", file, command(t), diff)
	}
}

// command returns the command that rewrites the files of a test.
func command(t testing.TB) string {
	test, _, _ := strings.Cut(t.Name(), "/")
	pkg := "."
	if built, ok := debug.ReadBuildInfo(); ok && built.Path != "" {
		pkg = strings.TrimSuffix(built.Path, ".test")
	}
	return "go test " + pkg + " -run '^" + test + "$' -update"
}
