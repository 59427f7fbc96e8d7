package respond

import (
	"io"
	"net/http"
	"strconv"

	"gamedex/internal/api/deflate"
)

const (
	// chunkSize is how much of an answer is collected before it is sent.
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

	w       http.ResponseWriter
	pool    *Pool
	buffer  *[]byte // of the pool
	held    claim
	coding  Coding
	zip     compressor      // nil if nothing is compressed, or hints does it
	hints   *deflate.Writer // nil if the encoder adds no match hints
	started bool            // the headers are sent
	err     error           // the client is gone
}

// Send answers a request with a status and what encode appends. It
// returns an error, and sends nothing, if there is no memory for the answer:
// [ErrOwnerMemory] or [ErrMemory]. It panics with [http.ErrAbortHandler] if the client is
// gone.
func (b *Body) Send(h Holder, w http.ResponseWriter, r *http.Request, status int, encode func(*Body)) error {
	coding := negotiate(r.Header["Accept-Encoding"])
	held := claim{h, answerSize(coding)}
	if err := held.acquire(r.Context()); err != nil {
		return err
	}
	buffer := h.Pool.buffers.Get().(*[]byte)
	*b = Body{Status: status, Buf: (*buffer)[:0], w: w, pool: h.Pool, buffer: buffer, held: held, coding: coding}
	defer b.release()
	setCaching(w.Header())
	if r.Method == http.MethodHead {
		b.started = true
		w.WriteHeader(status)
		return nil
	}
	encode(b)
	b.finish()
	return nil
}

// Hints returns the writer to which the encoder adds its match hints, or nil if
// the answer needs none. Only answers that are large and repeat themselves
// benefit from hints.
func (b *Body) Hints() *deflate.Writer {
	if b.coding == gzipped && b.hints == nil {
		if kept, ok := b.pool.hinted.Get().(*deflate.Writer); ok {
			kept.Reset(b.w)
			b.hints = kept
		} else {
			b.hints = deflate.NewWriter(b.w)
		}
	}
	return b.hints
}

// IsChunk reports whether Buf has the size of a chunk.
func (b *Body) IsChunk() bool { return len(b.Buf) >= chunkSize }

// SendChunk sends Buf once it has the size of a chunk. It reports whether the client is
// still connected; if not, the encoder should stop.
func (b *Body) SendChunk() bool {
	if !b.IsChunk() {
		return true
	}
	if !b.started && b.err == nil {
		b.start()
	}
	b.write()
	return b.err == nil
}

// finish sends the rest of the answer. If that fails after a part was sent, it closes the
// connection, so that the client notices that the answer is incomplete.
func (b *Body) finish() {
	if !b.started && b.err == nil { // all of it fits one chunk
		if len(b.Buf) < minHinted {
			b.dropHints()
		}
		if b.coding == identity || len(b.Buf) < minCompressed {
			b.w.Header()["Content-Length"] = []string{strconv.Itoa(len(b.Buf))}
			b.coding = identity
		}
		b.start()
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
			if b.zip, b.err = b.pool.takeCompressor(b.coding, b.w); b.err != nil {
				return
			}
		}
		b.w.Header()["Content-Encoding"] = []string{string(b.coding)}
	}
	b.w.WriteHeader(b.Status)
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
		_, b.err = b.w.Write(b.Buf)
	}
	b.Buf = b.Buf[:0]
}

func (b *Body) dropHints() {
	if b.hints != nil {
		b.hints.Reset(io.Discard)
		b.pool.hinted.Put(b.hints)
		b.hints = nil
	}
}

// release returns what the body holds to the pool, whether or not the answer was completed.
func (b *Body) release() {
	if !b.started {
		b.Status = 0
	}
	b.dropHints()
	if b.zip != nil {
		b.zip.Reset(io.Discard)
		b.pool.compressors(b.coding).Put(b.zip)
	}
	if cap(b.Buf) <= keptSize {
		*b.buffer = b.Buf[:0]
		b.pool.buffers.Put(b.buffer)
	}
	b.held.release()
}
