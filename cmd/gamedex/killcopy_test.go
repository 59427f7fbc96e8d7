package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// beginStrict starts an import --strict and gives it lines of its standard input, so
// that it has copied most of them.
func beginStrict(t *testing.T, dir, lines string) (*exec.Cmd, io.WriteCloser) {
	t.Helper()
	cmd := command(t, dir, "import", "--strict", "-")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	if _, err := io.WriteString(stdin, lines); err != nil {
		t.Fatal(err)
	}
	return cmd, stdin
}

// TestKilledImportLeavesNoCopy checks that the copies of a killed import --strict are
// gone, that an import removes those that earlier versions left, and that it does not
// harm an import that runs.
func TestKilledImportLeavesNoCopy(t *testing.T) {
	fileOnly(t, "import --strict keeps its copies beside a database in a file")
	t.Parallel()
	dir := t.TempDir()
	var lines strings.Builder
	for i := range 9000 { // many times what a pipe holds
		lines.WriteString(listing("consolestore", "UA", fmt.Sprint("P", i), "2024-05-01T10:00:00Z", ""))
	}
	left := func() []string {
		names, err := filepath.Glob(filepath.Join(dir, "gamedex-import-*"))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	killed, _ := beginStrict(t, dir, lines.String())
	killed.Process.Kill()
	killed.Wait()
	if names := left(); len(names) > 0 {
		t.Errorf("a killed import left %v", names)
	}

	running, stdin := beginStrict(t, dir, lines.String())
	old := filepath.Join(dir, "gamedex-import-1234")
	if err := os.Mkdir(old, 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(old, "input-1"), "{}")
	must(t, dir, listing("consolestore", "UA", "other", "2024-05-01T10:00:00Z", ""), "import", "-")
	if names := left(); len(names) > 0 {
		t.Errorf("an import kept the copies %v", names)
	}
	stdin.Close()
	if err := running.Wait(); err != nil {
		t.Errorf("the import that ran: %v", err)
	}
	if n := strings.Count(must(t, dir, "", "export"), "\n"); n != 9001 {
		t.Errorf("%d listings, want 9001", n)
	}
}
