package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"gamedex/internal/bucket"
)

// Compressed is a bucket that stores blobs compressed.
type Compressed interface {
	BlobReader
	// GetCompressed returns a blob as it is stored.
	GetCompressed(ctx context.Context, name string) ([]byte, error)
	// Decompress returns the blob that was compressed.
	Decompress(compressed []byte) ([]byte, error)
}

// Cache reads from a bucket and keeps copies of the blobs in a folder of the node, so
// that a restart reads one manifest from the bucket, or none if the bucket cannot be
// reached. Several processes may use the folder. It holds the newest snapshot that one of
// them serves, the one before, and what was stored within a minute. Copies are compressed
// as in the bucket, because prices may change every minute. A copy that cannot be kept is
// logged, and missing.
type Cache struct {
	Compressed // what it reads from; Walk lists that
	kept       bucket.Bucket
	log        *slog.Logger

	mu   sync.Mutex
	read map[string][]byte // compressed blobs since the last Keep, of the manifest that is being opened
}

// keptLeast is how long a manifest or a blob stays in the folder at least: another
// process may be about to name the blob in a manifest.
const keptLeast = time.Minute

// NewCache returns a cache of from in the folder kept.
func NewCache(from Compressed, kept bucket.Bucket, log *slog.Logger) *Cache {
	return &Cache{Compressed: from, kept: kept, log: log, read: map[string][]byte{}}
}

// Get implements [BlobReader]. Manifests always come from the bucket. Whatever has a
// content address, from wherever it comes, has the right content.
func (c *Cache) Get(ctx context.Context, name string) ([]byte, error) {
	if !strings.HasPrefix(name, blobPrefix) {
		return c.Compressed.Get(ctx, name)
	}
	if blob, err := (copies{c.kept, c}).Get(ctx, name); err == nil {
		return blob, nil
	}
	if compressed := c.waiting(name); compressed != nil {
		return c.decompress(name, compressed)
	}
	compressed, err := c.GetCompressed(ctx, name)
	if err != nil {
		return nil, err
	}
	blob, err := c.decompress(name, compressed)
	if err == nil {
		c.add(name, compressed)
	}
	return blob, err
}

// decompress returns the blob with a name. Earlier versions kept copies that were not
// compressed.
func (c *Cache) decompress(name string, stored []byte) ([]byte, error) {
	blob, err := c.Decompress(stored)
	if err != nil {
		blob = stored
	}
	if blobName(blob) != name {
		return nil, damaged(name)
	}
	return blob, nil
}

// copies reads what the folder of a cache holds.
type copies struct {
	bucket.Lister
	of *Cache
}

// Get implements [BlobReader].
func (c copies) Get(ctx context.Context, name string) ([]byte, error) {
	stored, err := c.of.kept.Get(ctx, name)
	if err != nil || !strings.HasPrefix(name, blobPrefix) {
		return stored, err
	}
	return c.of.decompress(name, stored)
}

// waiting returns a blob that was read since the last Keep, nil if it was not.
func (c *Cache) waiting(name string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.read[name]
}

// add notes a blob for the next Keep: the node serves a snapshot before it writes it.
func (c *Cache) add(name string, compressed []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read[name] = compressed
}

// expect drops what was read since the last Keep and m does not name: blobs of manifests
// that could not be opened.
func (c *Cache) expect(m Manifest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	names := m.Blobs()
	maps.DeleteFunc(c.read, func(name string, _ []byte) bool { return !slices.Contains(names, name) })
}

// Keep keeps m, which the node serves now. The cache has a whole snapshot at any time,
// also if the node ends or the disk is full: a snapshot goes only when a newer whole one
// is old enough. A context that ends does not cut Keep short.
func (c *Cache) Keep(ctx context.Context, m Manifest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	read := c.read
	c.read = map[string][]byte{}
	c.report(c.keep(context.WithoutCancel(ctx), m, read))
}

func (c *Cache) keep(ctx context.Context, m Manifest, read map[string][]byte) error {
	body, err := m.Encode()
	if err != nil {
		return err
	}
	if err := c.deleteOthers(ctx, m); err != nil {
		return err
	}
	for _, name := range m.Blobs() {
		if compressed := read[name]; compressed != nil {
			if err := c.put(ctx, name, compressed); err != nil {
				return err
			}
		}
	}
	return c.put(ctx, ManifestName(m.Seq), body)
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
// that is old enough, and old enough blobs that neither m nor another manifest names.
func (c *Cache) deleteOthers(ctx context.Context, m Manifest) error {
	held := map[string]bucket.Entry{}
	for entry, err := range c.kept.Walk(ctx, "", "") {
		if err != nil {
			return err
		}
		held[entry.Name] = entry
	}
	needed, err := c.needed(ctx, m, held)
	if err != nil {
		return nil // a damaged manifest may name any blob: delete none
	}
	for name, entry := range held {
		if needed[name] || strings.HasPrefix(name, blobPrefix) && !oldEnough(entry) {
			continue
		}
		if err := c.kept.Delete(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// needed returns which of the names held are needed: the blobs of m, and the manifests down
// to the newest whole snapshot that is old enough, with their blobs. It omits manifests of that
// age that lack a blob: prices may change every minute while the copy of the catalog is missing.
func (c *Cache) needed(ctx context.Context, m Manifest, held map[string]bucket.Entry) (map[string]bool, error) {
	needed := map[string]bool{}
	for _, name := range m.Blobs() {
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
		names := append([]string{ManifestName(seq)}, m.Blobs()...)
		whole := !slices.ContainsFunc(names, func(name string) bool { return held[name].Name == "" })
		manifest, listed := held[names[0]]
		old := listed && oldEnough(manifest)
		if old && !whole {
			continue // a copy failed; nobody completes it
		}
		for _, name := range names {
			needed[name] = true
		}
		if old {
			break
		}
	}
	return needed, nil
}

// oldEnough reports whether the entry has been in the folder for keptLeast. The clock may
// have been set back since.
func oldEnough(entry bucket.Entry) bool { return time.Since(entry.Time).Abs() >= keptLeast }

func (c *Cache) report(err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		c.log.Warn("a snapshot was not cached; the next start reads it from the bucket", "error", err)
	}
}

func damaged(name string) error {
	return fmt.Errorf("%s is damaged: its content does not match its name", name)
}
