package publish

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"gamedex/internal/bucket"
)

// Publication is the number of the newest manifest. It decides which of two
// publishers is ahead.
type Publication interface {
	// Advance raises the number from seq to seq+1, if it still is seq.
	Advance(ctx context.Context, seq int64) (won bool, err error)
	// Raise raises the number to seq, if it is lower, and returns the number.
	Raise(ctx context.Context, seq int64) (current int64, err error)
}

// Publisher writes blobs and manifests. Only PutBlob is safe for concurrent use.
type Publisher struct {
	to          bucket.Bucket
	publication Publication
	log         *slog.Logger
	current     Manifest           // Seq 0: none
	seq         int64              // of the publication, as last seen
	blobs       map[int64][]string // the blobs that old manifests name, as last read
}

// NewPublisher returns a publisher that has not read its bucket yet.
func NewPublisher(to bucket.Bucket, publication Publication, log *slog.Logger) *Publisher {
	return &Publisher{to: to, publication: publication, log: log}
}

// Current returns the manifest in force, as of the last Resume or Publish. Its
// Seq is 0 if there is none or its blobs are missing or damaged.
func (p *Publisher) Current() Manifest { return p.current }

// Resume reads the manifest in force, even if another process published it. If a newer
// version of the program did, with a newer format or a higher merge version than
// mergeVersion, Resume returns a [*NewerError]: that snapshot must not be replaced.
func (p *Publisher) Resume(ctx context.Context, mergeVersion int) error {
	// The number comes first: what is published after it makes Publish fail, so that it
	// is not replaced unread.
	numbers, err := Numbers(ctx, p.to)
	if err != nil {
		return err
	}
	highest := int64(0)
	if len(numbers) > 0 {
		highest = numbers[0]
	}
	if p.seq, err = p.publication.Raise(ctx, highest); err != nil {
		return fmt.Errorf("raise publication to %d: %w", highest, err)
	}
	var newer *NewerError
	m, err := Latest(ctx, p.to, func(err error) {
		if of, ok := errors.AsType[*NewerError](err); ok {
			newer = cmp.Or(newer, of)
			return
		}
		p.log.Warn("manifest is not usable", "error", err)
	})
	if newer == nil && m.Inputs.MergeVersion > mergeVersion {
		newer = &NewerError{m.Seq, m.Inputs.Format, m.Inputs.MergeVersion}
	}
	if newer != nil {
		return newer
	}
	if err != nil && !errors.Is(err, ErrNoManifest) {
		return fmt.Errorf("read latest manifest: %w", err)
	}
	if err == nil {
		for _, name := range m.Blobs() {
			if _, err := p.Blob(ctx, name); err != nil {
				p.log.Error("published snapshot is not usable; rebuilding it", "seq", m.Seq, "error", err)
				m = Manifest{}
				break
			}
		}
	}
	p.current = m
	return nil
}

// Present reports whether the bucket has the manifest in force and its blobs. A
// manifest must be in force.
func (p *Publisher) Present(ctx context.Context) (bool, error) {
	names, err := bucket.List(ctx, p.to, "")
	if err != nil {
		return false, fmt.Errorf("look for the published snapshot: %w", err)
	}
	for _, name := range append(p.current.Blobs(), ManifestName(p.current.Seq)) {
		if !slices.Contains(names, name) {
			return false, nil
		}
	}
	return true, nil
}

// ErrOvertaken means that another publisher was first.
var ErrOvertaken = errors.New("another builder has published in between")

// Publish writes m as the next manifest, and sets its number. If two publishers
// both believe that they are alone, only one wins the number; the other gets
// [ErrOvertaken].
func (p *Publisher) Publish(ctx context.Context, m Manifest) error {
	won, err := p.publication.Advance(ctx, p.seq)
	if err != nil {
		return fmt.Errorf("advance publication from %d: %w", p.seq, err)
	}
	if !won {
		return ErrOvertaken
	}
	p.seq++
	m.Seq = p.seq
	body, err := m.Encode()
	if err != nil {
		return err
	}
	if err := p.to.Put(ctx, ManifestName(m.Seq), body); err != nil {
		return fmt.Errorf("write manifest %d: %w", m.Seq, err)
	}
	p.current = m
	return nil
}

// PutBlob stores a blob under the name of its content. It replaces a damaged
// blob of that name.
func (p *Publisher) PutBlob(ctx context.Context, blob []byte) (name string, err error) {
	name = blobName(blob)
	err = p.to.Put(ctx, name, blob)
	if errors.Is(err, bucket.ErrExists) {
		if _, err = p.Blob(ctx, name); err != nil {
			p.log.Warn("replacing damaged snapshot", "error", err)
			err = errors.Join(p.to.Delete(ctx, name), p.to.Put(ctx, name, blob))
		}
	}
	if err != nil {
		return "", fmt.Errorf("write snapshot: %w", err)
	}
	return name, nil
}

// Blob reads a blob and checks that its content matches its name.
func (p *Publisher) Blob(ctx context.Context, name string) ([]byte, error) {
	blob, err := p.to.Get(ctx, name)
	if err == nil && blobName(blob) != name {
		err = damaged(name)
	}
	return blob, err
}

func blobName(blob []byte) string {
	sum := sha256.Sum256(blob)
	return blobPrefix + hex.EncodeToString(sum[:])
}

const blobPrefix = "blob/"
