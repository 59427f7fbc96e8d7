package s3

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"gamedex/internal/bucket"
)

// Bucket is a [bucket.Bucket] in a service with the S3 interface. Open one with [Open].
type Bucket struct {
	at        Location
	client    *minio.Core
	transport *http.Transport
	creds     *credentials.Credentials
	encoder   *zstd.Encoder
	decoder   *zstd.Decoder
	reads     chan struct{} // bounds the ranges that are read at once

	mu       sync.Mutex
	writable bool // CheckWrite succeeded
}

const (
	attempts       = 3 // of a request: of the client until there is an answer, of retry until the answer is whole
	connectTimeout = 5 * time.Second
	answerTimeout  = 30 * time.Second
	roleTimeout    = 2 * time.Second // of the service that tells a machine its role
	slowest        = 128 << 10       // bytes a second that a transfer must have
	maxBlob        = 4 << 30         // bytes; one PUT may have 5 GiB

	// windowSize is how far back zstd looks for a match. One MiB fits the cache of a core:
	// a blob of prices is decoded in 0.8 of the time of the default, 8 MiB, and takes 0.5 %
	// more space.
	windowSize = 1 << 20
)

// Open returns the bucket at a location. It sends nothing: see [Bucket.CheckRead] and
// [Bucket.CheckWrite].
func Open(at Location) (*Bucket, error) {
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSHandshakeTimeout: connectTimeout, ResponseHeaderTimeout: answerTimeout,
		MaxIdleConnsPerHost: parallelRanges, IdleConnTimeout: 90 * time.Second,
		ForceAttemptHTTP2: true, DisableCompression: true,
	}
	creds := credentials.NewChainCredentials([]credentials.Provider{
		&credentials.EnvAWS{}, &credentials.FileAWSCredentials{},
		&credentials.IAM{Client: &http.Client{Timeout: roleTimeout}},
	})
	client, err := minio.NewCore(at.Endpoint, &minio.Options{
		Creds: creds, Secure: at.Secure, Region: at.Region, Transport: transport, MaxRetries: attempts,
	})
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", at, err)
	}
	// The sizes are valid, so that there is no error. An object is never empty.
	encoder, _ := zstd.NewWriter(nil, zstd.WithZeroFrames(true), zstd.WithWindowSize(windowSize))
	decoder, _ := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxBlob))
	return &Bucket{at: at, client: client, transport: transport, creds: creds, encoder: encoder, decoder: decoder,
		reads: make(chan struct{}, parallelRanges)}, nil
}

// Close ends connections that are not in use. The bucket must not be used afterwards.
func (b *Bucket) Close() error {
	b.transport.CloseIdleConnections()
	b.decoder.Close()
	return b.encoder.Close()
}

// Put implements [bucket.Bucket]. The first call checks that the service honours
// conditions, unless CheckWrite did.
func (b *Bucket) Put(ctx context.Context, name string, blob []byte) error {
	err := bucket.Begin(ctx, name)
	if err == nil {
		err = b.checkOnce(ctx)
	}
	if err == nil {
		err = b.create(ctx, name, blob)
	}
	return bucket.Failed("put", name, err)
}

// mark is the metadata that tells whose PUT created an object.
const mark = "Gamedex-Put"

// putPauses are before further attempts if the service can be reached and does not have a blob:
// the PUT was lost, or the service said that the name is taken or just being taken.
var putPauses = [...]time.Duration{50 * time.Millisecond, 200 * time.Millisecond, time.Second}

// create creates an object in one request: a service could ignore the condition of
// one in several parts.
func (b *Bucket) create(ctx context.Context, name string, blob []byte) error {
	stored := b.encoder.EncodeAll(blob, nil)
	own := rand.Text()
	for attempt := 0; ; attempt++ {
		err := b.putOnce(ctx, name, stored, own)
		if err == nil {
			return nil
		}
		again, err := b.settle(ctx, name, int64(len(stored)), own, err)
		if !again || attempt == len(putPauses) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(putPauses[attempt]):
		}
	}
}

