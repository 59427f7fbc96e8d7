package builder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gamedex/internal/bucket"
	"gamedex/internal/catalog"
	"gamedex/internal/publish"
	ct "gamedex/internal/testing/catalogtest"
)

// TestDamagedBlobsAreRebuilt checks that damaged blobs are rebuilt although no
// listings have changed. The prices also say when cards changed, which is lost.
func TestDamagedBlobsAreRebuilt(t *testing.T) {
	for name, harm := range map[string]func(w *world, blob string) error{
		"gone": func(w *world, blob string) error { return w.bucket.Delete(w.t.Context(), blob) },
		"damaged": func(w *world, blob string) error {
			return errors.Join(w.bucket.Delete(w.t.Context(), blob), w.bucket.Put(w.t.Context(), blob, []byte("nonsense")))
		},
	} {
		for which, of := range map[string]func(publish.Manifest) string{
			"catalog": func(m publish.Manifest) string { return m.Catalog },
			"prices":  func(m publish.Manifest) string { return m.Prices },
		} {
			t.Run(which+" "+name, func(t *testing.T) {
				bubble(t, func(t *testing.T, w *world) {
					stop := w.start(w.bucket)
					w.save(star)
					first := w.manifest(w.nextBuild().Seq)
					stop()
					if err := harm(w, of(first)); err != nil {
						t.Fatal(err)
					}
					w.start(w.bucket)
					second := w.manifest(w.nextBuild().Seq)
					if second.Catalog != first.Catalog || !slices.Equal(second.Lows, first.Lows) || second.Seq <= first.Seq {
						t.Errorf("built %+v, want the blobs of %+v", second, first)
					}
					synctest.Wait() // for the builder to clean up
					numbers, err := publish.Numbers(t.Context(), w.bucket)
					if err != nil || len(numbers) == 0 {
						t.Fatal(numbers, err)
					}
					for _, seq := range numbers {
						for _, name := range w.named(seq) {
							if blob, err := w.bucket.Get(t.Context(), name); err != nil || string(blob) == "nonsense" {
								t.Errorf("snapshot %d names %s: %v, %d bytes", seq, name, err, len(blob))
							}
						}
					}
					if n := w.view().Len(); n != 1 {
						t.Errorf("the index holds %d cards, want 1", n)
					}
					if !strings.Contains(w.log.String(), "rebuilding it") {
						t.Errorf("the log does not report the damage: %s", w.log.String())
					}
				})
			})
		}
	}
}

// named returns the blobs that a manifest names.
func (w *world) named(seq int64) []string {
	w.t.Helper()
	m, err := publish.ReadManifest(w.t.Context(), w.bucket, seq)
	if err != nil {
		w.t.Fatal(err)
	}
	return m.Blobs()
}

// awayBucket does not answer so many of the next reads of blobs.
type awayBucket struct {
	bucket.Bucket
	left atomic.Int32
}

func (b *awayBucket) Get(ctx context.Context, name string) ([]byte, error) {
	if strings.HasPrefix(name, "blob/") && b.left.Add(-1) >= 0 {
		return nil, fmt.Errorf("get blob %s: %w", name, bucket.ErrUnreachable)
	}
	return b.Bucket.Get(ctx, name)
}

// TestLostReadsAreNoDamage checks that a builder that cannot read what it published tries again: it
// does not build the cards because of that, and does not count all games as changed.
func TestLostReadsAreNoDamage(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		b := &awayBucket{Bucket: w.bucket}
		w.start(b)
		w.save(star, starTR)
		w.nextBuild()
		renamed := ct.Console("UA", star.Product, ct.Family("1"), ct.Title("Star Forge II"), ct.Price("UAH", 119900), ct.On(3))
		for i, change := range []catalog.Listing{dearer, renamed} {
			time.Sleep(10 * time.Second) // for the builder to verify what it published
			b.left.Store(1)
			w.save(change)
			if r := w.nextBuild(); r.PricesAlone != (i == 0) {
				t.Errorf("change %d: prices alone is %v", i, r.PricesAlone)
			}
			if n := strings.Count(w.log.String(), bucket.ErrUnreachable.Error()); n != i+1 {
				t.Errorf("change %d: %d lost reads are logged, want %d\n%s", i, n, i+1, &w.log)
			}
		}
		if strings.Contains(w.log.String(), "all games count as changed") {
			t.Errorf("a lost read is taken for a lost snapshot:\n%s", &w.log)
		}
	})
}
