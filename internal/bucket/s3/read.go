package s3

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"
	"golang.org/x/sync/errgroup"

	"gamedex/internal/bucket"
)

const (
	rangeSize      = 8 << 20 // bytes of one request
	parallelRanges = 4
)

// Get implements [bucket.Bucket].
func (b *Bucket) Get(ctx context.Context, name string) ([]byte, error) {
	stored, err := b.GetCompressed(ctx, name)
	if err != nil {
		return nil, err
	}
	blob, err := b.Decompress(stored)
	if err != nil {
		return nil, fmt.Errorf("get blob %s: the object in %s is damaged: %w", name, b.at, err)
	}
	return blob, nil
}

// GetCompressed returns a blob as the service stores it. It reads the ranges of a big
// object in parallel. Errors are those of Get.
func (b *Bucket) GetCompressed(ctx context.Context, name string) ([]byte, error) {
	if err := bucket.Begin(ctx, name); err != nil {
		return nil, err
	}
	stored, err := b.read(ctx, b.at.Prefix+name)
	if err != nil {
		return nil, bucket.Failed("get", name, err)
	}
	return stored, nil
}

// Decompress returns the blob that GetCompressed returned compressed.
func (b *Bucket) Decompress(compressed []byte) ([]byte, error) {
	return b.decoder.DecodeAll(compressed, nil)
}

// read reads an object. The answer to the first range tells how long it is; the others
// are asked for while its bytes arrive.
func (b *Bucket) read(ctx context.Context, key string) (stored []byte, err error) {
	rest, ctx := errgroup.WithContext(ctx)
	firstErr := b.readRange(ctx, key, "", 0, func(whole int64, etag string) ([]byte, error) {
		if whole > maxBlob {
			return nil, fmt.Errorf("it has %d bytes; the maximum is %d", whole, int64(maxBlob))
		}
		stored = make([]byte, whole)
		for from := int64(rangeSize); from < whole; from += rangeSize {
			rest.Go(func() error {
				return b.readRange(ctx, key, etag, from, func(int64, string) ([]byte, error) {
					return stored[from:min(from+rangeSize, whole)], nil
				})
			})
		}
		return stored[:min(rangeSize, whole)], nil
	})
	rest.Go(func() error { return firstErr }) // an error ends the others
	return stored, rest.Wait()
}

// readRange reads the range that begins at from into the slice that buffer returns.
// It calls buffer with the length of the whole object and its ETag. If etag is not empty, the
// object must still have it: another object of the name is another blob. A request whose
// answer is cut off is retried.
func (b *Bucket) readRange(ctx context.Context, key, etag string, from int64, buffer func(whole int64, etag string) ([]byte, error)) error {
	select {
	case b.reads <- struct{}{}:
		defer func() { <-b.reads }()
	case <-ctx.Done():
		return ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, patience(rangeSize))
	defer cancel()
	var into []byte // nil: there was no answer yet
	var wrong error // about an answer that is of no use, so that it is not retried
	err := retry(ctx, func() error {
		options, err := rangeOptions(from, etag)
		if err != nil {
			return err
		}
		body, object, header, err := b.client.GetObject(ctx, b.at.Bucket, key, options)
		if err != nil {
			return err
		}
		defer body.Close()
		whole, err := wholeSize(header, from)
		if err == nil && into == nil {
			etag = object.ETag
			into, err = buffer(whole, etag)
		}
		if err != nil {
			wrong = fmt.Errorf("object %s: %w", key, err)
			return nil
		}
		_, err = io.ReadFull(body, into)
		return err
	})
	if absent(err) {
		return bucket.ErrNotExist
	}
	return cmp.Or(wrong, b.explain(err))
}

// rangeOptions asks for the range that begins at from; of an object with this ETag if it is
// not empty.
func rangeOptions(from int64, etag string) (options minio.GetObjectOptions, err error) {
	if err = options.SetRange(from, from+rangeSize-1); err == nil && etag != "" {
		err = options.SetMatchETag(etag)
	}
	return options, err
}

// wholeSize returns how long the object is of which an answer has the range that
// begins at from. A service may answer the first range with the whole object.
func wholeSize(header http.Header, from int64) (int64, error) {
	text := header.Get("Content-Length")
	if ranges := header.Get("Content-Range"); ranges != "" {
		if !strings.HasPrefix(ranges, "bytes "+strconv.FormatInt(from, 10)+"-") {
			return 0, fmt.Errorf("the answer has the range %.60q, not the one from byte %d", ranges, from)
		}
		_, text, _ = strings.Cut(ranges, "/")
	} else if from > 0 {
		return 0, fmt.Errorf("the answer is not the range from byte %d: the service ignores ranges", from)
	}
	whole, err := strconv.ParseInt(text, 10, 64)
	if err != nil || whole < 0 {
		return 0, fmt.Errorf("the answer does not tell how long the object is (%.60q)", text)
	}
	return whole, nil
}
