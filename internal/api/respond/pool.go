package respond

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"gamedex/internal/api/deflate"
)

const (
	// keptSize is the largest buffer that is kept for the next answer.
	keptSize = 1 << 20

	// compressorSize is the most that a compressor of any kind holds besides the
	// piece.
	compressorSize = 768 << 10
	_              = uint(compressorSize - deflate.Size) // does not compile if it is too small

	// zstdWindow bounds the memory of a zstd writer; answers repeat themselves
	// at far shorter distances.
	zstdWindow = 256 << 10
)

// Pool bounds the memory that all requests in progress hold together, for bodies
// and answers, and keeps buffers and compressors of finished ones for the next. It
// is safe for concurrent use.
type Pool struct {
	memory  *memory
	buffers sync.Pool // of *[]byte
	gzip    sync.Pool // of compressor
	zstd    sync.Pool // of compressor
	hinted  sync.Pool // of *deflate.Writer
}

// Holder names the pool and the owner of memory that a request holds. The requests of one owner
// hold at most a quarter of it together, so that a client that reads or sends slowly
// cannot stop others. A quarter is kept for small answers.
type Holder struct {
	Pool  *Pool
	Owner string // "": the memory is not counted; only for tiny answers
	Small bool   // the answer fits one piece
}

// Reserve waits for memory that a request needs besides its answer, for example for
// its body. It fails with [ErrOwnerMemory] or [ErrMemory] if none is free within a second.
// The caller calls release when it no longer uses the memory.
func (h Holder) Reserve(ctx context.Context, bytes int64) (release func(), err error) {
	c := claim{h, bytes}
	if err := c.acquire(ctx); err != nil {
		return nil, err
	}
	return c.release, nil
}

// NewPool returns a pool that bounds the memory of all requests to size bytes,
// or to what one answer needs if that is more.
func NewPool(size int64) *Pool {
	p := &Pool{memory: newMemory(size, answerSize(gzipped))}
	p.buffers.New = func() any {
		b := make([]byte, 0, pieceSize+pieceSlack)
		return &b
	}
	return p
}

// answerSize returns the most bytes that an answer of a coding holds.
func answerSize(c Coding) int64 {
	if c == identity {
		return pieceSize + pieceSlack
	}
	return pieceSize + pieceSlack + compressorSize
}

// compressor is a writer of either coding.
type compressor interface {
	io.WriteCloser
	Reset(io.Writer)
}

func (p *Pool) compressors(c Coding) *sync.Pool {
	if c == zstandard {
		return &p.zstd
	}
	return &p.gzip
}

// takeCompressor returns a compressor that writes to w.
func (p *Pool) takeCompressor(c Coding, w io.Writer) (compressor, error) {
	if kept, ok := p.compressors(c).Get().(compressor); ok {
		kept.Reset(w)
		return kept, nil
	}
	if c == gzipped {
		z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
		if err != nil {
			return nil, fmt.Errorf("make gzip writer: %w", err)
		}
		return z, nil
	}
	z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, fmt.Errorf("make zstd writer: %w", err)
	}
	return z, nil
}
