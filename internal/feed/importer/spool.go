package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// copyNames is the pattern of the names of copies.
const copyNames = "gamedex-import-*"

// spool copies every input to a temporary file while it is read, so that a second pass
// reads the same bytes of any input.
//
// A copy loses its name as soon as it is open, so the system removes it with the process,
// however that ends. So a copy that still has a name was left by a process that ended.
type spool struct {
	dir    string
	source Opener
	copies []*os.File // in the order of the inputs
	next   int        // the copy that reopen returns next
}

// removeAbandoned removes the copies in a folder that killed imports left: those of
// earlier versions, and of systems that keep the name of an open file. Such a system
// also keeps the file of a running import.
func removeAbandoned(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, copyNames)) // an import does not need it
	for _, name := range left {
		_ = os.RemoveAll(name)
	}
}

func (s *spool) openAndCopy(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	in, size, err := s.source(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	out, err := os.CreateTemp(s.dir, copyNames)
	if err != nil {
		in.Close()
		return nil, 0, fmt.Errorf("copy %s: %w", shownName(name), err)
	}
	_ = os.Remove(out.Name()) // remove tries again
	s.copies = append(s.copies, out)
	return &copying{in, out}, size, nil
}

// reopen returns the copies, in the order in which they were made.
func (s *spool) reopen(_ context.Context, name string) (io.ReadCloser, int64, error) {
	f := s.copies[s.next]
	s.next++
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read the copy of %s: %w", shownName(name), err)
	}
	return io.NopCloser(f), size, nil
}

func (s *spool) remove() {
	for _, f := range s.copies {
		_ = errors.Join(f.Close(), os.Remove(f.Name())) // what they hold was read; most names are gone
	}
}

type copying struct {
	io.ReadCloser
	out *os.File
}

func (c *copying) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if _, failed := c.out.Write(p[:n]); failed != nil {
		return n, fmt.Errorf("copy the input: %w", failed)
	}
	return n, err
}
