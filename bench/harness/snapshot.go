package harness

import (
	"context"
	"fmt"

	"gamedex/internal/bucket"
	"gamedex/internal/index"
	"gamedex/internal/publish"
)

// Blobs are the files of a published snapshot, and the manifest that names them.
type Blobs struct {
	Manifest        publish.Manifest
	Catalog, Prices []byte
	Lows            [][]byte // by region
}

// ReadSnapshot reads the newest snapshot in a folder.
func ReadSnapshot(ctx context.Context, dir string) (Blobs, error) {
	b, err := readSnapshot(ctx, dir)
	if err != nil {
		return b, fmt.Errorf("read snapshot in %s: %w", dir, err)
	}
	return b, nil
}

func readSnapshot(ctx context.Context, dir string) (b Blobs, err error) {
	folder, err := bucket.OpenFolder(dir)
	if err != nil {
		return b, err
	}
	defer folder.Close()
	if b.Manifest, err = publish.Latest(ctx, folder, func(error) {}); err != nil {
		return b, err
	}
	if b.Catalog, err = folder.Get(ctx, b.Manifest.Catalog); err != nil {
		return b, err
	}
	if b.Prices, err = folder.Get(ctx, b.Manifest.Prices); err != nil {
		return b, err
	}
	for _, name := range b.Manifest.Lows {
		blob, err := folder.Get(ctx, name)
		if err != nil {
			return b, err
		}
		b.Lows = append(b.Lows, blob)
	}
	return b, nil
}

// Open opens the blobs as a node does.
func (b Blobs) Open() (*index.View, error) {
	s, err := index.Open(b.Catalog, b.Prices)
	if err != nil {
		return nil, fmt.Errorf("open snapshot: %w", err)
	}
	lows := make([]*index.Lows, len(b.Lows))
	for i, blob := range b.Lows {
		if lows[i], err = index.OpenLows(blob); err != nil {
			return nil, fmt.Errorf("open snapshot: %w", err)
		}
	}
	if s, err = s.WithLows(lows...); err != nil {
		return nil, fmt.Errorf("open snapshot: %w", err)
	}
	return b.Manifest.View(s), nil
}

// OpenView reads and opens the newest snapshot in a folder.
func OpenView(ctx context.Context, dir string) (*index.View, error) {
	b, err := ReadSnapshot(ctx, dir)
	if err != nil {
		return nil, err
	}
	return b.Open()
}
