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

// trouble returns why the database cannot be used now, as far as is known.
func (n *node) trouble() error {
	if n.DB.File != nil {
		return n.DB.File.Trouble()
	}
	return n.keys.Trouble()
}

// writeEvery is how often watchFile tries to write to the database.
const writeEvery = 2 * time.Second

// watchFile tries to write to a database in a file that could not be written, until it
// can be written again. Other parts may have nothing to write, or be slow to try again.
func (n *node) watchFile(ctx context.Context) error {
	tick := time.NewTicker(writeEvery)
	defer tick.Stop()
	failing := false
	for {
		err := n.DB.File.Trouble()
		if err != nil && !failing {
			n.Log.Error("the database cannot be written; what is stored is served, and writing is tried again", "error", err)
		}
		if err != nil {
			err = n.DB.File.TryWrite(ctx)
		}
		if err == nil && failing {
			n.Log.Info("the database can be written again")
		}
		failing = err != nil
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
	now := n.Now()
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
