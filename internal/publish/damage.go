package publish

import (
	"context"
	"errors"
	"fmt"

	"gamedex/internal/bucket"
)

// DamageError is the error for a manifest or a blob that is missing, or is not what was
// published under its name.
type DamageError struct {
	Name string // of the file in the bucket
	err  error
}

// Error says what is wrong, with the name.
func (e *DamageError) Error() string { return e.err.Error() }

// Unwrap returns the error of reading the file.
func (e *DamageError) Unwrap() error { return e.err }

// failed returns the error of doing something with a file. It is a [*DamageError], unless
// it tells nothing about the file.
func failed(action, name string, err error) error {
	_, newer := errors.AsType[*NewerError](err)
	about := fmt.Errorf("%s %s: %w", action, name, err)
	if newer || errors.Is(err, bucket.ErrUnreachable) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return about
	}
	return &DamageError{name, about}
}

// Damage returns the error of the newest manifest that could not be opened because it or
// one of its blobs is missing or damaged; nil if there is none above the current one. It
// may be called from any goroutine.
func (f *Follower) Damage() *DamageError { return f.damage.Load() }

// noteDamage updates what Damage returns.
func (f *Follower) noteDamage() {
	newest, damage := f.seq(), (*DamageError)(nil)
	for seq, a := range f.broken {
		if seq > newest && a.damage != nil {
			newest, damage = seq, a.damage
		}
	}
	f.damage.Store(damage)
}
