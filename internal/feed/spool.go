package feed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// spool copies every input to a temporary file while it is read, so that a second pass
// reads the same bytes of any input.
type spool struct {
	dir    string
	source Opener
	copies []*os.File // in the order of the inputs
	next   int        // the copy that reopen returns next
}

func newSpool(dir string, source Opener) (*spool, error) {
	dir, err := os.MkdirTemp(dir, "gamedex-import-")
	if err != nil {
		return nil, fmt.Errorf("copy the input: %w", err)
	}
	return &spool{dir: dir, source: source}, nil
}

func (s *spool) openAndCopy(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	in, size, err := s.source(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	out, err := os.CreateTemp(s.dir, "input-")
	if err != nil {
		in.Close()
		return nil, 0, fmt.Errorf("copy %s: %w", shownName(name), err)
	}
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

func (s *spool) remove() error {
	var errs []error
	for _, f := range s.copies {
		errs = append(errs, f.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(s.dir))...)
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
