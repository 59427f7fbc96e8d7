package publish

import (
	"context"
	"fmt"
	"time"
)

// keptManifests are kept whatever their age, so that a slow node can still read the
// blobs of an older one.
const keptManifests = 5

// Clean deletes old manifests and the blobs that no kept manifest names. A manifest is
// kept until another has been in force for keep; a blob is kept for keep too, because
// another publisher may be about to name it. All times are the bucket's. Before each
// deletion Clean calls held, and ends with its error: a publisher that stalled in the
// middle must not delete what its successor needs.
func (p *Publisher) Clean(ctx context.Context, keep time.Duration, held func(context.Context) error) error {
	manifests, err := p.manifests(ctx)
	if err != nil || len(manifests) <= keptManifests {
		return err
	}
	before := manifests[len(manifests)-1].at.Add(-keep)
	gone := outdated(manifests, before)
	remove := func(name string) error {
		err := held(ctx)
		if err == nil {
			err = p.to.Delete(ctx, name)
		}
		if err != nil {
			return fmt.Errorf("delete old snapshots: %w", err)
		}
		return nil
	}
	for _, m := range manifests[:gone] {
		if err := remove(ManifestName(m.seq)); err != nil {
			return err
		}
	}
	named, err := p.named(ctx, manifests[gone:])
	if err != nil {
		return nil // a damaged manifest may name any blob: delete none
	}
	for entry, err := range p.to.Walk(ctx, blobPrefix, "") {
		if err != nil {
			return fmt.Errorf("list snapshots: %w", err)
		}
		if named[entry.Name] || entry.Time.After(before) {
			continue
		}
		if err := remove(entry.Name); err != nil {
			return err
		}
	}
	return nil
}

// stored is a manifest as a list shows it.
type stored struct {
	seq int64
	at  time.Time
}

// manifests lists the manifests, lowest number first.
func (p *Publisher) manifests(ctx context.Context) (list []stored, err error) {
	for entry, err := range p.to.Walk(ctx, manifestPrefix, "") {
		if err != nil {
			return nil, fmt.Errorf("list manifests: %w", err)
		}
		if seq, ok := numberOf(entry.Name); ok {
			list = append(list, stored{seq, entry.Time})
		}
	}
	return list, nil
}

// outdated returns how many of the manifests, lowest number first, can be deleted: all
// but the newest whose successor was stored before the given time.
func outdated(manifests []stored, before time.Time) int {
	for i := range max(0, len(manifests)-keptManifests) {
		if manifests[i+1].at.After(before) {
			return i
		}
	}
	return max(0, len(manifests)-keptManifests)
}

// named returns the blobs that the manifests and the one in force name.
func (p *Publisher) named(ctx context.Context, manifests []stored) (map[string]bool, error) {
	names := map[string]bool{}
	for _, name := range p.current.Blobs() {
		names[name] = true
	}
	read := make(map[int64][]string, len(manifests))
	for _, m := range manifests {
		blobs, known := p.blobs[m.seq]
		if !known {
			manifest, err := ReadManifest(ctx, p.to, m.seq)
			if err != nil {
				return nil, err
			}
			blobs = manifest.Blobs()
		}
		read[m.seq] = blobs
		for _, name := range blobs {
			names[name] = true
		}
	}
	p.blobs = read
	return names, nil
}
