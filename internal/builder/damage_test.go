package builder_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"gamedex/internal/publish"
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
