package node

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/lease"
	"gamedex/internal/quota"
	"gamedex/internal/quota/shared"
)

// countersLease is held by the one process that counts requests in memory, on a database
// that several machines use.
const countersLease = "counters/memory"

// claimCounters claims the right to count requests in memory until leave is called: with
// two such processes each would allow the whole limit. If the right is lost, the process
// stops.
func (n *node) claimCounters(ctx context.Context) (leave func(), err error) {
	if !n.Roles.has(roleAPI) || n.Counters != nil {
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

// ParseCounters reads the value of --counters: "memory", which is nil, or an address that
// [shared.ParseAddress] reads. Errors contain no password.
func ParseCounters(value string) (*shared.Address, error) {
	if value == "memory" {
		return nil, nil
	}
	if !strings.Contains(value, "://") {
		return nil, errors.New("--counters: must be memory, or a URL such as redis://host:6379")
	}
	a, err := shared.ParseAddress(value)
	if err != nil {
		return nil, fmt.Errorf("--counters: %w", err)
	}
	return &a, nil
}

// openCounters makes what counts requests: in memory, or on a server together with other
// nodes.
func (n *node) openCounters(ctx context.Context) (closeAll func(), err error) {
	n.usage = quota.NewUsage(ProcessID(), n.DB.Accounts)
	var memory *quota.Memory
	if n.Counters == nil || !n.Roles.has(roleAPI) {
		memory = quota.NewMemory()
		n.counter = memory
	}
	n.flusher = quota.NewFlusher(memory, n.usage, n.DB.Accounts, n.nowMillis, n.Log)
	if n.DB.File == nil {
		n.flusher.Nodes = n.apiNodes
		n.flusher.Epoch = func() string { return n.keys.Epoch() }
	}
	if memory != nil {
		return func() {}, nil
	}
	n.shared, err = shared.Open(ctx, shared.Config{
		Address: *n.Counters, Nodes: n.apiNodes, Today: n.usedToday, Now: n.Now, Rand: rand.Float64, Log: n.Log,
	})
	if err != nil {
		return nil, fmt.Errorf("--counters: %w", err)
	}
	n.counter, n.people, n.tries = n.shared, n.shared, n.shared
	return n.shared.Close, nil
}

// apiNodes returns how many processes answer requests.
func (n *node) apiNodes() int { return n.nodes.Count(roleAPI) }

// countedAt returns where requests are counted, which must be the same place for all nodes.
// A cluster may be named by any of its servers.
func (n *node) countedAt() string {
	switch {
	case n.Counters == nil:
		return "memory"
	case n.Counters.Cluster:
		return "cluster"
	}
	return n.Counters.String()
}

// usedToday returns how many requests of a key, or of all keys of an owner, are stored for
// this UTC day. The views of a person in the explorer are not stored.
func (n *node) usedToday(ctx context.Context, id string, owner bool) (int, error) {
	if !owner && account.IsUserID(id) {
		return 0, nil
	}
	return n.DB.Accounts.CountRequests(ctx, id, owner, n.now().UTC().Truncate(24*time.Hour).Unix()/3600)
}

// countsAlone returns why this node counts requests alone; "" if it should.
func (n *node) countsAlone() string {
	if n.shared == nil || !n.shared.Alone() {
		return ""
	}
	return fmt.Sprintf("requests are counted by this process alone, which allows its share of the limits: the counter server %s does not answer (--counters)", n.Counters)
}
