package publish_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gamedex/internal/bucket"
	"gamedex/internal/bucket/s3"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
	"gamedex/internal/publish"
	"gamedex/internal/testing/enginetest"
)

// halfLost are faults that together end half of all connections, in four ways. They end the others
// after a few answers.
var halfLost = []string{
	`{"name":"reset","type":"reset_peer","stream":"downstream","toxicity":0.16,"attributes":{"timeout":0}}`,
	`{"name":"requests","type":"limit_data","stream":"upstream","toxicity":0.16,"attributes":{"bytes":300}}`,
	`{"name":"answers","type":"limit_data","stream":"downstream","toxicity":0.16,"attributes":{"bytes":700}}`,
	`{"name":"silence","type":"timeout","stream":"downstream","toxicity":0.16,"attributes":{"timeout":50}}`,
	`{"name":"short","type":"limit_data","stream":"downstream","attributes":{"bytes":10000}}`,
}

// lossy is a publisher and a node. Each reaches the S3 service over its own network.
type lossy struct {
	t         *testing.T
	bucket    string
	number    counted
	publisher *publish.Publisher
	node      *publish.Follower
	live      index.Live
	errors    atomic.Int64
}

// open opens the bucket at an address.
func (l *lossy) open(addr string) *s3.Bucket {
	l.t.Helper()
	at, err := s3.Parse("s3://" + l.bucket + "?endpoint=http://" + addr)
	if err != nil {
		l.t.Fatal(err)
	}
	b, err := s3.Open(at)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { b.Close() })
	return b
}

var operation = regexp.MustCompile(`\b(list blobs|(get|put|delete) blob)\b`)

// note checks an error: it says what was tried and where, and takes no file for damaged. The manifest
// of a number that the publisher lost is missing.
func (l *lossy) note(err error) {
	l.errors.Add(1)
	text := err.Error()
	if !operation.MatchString(text) || strings.Contains(text, enginetest.S3SecretKey) || strings.Contains(text, "Signature") {
		l.t.Errorf("%v: want the operation, and no secret", err)
	}
	if !errors.Is(err, bucket.ErrNotExist) && (!errors.Is(err, bucket.ErrUnreachable) || !strings.Contains(text, "s3://"+l.bucket)) {
		l.t.Errorf("%v: want that this bucket cannot be reached", err)
	}
}

// publish publishes a version as a builder does, which begins again after an error.
func (l *lossy) publish(version int) (attempts int) {
	l.t.Helper()
	regions := []string{"BR", "DE", "GB", "PL", "TR", "UA"}
	files, lows := packLows(l.t, fmt.Sprint("Version ", version), money.Amount(100*version), int64(20_000+version), regions...)
	blobs := append([][]byte{files.Catalog, files.Prices}, lows...)
	for attempts = 1; attempts < 1000; attempts++ {
		err := l.try(catalog.Millis(version), blobs)
		if err == nil {
			return attempts
		}
		l.note(err)
	}
	l.t.Fatalf("version %d is not published after %d attempts", version, attempts)
	return attempts
}

func (l *lossy) try(version catalog.Millis, blobs [][]byte) error {
	ctx := l.t.Context()
	if err := l.publisher.Resume(ctx, 0); err != nil {
		return err
	}
	if l.publisher.Current().BuiltAt != version {
		var names []string
		for _, blob := range blobs {
			name, err := l.publisher.PutBlob(ctx, blob)
			if err != nil {
				return err
			}
			names = append(names, name)
		}
		if err := l.publisher.Publish(ctx, publish.Manifest{BuiltAt: version, Catalog: names[0], Prices: names[1], Lows: names[2:]}); err != nil {
			return err
		}
	}
	return l.publisher.Clean(ctx, time.Hour, always)
}

// poll lets the node look once.
func (l *lossy) poll() {
	if _, err := l.node.Poll(l.t.Context()); err != nil {
		l.note(err)
	}
	if damage := l.node.Damage(); damage != nil && !errors.Is(damage, bucket.ErrNotExist) {
		l.t.Errorf("a lost connection is taken for damage: %v", damage)
	}
}

// served returns the version that a live view has in all its parts.
func (l *lossy) served(live *index.Live) int {
	v := live.View()
	if v == nil || v.Len() != 1 {
		l.t.Error("nothing is served")
		return 0
	}
	version, card := int(v.IndexBuiltAt), v.Card(0)
	whole := card.Title() == fmt.Sprint("Version ", version) && catalog.Millis(v.LowsDay()).Day() == int64(20_000+version) && card.Rows().Len() == 6
	for i := range card.Rows().Len() {
		row := card.Rows().At(i)
		whole = whole && row.Current == money.Amount(100*version)
	}
	if !whole {
		l.t.Errorf("manifest %d of version %d shows %s with lows of day %d", v.Seq, version, card.Title(), catalog.Millis(v.LowsDay()).Day())
	}
	return version
}

// TestHalfOfAllConnectionsAreLost publishes while a publisher and a node lose half of their connections
// to an S3 service. The node always serves a whole version, never an older one than before, and the newest
// soon after the networks are good again.
func TestHalfOfAllConnectionsAreLost(t *testing.T) {
	service := enginetest.SharedS3(t)
	t.Setenv("AWS_ACCESS_KEY_ID", enginetest.S3AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", enginetest.S3SecretKey)
	l := &lossy{t: t, bucket: service.NewBucket(t)}
	addr := strings.TrimPrefix(service.URL, "http://")
	networks := []*enginetest.Proxy{enginetest.NewProxy(t, addr), enginetest.NewProxy(t, addr)}
	log := slog.New(slog.DiscardHandler)
	l.publisher = publish.NewPublisher(l.open(networks[0].Addr), &l.number, log)
	cache := publish.NewCache(l.open(networks[1].Addr), openFolder(t, t.TempDir()), log)
	l.node = publish.NewFollower(cache, &l.live, l.note)
	l.node.Cache, l.node.Published = cache, func(context.Context) (int64, error) { return l.number.seq.Load(), nil }
	l.publish(1)
	l.poll()
	l.served(&l.live)

	for _, network := range networks {
		network.Break(t, halfLost...)
	}
	var ended atomic.Bool
	var node sync.WaitGroup
	stop := func() { ended.Store(true); node.Wait() }
	t.Cleanup(stop)
	node.Go(func() {
		for !ended.Load() {
			l.poll()
			time.Sleep(time.Millisecond)
		}
	})
	node.Go(func() {
		for last := 1; !ended.Load() && !t.Failed(); time.Sleep(time.Millisecond) {
			now := l.served(&l.live)
			if now < last {
				t.Errorf("version %d is served after %d", now, last)
			}
			last = now
		}
	})
	var attempts []int
	began := time.Now()
	for version := 2; version <= 5; version++ {
		attempts = append(attempts, l.publish(version))
	}
	t.Logf("published after %v attempts, in %v; %d errors; version %d is served", attempts, time.Since(began), l.errors.Load(), l.served(&l.live))
	for _, network := range networks {
		network.Heal()
	}
	l.publish(6)
	stop()
	for polls := 0; l.served(&l.live) < 6; polls++ {
		if polls == 10 {
			t.Fatalf("after %d polls over a good network version %d is served, want 6", polls, l.served(&l.live))
		}
		l.poll()
	}

	var live index.Live
	if _, err := publish.NewFollower(l.open(addr), &live, func(err error) { t.Error(err) }).Poll(t.Context()); err != nil || l.served(&live) != 6 {
		t.Errorf("version %d is in the bucket, %v; want 6", l.served(&live), err)
	}
	if l.errors.Load() == 0 {
		t.Error("no request was lost")
	}
}
