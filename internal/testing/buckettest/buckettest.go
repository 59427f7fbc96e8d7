// Package buckettest tests the behaviour of implementations of bucket.Bucket. It is for
// tests only.
//
//	TestFolder ──► Run(t, open) ──► one subtest for each rule, each on a new bucket
//
// It refuses to test properties of a single implementation: file modes, temporary
// files, credentials.
package buckettest

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/bucket"
)

// Run checks the behaviour of buckets. Each call of open returns an empty one.
func Run(t *testing.T, open func(t *testing.T) bucket.Bucket) {
	rules := []struct {
		name  string
		check func(*testing.T, bucket.Bucket)
	}{
		{"get returns what was put", testPutGet},
		{"the empty blob is a blob", testEmpty},
		{"a blob belongs to the caller", testOwnBytes},
		{"a taken name is refused and keeps its bytes", testCreateOnly},
		{"one of many writers wins", testOneWinner},
		{"a missing blob is ErrNotExist", testMissing},
		{"list is sorted and follows the prefix", testList},
		{"a walk begins after a name and can stop", testWalk},
		{"a walk has times and sizes", testEntries},
		{"a deleted blob is gone and its name is free", testDelete},
		{"bad names are refused", testBadNames},
		{"an ended context ends the call", testContext},
	}
	for _, rule := range rules {
		t.Run(rule.name, func(t *testing.T) { rule.check(t, open(t)) })
	}
}

// List returns the names that begin with prefix, sorted; "" is all.
func List(ctx context.Context, b bucket.Lister, prefix string) ([]string, error) {
	var names []string
	for entry, err := range b.Walk(ctx, prefix, "") {
		if err != nil {
			return nil, err
		}
		names = append(names, entry.Name)
	}
	return names, nil
}

func testPutGet(t *testing.T, b bucket.Bucket) {
	want := bytes.Repeat([]byte{0, 1, 255, '\n'}, 100_000)
	put(t, b, "catalog/00ff.v1-a_b", want)
	if got := get(t, b, "catalog/00ff.v1-a_b"); !bytes.Equal(got, want) {
		t.Errorf("got %d bytes, not the %d that were put", len(got), len(want))
	}
}

func testEmpty(t *testing.T, b bucket.Bucket) {
	put(t, b, "empty", nil)
	if got := get(t, b, "empty"); len(got) != 0 {
		t.Errorf("got %q, want nothing", got)
	}
}

func testOwnBytes(t *testing.T, b bucket.Bucket) {
	blob := []byte("abc")
	put(t, b, "x", blob)
	blob[0] = '!'
	get(t, b, "x")[1] = '!'
	if got := get(t, b, "x"); string(got) != "abc" {
		t.Errorf("got %q after callers wrote into their slices, want abc", got)
	}
}

func testCreateOnly(t *testing.T, b bucket.Bucket) {
	put(t, b, "manifest/1", []byte("first"))
	for _, blob := range []string{"second", "first"} {
		if err := b.Put(t.Context(), "manifest/1", []byte(blob)); !errors.Is(err, bucket.ErrExists) {
			t.Errorf("put %q over it: %v, want ErrExists", blob, err)
		}
	}
	if got := get(t, b, "manifest/1"); string(got) != "first" {
		t.Errorf("got %q, want first", got)
	}
}

func testOneWinner(t *testing.T, b bucket.Bucket) {
	var wins atomic.Int32
	var won atomic.Value
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			blob := strings.Repeat(string(rune('a'+i)), 10_000)
			err := b.Put(context.Background(), "manifest/7", []byte(blob))
			if err == nil {
				wins.Add(1)
				won.Store(blob)
			} else if !errors.Is(err, bucket.ErrExists) {
				t.Errorf("put: %v, want nil or ErrExists", err)
			}
		})
	}
	wg.Wait()
	if wins.Load() != 1 {
		t.Fatalf("%d writers succeeded, want 1", wins.Load())
	}
	if got := get(t, b, "manifest/7"); string(got) != won.Load() {
		t.Errorf("the stored blob is not that of the successful writer")
	}
}

func testMissing(t *testing.T, b bucket.Bucket) {
	put(t, b, "dir/file", []byte("x"))
	for _, name := range []string{"missing", "dir", "dir/missing", "dir/file/below", "missing/missing"} {
		if _, err := b.Get(t.Context(), name); !errors.Is(err, bucket.ErrNotExist) {
			t.Errorf("get %s: %v, want ErrNotExist", name, err)
		}
		if err := b.Delete(t.Context(), name); err != nil {
			t.Errorf("delete %s: %v, want nil", name, err)
		}
	}
	get(t, b, "dir/file")
}

