package node

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
)

const (
	// runsKept is how long the database remembers which usage a run of a process has
	// stored. No database is away for that long while a process waits for it.
	runsKept            = 31 * 24 * time.Hour
	maintenanceInterval = time.Hour
)

// runMaintenance deletes personal data past its retention and what is no longer needed,
// and keeps the rates of the day, once an hour. A step that fails is repeated an hour later.
func (n *node) runMaintenance(ctx context.Context) error {
	tick := time.NewTicker(maintenanceInterval)
	defer tick.Stop()
	for {
		if err := n.maintain(ctx); err != nil && ctx.Err() == nil {
			n.Log.Warn("maintenance failed; it is tried again in an hour", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// addressesKept is how long the audit log keeps whole IP addresses.
const addressesKept = 30 * 24 * time.Hour

// maintain keeps the exchange rates of the day, deletes expired sessions and links, keys
// that were revoked long ago and old audit entries, and shortens old IP addresses.
func (n *node) maintain(ctx context.Context) error {
	at, err := n.DB.Nodes.Clock(ctx) // a machine whose clock is wrong must not delete what others need
	if err != nil {
		return err
	}
	now := time.UnixMilli(at).UTC()
	keys, err := n.DB.Accounts.ForgetKeys(ctx, now.UnixMilli()-account.RevokedKept)
	if keys > 0 {
		n.Log.Info("keys that were revoked long ago deleted", slog.Int64("keys", keys))
	}
	errs := []error{
		err,
		n.DB.Accounts.DeleteExpired(ctx, now.UnixMilli()),
		n.DB.Nodes.ForgetNodes(ctx),
		n.DB.Nodes.KeepRates(ctx, catalog.MillisOf(now)),
		n.DB.Accounts.ForgetRuns(ctx, now.Add(-runsKept).UnixMilli()),
		n.DB.Accounts.ShortenAddresses(ctx, now.Add(-addressesKept).UnixMilli()),
	}
	if keep := n.AuditRetention; keep > 0 {
		gone, err := n.DB.Accounts.ForgetAudit(ctx, now.AddDate(0, 0, -keep).UnixMilli())
		if gone > 0 {
			n.Log.Info("old audit entries deleted", slog.Int64("entries", gone))
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
