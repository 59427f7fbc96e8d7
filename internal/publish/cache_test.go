package publish_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gamedex/internal/bucket"
	"gamedex/internal/index"
	"gamedex/internal/publish"
	"gamedex/internal/testing/buckettest"
)

// address gives the blobs of a manifest the names of their content.
func (b *blobs) address(t *testing.T, m publish.Manifest) publish.Manifest {
	t.Helper()
	m.Lows = slices.Clone(m.Lows)
	names := []*string{&m.Catalog, &m.Prices}
	for i := range m.Lows {
		names = append(names, &m.Lows[i])
	}
	for _, name := range names {
		sum := sha256.Sum256(b.held[*name])
		addressed := "blob/" + hex.EncodeToString(sum[:])
		b.held[addressed] = b.held[*name]
		*name = addressed
	}
	b.put(t, m)
	return m
}

// cached is a node that follows a bucket and keeps a cache in a folder.
type cached struct {
	*publish.Follower
	cache  *publish.Cache
	live   index.Live
	failed []string
	log    strings.Builder
}

// startCached starts a node on a folder, as a process does.
func startCached(t *testing.T, b *blobs, dir string) *cached {
	t.Helper()
	kept := openFolder(t, dir)
	return cachedIn(b, kept)
}

func cachedIn(b *blobs, kept bucket.Bucket) *cached {
	n := &cached{}
	n.cache = publish.NewCache(b, kept, slog.New(slog.NewTextHandler(&n.log, nil)))
	n.Follower = publish.NewFollower(n.cache, &n.live, func(err error) { n.failed = append(n.failed, err.Error()) })
	n.Cache = n.cache
	return n
}

// follow polls once and checks what is shown.
func (n *cached) follow(t *testing.T, want string) {
	t.Helper()
	if _, err := n.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := showing(&n.live); got != want {
		t.Fatalf("showing %s, want %s; failed: %q", got, want, n.failed)
	}
}

func TestRestartReadsOneManifest(t *testing.T) {
	b, dir := newBlobs(), t.TempDir()
	m := b.address(t, b.publish(t, 1, "Star"))
	first := startCached(t, b, dir)
	first.follow(t, "1 Star")
	startCached(t, b, dir).follow(t, "1 Star")
	if b.reads[publish.ManifestName(1)] != 2 || b.reads[m.Catalog] != 1 || b.reads[m.Prices] != 1 {
		t.Errorf("after a restart: reads %v, want the manifest once more, and the blobs from the cache", b.reads)
	}
}

func TestRestartWithoutTheBucket(t *testing.T) {
	b, dir := newBlobs(), t.TempDir()
	b.address(t, b.publish(t, 1, "Star"))
	startCached(t, b, dir).follow(t, "1 Star")
	b.down = errors.New("bucket is down")
	n := startCached(t, b, dir)
	n.Published = func(context.Context) (int64, error) { return 1, nil }
	if _, err := n.Poll(t.Context()); err == nil {
		t.Fatal("a bucket that is down was read")
	}
	if recalled, err := n.Recall(t.Context()); !recalled || err != nil || showing(&n.live) != "1 Star" {
		t.Fatalf("recalled %v, %v, showing %s", recalled, err, showing(&n.live))
	}
	b.down = nil
	b.address(t, b.publish(t, 2, "Moon"))
	n.Published = func(context.Context) (int64, error) { return 2, nil }
	n.follow(t, "2 Moon")
}

