package enginetest

import (
	"errors"
	"io"
	"os"
	"testing"
)

// forTest starts a server in a new folder in parent, until the test ends.
func forTest[S io.Closer](t testing.TB, parent string, start func(dir string) (S, error)) S {
	t.Helper()
	s, err := inFolder(parent, start)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// inFolder starts a server in a new folder in parent, and removes the folder if that fails.
func inFolder[S any](parent string, start func(dir string) (S, error)) (s S, err error) {
	dir, err := newFolder(parent)
	if err != nil {
		return s, err
	}
	if s, err = start(dir); err != nil {
		return s, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}
