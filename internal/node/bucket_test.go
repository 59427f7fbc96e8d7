package node

import (
	"context"
	"iter"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gamedex/internal/bucket"
	"gamedex/internal/publish"
)

// silent is a bucket whose service never answers.
type silent struct{ publish.Compressed }

func (silent) Walk(ctx context.Context, _, _ string) iter.Seq2[bucket.Entry, error] {
	return func(yield func(bucket.Entry, error) bool) {
		<-ctx.Done()
		yield(bucket.Entry{}, ctx.Err())
	}
}

// TestStartWithASilentBucket checks that the start of a node without a cache continues,
// and that /readyz names the cause until the service has answered for a while.
func TestStartWithASilentBucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept, err := bucket.OpenFolder(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer kept.Close()
		log := slog.New(slog.DiscardHandler)
		n := &node{Config: Config{Log: log}, cache: publish.NewCache(silent{}, kept, log)}
		n.follow = publish.NewFollower(n.cache, &n.live, n.snapshotUnusable)
		n.follow.Cache = n.cache
		began := time.Now()
		n.openSnapshot(t.Context())
		if took := time.Since(began); took != startPatience {
			t.Errorf("the start waited %v, want %v", took, startPatience)
		}
		if why := n.notReady(); len(why) != 1 || !strings.Contains(why[0], bucket.ErrUnreachable.Error()) {
			t.Errorf("not ready: %q, want that the bucket cannot be reached", why)
		}
		time.Sleep(awayFor)
		if why := n.notReady(); len(why) != 1 || !strings.Contains(why[0], "no listings yet") {
			t.Errorf("not ready long after: %q, want that there are no listings", why)
		}
	})
}
