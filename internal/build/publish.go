package build

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"gamedex/internal/bucket"
	"gamedex/internal/index"
	"gamedex/internal/publish"
)

// put stores a blob under the name of its content. If the name is taken by
// something else, that is damaged and makes room.
func (b *Builder) put(ctx context.Context, blob []byte) (name string, err error) {
	name = blobName(blob)
	err = b.cfg.Bucket.Put(ctx, name, blob)
	if errors.Is(err, bucket.ErrExists) {
		if err = b.holds(ctx, name); err != nil {
			b.cfg.Log.Warn("damaged snapshot is replaced", "error", err)
			err = errors.Join(b.cfg.Bucket.Delete(ctx, name), b.cfg.Bucket.Put(ctx, name, blob))
		}
	}
	if err != nil {
		return "", fmt.Errorf("write snapshot: %w", err)
	}
	return name, nil
}

func blobName(blob []byte) string {
	sum := sha256.Sum256(blob)
	return blobPrefix + hex.EncodeToString(sum[:])
}

// intact is an error unless the blobs that m names are what was once written.
func (b *Builder) intact(ctx context.Context, m publish.Manifest) error {
	if err := b.holds(ctx, m.Catalog); err != nil {
		return err
	}
	return b.holds(ctx, m.Prices)
}

// holds is an error unless the blob of this name has the content of this name.
func (b *Builder) holds(ctx context.Context, name string) error {
	_, err := b.get(ctx, name)
	return err
}

// get reads a blob that has the content of its name.
func (b *Builder) get(ctx context.Context, name string) ([]byte, error) {
	blob, err := b.cfg.Bucket.Get(ctx, name)
	if err == nil && blobName(blob) != name {
		err = fmt.Errorf("%s is damaged: its content is not what its name says", name)
	}
	return blob, err
}

// fill adds what a manifest carries beside the snapshot: rates and states.
func (b *Builder) fill(ctx context.Context, m *publish.Manifest) error {
	var err error
	if m.Rates, err = b.cfg.Database.Rates(ctx); err != nil {
		return fmt.Errorf("read rates: %w", err)
	}
	if m.Platforms, err = b.cfg.States(ctx); err != nil {
		return fmt.Errorf("read platform states: %w", err)
	}
	return nil
}

// errOvertaken says that another builder published in between.
var errOvertaken = errors.New("another builder has published in between")

// publish writes m as the next manifest. The database decides the number, so
// of two builders that both believe to be the one, only one is read.
func (b *Builder) publish(ctx context.Context, m publish.Manifest) error {
	won, err := b.cfg.Publication.Advance(ctx, b.seq)
	if err != nil {
		return fmt.Errorf("advance publication from %d: %w", b.seq, err)
	}
	if !won {
		return errOvertaken
	}
	b.seq++
	m.Seq = b.seq
	body, err := m.Encode()
	if err != nil {
		return err
	}
	if err := b.cfg.Bucket.Put(ctx, publish.ManifestName(m.Seq), body); err != nil {
		return fmt.Errorf("write manifest %d: %w", m.Seq, err)
	}
	b.published = m
	return nil
}

// refresh publishes rates and states alone, when only they moved.
func (b *Builder) refresh(ctx context.Context) error {
	if b.published.Seq == 0 {
		return nil
	}
	m := b.published
	if err := b.fill(ctx, &m); err != nil {
		return err
	}
	if m.Rates.Hash() == b.published.Rates.Hash() && slices.EqualFunc(m.Platforms, b.published.Platforms, index.PlatformState.Equal) {
		return nil
	}
	if err := b.publish(ctx, m); err != nil {
		return err
	}
	return b.clean(ctx)
}

func (b *Builder) finish(started time.Time, report Report) {
	b.lastEnd = b.cfg.Now()
	b.lastTook = b.lastEnd.Sub(started)
	report.Seq, report.All = b.seq, b.lastTook
	b.cfg.Log.Info("published", "seq", report.Seq, "listings", report.Listings, "cards", report.Cards,
		"bytes", report.CatalogBytes+report.PricesBytes, "pricesAlone", report.PricesAlone, "read", report.Read, "merge", report.Merge,
		"index", report.Index, "write", report.Write, "took", report.All)
	if report.Cards == 0 {
		b.cfg.Log.Warn("nothing to serve: no listing is in an active region", "listings", report.Listings, "active", b.cfg.Active)
	}
	b.cfg.OnBuild(report)
}
