package publish_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gamedex/internal/bucket"
	"gamedex/internal/index"
	"gamedex/internal/publish"
)

// informed is a follower that gets the newest number from the test.
type informed struct {
	*publish.Follower
	t      *testing.T
	b      *blobs
	seq    int64
	err    error
	live   index.Live
	failed []string
}

func newInformed(t *testing.T) *informed {
	n := &informed{t: t, b: newBlobs()}
	n.Follower = publish.NewFollower(n.b, &n.live, func(err error) { n.failed = append(n.failed, err.Error()) })
	n.Published = func(context.Context) (int64, error) { return n.seq, n.err }
	return n
}

// polls polls so often, and checks what is shown and how often the bucket was listed.
func (n *informed) polls(times int, want string, lists int) {
	n.t.Helper()
	n.b.lists = 0
	for range times {
		if _, err := n.Poll(n.t.Context()); err != nil {
			n.t.Error(err)
		}
	}
	if got := showing(&n.live); got != want || n.b.lists != lists {
		n.t.Errorf("showing %s after %d lists, want %s after %d; failed: %q", got, n.b.lists, want, lists, n.failed)
	}
}

func TestInformedFollowerDoesNotList(t *testing.T) {
	n := newInformed(t)
	for seq, title := range map[int64]string{1: "One", 2: "Two"} {
		n.b.publish(t, seq, title)
	}
	n.seq = 2
	n.polls(1, "2 Two", 0)
	clear(n.b.reads)
	n.polls(1000, "2 Two", 0)
	if len(n.b.reads) > 0 {
		t.Errorf("an idle node read %v", n.b.reads)
	}
	n.b.publish(t, 7, "Seven")
	n.polls(100, "2 Two", 0)
	n.seq = 7
	n.polls(1, "7 Seven", 0)
}

// TestAnnouncedManifestIsAwaited checks that a number is known before its manifest is
// written, and that a publisher that died between the two holds nobody up.
func TestAnnouncedManifestIsAwaited(t *testing.T) {
	n := newInformed(t)
	n.b.publish(t, 1, "One")
	n.seq = 1
	n.polls(1, "1 One", 0)
	n.seq = 2
	n.polls(4, "1 One", 1)
	n.b.publish(t, 2, "Two")
	n.polls(1, "2 Two", 0)
	if len(n.failed) > 0 {
		t.Errorf("failures %q, want none", n.failed)
	}
	n.seq = 4
	n.polls(40, "2 Two", 4)
	if len(n.failed) == 0 {
		t.Error("a manifest that does not come is not reported")
	}
	if got := n.b.reads[publish.ManifestName(4)]; got < 8 || got > 16 {
		t.Errorf("asked %d times in 40 polls, want growing pauses after the first attempts", got)
	}
	n.b.publish(t, 3, "Three")
	n.polls(10, "3 Three", 1)
	n.b.publish(t, 5, "Five")
	n.seq = 5
	n.polls(1, "5 Five", 0)
}

func TestFollowerWithoutTheDatabaseLists(t *testing.T) {
	n := newInformed(t)
	n.b.publish(t, 1, "One")
	n.err = errors.New("database is down")
	n.polls(1, "1 One", 1)
	n.b.publish(t, 2, "Two")
	n.polls(10, "2 Two", 1)
	n.polls(100, "2 Two", 10)
	n.b.publish(t, 3, "Three")
	n.seq, n.err = 3, nil
	n.polls(1, "3 Three", 0)
}

// TestNewDatabaseBesideAnOldBucket checks that the snapshot in the bucket is served
// before a builder has saved its number in the database.
func TestNewDatabaseBesideAnOldBucket(t *testing.T) {
	n := newInformed(t)
	n.b.publish(t, 40, "Forty")
	n.polls(1, "40 Forty", 1)
	n.polls(1000, "40 Forty", 0)
	n.b.publish(t, 41, "More")
	n.seq = 41
	n.polls(1, "41 More", 0)
}

// TestNewestSoonAfterAnOutage checks that a node does not wait for a bucket that answers again as long
// as for a damaged file.
func TestNewestSoonAfterAnOutage(t *testing.T) {
	n := newInformed(t)
	n.b.publish(t, 1, "One")
	n.seq = 1
	n.polls(1, "1 One", 0)
	n.b.publish(t, 2, "Two")
	n.seq = 2
	n.b.down = fmt.Errorf("%w: no answer", bucket.ErrUnreachable)
	for range 300 {
		if _, err := n.Poll(t.Context()); err != nil && !errors.Is(err, bucket.ErrUnreachable) {
			t.Fatal(err)
		}
	}
	if reads := n.b.reads[publish.ManifestName(2)]; reads > 50 {
		t.Errorf("a bucket that does not answer was asked %d times in 300 polls, want pauses", reads)
	}
	n.b.down = nil
	polls := 0
	for ; showing(&n.live) != "2 Two" && polls < 300; polls++ {
		if _, err := n.Poll(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if polls > 8 {
		t.Errorf("showing %s %d polls after the outage, want 2 Two within 8", showing(&n.live), polls)
	}
}
