package builder

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gamedex/internal/bucket"
	"gamedex/internal/publish"
	"gamedex/internal/testing/buckettest"
)

// shelf is a bucket that counts reads of its files, and damages what it stores on request.
type shelf struct {
	bucket.Bucket
	mu      sync.Mutex
	damages bool
	reads   map[string]int
}

func newShelf(of bucket.Bucket) *shelf { return &shelf{Bucket: of, reads: map[string]int{}} }

func (s *shelf) Get(ctx context.Context, name string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads[name]++
	return s.Bucket.Get(ctx, name)
}

func (s *shelf) Put(ctx context.Context, name string, blob []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.damages {
		blob = []byte("noise")
	}
	return s.Bucket.Put(ctx, name, blob)
}

func (s *shelf) set(damages bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.damages = damages
}

// read returns how often files were read since the last call.
func (s *shelf) read() (times int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.reads {
		times += n
	}
	clear(s.reads)
	return times
}

// TestContentIsVerified checks that a builder finds damage that nobody reports and that
// changed neither the size nor the time of a file, within minutes.
func TestContentIsVerified(t *testing.T) {
	for which, of := range map[string]func(publish.Manifest) string{
		"manifest": func(m publish.Manifest) string { return publish.ManifestName(m.Seq) },
		"catalog":  func(m publish.Manifest) string { return m.Catalog },
		"lows":     func(m publish.Manifest) string { return m.Lows[0] },
	} {
		t.Run(which, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *world) {
				w.start(w.bucket)
				w.save(star)
				m := w.manifest(w.nextBuild().Seq)
				time.Sleep(10 * time.Minute)
				file := filepath.Join(w.dir, of(m))
				was, err := os.Stat(file)
				if err != nil {
					t.Fatal(err)
				}
				content, err := os.ReadFile(file)
				if err == nil {
					err = os.WriteFile(file, flip(content), 0o600)
				}
				if err == nil {
					err = os.Chtimes(file, was.ModTime(), was.ModTime())
				}
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(6 * time.Minute)
				if again := w.manifest(m.Seq); again.Seq == m.Seq || again.Catalog != m.Catalog {
					t.Errorf("after six minutes snapshot %d is published, was %d\n%s", again.Seq, m.Seq, &w.log)
				}
			})
		})
	}
}

// TestReportsOfIntactFiles checks that a builder reads a file that a node reports, and publishes nothing
// as long as it is intact: the disk of that node may be damaged.
func TestReportsOfIntactFiles(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		counted := newShelf(w.bucket)
		var mu sync.Mutex
		var reported []string
		w.damaged = func() []string { mu.Lock(); defer mu.Unlock(); return reported }
		w.start(counted)
		w.save(star)
		m := w.manifest(w.nextBuild().Seq)
		time.Sleep(10 * time.Minute)
		counted.read()
		time.Sleep(20 * time.Minute)
		idle := counted.read()
		mu.Lock()
		reported = append(m.Blobs(), publish.ManifestName(m.Seq), "blob/00ff", "manifest/x")
		mu.Unlock()
		time.Sleep(time.Second)
		if n := counted.read(); n < len(reported)-2 || n > len(reported) {
			t.Errorf("%d reads in a second, want one of each reported file that is published", n)
		}
		time.Sleep(20 * time.Minute)
		if n := counted.read(); n > 3*idle {
			t.Errorf("%d reads in 20 minutes; without reports %d", n, idle)
		}
		if again := w.manifest(m.Seq); again.Seq != m.Seq {
			t.Errorf("snapshot %d is published, was %d", again.Seq, m.Seq)
		}
	})
}

// TestStorageThatDamagesEverything checks that repairs do not follow each other without end,
// and that they succeed soon after the storage works again.
func TestStorageThatDamagesEverything(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		broken := newShelf(w.bucket)
		w.damaged = func() []string {
			names, err := buckettest.List(context.Background(), w.bucket, "")
			if err != nil {
				t.Error(err)
			}
			return names
		}
		w.start(broken)
		w.save(star)
		m := w.manifest(w.nextBuild().Seq)
		broken.set(true)
		if err := w.bucket.Delete(t.Context(), m.Prices); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Minute)
		numbers, err := publish.Numbers(t.Context(), w.bucket)
		if err != nil || numbers[0] == m.Seq || numbers[0] > m.Seq+15 {
			t.Errorf("published %v in half an hour, %v; want a few attempts", numbers, err)
		}
		broken.set(false)
		time.Sleep(11 * time.Minute)
		if n := w.view().Len(); n != 1 {
			t.Errorf("the index holds %d cards, want 1", n)
		}
		if n := strings.Count(w.log.String(), "publishing it again"); n > 15 {
			t.Errorf("the log says %d times that it repairs", n)
		}
	})
}
