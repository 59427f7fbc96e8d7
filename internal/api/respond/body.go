package respond

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"sync"

	"gamedex/internal/api/deflate"
)

const (
	// smallSize is the size up to which an answer takes little memory.
	smallSize = 64 << 10
	// smallHold is the most that a request with a small answer and a body holds.
	smallHold = smallSize + chunkSlack + 64<<10

	// chunkSize is how much of a larger answer is collected before it is sent.
	chunkSize = 256 << 10
	// chunkSlack is room for what is appended between two calls of SendChunk:
	// one region price, one offer, one game's texts.
	chunkSlack = 32 << 10

	// minCompressed is the size below which compressing an answer costs more
	// than it saves.
	minCompressed = 1024
	// minHinted is the size below which a search for repetitions compresses
	// better than match hints.
	minHinted = 40 << 10
)

// Body is the body of a successful response. The encoder appends to Buf.
type Body struct {
	// Status is the status of the response. It is 0 before Send, and after it if the encoder panicked
	// before anything was sent.
	Status int
	Buf    []byte

	hold    *Hold
	ctx     context.Context
	buffer  *[]byte // of the pool
	large   bool    // it has room for a chunk
	coding  Coding
	zip     compressor      // nil if nothing is compressed, or hints does it
	hints   *deflate.Writer // nil if the encoder adds no match hints
	started bool            // the headers are sent
	refused error           // there was no memory for a larger answer
	err     error           // the client is gone
}

// Send answers the request of a hold with a status and what encode appends, probably about
// size bytes; 0: not known. It returns an error, and sends nothing, if there is no memory for
// the answer: [ErrOwnerMemory] or [ErrMemory]. It panics with [http.ErrAbortHandler] if the
// client is gone.
func (b *Body) Send(h *Hold, r *http.Request, status, size int, encode func(*Body)) error {
	if r.Method == http.MethodHead {
		b.Status = status
		setCaching(h.W.Header())
		h.W.WriteHeader(status)
		return nil
	}
	*b = Body{Status: status, hold: h, ctx: r.Context(), large: size > smallSize, coding: negotiate(r.Header["Accept-Encoding"])}
	defer b.release()
	if b.refused = h.Take(b.ctx, b.memory()); b.refused != nil {
		return b.refused
	}
	b.buffer = b.buffers().Get().(*[]byte)
	b.Buf = (*b.buffer)[:0]
	setCaching(h.W.Header())
	encode(b)
	if b.refused == nil {
		b.finish()
	}
	return b.refused
}

// memory returns the most bytes that the answer holds.
func (b *Body) memory() int64 {
	if b.large {
		return answerSize(b.coding)
	}
	return smallSize + chunkSlack
}

func (b *Body) buffers() *sync.Pool {
	if b.large {
		return &b.hold.Pool.large
	}
	return &b.hold.Pool.small
}

// Hints returns the writer to which the encoder adds its match hints, or nil if
// the answer needs none. Only answers that are large and repeat themselves
// benefit from hints.
func (b *Body) Hints() *deflate.Writer {
	if b.large && b.coding == gzipped && b.hints == nil {
		if kept, ok := b.hold.Pool.hinted.Get().(*deflate.Writer); ok {
			kept.Reset(b.hold)
			b.hints = kept
		} else {
			b.hints = deflate.NewWriter(b.hold)
		}
	}
	return b.hints
}

// IsChunk reports whether Buf has the size of a chunk, or is full as long as the answer is small.
func (b *Body) IsChunk() bool { return len(b.Buf) >= chunkSize || !b.large && len(b.Buf) >= smallSize }

// SendChunk sends Buf once it has the size of a chunk. It reports whether the client is
// still connected and there is memory for the answer; if not, the encoder should stop.
func (b *Body) SendChunk() bool {
	switch {
	case b.refused != nil:
		return false
	case !b.IsChunk():
		return true
	case !b.large:
		return b.grow()
	case !b.started && b.err == nil:
		b.start()
	}
	b.write()
	return b.err == nil
}

// grow makes room for a chunk, before anything is sent.
func (b *Body) grow() bool {
	small, of, held := b.buffer, b.buffers(), b.memory()
	b.large = true
	if b.refused = b.hold.Take(b.ctx, b.memory()-held); b.refused != nil {
		b.large = false
		return false
	}
	b.buffer = b.buffers().Get().(*[]byte)
	b.Buf = append((*b.buffer)[:0], b.Buf...)
	of.Put(small)
	return true
}

// finish sends the rest of the answer. If that fails after a part was sent, it closes the
// connection, so that the client notices that the answer is incomplete.
func (b *Body) finish() {
	if !b.started && b.err == nil { // all of it fits one chunk
		if len(b.Buf) < minHinted {
			b.dropHints()
		}
		if b.coding == identity || len(b.Buf) < minCompressed {
			b.hold.W.Header()["Content-Length"] = []string{strconv.Itoa(len(b.Buf))}
			b.coding = identity
		}
		b.start()
		if !b.large && b.zip != nil {
			b.pack()
		}
	}
	b.write()
	if b.err == nil {
		switch {
		case b.hints != nil:
			b.err = b.hints.Close()
		case b.zip != nil:
			b.err = b.zip.Close()
		}
	}
	if b.err != nil {
		panic(http.ErrAbortHandler)
	}
}

// start sends the headers.
func (b *Body) start() {
	b.started = true
	if b.coding != identity {
		if b.hints == nil {
			b.zip = b.hold.Pool.takeCompressor(b.coding, b.hold)
		}
		b.hold.W.Header()["Content-Encoding"] = []string{string(b.coding)}
	}
	b.hold.W.WriteHeader(b.Status)
}

// pack compresses a small answer as a whole, so that no compressor is held while the client
// reads.
func (b *Body) pack() {
	packed := b.buffers().Get().(*[]byte)
	b.zip.Reset((*appender)(packed))
	b.write()
	if b.err == nil {
		b.err = b.zip.Close()
	}
	b.dropZip()
	b.Buf = *packed
	*packed = (*packed)[:0]
	b.buffers().Put(b.buffer)
	b.buffer = packed
}

// appender is a writer to memory.
type appender []byte

func (a *appender) Write(p []byte) (int, error) {
	*a = append(*a, p...)
	return len(p), nil
}

// write sends Buf and empties it.
func (b *Body) write() {
	switch {
	case b.err != nil:
	case b.hints != nil:
		// Its start has to stay in Buf: the next hints refer to it.
		b.Buf, b.err = b.hints.Compress(b.Buf)
		return
	case b.zip != nil:
		_, b.err = b.zip.Write(b.Buf)
	default:
		_, b.err = b.hold.Write(b.Buf)
	}
	b.Buf = b.Buf[:0]
}

func (b *Body) dropHints() {
	if b.hints != nil {
		b.hints.Reset(io.Discard)
		b.hold.Pool.hinted.Put(b.hints)
		b.hints = nil
	}
}

func (b *Body) dropZip() {
	if b.zip != nil {
		b.zip.Reset(io.Discard)
		b.hold.Pool.compressors(b.coding).Put(b.zip)
		b.zip = nil
	}
}

// release returns what the body holds to the pool, whether or not the answer was completed.
// The hold keeps its memory until the request ends.
func (b *Body) release() {
	if !b.started {
		b.Status = 0
	}
	b.dropHints()
	b.dropZip()
	if b.buffer == nil {
		return
	}
	if b.large && cap(b.Buf) <= keptSize {
		*b.buffer = b.Buf[:0]
	}
	b.buffers().Put(b.buffer)
	b.hold, b.ctx = nil, nil
}
