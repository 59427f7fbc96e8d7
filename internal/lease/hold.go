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
	Repository Repository
	ID         string        // differs between processes and between their runs
	TTL        time.Duration // how long a claim lasts unless renewed
}

// Hold claims the lease called name and runs work while it holds the lease, which it
// renews every third of TTL. It returns false at once if the lease is not claimable.
// If Hold cannot renew the lease in time, it cancels the context of work with cause
// [ErrLost] and releases nothing: it measures the time itself, and stops a tenth of
// TTL before the lease can end.
//
// work may set DueAt and Cursor of its lease. The release stores them, together with
// Attempts and LastError according to work's error (see [Lease.Finished]). An error
// after ctx ended counts as neither success nor failure. Hold returns work's error,
// joined with its own.
func (h Holder) Hold(ctx context.Context, name string, work func(context.Context, *Lease) error) (bool, error) {
	lost := h.lostAt()
	claimed, ok, err := h.Repository.Claim(ctx, name, h.ID, h.TTL)
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
		h.renew(workCtx, cancel, claimed, lost)
	}()
	l := claimed // a copy, because work may change it during renewals
	workErr := work(workCtx, &l)
	gone := errors.Is(context.Cause(workCtx), ErrLost)
	cancel(nil)
	<-renewed
	if gone {
		return true, errors.Join(fmt.Errorf("hold lease %s: %w", name, ErrLost), workErr)
	}
	if interrupted := workErr != nil && ctx.Err() != nil; !interrupted {
		l = l.Finished(workErr)
	}
	// Release the lease even if ctx was cancelled, so that another process can
	// claim it at once instead of waiting for its end.
	releaseCtx, cancelRelease := context.WithTimeout(context.WithoutCancel(ctx), h.TTL/3)
	defer cancelRelease()
	if ok, err = h.Repository.Release(releaseCtx, l); err == nil && !ok {
		err = ErrLost
	}
	if err != nil {
		err = fmt.Errorf("release lease %s: %w", name, err)
	}
	return true, errors.Join(workErr, err)
}

// renew renews l until ctx ends. It cancels with ErrLost when the database reports that
// another process holds l, or at the time lost without a renewal: a database that does
// not answer this process may answer another one.
func (h Holder) renew(ctx context.Context, cancel context.CancelCauseFunc, l Lease, lost time.Time) {
	every := time.NewTicker(h.TTL / 3)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(lost)):
			cancel(ErrLost)
			return
		case <-every.C:
		}
		next := h.lostAt()
		// Give up before the lease ends, so that work is cancelled in time.
		renewCtx, cancelRenew := context.WithTimeout(ctx, min(time.Until(lost), h.TTL/3))
		ok, err := h.Repository.Renew(renewCtx, l, h.TTL)
		cancelRenew()
		switch {
		case err != nil: // try again until the lease ends
		case ok:
			lost = next
		default:
			cancel(ErrLost)
			return
		}
	}
}

// lostAt returns when a lease that is claimed or renewed from now on counts as lost.
// The store's clock begins later than this call, but may run faster.
func (h Holder) lostAt() time.Time { return time.Now().Add(h.TTL - h.TTL/10) }

// Confirm renews l and returns [ErrLost] if it is no longer held. Work calls it before a
// step that must not be taken by a process that stalled: the context of its work may not be
// cancelled yet.
func (h Holder) Confirm(ctx context.Context, l Lease) error {
	ok, err := h.Repository.Renew(ctx, l, h.TTL)
	if err == nil && !ok {
		err = ErrLost
	}
	if err != nil {
		return fmt.Errorf("confirm lease %s: %w", l.Name, err)
	}
	return nil
}
