package lease

import "context"

// Lease is the right to run the work called Name, and where that work stands.
type Lease struct {
	Name      string
	Holder    string // who holds it; "" nobody
	Until     int64  // the end of the holder's time; 0: released
	Token     int64  // raised by every claim
	DueAt     int64  // not to be claimed before
	Cursor    string // where the work goes on; its own business
	Attempts  int    // failures in a row
	LastError string // of the last failure; "" after a success
}

// Claimable reports whether anybody may claim the lease at now: it is due, and
// nobody's time is running.
func (l Lease) Claimable(now int64) bool { return now >= l.Until && now >= l.DueAt }

// Claimed returns the lease as holder has it after claiming it.
func (l Lease) Claimed(holder string, until int64) Lease {
	l.Holder, l.Until = holder, until
	l.Token++
	return l
}

// Finished returns the lease as it is after the work: a failure is one more
// attempt, a success starts the count again.
func (l Lease) Finished(err error) Lease {
	if err == nil {
		l.Attempts, l.LastError = 0, ""
		return l
	}
	l.Attempts++
	l.LastError = err.Error()
	return l
}

// Store keeps leases. Each method is one conditional update; ok is false if
// its condition did not hold.
type Store interface {
	// Claim assigns name to holder until the given moment, if the lease is
	// claimable at now (see [Lease.Claimable]); a name nobody ever claimed is.
	// It returns the lease as it now stands.
	Claim(ctx context.Context, name, holder string, now, until int64) (l Lease, ok bool, err error)
	// Renew sets Until and Cursor, if Name is still held with l's Token.
	Renew(ctx context.Context, l Lease) (ok bool, err error)
	// Release stores l, whose Holder is "" and Until 0, if Name is still held
	// with l's Token. The row stays.
	Release(ctx context.Context, l Lease) (ok bool, err error)
}
