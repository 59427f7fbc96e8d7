package lease

import (
	"context"
	"errors"
	"fmt"
	"time"
)

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
