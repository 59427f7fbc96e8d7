package node

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gamedex/internal/database"
	"gamedex/internal/serve"
	"gamedex/internal/sqldb"
)

// databaseEvery is about how often a start tries a database that does not answer.
const databaseEvery = time.Second

// AwaitDatabase opens the database of c. While its server does not answer, the operations
// listener says so: the process lives, but is not ready. Any other error ends the start.
func AwaitDatabase(ctx context.Context, c Config, open func(context.Context) (*database.DB, error)) (*database.DB, error) {
	db, err := open(ctx)
	away, waits := errors.AsType[*sqldb.UnreachableError](err)
	if !waits || ctx.Err() != nil {
		return db, err
	}
	c.Log.Error("this process waits for the database and is not ready", "error", away)
	none := func() []string { return nil }
	reason := func() []string { return []string{c.Hint(away.Error())} }
	ops, err := serve.Listen(serve.Config{Addr: c.OpsAddr, MaxConns: opsConns, Log: c.Log, Handler: serve.Ops(prometheus.NewRegistry(), reason, none)})
	if err != nil {
		return nil, otherAddress(err, "--ops-addr")
	}
	answering, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- ops.Run(answering) }()
	for waits && err == nil {
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case err = <-ended:
			ended <- err
		case <-time.After(databaseEvery/2 + rand.N(databaseEvery)):
			db, err = open(ctx)
			if _, waits = errors.AsType[*sqldb.UnreachableError](err); waits {
				err = nil
			}
		}
	}
	stop()
	if stopped := <-ended; stopped != nil {
		err = stopped
	}
	if err != nil && db != nil {
		err, db = errors.Join(err, db.Close()), nil
	}
	if err == nil {
		c.Log.Info("the database answers; the start continues")
	}
	return db, err
}
