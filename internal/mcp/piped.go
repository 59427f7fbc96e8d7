package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxOpen is how many calls may wait for their answers. The server reads no more until a client
// takes some: one that never reads answers cannot fill the memory.
const maxOpen = 256

// piped is a transport whose connection ends only when all calls are answered, so that a pipe
// of requests gets all answers, also if some are faulty.
type piped struct {
	in  io.Reader
	out io.Writer
}

// Connect implements the interface of transports.
func (t piped) Connect(ctx context.Context) (sdk.Connection, error) {
	out := &output{to: t.out}
	in := &lines{Reader: bufio.NewReaderSize(t.in, maxLine), out: out}
	c, err := (&sdk.IOTransport{Reader: io.NopCloser(in), Writer: out, MaxLineLength: -1}).Connect(ctx)
	return newAnswering(c, out), err
}

type answering struct {
	sdk.Connection
	out     *output
	closed  chan struct{}
	closing sync.Once
	room    chan struct{} // has an entry for each open call

	mu   sync.Mutex
	open map[jsonrpc.ID]bool // calls without an answer; of several with one id only the first gets one
	last chan struct{}       // once the requests have ended, it closes with the last answer
}

func newAnswering(c sdk.Connection, out *output) *answering {
	return &answering{Connection: c, out: out, closed: make(chan struct{}), room: make(chan struct{}, maxOpen), open: map[jsonrpc.ID]bool{}}
}

// Read returns the next message. It answers JSON that is no message with an error. It waits for room for a
// call, and for the answers before it returns an error.
func (c *answering) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	for err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) && !errors.Is(err, errInput) {
		c.out.refuse(jsonrpc.CodeInvalidRequest, err.Error())
		message, err = c.Connection.Read(ctx)
	}
	r, ok := message.(*jsonrpc.Request)
	isCall := ok && r.IsCall()
	if isCall {
		select {
		case c.room <- struct{}{}:
		case <-c.closed:
			return nil, io.EOF
		}
	}
	c.mu.Lock()
	if isCall && c.open[r.ID] {
		<-c.room
	} else if isCall {
		c.open[r.ID] = true
	}
	wait := err != nil && ctx.Err() == nil && len(c.open) > 0
	last := make(chan struct{})
	if wait {
		c.last = last
	}
	c.mu.Unlock()
	if wait {
		select {
		case <-last:
		case <-c.closed:
		}
	}
	return message, err
}

// Write writes a message. It cuts the text of an error, which may have the arguments, of any length.
func (c *answering) Write(ctx context.Context, message jsonrpc.Message) error {
	r, ok := message.(*jsonrpc.Response)
	if ok && r.Error != nil && len(r.Error.Error()) > maxError {
		short := &jsonrpc.Error{Message: cleaned(r.Error.Error(), maxError)}
		if coded, ok := errors.AsType[*jsonrpc.Error](r.Error); ok {
			short.Code = coded.Code
		}
		r.Error = short
	}
	err := c.Connection.Write(ctx, message)
	if ok {
		c.mu.Lock()
		if c.open[r.ID] {
			delete(c.open, r.ID)
			<-c.room
		}
		if len(c.open) == 0 && c.last != nil {
			close(c.last)
			c.last = nil
		}
		c.mu.Unlock()
	}
	return err
}

// Close closes the connection, also while calls are open.
func (c *answering) Close() error {
	c.closing.Do(func() { close(c.closed) })
	return c.Connection.Close()
}

// errInput is that the lines of a client cannot be read.
var errInput = errors.New("read requests")

// lines reads the lines of a client that are JSON. The SDK would end at the first other one:
// they, and lines that are too long, are answered with an error.
type lines struct {
	*bufio.Reader // of maxLine bytes
	out           *output
	rest          []byte // of the present line
}

func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.ReadSlice('\n')
		tooLong := errors.Is(err, bufio.ErrBufferFull)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = l.ReadSlice('\n')
		}
		line = bytes.TrimSpace(line)
		switch {
		case tooLong:
			l.out.refuse(jsonrpc.CodeParseError, fmt.Sprintf("a line may have %d bytes, and this one has more", maxLine))
		case len(line) > 0 && json.Valid(line):
			l.rest = slices.Concat(line, []byte("\n"))
		case len(line) > 0:
			l.out.refuse(jsonrpc.CodeParseError, "a line must be one message in JSON, and this one is not")
		case errors.Is(err, io.EOF):
			return 0, io.EOF
		case err != nil:
			return 0, fmt.Errorf("%w: %w", errInput, err)
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// output writes one answer at a time.
type output struct {
	writing sync.Mutex
	to      io.Writer
}

func (o *output) Write(p []byte) (int, error) {
	o.writing.Lock()
	defer o.writing.Unlock()
	return o.to.Write(p)
}

// Close does nothing: the stream is not ours.
func (o *output) Close() error { return nil }

// refuse answers a line whose id is not known.
func (o *output) refuse(code int64, why string) {
	answer := encode(jsonrpc.Error{Code: code, Message: cleaned(why, maxError)})
	_, _ = fmt.Fprintf(o, `{"jsonrpc":"2.0","id":null,"error":%s}`+"\n", answer) // the client may be gone
}
