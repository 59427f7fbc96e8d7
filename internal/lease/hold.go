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

// Hold claims the lease called name and runs work while it holds the lease, which it
// renews every third of TTL. It returns false at once if the lease is not claimable.
// If Hold cannot renew the lease in time, it cancels the context of work with cause
// [ErrLost] and releases nothing.
//
// work may set DueAt and Cursor of its lease. The release stores them, together with
// Attempts and LastError according to work's error (see [Lease.Finished]). An error
// after ctx ended counts as neither success nor failure. Hold returns work's error,
// joined with its own.
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
	defer cancel(nil) // also ends the renewals if work panics
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		h.renew(workCtx, cancel, claimed)
	}()
	l := claimed // a copy, because work may change it during renewals
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
	// Release the lease even if ctx was cancelled, so that another process can
	// claim it at once instead of waiting for its end.
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

// renew renews l until ctx ends. It cancels with ErrLost when the store reports that
// another process holds l, or when l ends without a renewal: a store that does not
// answer this process may answer another one.
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
		case err != nil: // try again until the lease ends
		case ok:
			l = next
		default:
			cancel(ErrLost)
			return
		}
	}
}

// left returns the time until l ends.
func (h Holder) left(l Lease) time.Duration {
	return time.Duration(l.Until-h.Now()) * time.Millisecond
}
