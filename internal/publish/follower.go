package publish

import (
	"context"
	"fmt"
	"time"

	"gamedex/internal/index"
)

// Follower keeps a Live at the newest manifest of a bucket. It is not safe for
// concurrent use.
type Follower struct {
	from    BlobReader
	live    *index.Live
	failed  func(error)
	current *opened // nil: none yet
	broken  map[int64]*attempts
	poll    int
}

// opened is a manifest with its snapshot.
type opened struct {
	manifest Manifest
	catalog  *index.Catalog
	snapshot *index.Snapshot
}

// attempts counts how often a manifest could not be opened, so that a damaged
// blob of hundreds of megabytes is not read again at every poll.
type attempts struct {
	failed int
	next   int // the poll at which to try again
}

// maxPause is the longest pause between two attempts, in polls.
const maxPause = 256

// NewFollower returns a follower that fills live. It calls failed with each
// error to open a newer manifest; the last good view stays live meanwhile.
func NewFollower(from BlobReader, live *index.Live, failed func(error)) *Follower {
	return &Follower{from: from, live: live, failed: failed, broken: map[int64]*attempts{}}
}

// Run polls until the context ends, and then returns nil.
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

// Poll looks once: if a manifest above the current one can be opened, the
// highest such one becomes the live view. An error means that the bucket could
// not be listed.
func (f *Follower) Poll(ctx context.Context) (swapped bool, err error) {
	f.poll++
	numbers, err := Numbers(ctx, f.from)
	if err != nil {
		return false, err
	}
	for _, seq := range numbers {
		if f.current != nil && seq <= f.current.manifest.Seq {
			break
		}
		if a := f.broken[seq]; a != nil && f.poll < a.next {
			continue
		}
		next, err := f.openManifest(ctx, seq)
		if err == nil {
			f.current = next
			f.live.Swap(next.manifest.View(next.snapshot))
			for seq := range f.broken {
				if seq <= next.manifest.Seq {
					delete(f.broken, seq)
				}
			}
			return true, nil
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		a := f.broken[seq]
		if a == nil {
			a = &attempts{}
			f.broken[seq] = a
		}
		a.failed++
		a.next = f.poll + min(1<<min(a.failed, 16), maxPause)
		f.failed(err)
	}
	return false, nil
}

// openManifest reads a manifest and its blobs. It reuses blobs that are already
// open: a change of rates costs no more than its manifest.
func (f *Follower) openManifest(ctx context.Context, seq int64) (*opened, error) {
	m, err := ReadManifest(ctx, f.from, seq)
	if err != nil {
		return nil, err
	}
	next := &opened{manifest: m}
	sameCatalog := f.current != nil && f.current.manifest.Catalog == m.Catalog
	if sameCatalog && f.current.manifest.Prices == m.Prices {
		next.catalog, next.snapshot = f.current.catalog, f.current.snapshot
		return next, nil
	}
	next.snapshot, err = index.OpenWith(
		func() (_ *index.Catalog, err error) {
			if sameCatalog {
				next.catalog = f.current.catalog
			} else {
				next.catalog, err = openBlob(ctx, f.from, m.Catalog, index.OpenCatalog)
			}
			return next.catalog, err
		},
		func() (*index.Prices, error) { return openBlob(ctx, f.from, m.Prices, index.OpenPrices) })
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
