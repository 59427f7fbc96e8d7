package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"gamedex/internal/bucket"
)

// Cache reads from a bucket and keeps copies of the blobs in a folder of the node, so
// that a restart reads one manifest from the bucket, or none if the bucket cannot be
// reached. It keeps what the node serves and what it has read since, at most four
// blobs, and what another process with the same folder serves. A copy that cannot be kept is logged, and missing.
type Cache struct {
	from BlobReader
	kept bucket.Bucket
	log  *slog.Logger

	mu     sync.Mutex
	served []string // manifest and blobs of the last Keep by this process
	read   []string // blobs that were read since, at most two
}

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

// Keep keeps m, which the node serves now, with its blobs and nothing else. The cache
// has a whole snapshot at each moment, also if the node ends or the disk is full: what
// it held goes last, and a context that ends does not cut it short.
func (c *Cache) Keep(ctx context.Context, m Manifest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx = context.WithoutCancel(ctx)
	name := ManifestName(m.Seq)
	body, err := m.Encode()
	if err == nil {
		err = c.put(ctx, name, body)
	}
	if err == nil {
		c.served, c.read = []string{name, m.Catalog, m.Prices}, nil
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

// deleteOthers deletes what is neither served nor was just read, nor is of the newest
// manifest of the folder, which another process may serve.
func (c *Cache) deleteOthers(ctx context.Context) error {
	var names []string
	for entry, err := range c.kept.Walk(ctx, "", "") {
		if err != nil {
			return err
		}
		names = append(names, entry.Name)
	}
	m, err := Latest(ctx, c.kept, func(error) {})
	if err != nil && !errors.Is(err, ErrNoManifest) {
		return err
	}
	needed := slices.Concat(c.served, c.read, []string{ManifestName(m.Seq), m.Catalog, m.Prices})
	for _, name := range names {
		if !slices.Contains(needed, name) {
			if err := c.kept.Delete(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *Cache) report(err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		c.log.Warn("a snapshot is not kept for the next start, which reads it from the bucket again", "error", err)
	}
}

func damaged(name string) error {
	return fmt.Errorf("%s is damaged: its content does not match its name", name)
}
