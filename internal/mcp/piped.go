package mcp

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// piped is a transport whose connection ends only when all calls are answered, so that a pipe
// of requests gets all answers.
type piped struct{ sdk.Transport }

// Connect implements the interface of transports.
func (t piped) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	return &answering{Connection: c, closed: make(chan struct{}), open: map[jsonrpc.ID]bool{}}, err
}

type answering struct {
	sdk.Connection
	closed  chan struct{}
	closing sync.Once

	mu   sync.Mutex
	open map[jsonrpc.ID]bool // calls without an answer; of several with one id only the first gets one
	last chan struct{}       // once the requests have ended, it closes with the last answer
}

// Read returns the next message. It waits for the answers before it returns io.EOF.
func (c *answering) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	c.mu.Lock()
	if r, ok := message.(*jsonrpc.Request); ok && r.IsCall() {
		c.open[r.ID] = true
	}
	wait := errors.Is(err, io.EOF) && len(c.open) > 0
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

// Write writes a message.
func (c *answering) Write(ctx context.Context, message jsonrpc.Message) error {
	err := c.Connection.Write(ctx, message)
	if r, ok := message.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.open, r.ID)
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
