package publish

import (
	"context"
	"fmt"
)

const (
	blobPrefix    = "blob/"
	keptManifests = 5 // so that a slow node can still read the blobs of an older one
)

// Clean deletes old manifests, and blobs that no kept manifest names.
func (p *Publisher) Clean(ctx context.Context) error {
	numbers, err := Numbers(ctx, p.to)
	if err != nil {
		return err
	}
	if len(numbers) <= keptManifests {
		return nil
	}
	for _, seq := range numbers[keptManifests:] {
		if err := p.to.Delete(ctx, ManifestName(seq)); err != nil {
			return fmt.Errorf("delete old manifest: %w", err)
		}
	}
	named := map[string]bool{p.current.Catalog: true, p.current.Prices: true}
	for _, seq := range numbers[:keptManifests] {
		m, err := ReadManifest(ctx, p.to, seq)
		if err != nil {
			return nil // a damaged manifest may name any blob: delete none
		}
		named[m.Catalog], named[m.Prices] = true, true
	}
	blobs, err := p.to.List(ctx, blobPrefix)
	if err != nil {
		return fmt.Errorf("list snapshots: %w", err)
	}
	for _, name := range blobs {
		if named[name] {
			continue
		}
		if err := p.to.Delete(ctx, name); err != nil {
			return fmt.Errorf("delete old snapshot: %w", err)
		}
	}
	return nil
}
