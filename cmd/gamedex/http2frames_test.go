package main

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"slices"
	"sync"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"gamedex/internal/testing/await"
)

// frames is an HTTP/2 connection of a client that sends frames as it likes. It reads all answers, each of
// them up to the first 64 KiB until it releases the rest.
type frames struct {
	conn *tls.Conn

	sending sync.Mutex
	framer  *http2.Framer
	packed  bytes.Buffer
	packer  *hpack.Encoder
	next    uint32 // the id of the next stream

	mu      sync.Mutex
	streams map[uint32]*stream
	closed  bool // or about to be
}

// stream is what has arrived on a stream.
type stream struct {
	status string
	body   []byte
	whole  bool // the answer has ended
	reset  bool
}

func newFrames(conn *tls.Conn) *frames {
	f := &frames{conn: conn, framer: http2.NewFramer(conn, conn), next: 1, streams: map[uint32]*stream{}}
	f.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	f.packer = hpack.NewEncoder(&f.packed)
	f.send(func() error { _, err := io.WriteString(conn, http2.ClientPreface); return err })
	f.send(func() error { return f.framer.WriteSettings(http2.Setting{ID: http2.SettingEnablePush, Val: 0}) })
	f.release(0)
	go f.receive()
	return f
}

// send sends a frame. If the connection is closed, receive notices it.
func (f *frames) send(write func() error) {
	f.sending.Lock()
	defer f.sending.Unlock()
	_ = write()
}

// open begins a request with header fields, names and values in turn.
func (f *frames) open(end bool, fields ...string) (id uint32) {
	f.send(func() error {
		f.packed.Reset()
		for field := range slices.Chunk(fields, 2) {
			_ = f.packer.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}) // a buffer takes all
		}
		id, f.next = f.next, f.next+2
		f.mu.Lock()
		f.streams[id] = new(stream)
		f.mu.Unlock()
		return f.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: f.packed.Bytes(), EndStream: end, EndHeaders: true})
	})
	return id
}

// body sends a part of the body of a request, at most 16 KiB.
func (f *frames) body(id uint32, end bool, text string) {
	f.send(func() error { return f.framer.WriteData(id, end, []byte(text)) })
}

func (f *frames) reset(id uint32) {
	f.send(func() error { return f.framer.WriteRSTStream(id, http2.ErrCodeCancel) })
}

// release lets the rest of an answer arrive; of id 0, the answers of all streams together.
func (f *frames) release(id uint32) {
	f.send(func() error { return f.framer.WriteWindowUpdate(id, 1<<30) })
}

// arrived returns what has arrived on a stream, and whether that is all.
func (f *frames) arrived(id uint32) (s stream, all bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s = *f.streams[id]
	return s, s.whole || s.reset || f.closed
}

// end waits until nothing more arrives on a stream.
func (f *frames) end(t *testing.T, id uint32) (s stream) {
	t.Helper()
	if !await.Progress(func() (all bool) { s, all = f.arrived(id); return all }, func() any { return len(s.body) }) {
		t.Fatalf("an answer never ends: status %s, %d bytes", s.status, len(s.body))
	}
	return s
}

func (f *frames) isClosed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed
}

// receive reads frames until the connection is closed.
func (f *frames) receive() {
	for !f.isClosed() {
		frame, err := f.framer.ReadFrame()
		if _, ok := errors.AsType[http2.StreamError](err); ok {
			continue
		}
		f.mu.Lock()
		if err != nil {
			f.closed = true
		} else {
			f.take(frame)
		}
		f.mu.Unlock()
	}
}

// take notes what a frame has. Its answers are sent beside it, because the other side may read nothing
// until it has sent more. The caller holds mu.
func (f *frames) take(frame http2.Frame) {
	s := f.streams[frame.Header().StreamID]
	if s == nil {
		s = new(stream) // of no request
	}
	switch frame := frame.(type) {
	case *http2.SettingsFrame:
		if !frame.IsAck() {
			go f.send(f.framer.WriteSettingsAck)
		}
	case *http2.PingFrame:
		if data := frame.Data; !frame.IsAck() {
			go f.send(func() error { return f.framer.WritePing(true, data) })
		}
	case *http2.MetaHeadersFrame:
		if status := frame.PseudoValue("status"); status >= "200" {
			s.status = status
		}
		s.whole = frame.StreamEnded()
	case *http2.DataFrame:
		s.body, s.whole = append(s.body, frame.Data()...), frame.StreamEnded()
	case *http2.RSTStreamFrame:
		s.reset = true
	case *http2.GoAwayFrame:
		f.closed = true
	}
}