func testList(t *testing.T, b bucket.Bucket) {
	for _, name := range []string{"manifest/2", "catalog/b", "manifest/10", "manifest-old/1", "prices/c/d", "manifest/1"} {
		put(t, b, name, []byte(name))
	}
	tests := map[string][]string{
		"":             {"catalog/b", "manifest-old/1", "manifest/1", "manifest/10", "manifest/2", "prices/c/d"},
		"manifest/":    {"manifest/1", "manifest/10", "manifest/2"},
		"manifest/1":   {"manifest/1", "manifest/10"},
		"manifest":     {"manifest-old/1", "manifest/1", "manifest/10", "manifest/2"},
		"prices/c":     {"prices/c/d"},
		"catalog/b":    {"catalog/b"},
		"catalog/bb":   nil,
		"nothing/here": nil,
		"../":          nil,
		"/":            nil,
		"manifest//":   nil,
	}
	for prefix, want := range tests {
		got, err := List(t.Context(), b, prefix)
		if err != nil {
			t.Errorf("list %q: %v", prefix, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("list %q (-want +got):\n%s", prefix, diff)
		}
	}
}

func testWalk(t *testing.T, b bucket.Bucket) {
	for _, name := range []string{"blob/a", "manifest/1", "manifest/10", "manifest/2", "z"} {
		put(t, b, name, nil)
	}
	for _, tt := range []struct {
		prefix, after string
		limit         int
		want          []string
	}{
		{"", "", 9, []string{"blob/a", "manifest/1", "manifest/10", "manifest/2", "z"}},
		{"", "blob/a", 9, []string{"manifest/1", "manifest/10", "manifest/2", "z"}},
		{"manifest/", "manifest/1", 9, []string{"manifest/10", "manifest/2"}},
		{"manifest/", "manifest/15", 9, []string{"manifest/2"}},
		{"manifest/", "a", 9, []string{"manifest/1", "manifest/10", "manifest/2"}},
		{"manifest/", "manifest/2", 9, nil},
		{"manifest/", "z", 9, nil},
		{"", "", 2, []string{"blob/a", "manifest/1"}},
	} {
		var got []string
		for entry, err := range b.Walk(t.Context(), tt.prefix, tt.after) {
			if err != nil {
				t.Fatalf("walk %q after %q: %v", tt.prefix, tt.after, err)
			}
			if got = append(got, entry.Name); len(got) == tt.limit {
				break
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("walk %q after %q, at most %d (-want +got):\n%s", tt.prefix, tt.after, tt.limit, diff)
		}
	}
}

func testEntries(t *testing.T, b bucket.Bucket) {
	began := time.Now()
	noise := randomBytes(10_000) // takes as much compressed
	put(t, b, "a", noise)
	for entry, err := range b.Walk(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		if entry.Name != "a" || entry.Size < int64(len(noise)) || entry.Size > 2*int64(len(noise)) {
			t.Errorf("found %+v, want a with about %d bytes", entry, len(noise))
		}
		// Some buckets cut off fractions of a second.
		if entry.Time.Before(began.Add(-2*time.Second)) || entry.Time.After(time.Now().Add(time.Second)) {
			t.Errorf("put between %v and now, but it has the time %v", began, entry.Time)
		}
	}
}

// randomBytes returns bytes that no compression makes shorter, the same at each call.
func randomBytes(n int) []byte {
	out := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{}).Read(out) // never fails
	return out
}

func testDelete(t *testing.T, b bucket.Bucket) {
	put(t, b, "a/b", []byte("old"))
	if err := b.Delete(t.Context(), "a/b"); err != nil {
		t.Fatalf("delete: %v", err)
	}
	if _, err := b.Get(t.Context(), "a/b"); !errors.Is(err, bucket.ErrNotExist) {
		t.Errorf("get after delete: %v, want ErrNotExist", err)
	}
	if names, err := List(t.Context(), b, ""); err != nil || len(names) > 0 {
		t.Errorf("list after delete: %q, %v, want nothing", names, err)
	}
	put(t, b, "a/b", []byte("new"))
}

func testBadNames(t *testing.T, b bucket.Bucket) {
	bad := []string{
		"", "/a", "a/", "a//b", "..", "../a", "a/../b", "a..b", ".", ".tmp/x", "a/.b", "-a", "A", "a b",
		"a\x00", "é", "a\\b", "a:b", strings.Repeat("a", 201), strings.Repeat("a/", 300) + "a",
	}
	for _, name := range bad {
		_, getErr := b.Get(t.Context(), name)
		for _, err := range []error{b.Put(t.Context(), name, nil), getErr, b.Delete(t.Context(), name)} {
			if !errors.Is(err, bucket.ErrName) {
				t.Errorf("name %.30q: %v, want ErrName", name, err)
			}
		}
	}
}

func testContext(t *testing.T, b bucket.Bucket) {
	put(t, b, "x", nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, getErr := b.Get(ctx, "x")
	_, listErr := List(ctx, b, "")
	for _, err := range []error{b.Put(ctx, "y", nil), getErr, listErr, b.Delete(ctx, "x")} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("with an ended context: %v, want context.Canceled", err)
		}
	}
	get(t, b, "x")
	if _, err := b.Get(t.Context(), "y"); !errors.Is(err, bucket.ErrNotExist) {
		t.Errorf("a blob was put with an ended context: %v", err)
	}
}

func put(t *testing.T, b bucket.Bucket, name string, blob []byte) {
	t.Helper()
	if err := b.Put(t.Context(), name, blob); err != nil {
		t.Fatalf("put %s: %v", name, err)
	}
}

func get(t *testing.T, b bucket.Bucket, name string) []byte {
	t.Helper()
	blob, err := b.Get(t.Context(), name)
	if err != nil {
		t.Fatalf("get %s: %v", name, err)
	}
	return blob
}
