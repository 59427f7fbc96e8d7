package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"gamedex/internal/feed/table"
)

// Opener opens an input by its name and returns its size in bytes, or -1 if the size is
// not known. It is the size of the input itself, compressed or not.
type Opener func(ctx context.Context, name string) (io.ReadCloser, int64, error)

// Inputs returns the Opener of the command import: "-" is stdin, an http or https URL is
// fetched with client, and any other name is a file. Errors name the input.
func Inputs(stdin io.Reader, client *http.Client) Opener {
	return func(ctx context.Context, name string) (io.ReadCloser, int64, error) {
		switch {
		case name == "-":
			return newInterruptible(ctx, io.NopCloser(stdin)), -1, nil
		case isURL(name):
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
}

func fetch(ctx context.Context, name string, client *http.Client) (io.ReadCloser, int64, error) {
	u, err := url.Parse(name)
	if err != nil { // only the cause: the URL may have a password
		return nil, 0, fmt.Errorf("fetch feed: no URL: %w", errors.Unwrap(err))
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, 0, fmt.Errorf("fetch feed: %w", err)
	}
	// The Reader decompresses; the size is known only without a content encoding.
	req.Header.Set("Accept-Encoding", "identity")
	following := *client
	following.CheckRedirect = checkRedirect
	resp, err := following.Do(req)
	if err != nil {
		// The client hides the password, but not those of a redirect or in the query.
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err
		}
		return nil, 0, fmt.Errorf("fetch feed: %s: %w", shown(u), err)
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, 0, fmt.Errorf("fetch feed: %s answered %s", shown(resp.Request.URL), resp.Status)
	}
	return resp.Body, resp.ContentLength, nil
}

// maxRedirects is how many redirects fetch follows.
const maxRedirects = 10

// checkRedirect refuses to go from https to http, and takes the credentials out of a
// request to another address.
func checkRedirect(req *http.Request, via []*http.Request) error {
	from := via[len(via)-1].URL
	if from.Scheme == "https" && req.URL.Scheme != "https" {
		return fmt.Errorf("it redirects from https to %s, which is not encrypted", req.URL.Scheme)
	}
	if len(via) >= maxRedirects {
		return fmt.Errorf("it redirects more than %d times", maxRedirects)
	}
	req.URL.User = nil
	req.Header.Del("Authorization")
	req.Header.Del("Referer")
	return nil
}

// shown returns a URL for messages: without user and password, and without the query,
// which may have a token.
func shown(u *url.URL) string {
	public := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return public.String()
}

func isURL(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://")
}

// shownName returns the name of an input for messages.
func shownName(name string) string {
	if !isURL(name) {
		return name
	}
	u, err := url.Parse(name)
	if err != nil {
		return "the URL" // it may have a password anywhere
	}
	return shown(u)
}

// interruptible is an input that may block forever, such as a terminal or a pipe. The
// end of ctx ends its reads; a blocked read of the input is abandoned.
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
	return &interruptible{Closer: in, ctx: ctx, in: in, buf: make([]byte, 64<<10), result: make(chan readResult, 1)}
}

func (i *interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	buf := i.buf[:min(len(p), len(i.buf))] // the caller may reuse p while a read is blocked
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
	left, _ := filepath.Glob(filepath.Join(dir, table.CopyNames)) // an import does not need it
	for _, name := range left {
		_ = os.RemoveAll(name)
	}
}

func (s *spool) openAndCopy(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	in, size, err := s.source(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	out, err := os.CreateTemp(s.dir, table.CopyNames)
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
