package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

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
