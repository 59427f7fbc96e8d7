package lease

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Lease is the right to run the work called Name, with the state of that work.
type Lease struct {
	Name      string
	Holder    string // "": nobody
	Until     int64  // end of the lease; 0: released
	Token     int64  // raised by every claim
	DueAt     int64  // earliest time of the next claim
	Cursor    string // where the work continues; only the work reads it
	Attempts  int    // failures in a row
	LastError string // of the last failure; "" after a success
}

// Finished returns the lease after the work has ended with err. A failure counts as
// one more attempt; a success resets the count.
func (l Lease) Finished(err error) Lease {
	if err == nil {
		l.Attempts, l.LastError = 0, ""
		return l
	}
	l.Attempts++
	l.LastError = err.Error()
	return l
}

// Repository keeps leases. Its clock alone decides what is now. Claim, Renew and Release are
// each one conditional update; ok is false if its condition did not hold.
type Repository interface {
	// Claim assigns name to holder for ttl from now on, if the lease is due and nobody
	// holds it, or if the name is new. It raises Token, and returns the claimed lease.
	Claim(ctx context.Context, name, holder string, ttl time.Duration) (l Lease, ok bool, err error)
	// Renew lets the lease end ttl from now, and sets Cursor to l's, if l's Holder
	// still holds Name with l's Token.
	Renew(ctx context.Context, l Lease, ttl time.Duration) (ok bool, err error)
	// Release stores l, but with no Holder and Until 0, if l's Holder still holds Name
	// with l's Token. The row stays.
	Release(ctx context.Context, l Lease) (ok bool, err error)
	// FindLease returns a lease, held or not; found is false if it was never claimed.
	FindLease(ctx context.Context, name string) (l Lease, found bool, err error)
}

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
	var renewing sync.WaitGroup
	renewing.Go(func() { h.renew(workCtx, cancel, claimed, lost) })
	l := claimed // a copy, because work may change it during renewals
	workErr := work(workCtx, &l)
	gone := errors.Is(context.Cause(workCtx), ErrLost)
	cancel(nil)
	renewing.Wait()
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

// A HeldError is the error of [Holder.Wait] for a lease that another process renews.
type HeldError struct{ Name, Holder string }

// Error names the lease and its holder.
func (e *HeldError) Error() string {
	return fmt.Sprintf("lease %s is held by %s", e.Name, e.Holder)
}

// waitEvery is how often Wait tries to claim.
const waitEvery = 250 * time.Millisecond

// Wait claims the lease called name, for a process that keeps it with [Holder.Keep]. The
// lease of a holder that was killed ends in time: Wait calls waiting once and waits for
// that. If the holder renews the lease meanwhile, Wait returns a [HeldError].
func (h Holder) Wait(ctx context.Context, name string, waiting func(Lease)) (Lease, error) {
	var first Lease
	for {
		l, ok, err := h.Repository.Claim(ctx, name, h.ID, h.TTL)
		if err != nil {
			return Lease{}, fmt.Errorf("claim lease %s: %w", name, err)
		}
		if ok {
			return l, nil
		}
		stored, found, err := h.Repository.FindLease(ctx, name)
		switch {
		case err != nil:
			return Lease{}, fmt.Errorf("claim lease %s: %w", name, err)
		case !found || stored.Holder == "": // released since
		case first.Name == "":
			first = stored
			waiting(stored)
		case stored.Token != first.Token || stored.Until != first.Until:
			return Lease{}, &HeldError{name, stored.Holder}
		}
		select {
		case <-ctx.Done():
			return Lease{}, ctx.Err()
		case <-time.After(waitEvery):
		}
	}
}

// Keep renews l until ctx ends, and releases it then. A database that does not answer lets
// it go on, as nobody can claim the lease there either. A database that has forgotten the
// claim, such as a restored database, is asked for it again. Keep returns an error that
// wraps [ErrLost] as soon as another process holds the lease.
func (h Holder) Keep(ctx context.Context, l Lease) error {
	every := time.NewTicker(h.TTL / 3)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), h.TTL/3)
			defer cancel()
			_, _ = h.Repository.Release(ctx, l) // otherwise it ends in time
			return nil
		case <-every.C:
		}
		renewing, cancel := context.WithTimeout(ctx, h.TTL/3)
		err := h.Confirm(renewing, l)
		cancel()
		if !errors.Is(err, ErrLost) {
			continue
		}
		again, err := h.Wait(ctx, l.Name, func(Lease) {})
		if held, ok := errors.AsType[*HeldError](err); ok {
			return fmt.Errorf("%w: %w", ErrLost, held)
		}
		if err == nil {
			l = again
		}
	}
}
