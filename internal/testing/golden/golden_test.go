package golden_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gamedex/internal/testing/golden"
)

// recorder records what Check reports instead of failing.
type recorder struct {
	testing.TB
	reported strings.Builder
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) { fmt.Fprintf(&r.reported, format, args...) }

func (r *recorder) Fatalf(format string, args ...any) { fmt.Fprintf(&r.reported, format, args...) }

// setUpdate sets -update for one test.
func setUpdate(t *testing.T, on string) {
	t.Helper()
	before := flag.Lookup("update").Value.String()
	t.Cleanup(func() { _ = flag.Set("update", before) })
	if err := flag.Set("update", on); err != nil {
		t.Fatal(err)
	}
}

func TestCheck(t *testing.T) {
	setUpdate(t, "false")
	file := filepath.Join(t.TempDir(), "a.golden")
	long := "one line " + strings.Repeat("a long text in it, ", 20)
	many := strings.Repeat("an equal line\n", 50)
	text := many + "before\n" + long + "old\nafter\n" + many
	for name, content := range map[string]string{file: "kept\n", file + ".long": text} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const rewrite = "go test gamedex/internal/testing/golden -run '^TestCheck$' -update"
	for _, tc := range []struct {
		name, file, got string
		want            []string
	}{
		{"same", file, "kept\n", nil},
		{"other", file, "new\n", []string{"a.golden differs", "kept", "new", rewrite}},
		{"a line of many", file + ".long", strings.Replace(text, "old", "new", 1), []string{
			rewrite + "\nline 52:\n  an equal line\n  before\n- " + long + "old\n+ " + long + "new\nEND"}},
		{"more lines", file + ".long", text + many, []string{"line 104:\n  an equal line\n  an equal line\n+ an equal line\n", "+ and 40 more lines\nEND"}},
		{"no newline", file, "kept", []string{"line 1:\n- kept\n+ kept (no newline at the end)\n"}},
		{"no file", file + "2", "new\n", []string{"no such file", rewrite}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := &recorder{TB: t}
			golden.Check(r, tc.file, tc.got)
			for _, want := range tc.want {
				if !strings.Contains(r.reported.String()+"END", want) {
					t.Errorf("%q is not in the report:\n%s", want, &r.reported)
				}
			}
			if tc.want == nil && r.reported.Len() > 0 {
				t.Errorf("reported: %s", &r.reported)
			}
		})
	}
}

func TestCheckWithUpdate(t *testing.T) {
	setUpdate(t, "true")
	file := filepath.Join(t.TempDir(), "testdata", "a.golden")
	golden.Check(t, file, "new\n")
	if got, err := os.ReadFile(file); err != nil || string(got) != "new\n" || !golden.Update() {
		t.Errorf("the file has %q, %v", got, err)
	}
}
