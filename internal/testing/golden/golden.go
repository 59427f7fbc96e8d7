package golden

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
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
	if string(want) != got {
		t.Errorf("%s differs (-want +got); if that is intended, run: %s\n%s", file, command(t), difference(string(want), got))
	}
}

// shownLines is how many lines of each side a difference shows, and contextLines how many
// equal ones before them.
const shownLines, contextLines = 10, 2

// difference returns whole lines of two texts from the first one on that differs. It leaves
// out the equal lines at the end.
func difference(want, got string) string {
	was, is := slices.Collect(strings.Lines(want)), slices.Collect(strings.Lines(got))
	first := 0
	for first < min(len(was), len(is)) && was[first] == is[first] {
		first++
	}
	context := was[max(0, first-contextLines):first]
	was, is = was[first:], is[first:]
	for len(was) > 0 && len(is) > 0 && was[len(was)-1] == is[len(is)-1] {
		was, is = was[:len(was)-1], is[:len(is)-1]
	}
	var b strings.Builder
	fmt.Fprintf(&b, "line %d:\n", first+1)
	show := func(mark string, lines []string) {
		for _, line := range lines[:min(len(lines), shownLines)] {
			fmt.Fprintf(&b, "%s %s", mark, line)
			if !strings.HasSuffix(line, "\n") {
				b.WriteString(" (no newline at the end)\n")
			}
		}
		if more := len(lines) - shownLines; more > 0 {
			fmt.Fprintf(&b, "%s and %d more lines\n", mark, more)
		}
	}
	show(" ", context)
	show("-", was)
	show("+", is)
	return b.String()
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
