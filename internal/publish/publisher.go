package publish

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

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
	unusable    []string           // files that were damaged or missing when they were last read; Clean forgets them
	resumed     map[string]bool    // blobs that were intact when a Resume read them which failed later
}

// NewPublisher returns a publisher that has not read its bucket yet.
func NewPublisher(to bucket.Bucket, publication Publication, log *slog.Logger) *Publisher {
	return &Publisher{to: to, publication: publication, log: log}
}

// Current returns the manifest in force, as of the last Resume or Publish. Its
// Seq is 0 if there is none or its blobs are missing or damaged.
func (p *Publisher) Current() Manifest { return p.current }

// Next returns the number of the next manifest, and whether the current one directly
// precedes it. If not, a manifest between them may have been in force that cannot be read.
func (p *Publisher) Next() (seq int64, follows bool) {
	return p.seq + 1, p.current.Seq > 0 && p.current.Seq == p.seq
}

// Resume reads the manifest in force, even if another process published it. If a newer
// version of the program did, with a newer format or a higher merge version than
// mergeVersion, Resume returns a [*NewerError]: that snapshot must not be replaced. If the bucket
// does not answer in the middle, the next call goes on with what was not read yet.
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
	var unusable []string
	m, err := Latest(ctx, p.to, func(err error) {
		if damage, ok := errors.AsType[*DamageError](err); ok {
			unusable = append(unusable, damage.Name)
		}
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
		var first error
		if p.resumed == nil {
			p.resumed = map[string]bool{}
		}
		for _, name := range m.Blobs() {
			if p.resumed[name] {
				continue
			}
			_, err := p.Blob(ctx, name)
			if _, damaged := errors.AsType[*DamageError](err); damaged {
				first, unusable = cmp.Or(first, err), append(unusable, name)
			} else if err != nil {
				return err
			}
			p.resumed[name] = err == nil
		}
		if first != nil {
			p.log.Error("published snapshot is not usable; rebuilding it", "seq", m.Seq, "error", first)
			m = Manifest{}
		}
	}
	p.current, p.unusable, p.resumed = m, unusable, nil
	return nil
}

// Republish publishes the manifest in force again, because it is missing or damaged in the
// bucket, under the next number: nodes may have given up on its own.
func (p *Publisher) Republish(ctx context.Context) error {
	p.unusable = append(p.unusable, ManifestName(p.current.Seq))
	return p.Publish(ctx, p.current)
}

// Files returns the names of the manifest in force and of its blobs.
func (p *Publisher) Files() []string {
	return append([]string{ManifestName(p.current.Seq)}, p.current.Blobs()...)
}

// Listed returns those of the Files that the bucket lists, by name.
func (p *Publisher) Listed(ctx context.Context) (map[string]bucket.Entry, error) {
	names, listed := p.Files(), map[string]bucket.Entry{}
	for entry, err := range p.to.Walk(ctx, "", "") {
		if err != nil {
			return nil, fmt.Errorf("look for the published snapshot: %w", err)
		}
		if slices.Contains(names, entry.Name) {
			listed[entry.Name] = entry
		}
	}
	return listed, nil
}

// Verify reads a manifest or a blob, and returns its length. If it is missing or damaged,
// the error is a [*DamageError].
func (p *Publisher) Verify(ctx context.Context, name string) (size int, err error) {
	if seq, ok := numberOf(name); ok {
		_, err = ReadManifest(ctx, p.to, seq)
		return 0, err
	}
	blob, err := p.Blob(ctx, name)
	return len(blob), err
}

// Above reports whether a file is a manifest with a higher number than the one in force.
func (p *Publisher) Above(name string) bool {
	seq, ok := numberOf(name)
	return ok && seq > p.current.Seq
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
	m.Lineage = rand.Text()
	if _, follows := p.Next(); follows {
		m.Lineage = cmp.Or(p.current.Lineage, m.Lineage)
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
		_, err = p.Blob(ctx, name)
		if _, damaged := errors.AsType[*DamageError](err); damaged {
			p.log.Warn("replacing damaged snapshot", "error", err)
			err = errors.Join(p.to.Delete(ctx, name), p.to.Put(ctx, name, blob))
		}
	}
	if err != nil {
		return "", fmt.Errorf("write snapshot: %w", err)
	}
	return name, nil
}

// Blob reads a blob and checks that its content matches its name. If it is missing or
// damaged, the error is a [*DamageError].
func (p *Publisher) Blob(ctx context.Context, name string) ([]byte, error) {
	blob, err := p.to.Get(ctx, name)
	if err == nil && blobName(blob) != name {
		err = damaged(name)
	}
	if err != nil {
		return nil, failed("read", name, err)
	}
	return blob, nil
}

func blobName(blob []byte) string {
	sum := sha256.Sum256(blob)
	return blobPrefix + hex.EncodeToString(sum[:])
}

const blobPrefix = "blob/"

// keptManifests are kept whatever their age, so that a slow node can still read the
// blobs of an older one.
const keptManifests = 5

// Clean deletes old manifests and the blobs that no kept manifest names. A manifest is
// kept until another has been in force for keep; a blob is kept for keep too, because
// another publisher may be about to name it. All times are the bucket's. Before each
// deletion Clean calls held, and ends with its error: a publisher that stalled in the
// middle must not delete what its successor needs.
func (p *Publisher) Clean(ctx context.Context, keep time.Duration, held func(context.Context) error) error {
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
	if err := p.removeUnusable(ctx, remove); err != nil {
		return err
	}
	manifests, err := manifestsAfter(ctx, p.to, 0)
	if err != nil || len(manifests) <= keptManifests {
		return err
	}
	before := manifests[len(manifests)-1].at.Add(-keep)
	gone := outdated(manifests, before)
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

// removeUnusable deletes the manifests that were damaged when they were last read, or name a
// blob that was damaged or missing and which the manifest in force, which took their place,
// does not name.
func (p *Publisher) removeUnusable(ctx context.Context, remove func(name string) error) error {
	inForce := p.Files()
	broken := slices.DeleteFunc(p.unusable, func(name string) bool {
		_, err := p.Verify(ctx, name)
		_, damaged := errors.AsType[*DamageError](err)
		return slices.Contains(inForce, name) || !damaged
	})
	p.unusable = nil
	if len(broken) == 0 {
		return nil
	}
	numbers, err := Numbers(ctx, p.to)
	if err != nil {
		return err
	}
	isBroken := func(name string) bool { return slices.Contains(broken, name) }
	for _, seq := range numbers {
		m, err := ReadManifest(ctx, p.to, seq)
		if seq >= p.current.Seq || !isBroken(ManifestName(seq)) && (err != nil || !slices.ContainsFunc(m.Blobs(), isBroken)) {
			continue
		}
		if err := remove(ManifestName(seq)); err != nil {
			return err
		}
	}
	return nil
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
