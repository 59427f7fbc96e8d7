package node

import (
	"context"
	"errors"
	"fmt"
	"os"

	"gamedex/internal/lease"
)

// countersLease is held by the one process that counts requests in memory, on a database
// that several machines use.
const countersLease = "counters/memory"

// claimCounters claims the right to count requests in memory until leave is called: with
// two such processes each would allow the whole limit. If the right is lost, the process
// stops.
func (n *node) claimCounters(ctx context.Context) (leave func(), err error) {
	if !n.Roles.API || n.Counters != nil {
		return func() {}, nil
	}
	host, err := os.Hostname()
	if err != nil {
		host = "a machine without a name"
	}
	holder := lease.Holder{Repository: n.DB.Nodes, ID: fmt.Sprintf("process %d of %s", os.Getpid(), host), TTL: leaseTTL}
	claimed, err := holder.Wait(ctx, countersLease, func(l lease.Lease) {
		n.Log.Warn("another process counts requests in memory; if it was killed, this one starts within "+leaseTTL.String(), "holder", l.Holder)
	})
	if held, ok := errors.AsType[*lease.HeldError](err); ok {
		return nil, fmt.Errorf("%s already counts requests of %s in memory, and two processes would each allow the whole limit:"+
			" stop it, run this process without the role api (--roles), or let both count in Redis (--counters redis://HOST)", held.Holder, n.DB.Name)
	}
	if err != nil {
		return nil, err
	}
	keeping, release := context.WithCancel(context.WithoutCancel(ctx))
	released := make(chan struct{})
	go func() {
		defer close(released)
		if err := holder.Keep(keeping, claimed); err != nil {
			n.stop(fmt.Errorf("another process counts requests in memory now, so this one stops: %w", err))
		}
	}()
	return func() { release(); <-released }, nil
}
