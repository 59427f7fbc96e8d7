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

// inFolder starts a server in a new folder in parent. It starts again on another port if the
// server found its port taken, as can happen where ports cannot be reserved.
func inFolder[S any](parent string, start func(dir string) (S, error)) (s S, err error) {
	for range 10 {
		if s, err = tryFolder(parent, start); !errors.Is(err, errPortTaken) {
			break
		}
	}
	return s, err
}

// tryFolder starts a server in a new folder in parent, and removes the folder if that fails.
func tryFolder[S any](parent string, start func(dir string) (S, error)) (s S, err error) {
	dir, err := newFolder(parent)
	if err != nil {
		return s, err
	}
	if s, err = start(dir); err != nil {
		return s, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}
