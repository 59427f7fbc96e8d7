package main

import (
	"context"
	"time"
)

// What is kept of the usage by hour and run: the history reaches 30 days back;
// older hours are only summed up.
const (
	usageKept    = 31 * 24 * time.Hour
	housekeeping = time.Hour
)

// keepHouse sums up old usage once an hour, and forgets what is kept of people
// no longer. What fails is tried again the next
// time: nothing depends on it but the size of the database.
func (n *node) keepHouse(ctx context.Context) error {
	tick := time.NewTicker(housekeeping)
	defer tick.Stop()
	for {
		hour := n.program.Now().Add(-usageKept).UnixMilli() / time.Hour.Milliseconds()
		if err := n.db.FoldUsage(ctx, hour); err != nil && ctx.Err() == nil {
			n.log.Warn("old usage not summed up", "error", err)
		}
		if err := n.forget(ctx); err != nil && ctx.Err() == nil {
			n.log.Warn("not everything old was deleted", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
