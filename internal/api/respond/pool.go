package respond

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/semaphore"

	"gamedex/internal/deflate"
)

const (
	// keptSize is the largest buffer that is kept for the next answer.
	keptSize = 1 << 20

	// compressorSize is the most that a compressor of any kind holds beside the
	// piece.
	compressorSize = 768 << 10
	_              = uint(compressorSize - deflate.Size) // does not compile if it is too small

	// zstdWindow bounds the memory of a zstd writer; answers repeat themselves
	// at far shorter distances.
	zstdWindow = 256 << 10

	// memoryWait is how long an answer waits for memory before it is refused.
	memoryWait = time.Second
)

// Pool bounds the memory that all answers in progress hold together, and keeps
// buffers and compressors of finished ones for the next. It is safe for
// concurrent use.
type Pool struct {
	free    *semaphore.Weighted // bytes
	buffers sync.Pool           // of *[]byte
	gzip    sync.Pool           // of compressor
	zstd    sync.Pool           // of compressor
	hinted  sync.Pool           // of *deflate.Writer
}

// NewPool returns a pool that bounds the memory of all answers to size bytes,
// or to what one answer needs if that is more.
func NewPool(size int64) *Pool {
	p := &Pool{free: semaphore.NewWeighted(max(size, answerSize(gzipped)))}
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

// acquire waits for the memory of one answer. It fails if none is free within a
// second, because slow readers hold all of it.
func (p *Pool) acquire(ctx context.Context, c Coding) error {
	if p.free.TryAcquire(answerSize(c)) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, memoryWait)
	defer cancel()
	if err := p.free.Acquire(ctx, answerSize(c)); err != nil {
		return fmt.Errorf("wait for memory for an answer: %w", err)
	}
	return nil
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