// settle finds out what became of a PUT with an error. The name was taken, or nobody
// knows: the service may refuse a name before it has read the blob, which looks like a
// broken connection, and a repeated request is refused if the first one arrived. again
// means that the service does not have it, and that another PUT may succeed at once.
func (b *Bucket) settle(ctx context.Context, name string, size int64, own string, failed error) (again bool, err error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	status := minio.ToErrorResponse(failed).StatusCode
	refused := status == http.StatusPreconditionFailed || status == http.StatusConflict
	if 400 <= status && status < 500 && !refused {
		return false, b.explain(failed) // it did nothing
	}
	found, err := b.client.StatObject(ctx, b.at.Bucket, b.at.Prefix+name, minio.StatObjectOptions{})
	switch {
	case err == nil && found.Metadata.Get("X-Amz-Meta-"+mark) == own && found.Size == size:
		return false, nil
	case err == nil:
		return false, bucket.ErrExists
	case refused && !absent(err):
		return false, b.explain(err) // the refusal may be of a repeated request
	}
	lost := status == 0 && !errors.Is(failed, context.DeadlineExceeded)
	return absent(err) && (refused || lost), b.explain(failed)
}

func (b *Bucket) putOnce(ctx context.Context, name string, stored []byte, own string) error {
	options := minio.PutObjectOptions{
		DisableMultipart: true, ContentType: "application/zstd", UserMetadata: map[string]string{mark: own},
	}
	options.SetMatchETagExcept("*")
	ctx, cancel := context.WithTimeout(ctx, patience(len(stored)))
	defer cancel()
	_, err := b.client.Client.PutObject(ctx, b.at.Bucket, b.at.Prefix+name, bytes.NewReader(stored), int64(len(stored)), options)
	return err
}

// patience returns how long a transfer of n bytes may take.
func patience(n int) time.Duration {
	return answerTimeout + time.Duration(n/slowest)*time.Second
}

// Delete implements [bucket.Bucket].
func (b *Bucket) Delete(ctx context.Context, name string) error {
	if err := bucket.Begin(ctx, name); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	err := b.client.RemoveObject(ctx, b.at.Bucket, b.at.Prefix+name, minio.RemoveObjectOptions{})
	if absent(err) {
		return nil
	}
	return bucket.Failed("delete", name, b.explain(err))
}

// Walk implements [bucket.Bucket]. It omits objects whose names are not valid blob
// names. Times are those of the service.
func (b *Bucket) Walk(ctx context.Context, prefix, after string) iter.Seq2[bucket.Entry, error] {
	return func(yield func(bucket.Entry, error) bool) {
		if bucket.CheckName(prefix) != nil && bucket.CheckName(prefix+"x") != nil && ctx.Err() == nil {
			return // no name has this prefix
		}
		last, more := after, true
		err := retry(ctx, func() error {
			return b.list(ctx, prefix, last, func(entry bucket.Entry) bool {
				last, more = entry.Name, yield(entry, nil)
				return more
			})
		})
		if err != nil {
			yield(bucket.Entry{}, fmt.Errorf("list blobs: %w", b.explain(err)))
			return
		}
		if err := ctx.Err(); err != nil && more { // it ends a listing silently
			yield(bucket.Entry{}, fmt.Errorf("list blobs in %s: %w", b.at, err))
		}
	}
}

// list calls found with the blobs that Walk yields, until it returns false.
func (b *Bucket) list(ctx context.Context, prefix, after string, found func(bucket.Entry) (more bool)) error {
	options := minio.ListObjectsOptions{Prefix: b.at.Prefix + prefix, Recursive: true}
	if after != "" {
		options.StartAfter = b.at.Prefix + after
	}
	for object := range b.client.ListObjectsIter(ctx, b.at.Bucket, options) {
		if object.Err != nil {
			return object.Err
		}
		name := object.Key[min(len(b.at.Prefix), len(object.Key)):]
		if name <= after || bucket.CheckName(name) != nil {
			continue
		}
		if !found(bucket.Entry{Name: name, Time: object.LastModified, Size: object.Size}) {
			return nil
		}
	}
	return nil
}

// retry sends a request, and again if its answer is cut off. The client itself retries only requests
// without an answer.
func retry(ctx context.Context, send func() error) error {
	for attempt := 1; ; attempt++ {
		err := send()
		if attempt == attempts || ctx.Err() != nil || !cutOff(err) {
			return err
		}
	}
}

// cutOff reports whether err means that an answer began and did not end.
func cutOff(err error) bool {
	_, unanswered := errors.AsType[*url.Error](err)
	_, network := errors.AsType[*net.OpError](err)
	return errors.Is(err, io.ErrUnexpectedEOF) || network && !unanswered
}
