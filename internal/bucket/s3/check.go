package s3

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"gamedex/internal/bucket"
)

// checkTimeout is how long CheckRead waits: a start waits for it before anything answers.
const checkTimeout = 10 * time.Second

// CheckRead looks into the bucket, and returns a sentence that tells what to do if that
// is not possible.
func (b *Bucket) CheckRead(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	if value, err := b.creds.GetWithContext(nil); err != nil || value.AccessKeyID == "" || value.SecretAccessKey == "" {
		return fmt.Errorf("bucket %s: no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, or write them to ~/.aws/credentials, or give this machine a role", b.at)
	}
	for _, err := range b.Walk(ctx, "", "") {
		return err
	}
	return nil
}

const (
	probePrefix  = "probe/"
	probesKept   = time.Hour // of processes that ended in the middle
	probeContent = "gamedex tries here whether the service honours If-None-Match; it may be deleted"
)

// CheckWrite creates an object twice and deletes it. It returns a sentence if that is
// not possible, or if the service lets the second one replace the first.
func (b *Bucket) CheckWrite(ctx context.Context) error {
	if err := b.CheckRead(ctx); err != nil {
		return err
	}
	return b.checkOnce(ctx)
}

// checkOnce checks a bucket that was not yet found writable.
func (b *Bucket) checkOnce(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.writable {
		return nil
	}
	if err := b.deleteProbes(ctx); err != nil {
		return err
	}
	name := probePrefix + strings.ToLower(rand.Text())
	err := b.create(ctx, name, []byte(probeContent))
	if err != nil {
		return err
	}
	again := b.create(ctx, name, []byte("another "+probeContent))
	found, err := b.Get(ctx, name)
	if err = errors.Join(err, b.Delete(ctx, name)); err != nil {
		return err
	}
	if again != nil && !errors.Is(again, bucket.ErrExists) {
		return again
	}
	if again == nil || !bytes.Equal(found, []byte(probeContent)) {
		return fmt.Errorf("bucket %s: the service ignores If-None-Match, so two builders could overwrite each other's snapshots: use a service or a version that honours conditional writes", b.at)
	}
	b.writable = true
	return nil
}

// deleteProbes deletes what processes left that ended during the check.
func (b *Bucket) deleteProbes(ctx context.Context) error {
	for entry, err := range b.Walk(ctx, probePrefix, "") {
		if err != nil {
			return err
		}
		if time.Since(entry.Time) > probesKept {
			if err := b.Delete(ctx, entry.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// absent reports whether err means that no object has the name.
func absent(err error) bool {
	return minio.ToErrorResponse(err).Code == minio.NoSuchKey
}

// explain returns err as a sentence that tells what to do.
func (b *Bucket) explain(err error) error {
	response := minio.ToErrorResponse(err)
	say := func(format string, args ...any) error {
		return fmt.Errorf("bucket %s: "+format+" (%.200s)", append(append([]any{b.at}, args...), reason(err))...)
	}
	switch {
	case err == nil || errors.Is(err, context.Canceled) || errors.Is(err, bucket.ErrNotExist) || errors.Is(err, bucket.ErrUnreachable):
		return err
	case response.Code == minio.NoSuchBucket:
		return say("there is no bucket %s at %s: create it, or correct its name or the endpoint", b.at.Bucket, b.at.Endpoint)
	case response.Code == "InvalidAccessKeyId" || response.Code == "SignatureDoesNotMatch" || response.Code == "InvalidToken" ||
		response.Code == "ExpiredToken" || response.Code == "XAdminUserNotFound": // the last one is versitygw's
		return say("%s does not accept the credentials: correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, ~/.aws/credentials or the role of this machine", b.at.Endpoint)
	case response.Code == "AuthorizationHeaderMalformed" || response.Code == "PermanentRedirect" || response.StatusCode == http.StatusMovedPermanently:
		return say("the bucket is not in the region %s: correct the parameter region", b.at.Region)
	case response.Code == "RequestTimeTooSkewed":
		return say("the clocks of this machine and of %s differ too much: correct this one", b.at.Endpoint)
	case response.StatusCode == http.StatusForbidden || response.StatusCode == http.StatusUnauthorized:
		return say("the credentials do not permit the request: they need ListBucket and GetObject, and for the role build also PutObject and DeleteObject")
	case response.StatusCode == 0 && !permanent(err), response.StatusCode >= 500, response.StatusCode == http.StatusTooManyRequests:
		return fmt.Errorf("%w: %w", bucket.ErrUnreachable, say("%s does not answer; if it stays silent, correct the parameter endpoint", b.at.Endpoint))
	}
	return say("%s refuses the request", b.at.Endpoint)
}

// permanent reports whether an error without an answer will not pass: the endpoint is
// the wrong one.
func permanent(err error) bool {
	_, ok := errors.AsType[*tls.CertificateVerificationError](err)
	return ok
}

// reason returns the part of an error that says why.
func reason(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err
	}
	return err
}
