package api

import (
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"gamedex/internal/deflate"
)

// minCompressed is the size below which coding an answer costs more than it
// saves.
const minCompressed = 1024

// minMarked is the size below which a search for repetitions makes an answer
// shorter than marks do: it finds more in what stands there once.
const minMarked = 40 << 10

// compressor is what both codings' writers can do.
type compressor interface {
	io.WriteCloser
	Reset(io.Writer)
}

// compressors keeps the writers of finished answers: they are far larger than
// most answers.
type compressors struct {
	gzip, zstd sync.Pool
	marked     sync.Pool // of *deflate.Writer
}

func (c *compressors) pool(name coding) *sync.Pool {
	if name == zstded {
		return &c.zstd
	}
	return &c.gzip
}

// take gives a writer of the coding that writes to w.
func (c *compressors) take(name coding, w io.Writer) (compressor, error) {
	if kept, ok := c.pool(name).Get().(compressor); ok {
		kept.Reset(w)
		return kept, nil
	}
	if name == zstded {
		return newZstd(w)
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return nil, fmt.Errorf("make gzip writer: %w", err)
	}
	return z, nil
}

// zstdWindow bounds what one zstd writer holds; answers repeat themselves at
// far shorter distances.
const zstdWindow = 256 << 10

func newZstd(w io.Writer) (compressor, error) {
	z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, fmt.Errorf("make zstd writer: %w", err)
	}
	return z, nil
}

// give takes a writer back; its answer is complete or given up.
func (c *compressors) give(name coding, z compressor) {
	z.Reset(io.Discard)
	c.pool(name).Put(z)
}

// takeMarked gives a writer for an answer whose parts are marked.
func (c *compressors) takeMarked(w io.Writer) *deflate.Writer {
	if kept, ok := c.marked.Get().(*deflate.Writer); ok {
		kept.Reset(w)
		return kept
	}
	return deflate.NewWriter(w)
}

// giveMarked is give for those.
func (c *compressors) giveMarked(z *deflate.Writer) {
	z.Reset(io.Discard)
	c.marked.Put(z)
}
