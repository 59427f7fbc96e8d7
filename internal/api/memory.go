package api

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"gamedex/internal/deflate"
)

const (
	// pieceSize is how much of an answer is collected before it goes out.
	pieceSize = 256 << 10
	// pieceSlack is room for what is appended between two looks at the size:
	// one region price, one offer, one game's texts.
	pieceSlack = 32 << 10
	// keptSize is the largest buffer that is kept for the next answer.
	keptSize = 1 << 20

	// zipSize is what a compressor holds beside the piece, of any kind.
	zipSize = 768 << 10
	_       = uint(zipSize - deflate.Size) // does not compile if it is too small

	// memoryWait is how long an answer waits for memory before it is refused.
	memoryWait = time.Second
)

// memory bounds the bytes that all answers in work hold together, and keeps
// the buffers of finished ones for the next.
type memory struct {
	free    *semaphore.Weighted
	buffers sync.Pool
}

func newMemory(size int64) *memory {
	m := &memory{free: semaphore.NewWeighted(max(size, answerSize(gzipped)))}
	m.buffers.New = func() any {
		b := make([]byte, 0, pieceSize+pieceSlack)
		return &b
	}
	return m
}

// answerSize is what one answer of a coding holds at most.
func answerSize(c coding) int64 {
	if c == identity {
		return pieceSize + pieceSlack
	}
	return pieceSize + pieceSlack + zipSize
}

// take gets an empty buffer for one answer, or refuses after a second: then
// slow readers hold all the memory there is.
func (m *memory) take(ctx context.Context, c coding) (*[]byte, error) {
	if !m.free.TryAcquire(answerSize(c)) {
		ctx, cancel := context.WithTimeout(ctx, memoryWait)
		defer cancel()
		if err := m.free.Acquire(ctx, answerSize(c)); err != nil {
			return nil, unavailable("too many large answers are under way", err)
		}
	}
	return m.buffers.Get().(*[]byte), nil
}

// give returns a buffer that was taken for a coding. Nobody may use it
// afterwards.
func (m *memory) give(b *[]byte, c coding) {
	if cap(*b) <= keptSize {
		*b = (*b)[:0]
		m.buffers.Put(b)
	}
	m.free.Release(answerSize(c))
}
