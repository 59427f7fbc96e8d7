package publish_test

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"strings"
	"testing"

	"gamedex/internal/bucket"
	"gamedex/internal/index"
	"gamedex/internal/publish"
)

// putNewer puts a manifest as a newer version of the program may write it: what all
// versions share, and other fields.
func (b *blobs) putNewer(seq int64) {
	body := fmt.Sprintf(`{"seq":%d,"blobs":["x","y","z"],"platforms":{"consolestore":7},"inputs":{"databaseId":5,"mergeVersion":11,"format":%d}}`,
		seq, index.Format+1)
	b.held[publish.ManifestName(seq)] = fmt.Appendf(nil, `{"checksum":%d,"manifest":%s}`,
		crc32.Checksum([]byte(body), crc32.MakeTable(crc32.Castagnoli)), body)
}

func TestManifestOfANewerVersion(t *testing.T) {
	b := newBlobs()
	b.putNewer(7)
	_, err := publish.ReadManifest(t.Context(), b, 7)
	newer, ok := errors.AsType[*publish.NewerError](err)
	if !ok || *newer != (publish.NewerError{Seq: 7, Format: index.Format + 1, MergeVersion: 11}) {
		t.Errorf("error %v, want one of a newer version", err)
	}
	for _, m := range []publish.Manifest{{Seq: 7, Catalog: "c", Prices: "p", Inputs: publish.Inputs{Format: index.Format - 1}},
		{Seq: 7, Catalog: "c", Prices: "p", Inputs: publish.Inputs{Format: index.Format, MergeVersion: 1 << 20}}} {
		data, err := m.Encode()
		must(t, err)
		if _, err := publish.DecodeManifest(data); err != nil {
			t.Errorf("format %d: %v", m.Inputs.Format, err)
		}
	}
	damaged := b.held[publish.ManifestName(7)]
	damaged[len(damaged)-4] ^= 1
	if _, err := publish.DecodeManifest(damaged); err == nil || errors.As(err, &newer) {
		t.Errorf("a damaged manifest of a newer version: %v", err)
	}
}

// TestFollowerKeepsWhatItCanRead checks that a node that is not upgraded yet shows the
// newest snapshot that it can read, reads each other one once, and goes on with the next
// one that it can read.
func TestFollowerKeepsWhatItCanRead(t *testing.T) {
	b := newBlobs()
	b.publish(t, 1, "One")
	b.publish(t, 2, "Two")
	b.putNewer(3)
	f, live, failed := follower(b)
	polls := func(want string) {
		t.Helper()
		for range 1000 {
			if _, err := f.Poll(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if showing(live) != want {
			t.Errorf("showing %s, want %s", showing(live), want)
		}
	}
	polls("2 Two")
	b.putNewer(4)
	polls("2 Two")
	for _, seq := range []int64{3, 4} {
		if n := b.reads[publish.ManifestName(seq)]; n != 1 {
			t.Errorf("manifest %d was read %d times", seq, n)
		}
	}
	if len(*failed) != 2 || !strings.Contains((*failed)[1], "a newer version of gamedex published snapshot 4") {
		t.Errorf("failures %q, want one for each snapshot of a newer version", *failed)
	}
	delete(b.held, publish.ManifestName(3))
	b.publish(t, 5, "Five")
	polls("5 Five")
}

// TestInformedFollowerAndANewerVersion checks that a node that is not upgraded does not list
// its bucket all the time, which is paid for.
func TestInformedFollowerAndANewerVersion(t *testing.T) {
	n := newInformed(t)
	n.b.publish(t, 1, "One")
	n.b.putNewer(2)
	n.seq = 2
	n.polls(1000, "1 One", 1)
	n.b.putNewer(3)
	n.seq = 3
	n.polls(1000, "1 One", 1) // 8 minutes, but not the same ones
	if len(n.failed) != 2 {
		t.Errorf("failures %q, want two", n.failed)
	}
	n.b.publish(t, 4, "Four")
	n.seq = 4
	n.polls(1, "4 Four", 0)
}

func TestResumeLeavesANewerVersionAlone(t *testing.T) {
	resume := func(b *blobs) (publish.Manifest, error) {
		p := publish.NewPublisher(b, new(counted), slog.New(slog.DiscardHandler))
		err := p.Resume(t.Context(), 4)
		return p.Current(), err
	}
	b := newBlobs()
	m := b.address(t, b.publish(t, 1, "One"))
	if got, err := resume(b); got.Seq != 1 || err != nil {
		t.Errorf("manifest %d, %v; want 1", got.Seq, err)
	}
	b.putNewer(2)
	b.held[publish.ManifestName(3)] = []byte("nonsense")
	var newer *publish.NewerError
	if _, err := resume(b); !errors.As(err, &newer) || newer.Seq != 2 {
		t.Errorf("a newer format: %v", err)
	}
	m.Seq, m.Inputs.MergeVersion = 4, 5
	b.put(t, m)
	for _, blob := range []string{"intact", "missing"} {
		if _, err := resume(b); !errors.As(err, &newer) || newer.Seq != 4 || newer.MergeVersion != 5 {
			t.Errorf("a newer merge version, a blob is %s: %v", blob, err)
		}
		delete(b.held, m.Catalog)
	}
}

// unreachable is a bucket that does not give one of its files now.
type unreachable struct {
	*blobs
	name string
}

func (b unreachable) Get(ctx context.Context, name string) ([]byte, error) {
	if name == b.name {
		return nil, fmt.Errorf("get %s: %w", name, bucket.ErrUnreachable)
	}
	return b.blobs.Get(ctx, name)
}

// TestResumeWithoutAnswer checks that a publisher does not go on from an older manifest
// because a service cannot give the newest one now: it may be of a newer version.
func TestResumeWithoutAnswer(t *testing.T) {
	b := newBlobs()
	b.publish(t, 1, "One")
	b.putNewer(2)
	_, err := publish.Latest(t.Context(), unreachable{b, publish.ManifestName(2)}, func(err error) { t.Errorf("skipped: %v", err) })
	if !errors.Is(err, bucket.ErrUnreachable) {
		t.Errorf("error %v, want that of the service", err)
	}
}

// meanwhile is a bucket in which something happens right after it was first read.
type meanwhile struct {
	*blobs
	happen func()
}

func (b *meanwhile) Get(ctx context.Context, name string) ([]byte, error) {
	blob, err := b.blobs.Get(ctx, name)
	if happen := b.happen; happen != nil {
		b.happen = nil
		happen()
	}
	return blob, err
}

// TestPublishedWhileResuming checks that a publisher does not replace what another one
// published while it read the manifest in force: it has not seen whether that is of a newer
// version.
func TestPublishedWhileResuming(t *testing.T) {
	b := newBlobs()
	m := b.publish(t, 1, "One")
	number := new(counted)
	number.seq.Store(1)
	p := publish.NewPublisher(&meanwhile{b, func() {
		b.putNewer(2)
		number.seq.Store(2)
	}}, number, slog.New(slog.DiscardHandler))
	must(t, p.Resume(t.Context(), 4))
	if err := p.Publish(t.Context(), m); !errors.Is(err, publish.ErrOvertaken) {
		t.Errorf("error %v, want that another one was first", err)
	}
	var newer *publish.NewerError
	if err := p.Resume(t.Context(), 4); !errors.As(err, &newer) {
		t.Errorf("error %v, want that a newer version published", err)
	}
}
