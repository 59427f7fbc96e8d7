package serve

import (
	"bytes"
	"net"
	"sync"
)

// lines are header lines on their way into an answer as they are, past
// http.Header. net/http copies the map of an answer's headers and sorts it, and
// a map of more than eight costs it twice: six headers that every answer has
// were a tenth of a small request.
//
// The lines are joined in where the answer's header is written to the
// connection: before that of the request id, which every answer has; in front
// of all if that is not among the first 4 KiB.
type lines struct {
	pending []byte
	joined  *sync.Pool // of *[]byte; the listener's
}

var (
	endOfLine   = []byte("\r\n")
	endOfHeader = []byte("\r\n\r\n")
	beforeID    = []byte("\r\nX-Request-Id: ")
)

// write writes p, and the pending lines if it is now their turn.
func (l *lines) write(conn net.Conn, p []byte) (int, error) {
	at := l.place(p)
	if at == 0 {
		return conn.Write(p)
	}
	buf, ok := l.joined.Get().(*[]byte)
	if !ok {
		buf = new([]byte)
	}
	defer l.joined.Put(buf)
	*buf = append(append(append((*buf)[:0], p[:at]...), l.pending...), p[at:]...)
	l.pending = l.pending[:0]
	if _, err := conn.Write(*buf); err != nil {
		return 0, err // how much of p arrived matters to nobody
	}
	return len(p), nil
}

// place says where in p the pending lines belong; 0 is nowhere. p is the first
// that is written of an answer if it begins with a status. One of 100 to 199
// only announces the answer.
func (l *lines) place(p []byte) int {
	const status = len("HTTP/1.1 ")
	if len(l.pending) == 0 || len(p) <= status || string(p[:5]) != "HTTP/" || p[status] == '1' {
		return 0
	}
	header, _, _ := bytes.Cut(p, endOfHeader)
	at := bytes.Index(header, beforeID)
	if at < 0 {
		at = bytes.Index(header, endOfLine)
	}
	if at < 0 {
		return 0
	}
	return at + len(endOfLine)
}
