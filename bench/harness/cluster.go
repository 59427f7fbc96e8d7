package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gamedex/internal/testing/enginetest"
)

// Cluster is a catalog on servers that nodes share: PostgreSQL, Redis and an S3 service.
// The nodes are processes of the program, on this machine.
type Cluster struct {
	DSN     string // of the database
	Redis   *Redis
	S3      string   // URL of the S3 service
	Builder *Service // publishes the catalog

	run     *Run
	catalog *Catalog
	dir     string // of data folders
	nodes   int
	closers closers
}

// clusterBucket is the bucket of snapshots.
const clusterBucket = "bench"

// NewCluster starts the servers, copies a catalog and its keys into the database, and
// starts a builder. It returns when the catalog is published. name is that of the database.
func (r *Run) NewCluster(ctx context.Context, name string, c *Catalog) (*Cluster, error) {
	l := &Cluster{run: r, catalog: c}
	if err := l.start(ctx, name); err != nil {
		return nil, errors.Join(fmt.Errorf("start a cluster: %w", err), l.Close())
	}
	return l, nil
}

func (l *Cluster) start(ctx context.Context, name string) error {
	if err := l.run.makeKeys(ctx, l.catalog); err != nil {
		return err
	}
	postgres, err := l.run.Postgres(ctx, "fsync=off")
	if err != nil {
		return err
	}
	l.closers = append(l.closers, postgres.Close)
	if l.DSN, err = postgres.NewDatabase(ctx, name); err != nil {
		return err
	}
	if l.Redis, err = l.run.Redis(ctx); err != nil {
		return err
	}
	l.closers = append(l.closers, l.Redis.Close)
	service, err := l.run.S3(ctx, clusterBucket)
	if err != nil {
		return err
	}
	l.closers = append(l.closers, service.Close)
	l.S3 = service.URL
	if l.dir, err = os.MkdirTemp(l.run.Dir, name+"-nodes-"); err != nil {
		return err
	}
	l.closers = append(l.closers, func() error { return os.RemoveAll(l.dir) })
	if _, err := l.run.Command(ctx, "copy", "--data-dir="+l.catalog.DataDir, "--to="+l.DSN); err != nil {
		return err
	}
	if l.Builder, err = l.launch(ctx, "build", buildTimeout); err != nil {
		return err
	}
	published := func() bool {
		_, known := l.Builder.Metric("gamedex_manifest_seq")
		return known
	}
	return l.Builder.Await(ctx, buildTimeout, published)
}

// Bucket returns the flag of a node that reaches the S3 service at a URL.
func (l *Cluster) Bucket(at string) string {
	return "--bucket=s3://" + clusterBucket + "/gamedex?endpoint=" + at
}

// Node starts a node that answers requests, and returns when it is ready. It counts in
// Redis, unless a flag says otherwise.
func (l *Cluster) Node(ctx context.Context, flags ...string) (*Service, error) {
	s, err := l.launch(ctx, "api", StartTimeout, append([]string{"--counters=redis://" + l.Redis.Addr()}, flags...)...)
	if err != nil {
		return nil, fmt.Errorf("start a node: %w", err)
	}
	return s, nil
}

// launch starts a process with a role, and returns when it is ready.
func (l *Cluster) launch(ctx context.Context, role string, timeout time.Duration, flags ...string) (*Service, error) {
	addr, err := FreePort()
	if err != nil {
		return nil, err
	}
	l.nodes++
	name := fmt.Sprintf("%s-%d", role, l.nodes)
	env := []string{"AWS_ACCESS_KEY_ID=" + enginetest.S3AccessKey, "AWS_SECRET_ACCESS_KEY=" + enginetest.S3SecretKey, "GAMEDEX_DATABASE=" + l.DSN}
	p, ops, err := l.run.serve(ctx, filepath.Join(l.dir, name), env,
		append([]string{"--roles=" + role, "--addr=" + addr, "--node-name=" + name, l.Bucket(l.S3)}, flags...)...)
	if err != nil {
		return nil, err
	}
	l.closers = append(l.closers, p.Stop)
	s := &Service{Process: p, URL: "http://" + addr, Keys: l.catalog.keys, ops: ops}
	return s, s.Await(ctx, timeout, s.ready)
}

// Close stops the nodes and the servers.
func (l *Cluster) Close() error { return l.closers.close() }
