package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"time"

	"gamedex/internal/bucket"
)

// Cache reads from a bucket and keeps copies of the blobs in a folder of the node, so
// that a restart reads one manifest from the bucket, or none if the bucket cannot be
// reached. Several processes may use the folder. It holds the newest snapshot that one of
// them serves, the one before, and what was stored within a minute. A copy that cannot be
// kept is logged, and missing.
type Cache struct {
	from BlobReader
	kept bucket.Bucket
	log  *slog.Logger

	mu   sync.Mutex
	read []string // blobs that were read since the last Keep, at most two
}

// cacheRest is how long a manifest or a blob stays in the folder at least: another
// process may be about to name the blob in a manifest.
const cacheRest = time.Minute

// NewCache returns a cache of from in the folder kept.
func NewCache(from BlobReader, kept bucket.Bucket, log *slog.Logger) *Cache {
	return &Cache{from: from, kept: kept, log: log}
}

// Walk implements [BlobReader]: it lists the bucket.
func (c *Cache) Walk(ctx context.Context, prefix, after string) iter.Seq2[bucket.Entry, error] {
	return c.from.Walk(ctx, prefix, after)
}

// Get implements [BlobReader]. Manifests always come from the bucket. Whatever has a
// content address, from wherever it comes, has the right content.
func (c *Cache) Get(ctx context.Context, name string) ([]byte, error) {
	if !strings.HasPrefix(name, blobPrefix) {
		return c.from.Get(ctx, name)
	}
	blob, err := c.kept.Get(ctx, name)
	if err == nil && blobName(blob) == name {
		return blob, nil
	}
	if blob, err = c.from.Get(ctx, name); err != nil {
		return nil, err
	}
	if blobName(blob) != name {
		return nil, damaged(name)
	}
	c.add(ctx, name, blob)
	return blob, nil
}

// Holds reports whether there is a manifest in the cache.
func (c *Cache) Holds(ctx context.Context) bool {
	numbers, err := Numbers(ctx, c.kept)
	return err == nil && len(numbers) > 0
}

// add keeps a blob that was just read, instead of those that are no longer needed.
func (c *Cache) add(ctx context.Context, name string, blob []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.read = append(c.read, name); len(c.read) > 2 {
		c.read = c.read[1:]
	}
	err := c.deleteOthers(ctx)
	if err == nil {
		err = c.put(ctx, name, blob)
	}
	c.report(err)
}

// Keep keeps m, which the node serves now. The cache has a whole snapshot at each moment,
// also if the node ends or the disk is full: what it held goes last, and a context that
// ends does not cut it short.
func (c *Cache) Keep(ctx context.Context, m Manifest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx = context.WithoutCancel(ctx)
	body, err := m.Encode()
	if err == nil {
		err = c.put(ctx, ManifestName(m.Seq), body)
	}
	if err == nil {
		c.read = nil
		err = c.deleteOthers(ctx)
	}
	c.report(err)
}

// put keeps a manifest or a blob, instead of a damaged copy.
func (c *Cache) put(ctx context.Context, name string, content []byte) error {
	copied, err := c.kept.Get(ctx, name)
	if err == nil && bytes.Equal(copied, content) {
		return nil
	}
	if err := c.kept.Delete(ctx, name); err != nil {
		return err
	}
	if err := c.kept.Put(ctx, name, content); !errors.Is(err, bucket.ErrExists) {
		return err
	}
	return nil // another process that uses the folder was faster
}

// deleteOthers deletes what no start needs: the manifests below the newest whole snapshot
// that has rested in the folder, and the rested blobs that no other manifest names.
func (c *Cache) deleteOthers(ctx context.Context) error {
	held := map[string]bucket.Entry{}
	for entry, err := range c.kept.Walk(ctx, "", "") {
		if err != nil {
			return err
		}
		held[entry.Name] = entry
	}
	needed, err := c.needed(ctx, held)
	if err != nil {
		return nil // a damaged manifest may name any blob: delete none
	}
	for name, entry := range held {
		if needed[name] || strings.HasPrefix(name, blobPrefix) && !rested(entry) {
			continue
		}
		if err := c.kept.Delete(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// needed returns which of the names held are needed: those that were just read, and the
// manifests down to the newest whole snapshot that has rested, with their blobs.
func (c *Cache) needed(ctx context.Context, held map[string]bucket.Entry) (map[string]bool, error) {
	needed := map[string]bool{}
	for _, name := range c.read {
		needed[name] = true
	}
	numbers, err := Numbers(ctx, c.kept)
	if err != nil {
		return nil, err
	}
	for _, seq := range numbers {
		m, err := ReadManifest(ctx, c.kept, seq)
		if errors.Is(err, bucket.ErrNotExist) {
			continue // another process has deleted it
		}
		if err != nil {
			return nil, err
		}
		whole := true
		for _, name := range []string{ManifestName(seq), m.Catalog, m.Prices} {
			needed[name] = true
			whole = whole && held[name].Name != ""
		}
		if whole && rested(held[ManifestName(seq)]) {
			break
		}
	}
	return needed, nil
}

// rested reports whether the entry has been in the folder for long enough. The clock may
// have been set back since.
func rested(entry bucket.Entry) bool { return time.Since(entry.Time).Abs() >= cacheRest }

func (c *Cache) report(err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		c.log.Warn("a snapshot was not cached; the next start reads it from the bucket", "error", err)
	}
}

func damaged(name string) error {
	return fmt.Errorf("%s is damaged: its content does not match its name", name)
}
