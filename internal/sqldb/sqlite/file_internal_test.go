package sqlite

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestNewFileUsesWAL checks that a new database is created with its log
// turned on: two processes that turn it on at the same time make each other
// fail, however long they wait.
func TestNewFileUsesWAL(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gamedex.db")
	must(t, create(t.Context(), path))
	header, err := os.ReadFile(path)
	must(t, err)
	// "File format write version" and "read version": 2 is a write-ahead log.
	if got := header[18:20]; !bytes.Equal(got, []byte{2, 2}) {
		t.Errorf("format versions %v, want 2 and 2", got)
	}
	for _, left := range []string{path + "-wal", path + "-shm", path + ".new"} {
		if _, err := os.Stat(left); err == nil {
			t.Errorf("%s is left behind", filepath.Base(left))
		}
	}
}
