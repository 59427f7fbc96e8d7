// Package published reads what the program has published, as its nodes do.
package published

import (
	"context"
	"fmt"

	"gamedex/internal/bucket"
	"gamedex/internal/index"
	"gamedex/internal/publish"
)

// Blobs are the two files of a snapshot, and the manifest that names them.
type Blobs struct {
	Manifest        publish.Manifest
	Catalog, Prices []byte
}

// Read reads the newest snapshot in a folder of the program's.
func Read(ctx context.Context, dir string) (Blobs, error) {
	b, err := read(ctx, dir)
	if err != nil {
		return b, fmt.Errorf("read snapshot in %s: %w", dir, err)
	}
	return b, nil
}

func read(ctx context.Context, dir string) (b Blobs, err error) {
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
	b.Prices, err = folder.Get(ctx, b.Manifest.Prices)
	return b, err
}

// View reads and opens it.
func View(ctx context.Context, dir string) (*index.View, error) {
	b, err := Read(ctx, dir)
	if err != nil {
		return nil, err
	}
	s, err := index.Open(b.Catalog, b.Prices)
	if err != nil {
		return nil, fmt.Errorf("open snapshot in %s: %w", dir, err)
	}
	return b.Manifest.View(s), nil
}
