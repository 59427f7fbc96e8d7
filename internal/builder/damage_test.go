package builder_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

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
