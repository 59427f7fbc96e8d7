package build

import (
	"context"
	"fmt"

	"gamedex/internal/publish"
)

const (
	blobPrefix    = "blob/"
	keptManifests = 5 // so that a slow node still finds what it began to read
)

// clean deletes manifests that no node will read any more, and blobs that no
// kept manifest names.
func (b *Builder) clean(ctx context.Context) error {
	numbers, err := publish.Numbers(ctx, b.cfg.Bucket)
	if err != nil {
		return fmt.Errorf("list manifests: %w", err)
	}
	if len(numbers) <= keptManifests {
		return nil
	}
	kept, old := numbers[:keptManifests], numbers[keptManifests:]
	for _, seq := range old {
		if err := b.cfg.Bucket.Delete(ctx, publish.ManifestName(seq)); err != nil {
			return fmt.Errorf("delete old manifest: %w", err)
		}
	}
	named := map[string]bool{b.published.Catalog: true, b.published.Prices: true}
	for _, seq := range kept {
		m, err := publish.ReadManifest(ctx, b.cfg.Bucket, seq)
		if err != nil {
			return nil // a damaged manifest may name anything: delete nothing
		}
		named[m.Catalog], named[m.Prices] = true, true
	}
	return b.deleteBlobs(ctx, named)
}

func (b *Builder) deleteBlobs(ctx context.Context, named map[string]bool) error {
	blobs, err := b.cfg.Bucket.List(ctx, blobPrefix)
	if err != nil {
		return fmt.Errorf("list snapshots: %w", err)
	}
	for _, name := range blobs {
		if named[name] {
			continue
		}
		if err := b.cfg.Bucket.Delete(ctx, name); err != nil {
			return fmt.Errorf("delete old snapshot: %w", err)
		}
	}
	return nil
}
