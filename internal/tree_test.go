package internal_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoFailFilesAreTracked checks that git has none of the files in which rapid keeps the
// input of a failed property test.
func TestNoFailFilesAreTracked(t *testing.T) {
	if files := tracked(t, "*.fail"); len(files) > 0 {
		t.Errorf("git tracks files of failed property tests; make a test of what they found, then: git rm --cached %s", strings.Join(files, " "))
	}
}

// tracked returns the files of the repository that match a pattern of git, relative to its top.
func tracked(t *testing.T, pattern ...string) []string {
	t.Helper()
	index := filepath.Clean(strings.TrimSpace(git(t, "rev-parse", "--git-path", "index")))
	if !filepath.IsAbs(index) {
		index = filepath.Join("..", index)
	}
	if _, err := os.Stat(index); err != nil { // so that the result of the test is not cached when the index changes
		t.Fatal(err)
	}
	return strings.FieldsFunc(git(t, append([]string{"ls-files", "-z", "--"}, pattern...)...), func(r rune) bool { return r == 0 })
}

// git returns the output of a git command at the top of the repository. Without git, or in a
// copy of the source that is no repository, the test is skipped.
func git(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("needs git and a clone of the repository: git %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}
