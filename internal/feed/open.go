package feed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// Opener opens an input by its name and returns its size in bytes, or -1 if that
// is not known. The size is of the input as it comes, packed or not.
type Opener func(ctx context.Context, name string) (io.ReadCloser, int64, error)

// Inputs opens what import may be given: "-" is stdin, an http or https URL is
// fetched with client, anything else is a file.
func Inputs(stdin io.Reader, client *http.Client) Opener {
	return func(ctx context.Context, name string) (io.ReadCloser, int64, error) {
		return Open(ctx, name, stdin, client)
	}
}

// Open opens one input, as Inputs says. Errors name it.
func Open(ctx context.Context, name string, stdin io.Reader, client *http.Client) (io.ReadCloser, int64, error) {
	lower := strings.ToLower(name)
	switch {
	case name == "-":
		return newInterruptible(ctx, io.NopCloser(stdin)), -1, nil
	case strings.HasPrefix(lower, "http://"), strings.HasPrefix(lower, "https://"):
		return fetch(ctx, name, client)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, fmt.Errorf("open feed: %w", err)
	}
	stat, err := f.Stat()
	if err == nil && stat.IsDir() {
		err = fmt.Errorf("%s is a directory, not a file", name)
	}
	if err != nil {
		f.Close()
		return nil, 0, fmt.Errorf("open feed: %w", err)
	}
	if !stat.Mode().IsRegular() { // a pipe or a device has no size
		return newInterruptible(ctx, f), -1, nil
	}
	return f, stat.Size(), nil
}

func fetch(ctx context.Context, name string, client *http.Client) (io.ReadCloser, int64, error) {
	u, err := url.Parse(name)
	if err != nil { // the cause alone: the URL may hold a password
		return nil, 0, fmt.Errorf("fetch feed: no URL: %w", errors.Unwrap(err))
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, 0, fmt.Errorf("fetch feed: %w", err)
	}
	// The Reader unpacks; the size is known only of what is not packed on the way.
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := client.Do(req)
	if err != nil {
		return nil, 0, fmt.Errorf("fetch feed: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, 0, fmt.Errorf("fetch feed: %s answered %s", u.Redacted(), resp.Status)
	}
	return resp.Body, resp.ContentLength, nil
}

// interruptible is an input that may never say more (a terminal, a pipe): the
// end of ctx ends a read, too. The read that hangs is left behind.
type interruptible struct {
	io.Closer
	ctx    context.Context
	in     io.Reader
	buf    []byte
	result chan readResult
}

type readResult struct {
	n   int
	err error
}

func newInterruptible(ctx context.Context, in io.ReadCloser) *interruptible {
	return &interruptible{Closer: in, ctx: ctx, in: in, buf: make([]byte, readSize), result: make(chan readResult, 1)}
}

func (i *interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	buf := i.buf[:min(len(p), len(i.buf))] // p may be used again while a read hangs
	go func() {
		n, err := i.in.Read(buf)
		i.result <- readResult{n, err}
	}()
	select {
	case r := <-i.result:
		return copy(p, buf[:r.n]), r.err
	case <-i.ctx.Done():
		return 0, i.ctx.Err()
	}
}
