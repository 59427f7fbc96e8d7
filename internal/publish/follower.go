package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"gamedex/internal/bucket"
	"gamedex/internal/index"
)

// Follower keeps a Live at the newest manifest of a bucket that this version of the
// program can read. It is not safe for concurrent use. Set the fields before the first
// call.
type Follower struct {
	// Published returns the number of the newest manifest, of which the database
	// knows; see [Publication]. If it is nil, the follower lists the bucket at every
	// poll.
	Published func(context.Context) (int64, error)
	// Cache, if not nil, gets what is served.
	Cache *Cache

	from    BlobReader
	live    *index.Live
	failed  func(error)
	current *opened // nil: none yet
	broken  map[int64]*attempts
	poll    int
	listAt  int   // the poll at which to list the bucket again, if Published is set
	newest  int64 // what Published returned last
	damage  atomic.Pointer[DamageError]
}

// opened is a manifest with its snapshot.
type opened struct {
	manifest Manifest
	catalog  *index.Catalog
	prices   *index.Prices
	snapshot *index.Snapshot
	lows     map[string]*index.Lows // by the name of the blob
}

// attempts counts how often a manifest could not be opened, so that a damaged
// blob of hundreds of megabytes is not read again at every poll.
type attempts struct {
	failed int
	next   int          // the poll at which to try again
	newer  bool         // a newer version of the program made it; it is not tried again
	damage *DamageError // nil: none, or it may still be written
}

const (
	// maxPause is the longest pause between two attempts, in polls.
	maxPause = 256
	// patientAttempts is how often a manifest that was announced is asked for at every
	// poll: its number is known before it is written.
	patientAttempts = 8
	// awayPause is the longest pause between two attempts, in polls, if the bucket did not
	// answer: 4 s at two polls a second. A cache has what was read of the manifest.
	awayPause = 8
	// listPause is the pause between two lists of a follower that learns the newest
	// number, in polls: 5 s at two polls a second.
	listPause = 10
	// newerPause is the same while the newest manifest is of a newer version of the
	// program, whose builder publishes nothing that this one can read: 10 min.
	newerPause = 1200
	// openAtOnce is how many lows blobs are read at the same time: an S3 service takes
	// longer to begin an answer than to send it.
	openAtOnce = 8
)

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

// Poll looks once: if a manifest above the current one can be opened, the highest such
// one becomes the live view. An error means that the bucket could not be listed.
func (f *Follower) Poll(ctx context.Context) (swapped bool, err error) {
	defer f.noteDamage()
	f.poll++
	if f.Published == nil {
		return f.list(ctx, f.from)
	}
	seq, err := f.Published(ctx)
	if err == nil {
		f.newest = seq
	}
	if err == nil && f.current != nil && seq <= f.seq() {
		return false, nil
	}
	if err == nil && seq > f.seq() && f.try(ctx, f.from, seq) {
		return true, nil
	}
	// Nobody knows the newest number, or its manifest cannot be opened.
	if f.poll < f.listAt || ctx.Err() != nil {
		return false, ctx.Err()
	}
	f.listAt = f.poll + listPause
	if newest := f.broken[seq]; newest != nil && newest.newer {
		f.listAt = f.poll + newerPause
	}
	return f.list(ctx, f.from)
}

// Recall opens the newest manifest of the cache, for a node that starts while the
// bucket cannot be reached.
func (f *Follower) Recall(ctx context.Context) (swapped bool, err error) {
	clear(f.broken)
	defer clear(f.broken) // of the copies; what is in the bucket is tried again
	return f.list(ctx, copies{f.Cache.kept, f.Cache})
}

// seq returns the number of the current manifest.
func (f *Follower) seq() int64 {
	if f.current == nil {
		return 0
	}
	return f.current.manifest.Seq
}