// TestCacheIsBounded checks that blobs that cannot be opened are not kept, and the snapshot
// before stays until the next one has been there for a minute.
func TestCacheIsBounded(t *testing.T) {
	b, dir := newBlobs(), t.TempDir()
	good := b.address(t, b.publish(t, 1, "Star"))
	n := startCached(t, b, dir)
	n.follow(t, "1 Star")
	kept := openFolder(t, dir)
	holds := func() []string {
		names, err := buckettest.List(t.Context(), kept, "")
		must(t, err)
		return names
	}
	for seq := int64(2); seq < 8; seq++ {
		b.held["garbage"], b.held["rubbish"] = fmt.Append(nil, "garbage", seq), fmt.Append(nil, "rubbish", seq)
		b.address(t, publish.Manifest{Seq: seq, Catalog: "garbage", Prices: "rubbish"})
		n.follow(t, "1 Star")
	}
	want := []string{good.Catalog, good.Prices, publish.ManifestName(1)}
	slices.Sort(want[:2])
	if names := holds(); !slices.Equal(names, want) {
		t.Errorf("the cache holds %q, want what is served: %q", names, want)
	}
	rest(t, dir)
	last := b.address(t, b.publish(t, 8, "Moon"))
	n.follow(t, "8 Moon")
	want = []string{good.Catalog, good.Prices, last.Catalog, last.Prices, publish.ManifestName(1), publish.ManifestName(8)}
	slices.Sort(want[:4])
	if names := holds(); !slices.Equal(names, want) {
		t.Errorf("the cache holds %q, want what is served and what was served before: %q", names, want)
	}
	rest(t, dir)
	n.cache.Keep(t.Context(), last)
	want = []string{last.Catalog, last.Prices, publish.ManifestName(8)}
	slices.Sort(want)
	if names := holds(); !slices.Equal(names, want) {
		t.Errorf("after a minute the cache holds %q, want %q", names, want)
	}
}

// rest makes everything in the folder older, as if a minute had passed.
func rest(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		before := info.ModTime().Add(-time.Minute)
		return os.Chtimes(name, before, before)
	})
	must(t, err)
}

func TestDamagedCopyIsReadAgain(t *testing.T) {
	b, dir := newBlobs(), t.TempDir()
	m := b.address(t, b.publish(t, 1, "Star"))
	startCached(t, b, dir).follow(t, "1 Star")
	must(t, os.WriteFile(filepath.Join(dir, m.Prices), []byte("nonsense"), 0o600))
	for range 2 { // the second finds the copy repaired
		startCached(t, b, dir).follow(t, "1 Star")
	}
	if b.reads[m.Prices] != 2 || b.reads[m.Catalog] != 1 {
		t.Errorf("reads %v, want the damaged blob once more", b.reads)
	}
}

// recall checks what a node shows that starts on the folder while the bucket is down.
func recall(t *testing.T, b *blobs, dir, want string) {
	t.Helper()
	b.down = errors.New("bucket is down")
	n := startCached(t, b, dir)
	if recalled, err := n.Recall(t.Context()); !recalled || err != nil || showing(&n.live) != want {
		t.Errorf("recalled %v, %v, showing %s, want %s", recalled, err, showing(&n.live), want)
	}
	b.down = nil
}

// TestCacheAlwaysHoldsASnapshot ends a node while it keeps a newer snapshot, and has the
// disk full then, for everything or for blobs alone.
func TestCacheAlwaysHoldsASnapshot(t *testing.T) {
	b, dir := newBlobs(), t.TempDir()
	b.address(t, b.publish(t, 1, "Star"))
	startCached(t, b, dir).follow(t, "1 Star")
	rest(t, dir)
	second := b.address(t, b.publish(t, 2, "Moon"))

	kept := openFolder(t, dir)
	full := cachedIn(b, fullBucket{kept, ""})
	full.follow(t, "2 Moon")
	if !strings.Contains(full.log.String(), "no space left on device") {
		t.Errorf("the log does not say that nothing is kept: %s", &full.log)
	}
	recall(t, b, dir, "1 Star")
	cachedIn(b, fullBucket{kept, "blob/"}).follow(t, "2 Moon")
	recall(t, b, dir, "1 Star")

	n := startCached(t, b, dir)
	ended, end := context.WithCancel(t.Context())
	for _, name := range []string{second.Catalog, second.Prices} {
		if _, err := n.cache.Get(ended, name); err != nil {
			t.Fatal(err)
		}
	}
	end()
	n.cache.Keep(ended, second)
	recall(t, b, dir, "2 Moon")
}

// TestTwoProcessesShareACache has a process tidy the folder while another one serves a newer
// snapshot.
func TestTwoProcessesShareACache(t *testing.T) {
	b, dir := newBlobs(), t.TempDir()
	m := b.address(t, b.publish(t, 1, "Star"))
	first, second := startCached(t, b, dir), startCached(t, b, dir)
	first.follow(t, "1 Star")
	second.follow(t, "1 Star")
	b.address(t, b.publish(t, 2, "Moon"))
	first.follow(t, "2 Moon")
	rest(t, dir)
	second.cache.Keep(t.Context(), m)
	recall(t, b, dir, "2 Moon")
}

