package index

import (
	"context"
	"fmt"
	"time"
)

// Follower keeps a Live at the newest manifest of a bucket. It is used by one
// goroutine.
type Follower struct {
	from   BlobReader
	live   *Live
	failed func(error)
	now    *opened
	broken map[int64]*attempt
	poll   int
}

// opened is what the Live shows, with the names under which it was read.
type opened struct {
	manifest Manifest
	cards    *cards
	snapshot *Snapshot
}

// attempt remembers a manifest that could not be opened, so that a damaged
// blob of hundreds of megabytes is not read again at every poll.
type attempt struct {
	times, next int // how often tried; the poll at which to try again
}

// maxPause is the longest pause between two attempts, in polls.
const maxPause = 256

// NewFollower makes a follower that fills live. Each failure to open a newer
// manifest is told to failed; the last good view stays in place meanwhile.
func NewFollower(from BlobReader, live *Live, failed func(error)) *Follower {
	return &Follower{from: from, live: live, failed: failed, broken: map[int64]*attempt{}}
}

// Run polls until the context ends, and returns nil then.
func (f *Follower) Run(ctx context.Context, every time.Duration) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		if _, err := f.Poll(ctx); err != nil && ctx.Err() == nil {
			f.failed(err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// Poll looks once: if a manifest above the one in use can be opened, the
// highest such one becomes the live view. An error means that the bucket could
// not be listed.
func (f *Follower) Poll(ctx context.Context) (swapped bool, err error) {
	f.poll++
	numbers, err := Numbers(ctx, f.from)
	if err != nil {
		return false, err
	}
	for _, seq := range numbers {
		if f.now != nil && seq <= f.now.manifest.Seq {
			break
		}
		if f.waits(seq) {
			continue
		}
		next, err := f.open(ctx, seq)
		if err == nil {
			f.use(next)
			return true, nil
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		f.note(seq, err)
	}
	return false, nil
}

// use puts what was opened in place. Broken manifests below it do not matter
// any more.
func (f *Follower) use(next *opened) {
	f.now = next
	f.live.Swap(NewView(next.snapshot, next.manifest))
	for seq := range f.broken {
		if seq <= next.manifest.Seq {
			delete(f.broken, seq)
		}
	}
}

func (f *Follower) waits(seq int64) bool {
	a := f.broken[seq]
	return a != nil && f.poll < a.next
}

// note remembers a failure and doubles the pause before the next attempt.
func (f *Follower) note(seq int64, err error) {
	a := f.broken[seq]
	if a == nil {
		a = &attempt{}
		f.broken[seq] = a
	}
	a.times++
	a.next = f.poll + min(1<<min(a.times, 16), maxPause)
	f.failed(err)
}

// open reads a manifest and its blobs. Blobs that are already open are not
// read again: a change of rates costs no more than its manifest.
func (f *Follower) open(ctx context.Context, seq int64) (*opened, error) {
	m, err := ReadManifest(ctx, f.from, seq)
	if err != nil {
		return nil, err
	}
	next := &opened{manifest: m}
	known := f.now != nil && f.now.manifest.Catalog == m.Catalog
	if known && f.now.manifest.Prices == m.Prices {
		next.cards, next.snapshot = f.now.cards, f.now.snapshot
		return next, nil
	}
	readCards := func() (*cards, error) { return openBlob(ctx, f.from, m.Catalog, openCards) }
	if known {
		readCards = func() (*cards, error) { return f.now.cards, nil }
	}
	c, p, err := both(readCards, func() (*prices, error) { return openBlob(ctx, f.from, m.Prices, openPrices) })
	if err == nil {
		next.cards = c
		next.snapshot, err = join(c, p)
	}
	if err != nil {
		return nil, fmt.Errorf("open manifest %d: %w", seq, err)
	}
	return next, nil
}

func openBlob[T any](ctx context.Context, from BlobReader, name string, open func([]byte) (T, error)) (T, error) {
	var none T
	blob, err := from.Get(ctx, name)
	if err != nil {
		return none, fmt.Errorf("read %s: %w", name, err)
	}
	opened, err := open(blob)
	if err != nil {
		return none, fmt.Errorf("open %s: %w", name, err)
	}
	return opened, nil
}
