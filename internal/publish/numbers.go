package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gamedex/internal/bucket"
)

// BlobReader is a bucket to read manifests and blobs from. It is used
// concurrently.
type BlobReader interface {
	bucket.Lister
	Get(ctx context.Context, name string) ([]byte, error)
}

// ErrNoManifest means that no intact manifest was published yet.
var ErrNoManifest = errors.New("no manifest")

// maxSeq is above every number of a real manifest. A file with a higher one must
// not use up the numbers.
const maxSeq = 1 << 53

// Numbers returns the numbers of all manifests, highest first, damaged ones
// included. It skips other names with the prefix.
func Numbers(ctx context.Context, from BlobReader) ([]int64, error) {
	return numbersAfter(ctx, from, 0)
}

// numbersAfter returns the numbers of the manifests after seq, highest first.
func numbersAfter(ctx context.Context, from BlobReader, seq int64) ([]int64, error) {
	var list []int64
	for entry, err := range from.Walk(ctx, manifestPrefix, ManifestName(seq)) {
		if err != nil {
			return nil, fmt.Errorf("list manifests: %w", err)
		}
		if seq, ok := numberOf(entry.Name); ok {
			list = append(list, seq)
		}
	}
	slices.Reverse(list) // names sort as numbers do
	return list, nil
}

// numberOf returns the number of the manifest that a name is of.
func numberOf(name string) (seq int64, ok bool) {
	seq, err := strconv.ParseInt(strings.TrimPrefix(name, manifestPrefix), 10, 64)
	return seq, err == nil && 0 < seq && seq < maxSeq && name == ManifestName(seq)
}

// ReadManifest reads one manifest; errors name it.
func ReadManifest(ctx context.Context, from BlobReader, seq int64) (Manifest, error) {
	name := ManifestName(seq)
	data, err := from.Get(ctx, name)
	if err != nil {
		return Manifest{}, fmt.Errorf("read %s: %w", name, err)
	}
	m, err := DecodeManifest(data)
	if err != nil {
		return Manifest{}, fmt.Errorf("read %s: %w", name, err)
	}
	if m.Seq != seq {
		return Manifest{}, fmt.Errorf("read %s: its content has number %d", name, m.Seq)
	}
	return m, nil
}

// Latest returns the highest manifest that is intact. It calls skipped with the
// error of each one above that is damaged or of a newer version. Without any it returns
// [ErrNoManifest].
func Latest(ctx context.Context, from BlobReader, skipped func(error)) (Manifest, error) {
	numbers, err := Numbers(ctx, from)
	if err != nil {
		return Manifest{}, err
	}
	for _, seq := range numbers {
		m, err := ReadManifest(ctx, from, seq)
		if err == nil {
			return m, nil
		}
		if ctx.Err() != nil {
			return Manifest{}, ctx.Err()
		}
		if errors.Is(err, bucket.ErrUnreachable) {
			return Manifest{}, err // nobody knows what it is
		}
		skipped(err)
	}
	return Manifest{}, ErrNoManifest
}
