package mcp

import (
	"bufio"
	"context"
	"errors"
	"io"
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
