//go:build unix

package bucket_test

import (
	"bytes"
	"errors"
	"os/signal"
	"syscall"
	"testing"

	"gamedex/internal/bucket"
)

// TestFolderFileTooBig makes the end of a write fail, and checks that no file
// has the final name and no partial file is left.
func TestFolderFileTooBig(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	restore := limitFileSize(t, 64<<10)
	err := f.Put(t.Context(), "big", bytes.Repeat([]byte("x"), 1<<20))
	restore()
	if err == nil {
		t.Fatal("a write beyond the limit succeeded, so this test tests nothing")
	}
	if _, err := f.Get(t.Context(), "big"); !errors.Is(err, bucket.ErrNotExist) {
		t.Errorf("get after a failed put: %v, want ErrNotExist", err)
	}
	if left := tempFiles(t, dir); len(left) > 0 {
		t.Errorf("temporary files left: %q", left)
	}
	if err := f.Put(t.Context(), "big", []byte("fits")); err != nil {
		t.Errorf("put after the limit was lifted: %v", err)
	}
}

// limitFileSize makes every write beyond size fail, as a full disk does, until
// the returned function is called. The limit holds for the whole process, so
// no test of this package runs in parallel.
func limitFileSize(t *testing.T, size uint64) (restore func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var old syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: old.Max}))
	return func() {
		must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old))
		signal.Reset(syscall.SIGXFSZ)
	}
}