// TestSharedCacheKeepsWhatAnotherProcessWrites has a process tidy the folder while another
// one has written the blobs of a newer snapshot and not yet the manifest that names them.
func TestSharedCacheKeepsWhatAnotherProcessWrites(t *testing.T) {
	b, dir := newBlobs(), t.TempDir()
	first := b.address(t, b.publish(t, 1, "Star"))
	one := startCached(t, b, dir)
	one.follow(t, "1 Star")
	b.address(t, b.publish(t, 2, "Moon"))
	kept := openFolder(t, dir)
	tidied := 0
	cachedIn(b, beforePut{kept, func(name string) {
		if name == publish.ManifestName(2) {
			tidied++
			one.cache.Keep(t.Context(), first)
		}
	}}).follow(t, "2 Moon")
	if tidied != 1 {
		t.Fatalf("the manifest was written %d times, want once", tidied)
	}
	recall(t, b, dir, "2 Moon")
}

// TestSharedCacheAlwaysHoldsASnapshot has blobs in the folder that have been there for long
// without a manifest. One process deletes them at the time at which another one, which
// serves them, has written the manifest. The snapshot before stays until a newer whole one
// is old enough.
func TestSharedCacheAlwaysHoldsASnapshot(t *testing.T) {
	b, dir := newBlobs(), t.TempDir()
	first := b.address(t, b.publish(t, 1, "Star"))
	two := startCached(t, b, dir)
	two.follow(t, "1 Star")
	second := b.address(t, b.publish(t, 2, "Moon"))
	startCached(t, b, dir).follow(t, "2 Moon")
	must(t, os.Remove(filepath.Join(dir, publish.ManifestName(2))))
	for _, name := range []string{second.Catalog, second.Prices} {
		if _, err := two.cache.Get(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	rest(t, dir)
	kept := openFolder(t, dir)
	keep := sync.OnceFunc(func() { two.cache.Keep(t.Context(), second) })
	one := cachedIn(b, beforeDelete{kept, keep})
	one.cache.Keep(t.Context(), first)
	recall(t, b, dir, "1 Star")
}

// TestCacheKeepsBlobsOfAnEndedProcess has a process that ended before it wrote the manifest.
func TestCacheKeepsBlobsOfAnEndedProcess(t *testing.T) {
	b, dir := newBlobs(), t.TempDir()
	b.address(t, b.publish(t, 1, "Star"))
	startCached(t, b, dir).follow(t, "1 Star")
	must(t, os.Remove(filepath.Join(dir, publish.ManifestName(1))))
	rest(t, dir)
	startCached(t, b, dir).follow(t, "1 Star")
	recall(t, b, dir, "1 Star")
}

// beforeDelete calls a function before each deletion.
type beforeDelete struct {
	bucket.Bucket
	call func()
}

func (b beforeDelete) Delete(ctx context.Context, name string) error {
	b.call()
	return b.Bucket.Delete(ctx, name)
}

// openFolder opens a folder of a cache until the test ends.
func openFolder(t *testing.T, dir string) *bucket.Folder {
	t.Helper()
	kept, err := bucket.OpenFolder(dir)
	must(t, err)
	t.Cleanup(func() { kept.Close() })
	return kept
}

// beforePut calls a function with the name before each Put.
type beforePut struct {
	bucket.Bucket
	call func(name string)
}

func (b beforePut) Put(ctx context.Context, name string, blob []byte) error {
	b.call(name)
	return b.Bucket.Put(ctx, name, blob)
}

// TestSnapshotIsServedBeforeItIsKept checks that the disk of a node delays no prices.
func TestSnapshotIsServedBeforeItIsKept(t *testing.T) {
	b := newBlobs()
	b.address(t, b.publish(t, 1, "Star"))
	kept := openFolder(t, t.TempDir())
	var n *cached
	var written []string
	n = cachedIn(b, beforePut{kept, func(name string) {
		written = append(written, name)
		if got := showing(&n.live); got != "1 Star" {
			t.Errorf("%s is written while the node shows %s", name, got)
		}
	}})
	n.follow(t, "1 Star")
	if len(written) != 3 {
		t.Errorf("written: %q, want two blobs and a manifest", written)
	}
}

// TestBlobIsReadOnce has a snapshot with one blob missing at first.
func TestBlobIsReadOnce(t *testing.T) {
	b := newBlobs()
	m := b.address(t, b.publish(t, 1, "Star"))
	prices := b.held[m.Prices]
	delete(b.held, m.Prices)
	n := startCached(t, b, t.TempDir())
	n.follow(t, "nothing")
	b.held[m.Prices] = prices
	n.follow(t, "nothing") // it pauses
	n.follow(t, "1 Star")
	if b.reads[m.Catalog] != 1 || b.reads[m.Prices] != 2 {
		t.Errorf("reads %v, want only the missing blob again", b.reads)
	}
}

// TestCopiesAreCompressed checks that copies are as in the bucket, and that those of earlier
// versions, which are not compressed, are still used.
func TestCopiesAreCompressed(t *testing.T) {
	b, dir := newBlobs(), t.TempDir()
	m := b.address(t, b.publish(t, 1, "Star"))
	startCached(t, b, dir).follow(t, "1 Star")
	for _, name := range []string{m.Catalog, m.Prices} {
		file := filepath.Join(dir, name)
		stored, err := os.ReadFile(file)
		must(t, err)
		if string(stored) != compressedMark+string(b.held[name]) {
			t.Errorf("the copy of %s is not compressed", name)
		}
		must(t, os.WriteFile(file, b.held[name], 0o600))
	}
	recall(t, b, dir, "1 Star")
}

// fullBucket refuses to write names with a prefix.
type fullBucket struct {
	bucket.Bucket
	prefix string
}

func (b fullBucket) Put(ctx context.Context, name string, blob []byte) error {
	if strings.HasPrefix(name, b.prefix) {
		return errors.New("no space left on device")
	}
	return b.Bucket.Put(ctx, name, blob)
}

// TestIncompleteSnapshotsAreNotKept has the copy of a catalog fail, as on a full disk, and
// then prices that change every minute: the catalog is not copied again until it changes.
func TestIncompleteSnapshotsAreNotKept(t *testing.T) {
	b, dir := newBlobs(), t.TempDir()
	whole := b.address(t, b.publish(t, 1, "Star"))
	startCached(t, b, dir).follow(t, "1 Star")
	rest(t, dir)
	kept := openFolder(t, dir)
	m := b.address(t, b.publish(t, 2, "Moon"))
	n := cachedIn(b, fullBucket{kept, m.Catalog})
	n.follow(t, "2 Moon")
	for m.Seq++; m.Seq < 9; m.Seq++ {
		m.Prices = "prices"
		b.held[m.Prices] = fmt.Append(nil, "prices of ", m.Seq)
		m = b.address(t, m)
		if _, err := n.cache.Get(t.Context(), m.Prices); err != nil {
			t.Fatal(err)
		}
		n.cache.Keep(t.Context(), m)
		rest(t, dir)
	}
	names, err := buckettest.List(t.Context(), kept, "")
	must(t, err)
	want := []string{whole.Catalog, whole.Prices, m.Prices, publish.ManifestName(1), publish.ManifestName(8)}
	slices.Sort(want[:3])
	if !slices.Equal(names, want) {
		t.Errorf("the cache holds %q, want the whole snapshot and what is served: %q", names, want)
	}
	recall(t, b, dir, "1 Star")
}

// TestFullDiskIsFreed checks that a node deletes what it needs no more before it writes.
func TestFullDiskIsFreed(t *testing.T) {
	b, dir := newBlobs(), t.TempDir()
	kept := openFolder(t, dir)
	first := b.address(t, b.publish(t, 1, "Star"))
	cachedIn(b, kept).follow(t, "1 Star")
	b.address(t, b.publish(t, 2, "Moon"))
	cachedIn(b, kept).follow(t, "2 Moon")
	rest(t, dir)
	b.address(t, b.publish(t, 3, "Sun"))
	cachedIn(b, fullBucket{kept, ""}).follow(t, "3 Sun")
	if _, err := kept.Get(t.Context(), first.Prices); !errors.Is(err, bucket.ErrNotExist) {
		t.Errorf("prices that are no longer needed: %v, want them deleted", err)
	}
	recall(t, b, dir, "2 Moon")
}
