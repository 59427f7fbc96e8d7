package lease

import (
	"context"
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
