package bucket_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gamedex/internal/bucket"
	"gamedex/internal/testing/buckettest"
)

func TestFolder(t *testing.T) {
	buckettest.Run(t, func(t *testing.T) bucket.Bucket { return open(t, t.TempDir()) })
}

func open(t *testing.T, dir string) *bucket.Folder {
	t.Helper()
	f, err := bucket.OpenFolder(dir)
	must(t, err)
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func TestFolderIsPrivateAndTidy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data", "snapshots")
	f := open(t, dir)
	must(t, f.Put(t.Context(), "catalog/a/b", []byte("x")))
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if entry.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), want)
		}
		return nil
	})
	must(t, err)
	if left := tempFiles(t, dir); len(left) > 0 {
		t.Errorf("temporary files left: %q", left)
	}
}

func TestFolderKeepsBlobsOverReopen(t *testing.T) {
	dir := t.TempDir()
	first := open(t, dir)
	must(t, first.Put(t.Context(), "manifest/1", []byte("one")))
	second := open(t, dir)
	if blob, err := second.Get(t.Context(), "manifest/1"); err != nil || string(blob) != "one" {
		t.Errorf("got %q, %v, want one", blob, err)
	}
	if err := second.Put(t.Context(), "manifest/1", []byte("two")); !errors.Is(err, bucket.ErrExists) {
		t.Errorf("put over the blob of another process: %v, want ErrExists", err)
	}
}

func TestOpenRemovesOnlyAbandonedTemporaryFiles(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	for name, age := range map[string]time.Duration{"old": 61 * time.Minute, "young": 59 * time.Minute} {
		file := filepath.Join(dir, ".tmp", name)
		must(t, os.WriteFile(file, []byte("half"), 0o600))
		at := time.Now().Add(-age)
		must(t, os.Chtimes(file, at, at))
	}
	f := open(t, dir)
	if left := strings.Join(tempFiles(t, dir), " "); left != "young" {
		t.Errorf("left in .tmp: %q, want young", left)
	}
	if names, err := buckettest.List(t.Context(), f, ""); err != nil || len(names) > 0 {
		t.Errorf("listed %q, %v, want nothing", names, err)
	}
}

func TestFolderDoesNotFollowLinksOutside(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	f := open(t, dir)
	must(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("x"), 0o600))
	must(t, os.Symlink(outside, filepath.Join(dir, "link")))
	if blob, err := f.Get(t.Context(), "link/secret"); err == nil {
		t.Errorf("read %q through a link out of the folder", blob)
	}
	if err := f.Put(t.Context(), "link/new", nil); err == nil {
		t.Error("wrote through a link out of the folder")
	}
}

func tempFiles(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, ".tmp"))
	must(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// must ends a test that cannot go on.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
