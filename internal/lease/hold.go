package lease

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrLost means that a lease ended, or was taken over, while its work ran. It
// is the cause of the work's cancelled context.
var ErrLost = errors.New("lease lost")

// Holder claims leases for one process.
type Holder struct {
	Store Store
	ID    string        // differs between processes and between their runs
	TTL   time.Duration // how long a claim lasts unless renewed
	Now   func() int64
}

// Hold claims name and runs work while it holds it, renewing every third of
// TTL. It returns false at once if the lease is not claimable. The context of
// work is cancelled, with cause [ErrLost], when the lease could not be renewed
// in time; then nothing is released.
//
// Work may set DueAt and Cursor of its lease; they are stored at release, with
// Attempts and LastError as work's error says (see [Lease.Finished]); an error
// after ctx ended counts as neither success nor failure. Hold returns work's
// error, joined with its own.
func (h Holder) Hold(ctx context.Context, name string, work func(context.Context, *Lease) error) (bool, error) {
	now := h.Now()
	claimed, ok, err := h.Store.Claim(ctx, name, h.ID, now, now+h.TTL.Milliseconds())
	if err != nil {
		return false, fmt.Errorf("claim lease %s: %w", name, err)
	}
	if !ok {
		return false, nil
	}
	workCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil) // ends the renewals of a work that panics, too
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		h.renew(workCtx, cancel, claimed)
	}()
	l := claimed // work may write to it while the claim is renewed
	workErr := work(workCtx, &l)
	lost := errors.Is(context.Cause(workCtx), ErrLost)
	cancel(nil)
	<-renewed
	if lost {
		return true, errors.Join(fmt.Errorf("hold lease %s: %w", name, ErrLost), workErr)
	}
	if interrupted := workErr != nil && ctx.Err() != nil; !interrupted {
		l = l.Finished(workErr)
	}
	l.Holder, l.Until = "", 0
	// The release goes on after ctx was cancelled: a process that stops hands
	// over at once instead of letting the time run out.
	releaseCtx, cancelRelease := context.WithTimeout(context.WithoutCancel(ctx), h.TTL/3)
	defer cancelRelease()
	if ok, err = h.Store.Release(releaseCtx, l); err == nil && !ok {
		err = ErrLost
	}
	if err != nil {
		err = fmt.Errorf("release lease %s: %w", name, err)
	}
	return true, errors.Join(workErr, err)
}

// renew keeps l until ctx ends. It cancels with ErrLost when the store says
// that l is another's, or when l's time is over with no renewal: a store that
// does not answer may be answering somebody else.
func (h Holder) renew(ctx context.Context, cancel context.CancelCauseFunc, l Lease) {
	every := time.NewTicker(h.TTL / 3)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(h.left(l)):
			cancel(ErrLost)
			return
		case <-every.C:
		}
		next := l
		next.Until = h.Now() + h.TTL.Milliseconds()
		// Give up before the lease ends, so that work is cancelled in time.
		renewCtx, cancelRenew := context.WithTimeout(ctx, min(h.left(l), h.TTL/3))
		ok, err := h.Store.Renew(renewCtx, next)
		cancelRenew()
		switch {
		case err != nil: // tried again until the time is over
		case ok:
			l = next
		default:
			cancel(ErrLost)
			return
		}
	}
}

// left is the time until l ends.
func (h Holder) left(l Lease) time.Duration {
	return time.Duration(l.Until-h.Now()) * time.Millisecond
}
