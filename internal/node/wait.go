package node

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"gamedex/internal/serve"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
)

// databaseEvery is about how often a start tries a database that does not answer.
const databaseEvery = time.Second

// AwaitDatabase calls open until the database's server answers, about once a second.
// Meanwhile the operations listener of c says that the process lives but is not ready, and
// why; it is closed when AwaitDatabase returns. Any other error of open, an error of the
// listener and the end of ctx end the wait: then the error is that, and no database is open.
func AwaitDatabase(ctx context.Context, c Config, open func(context.Context) (*sqldb.DB, error)) (*sqldb.DB, error) {
	db, err := open(ctx)
	away, waits := errors.AsType[*engine.UnreachableError](err)
	if !waits || ctx.Err() != nil {
		return db, err
	}
	c.Log.Error("this process waits for the database and is not ready", "error", away)
	var last atomic.Pointer[engine.UnreachableError]
	last.Store(away)
	reason := func() []string { return []string{c.Hint(last.Load().Error())} }
	ops, err := serve.Listen(serve.Config{Addr: c.OpsAddr, MaxConns: opsConns, Log: c.Log, Handler: serve.Ops(prometheus.NewRegistry(), reason, func() []string { return nil })})
	if err != nil {
		return nil, fmt.Errorf("--ops-addr %w; choose another address", err)
	}
	both, bothCtx := errgroup.WithContext(ctx)
	opsCtx, stopOps := context.WithCancel(bothCtx)
	both.Go(func() error { return ops.Run(opsCtx) })
	both.Go(func() (err error) {
		defer stopOps()
		for waits {
			select {
			case <-bothCtx.Done():
				return bothCtx.Err()
			case <-time.After(databaseEvery/2 + rand.N(databaseEvery)):
			}
			db, err = open(bothCtx)
			if away, waits = errors.AsType[*engine.UnreachableError](err); waits {
				last.Store(away)
			}
		}
		return err
	})
	if err := both.Wait(); err != nil {
		if db != nil {
			err = errors.Join(err, db.Close())
		}
		return nil, err
	}
	c.Log.Info("the database answers; the start continues")
	return db, nil
}
