package bucket

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"
)

// The errors of buckets, for errors.Is.
var (
	ErrExists   = errors.New("blob exists")
	ErrNotExist = errors.New("blob does not exist")
	ErrName     = errors.New("bad blob name")

	// ErrUnreachable means that a service does not answer, or cannot answer now. It
	// may later.
	ErrUnreachable = errors.New("the bucket cannot be reached")
)

// Bucket is a set of named immutable blobs. It may be used from any goroutine,
// and by several processes at once.
type Bucket interface {
	// Put creates a blob durably: after it returns nil, the blob survives a
	// power cut. If the name is taken, even by equal bytes, Put returns
	// ErrExists. After any other error a complete blob may exist.
	Put(ctx context.Context, name string, blob []byte) error
	// Get returns a blob, or ErrNotExist. The caller may change the bytes.
	Get(ctx context.Context, name string) ([]byte, error)
	// Walk yields the blobs whose names begin with prefix and sort after the name
	// after, by name; "" is all. It ends with the first error.
	Walk(ctx context.Context, prefix, after string) iter.Seq2[Entry, error]
	// Delete deletes a blob. A missing blob is not an error.
	Delete(ctx context.Context, name string) error
}

// Entry is a blob as Walk finds it.
type Entry struct {
	Name string
	Time time.Time // when it was put, by the bucket's clock
	Size int64     // bytes that it takes in the bucket
}

// Lister is the part of a bucket that finds blobs.
type Lister interface {
	Walk(ctx context.Context, prefix, after string) iter.Seq2[Entry, error]
}

const (
	maxNameLen   = 512
	alphanumeric = "abcdefghijklmnopqrstuvwxyz0123456789"
)

// CheckName returns an ErrName if name cannot be the name of a blob. A name is
// 1 to 512 bytes of a-z 0-9 . _ - in segments joined by single slashes; each
// segment begins with a letter or digit, has at most 200 bytes and no "..".
func CheckName(name string) error {
	if len(name) > maxNameLen {
		return fmt.Errorf("%w: %.40q… has %d bytes; the maximum is %d", ErrName, name, len(name), maxNameLen)
	}
	if strings.Contains(name, "..") {
		return fmt.Errorf(`%w: %q has ".."`, ErrName, name)
	}
	for segment := range strings.SplitSeq(name, "/") {
		if segment == "" || len(segment) > 200 || strings.Trim(segment, alphanumeric+"._-") != "" || strings.Trim(segment[:1], alphanumeric) != "" {
			return fmt.Errorf("%w: %q: every segment must be 1 to 200 of a-z 0-9 . _ - and begin with a letter or digit", ErrName, name)
		}
	}
	return nil
}

// Begin returns why an action on a blob cannot begin: an ErrName, or the error of ctx.
// Buckets call it first.
func Begin(ctx context.Context, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return ctx.Err()
}

// Failed returns the error of an action on a blob with both, such as "put blob NAME: …".
func Failed(action, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s blob %s: %w", action, name, err)
}
