package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gamedex/internal/bucket"
	"gamedex/internal/bucket/s3"
	"gamedex/internal/index"
	"gamedex/internal/publish"
	"gamedex/internal/registry"
	"gamedex/internal/snapshot"
)

// Bucket says where the snapshots are: in a folder or in an S3 service.
type Bucket struct {
	Folder string
	S3     *s3.Location // nil: the folder
}

// ParseBucket reads the value of --bucket: a folder, or a location that [s3.Parse]
// reads. Errors contain no password.
func ParseBucket(value string) (Bucket, error) {
	if !strings.Contains(value, "://") {
		return Bucket{Folder: value}, nil
	}
	at, err := s3.Parse(value)
	if err != nil {
		return Bucket{}, fmt.Errorf("--bucket: %w", err)
	}
	return Bucket{S3: &at}, nil
}

// String returns the location.
func (b Bucket) String() string {
	if b.S3 != nil {
		return b.S3.String()
	}
	return b.Folder
}

// HasSnapshots reports whether a folder has snapshots. A service is not asked.
func (b Bucket) HasSnapshots() bool {
	manifests, _ := os.ReadDir(filepath.Join(b.Folder, filepath.Dir(publish.ManifestName(0))))
	return b.S3 == nil && len(manifests) > 0
}

// OpenBucket is a bucket that has to be closed.
type OpenBucket interface {
	bucket.Bucket
	Close() error
}

// Open opens the bucket. It tries whether the bucket can be used: written if write is
// true, read otherwise. If a service does not answer now, the error is a
// [bucket.ErrUnreachable], and the bucket is open all the same.
func (b Bucket) Open(ctx context.Context, write bool) (OpenBucket, error) {
	if b.S3 == nil {
		return bucket.OpenFolder(b.Folder)
	}
	remote, err := s3.Open(*b.S3)
	if err != nil {
		return nil, fmt.Errorf("--bucket: %w", err)
	}
	if write {
		err = remote.CheckWrite(ctx)
	} else {
		err = remote.CheckRead(ctx)
	}
	if err != nil && !errors.Is(err, bucket.ErrUnreachable) {
		return nil, errors.Join(fmt.Errorf("--bucket: %w", err), remote.Close())
	}
	return remote, err
}

const (
	// keepInService is how long replaced snapshots are kept in an S3 service, from
	// which other machines read.
	keepInService = time.Hour
	// presentInService is how often a builder lists an S3 service to see that nobody
	// deleted what it published. Each list is paid for.
	presentInService = 10 * time.Minute
	// learnEvery is how often a node asks the database whether there is a newer
	// snapshot in an S3 service.
	learnEvery = 500 * time.Millisecond
	// startPatience is how long a start waits for a snapshot of an S3 service. Until it
	// continues, /livez does not answer, and a supervisor may end the process.
	startPatience = 10 * time.Second
	// awayFor is how long a failed attempt to reach the bucket counts. It is longer than
	// an attempt with its pause: a service that is silent is waited for up to 20 s.
	awayFor = 30 * time.Second
)

// bucketAway is the last failed attempt to reach the bucket.
type bucketAway struct {
	err error
	at  time.Time
}

// noteAway notes an error if it says that the bucket does not answer.
func (n *node) noteAway(err error) {
	if errors.Is(err, bucket.ErrUnreachable) {
		n.away.Store(&bucketAway{err, time.Now()})
	}
}

// openBucket opens the bucket and, for an S3 service, the cache.
func (n *node) openBucket(ctx context.Context) (closeAll func() error, err error) {
	open, err := n.Bucket.Open(ctx, n.Roles.has(roleBuild))
	if errors.Is(err, bucket.ErrUnreachable) {
		n.noteAway(err)
		n.Log.Error("snapshots cannot be read or published now; it will be tried again", "error", err)
	} else if err != nil {
		return nil, err
	}
	n.bucket = open
	if n.Bucket.S3 == nil {
		return open.Close, nil
	}
	kept, err := bucket.OpenFolder(n.CacheDir)
	if err != nil {
		return nil, errors.Join(err, open.Close())
	}
	n.cache = publish.NewCache(open.(*s3.Bucket), kept, n.Log)
	return func() error { return errors.Join(kept.Close(), open.Close()) }, nil
}

// damaged returns the name of the file in the bucket that keeps this node from the newest
// snapshot because it is missing or damaged. One of another version is neither.
func (n *node) damaged() []string {
	damage := n.follow.Damage()
	if damage == nil {
		return nil
	}
	if _, other := errors.AsType[*snapshot.VersionError](damage); other {
		return nil
	}
	return []string{damage.Name}
}

// aboutDamage says what damaged does; "" if nothing is.
func (n *node) aboutDamage() string {
	for _, name := range n.damaged() {
		return "this process " + registry.AboutDamage(name)
	}
	return ""
}

// aboutBehind says that other nodes serve a newer snapshot; "" if they do not, or if that is of
// a newer version.
func (n *node) aboutBehind(view *index.View) string {
	behind := n.nodes.Behind()
	if behind == 0 || n.aboutNewer(view) != "" {
		return ""
	}
	return fmt.Sprintf("this process serves snapshot %d, other nodes serve %d, which it does not find or cannot open: look at its log, and run gamedex check", view.Seq, behind)
}

// newFollower returns the follower of the bucket. The number of the newest snapshot in
// an S3 service comes from the database.
func (n *node) newFollower() *publish.Follower {
	if n.cache == nil {
		return publish.NewFollower(n.bucket, &n.live, n.snapshotUnusable)
	}
	f := publish.NewFollower(n.cache, &n.live, n.snapshotUnusable)
	f.Cache, f.Published = n.cache, n.DB.Nodes.Seq
	return f
}

// openSnapshot opens the newest snapshot, or the one in the cache if the bucket does
// not answer in time.
func (n *node) openSnapshot(ctx context.Context) {
	polling := ctx
	if n.cache != nil {
		limited, cancel := context.WithTimeout(ctx, startPatience)
		defer cancel()
		polling = limited
	}
	_, err := n.follow.Poll(polling)
	switch {
	case polling.Err() != nil && ctx.Err() == nil:
		n.noteAway(fmt.Errorf("%w: no answer within %v", bucket.ErrUnreachable, startPatience))
		n.Log.Warn("the newest snapshot was not read within " + startPatience.String() + "; it will be tried again")
	case err != nil:
		n.snapshotUnusable(err)
	}
	if n.cache == nil || n.live.View() != nil {
		return
	}
	recalled, err := n.follow.Recall(ctx)
	if err != nil {
		n.snapshotUnusable(err)
	}
	if recalled {
		n.Log.Warn("the newest snapshot cannot be read; the one of the last run is served", "seq", n.live.View().Seq)
	}
}

// followEvery returns how often a node looks for a newer manifest.
func (n *node) followEvery() time.Duration {
	if n.cache != nil {
		return learnEvery
	}
	return listEvery
}

// builderPace returns how long a builder keeps replaced snapshots, and how often it checks
// that the published one is there; 0 is the builder's own default.
func (n *node) builderPace() (keep, present time.Duration) {
	if n.Bucket.S3 != nil {
		keep, present = keepInService, presentInService
	}
	if n.KeepSnapshots != nil {
		keep = *n.KeepSnapshots
	}
	return keep, present
}
