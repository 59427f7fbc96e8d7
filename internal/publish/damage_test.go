package publish_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"gamedex/internal/bucket"
	"gamedex/internal/publish"
)

// TestFollowerNamesDamage checks which file a node reports as missing or damaged, and until
// when.
func TestFollowerNamesDamage(t *testing.T) {
	n := newInformed(t)
	poll := func(what, want string) {
		t.Helper()
		for range 40 {
			if _, err := n.Poll(t.Context()); err != nil && n.b.down == nil {
				t.Fatal(err)
			}
		}
		got := ""
		if damage := n.Damage(); damage != nil {
			got = damage.Name
		}
		if got != want {
			t.Errorf("%s: reported %q, want %q", what, got, want)
		}
	}
	n.b.publish(t, 1, "One")
	n.seq = 1
	poll("intact", "")
	two := n.b.publish(t, 2, "Two")
	n.seq = 2
	n.b.held[two.Prices] = []byte("noise")
	poll("a damaged blob", two.Prices)
	delete(n.b.held, two.Prices)
	n.b.publish(t, 3, "Three")
	n.seq = 3
	poll("a newer snapshot", "")
	n.seq = 4
	poll("a missing manifest", publish.ManifestName(4))
	n.b.held[publish.ManifestName(4)] = n.b.held[publish.ManifestName(3)]
	poll("an old manifest", publish.ManifestName(4))
	n.b.held[publish.ManifestName(9)] = []byte("noise")
	poll("a file that nobody published", publish.ManifestName(9))
	delete(n.b.held, publish.ManifestName(9))
	poll("which is deleted", publish.ManifestName(4))
	n.b.publish(t, 5, "Five")
	n.seq = 5
	poll("repaired", "")
	n.b.down = fmt.Errorf("%w: no answer", bucket.ErrUnreachable)
	n.seq = 6
	poll("the bucket is away", "")
}

// TestBlobOfAnotherName checks that an intact blob under the name of another one is refused,
// without a cache as with one.
func TestBlobOfAnotherName(t *testing.T) {
	b := newBlobs()
	dear := b.held[b.publishAt(t, 1, "Star", 199900).Prices]
	m := b.address(t, b.publishAt(t, 1, "Star", 99900))
	cheap := b.held[m.Prices]
	b.held[m.Prices] = dear
	f, live, failed := follower(b)
	if _, err := f.Poll(t.Context()); err != nil || live.View() != nil {
		t.Errorf("showing %s, %v", showing(live), err)
	}
	if len(*failed) != 1 || !strings.Contains((*failed)[0], m.Prices+" is damaged") || f.Damage() == nil || f.Damage().Name != m.Prices {
		t.Errorf("failed %q, damage %v", *failed, f.Damage())
	}
	dir := t.TempDir()
	n := startCached(t, b, dir)
	if _, err := n.Poll(t.Context()); err != nil || n.live.View() != nil || n.Damage() == nil || n.Damage().Name != m.Prices {
		t.Errorf("with a cache: showing %s, %v, damage %v", showing(&n.live), err, n.Damage())
	}
	b.held[m.Prices] = cheap
	startCached(t, b, dir).follow(t, "1 Star")
	for range 5 {
		if _, err := f.Poll(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if showing(live) != "1 Star" || f.Damage() != nil {
		t.Errorf("after the repair: showing %s, damage %v", showing(live), f.Damage())
	}
}

// TestRepublish checks that a manifest that was damaged is replaced by the next one, and
// deleted.
func TestRepublish(t *testing.T) {
	s := newShelf(t)
	s.publish(0, "cat", "prices")
	before := s.Current()
	name := publish.ManifestName(before.Seq)
	s.b.held[name] = []byte("noise")
	if _, err := s.Verify(t.Context(), name); err == nil {
		t.Error("a damaged manifest is verified")
	}
	must(t, errors.Join(s.Republish(t.Context()), s.Clean(t.Context(), 0, always)))
	after, err := publish.Latest(t.Context(), s.b, func(err error) { t.Error(err) })
	if err != nil || after.Seq != before.Seq+1 || after.Prices != before.Prices || after.Lineage != before.Lineage {
		t.Errorf("published %+v, %v; before %+v", after, err, before)
	}
	if s.b.held[name] != nil {
		t.Error("the damaged manifest is still there")
	}
}

// TestResumeWaitsForTheBucket checks that a publisher that cannot read a blob does not take
// it for damaged, and does not read again what it has read.
func TestResumeWaitsForTheBucket(t *testing.T) {
	s := newShelf(t)
	names := s.publish(0, "cat", "prices")
	away := &unreachable{s.b, names[1]}
	again := publish.NewPublisher(away, new(counted), slog.New(slog.DiscardHandler))
	clear(s.b.reads)
	for range 3 {
		if err := again.Resume(t.Context(), 0); !errors.Is(err, bucket.ErrUnreachable) {
			t.Errorf("error %v, want that the bucket cannot be reached", err)
		}
	}
	away.name = ""
	if err := again.Resume(t.Context(), 0); err != nil || again.Current().Seq != s.Current().Seq || s.b.reads[names[0]] != 1 {
		t.Errorf("resumed %d, %v, after %d reads of the first blob; want 1", again.Current().Seq, err, s.b.reads[names[0]])
	}
	delete(s.b.held, names[0])
	if err := again.Resume(t.Context(), 0); err != nil || again.Current().Seq != 0 {
		t.Errorf("a snapshot without its first blob is resumed: %d, %v", again.Current().Seq, err)
	}
}