// list opens the highest manifest above the current one that can be opened.
func (f *Follower) list(ctx context.Context, from BlobReader) (swapped bool, err error) {
	numbers, err := numbersAfter(ctx, from, f.seq())
	if err != nil {
		return false, err
	}
	f.forget(numbers)
	for _, seq := range numbers {
		if f.try(ctx, from, seq) {
			return true, nil
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
	return false, nil
}

// forget drops what is known about manifests that are older than all in the bucket, or that
// somebody deleted without their being published. numbers are those of the bucket above the
// current one, highest first.
func (f *Follower) forget(numbers []int64) {
	for seq := range f.broken {
		if len(numbers) > 0 && seq < numbers[len(numbers)-1] || seq > f.newest && !slices.Contains(numbers, seq) {
			delete(f.broken, seq)
		}
	}
}

// try opens a manifest and makes it the live view, unless it failed before and its
// next attempt is later.
func (f *Follower) try(ctx context.Context, from BlobReader, seq int64) (swapped bool) {
	a := f.broken[seq]
	if a != nil && (a.newer || f.poll < a.next) {
		return false
	}
	next, err := f.openManifest(ctx, from, seq)
	if err != nil {
		if ctx.Err() == nil {
			f.postpone(seq, err)
		}
		return false
	}
	if f.current != nil {
		next.snapshot.PrepareLike(f.current.snapshot)
	}
	f.current = next
	f.live.Swap(next.manifest.View(next.snapshot))
	for seq := range f.broken {
		if seq <= next.manifest.Seq {
			delete(f.broken, seq)
		}
	}
	if f.Cache != nil {
		f.Cache.Keep(ctx, next.manifest)
	}
	return true
}

// postpone notes that a manifest could not be opened.
func (f *Follower) postpone(seq int64, err error) {
	a := f.broken[seq]
	if a == nil {
		a = &attempts{}
		f.broken[seq] = a
	}
	a.failed++
	if _, a.newer = errors.AsType[*NewerError](err); a.newer {
		f.failed(err)
		return
	}
	if f.Published != nil && errors.Is(err, bucket.ErrNotExist) && a.failed <= patientAttempts {
		a.next = f.poll + 1
		return
	}
	longest := maxPause
	if errors.Is(err, bucket.ErrUnreachable) {
		longest = awayPause
	}
	a.next = f.poll + min(1<<min(a.failed, 16), longest)
	a.damage, _ = errors.AsType[*DamageError](err)
	f.failed(err)
}

// openManifest reads a manifest and its blobs. It reuses blobs that are already
// open: a change of rates costs no more than its manifest.
func (f *Follower) openManifest(ctx context.Context, from BlobReader, seq int64) (*opened, error) {
	m, err := ReadManifest(ctx, from, seq)
	if err != nil {
		return nil, err
	}
	if f.Cache != nil {
		f.Cache.expect(m)
	}
	next := &opened{manifest: m}
	if err := f.openBlobs(ctx, from, next); err != nil {
		return nil, fmt.Errorf("open manifest %d: %w", seq, err)
	}
	return next, nil
}

// openBlobs opens the blobs that the manifest names, all at the same time.
func (f *Follower) openBlobs(ctx context.Context, from BlobReader, next *opened) error {
	m, current := &next.manifest, f.current
	if current == nil {
		current = new(opened)
	}
	next.catalog, next.prices = current.catalog, current.prices
	sameCatalog := current.manifest.Catalog == m.Catalog
	samePrices := sameCatalog && current.manifest.Prices == m.Prices
	if samePrices && slices.Equal(current.manifest.Lows, m.Lows) {
		next.snapshot, next.lows = current.snapshot, current.lows
		return nil
	}
	var errCatalog, errPrices, errLows error
	var opening sync.WaitGroup
	if !sameCatalog {
		opening.Go(func() { next.catalog, errCatalog = openBlob(ctx, from, m.Catalog, index.OpenCatalog) })
	}
	if !samePrices {
		opening.Go(func() { next.prices, errPrices = openBlob(ctx, from, m.Prices, index.OpenPrices) })
	}
	opening.Go(func() { next.lows, errLows = openLows(ctx, from, m.Lows, current.lows) })
	opening.Wait()
	err := cmp.Or(errCatalog, errPrices)
	if err == nil {
		next.snapshot, err = index.Join(next.catalog, next.prices)
	}
	if err := cmp.Or(err, errLows); err != nil || len(m.Lows) == 0 {
		return err
	}
	all := make([]*index.Lows, 0, len(m.Lows))
	for _, name := range m.Lows {
		all = append(all, next.lows[name])
	}
	next.snapshot, err = next.snapshot.WithLows(all...)
	return err
}

// openLows opens lows blobs, except those that are open already.
func openLows(ctx context.Context, from BlobReader, names []string, open map[string]*index.Lows) (map[string]*index.Lows, error) {
	all := make([]*index.Lows, len(names))
	opening, openingCtx := errgroup.WithContext(ctx)
	opening.SetLimit(openAtOnce)
	for i, name := range names {
		if all[i] = open[name]; all[i] == nil {
			opening.Go(func() (err error) {
				all[i], err = openBlob(openingCtx, from, name, index.OpenLows)
				return err
			})
		}
	}
	if err := opening.Wait(); err != nil {
		return nil, err
	}
	byName := make(map[string]*index.Lows, len(names))
	for i, name := range names {
		byName[name] = all[i]
	}
	return byName, nil
}

// openBlob reads and opens a blob, and checks that its content matches its name: it may be
// another intact one.
func openBlob[T any](ctx context.Context, from BlobReader, name string, open func([]byte) (T, error)) (T, error) {
	var none T
	blob, err := from.Get(ctx, name)
	if err != nil {
		return none, failed("read", name, err)
	}
	opened, err := open(blob)
	if err != nil {
		return none, failed("open", name, err)
	}
	switch from.(type) {
	case *Cache, copies: // they have checked it
	default:
		if strings.HasPrefix(name, blobPrefix) && blobName(blob) != name {
			return none, failed("open", name, damaged(name))
		}
	}
	return opened, nil
}

// DamageError is the error for a manifest or a blob that is missing, or is not what was
// published under its name.
type DamageError struct {
	Name string // of the file in the bucket
	err  error
}

// Error says what is wrong, with the name.
func (e *DamageError) Error() string { return e.err.Error() }

// Unwrap returns the error of reading the file.
func (e *DamageError) Unwrap() error { return e.err }

// failed returns the error of doing something with a file. It is a [*DamageError], unless
// the file itself may be undamaged.
func failed(action, name string, err error) error {
	_, newer := errors.AsType[*NewerError](err)
	about := fmt.Errorf("%s %s: %w", action, name, err)
	if newer || errors.Is(err, bucket.ErrUnreachable) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return about
	}
	return &DamageError{name, about}
}

// Damage returns the error of the newest manifest that could not be opened because it or
// one of its blobs is missing or damaged; nil if there is none above the current one. It
// may be called from any goroutine.
func (f *Follower) Damage() *DamageError { return f.damage.Load() }

// noteDamage updates what Damage returns.
func (f *Follower) noteDamage() {
	newest, damage := f.seq(), (*DamageError)(nil)
	for seq, a := range f.broken {
		if seq > newest && a.damage != nil {
			newest, damage = seq, a.damage
		}
	}
	f.damage.Store(damage)
}
