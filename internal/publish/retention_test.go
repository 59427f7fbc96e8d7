package publish_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gamedex/internal/publish"
	"gamedex/internal/testing/buckettest"
)

// counted is a publication number in memory.
type counted struct{ seq atomic.Int64 }

func (c *counted) Advance(_ context.Context, seq int64) (bool, error) {
	return c.seq.CompareAndSwap(seq, seq+1), nil
}

func (c *counted) Raise(_ context.Context, seq int64) (int64, error) {
	if now := c.seq.Load(); now >= seq || !c.seq.CompareAndSwap(now, seq) {
		return c.seq.Load(), nil
	}
	return seq, nil
}

// shelf is a bucket with a publisher.
type shelf struct {
	*publish.Publisher
	t *testing.T
	b *blobs
}

func newShelf(t *testing.T) *shelf {
	b := newBlobs()
	b.now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	return &shelf{publish.NewPublisher(b, new(counted), slog.New(slog.DiscardHandler)), t, b}
}

// publish publishes a snapshot of two blobs at a minute, and returns their names.
func (s *shelf) publish(minute int, catalog, prices string) (names [2]string) {
	s.t.Helper()
	s.b.now = time.Date(2026, 11, 20, 12, minute, 0, 0, time.UTC)
	for i, content := range []string{catalog, prices} {
		name, err := s.PutBlob(s.t.Context(), []byte(content))
		if err != nil {
			s.t.Fatal(err)
		}
		names[i] = name
	}
	if err := s.Publish(s.t.Context(), publish.Manifest{Catalog: names[0], Prices: names[1]}); err != nil {
		s.t.Fatal(err)
	}
	return names
}

func always(context.Context) error { return nil }

// left returns what is left: numbers of manifests, and contents of blobs.
func (s *shelf) left() string {
	s.t.Helper()
	var list []string
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range s.b.held {
			if !yield(name) {
				return
			}
		}
	}) {
		var seq int64
		if _, err := fmt.Sscanf(name, "manifest/%d", &seq); err == nil {
			list = append(list, fmt.Sprint(seq))
		} else {
			list = append(list, string(s.b.held[name]))
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// TestCleanKeepsByAge publishes eight snapshots, one every ten minutes but the sixth,
// after which nothing happened for an hour and a half.
func TestCleanKeepsByAge(t *testing.T) {
	for name, tt := range map[string]struct {
		keep time.Duration
		want string
	}{
		"the newest five":    {0, "4 5 6 7 8 cat p4 p5 p6 p7 p8"},
		"twenty minutes":     {20 * time.Minute, "4 5 6 7 8 cat p4 p5 p6 p7 p8"},
		"what is in between": {125 * time.Minute, "3 4 5 6 7 8 cat p3 p4 p5 p6 p7 p8"},
		"everything":         {200 * time.Minute, "1 2 3 4 5 6 7 8 cat p1 p2 p3 p4 p5 p6 p7 p8"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t)
			for i, minute := range []int{0, 10, 20, 30, 40, 50, 140, 150} {
				s.publish(minute, "cat", fmt.Sprintf("p%d", i+1))
			}
			for range 2 {
				must(t, s.Clean(t.Context(), tt.keep, always))
				if got := s.left(); got != tt.want {
					t.Errorf("left %s, want %s", got, tt.want)
				}
			}
		})
	}
}

// TestCleanCountsFromTheSuccessor checks that a snapshot that was in force for days is
// kept for the time after its end.
func TestCleanCountsFromTheSuccessor(t *testing.T) {
	s := newShelf(t)
	s.publish(0, "cat", "long")
	for i := range 6 {
		s.publish(3000+i, "cat", fmt.Sprintf("p%d", i))
	}
	must(t, s.Clean(t.Context(), time.Hour, always))
	if got := s.left(); !strings.Contains(got, "long") {
		t.Errorf("left %s, without the snapshot that was in force five minutes ago", got)
	}
	s.publish(3061, "cat", "new")
	must(t, s.Clean(t.Context(), time.Hour, always))
	if got := s.left(); strings.Contains(got, "long") {
		t.Errorf("left %s, with a snapshot that was replaced an hour ago", got)
	}
}

// TestCleanKeepsYoungBlobs checks that a blob is kept that another publisher has just
// written and not yet named.
func TestCleanKeepsYoungBlobs(t *testing.T) {
	s := newShelf(t)
	must(t, s.b.Put(t.Context(), "blob/abandoned", []byte("abandoned")))
	for i := range 6 {
		s.publish(100+i, "cat", fmt.Sprintf("p%d", i))
	}
	must(t, s.b.Put(t.Context(), "blob/young", []byte("young")))
	must(t, s.Clean(t.Context(), time.Hour, always))
	if got := s.left(); strings.Contains(got, "abandoned") || !strings.Contains(got, "young") {
		t.Errorf("left %s, want the young blob and not the one that nobody named for an hour", got)
	}
}

// TestCleanStopsWithoutTheLease lets a publisher lose its lease between two deletions,
// while its successor publishes.
func TestCleanStopsWithoutTheLease(t *testing.T) {
	lost := errors.New("lease lost")
	for deletions := range 6 {
		s := newShelf(t)
		for i := range 8 {
			s.publish(10*i, "cat", fmt.Sprintf("p%d", i))
		}
		before, looks := len(s.b.held), 0
		err := s.Clean(t.Context(), 0, func(context.Context) error {
			if looks++; looks > deletions {
				return lost
			}
			return nil
		})
		if !errors.Is(err, lost) || before-len(s.b.held) != deletions {
			t.Errorf("deleted %d, %v; want %d, and the loss of the lease", before-len(s.b.held), err, deletions)
		}
	}
}

func TestCleanSparesWhatADamagedManifestMayName(t *testing.T) {
	s := newShelf(t)
	for i := range 8 {
		s.publish(10*i, "cat", fmt.Sprintf("p%d", i))
	}
	s.b.held[publish.ManifestName(6)] = []byte("{}")
	must(t, s.Clean(t.Context(), 0, always))
	if names, err := buckettest.List(t.Context(), s.b, "blob/"); err != nil || len(names) != 9 {
		t.Errorf("%d blobs are left, %v, want all nine", len(names), err)
	}
}
