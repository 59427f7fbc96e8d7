package feed_test

import (
	"context"
	"errors"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
)

// preparing is a memory store that is a Preparer too.
type preparing struct {
	*memory
	prepared, saved int
}

func (p *preparing) Prepare(batch []catalog.Listing) func(context.Context) (catalog.SaveCounts, error) {
	p.prepared++
	return func(ctx context.Context) (catalog.SaveCounts, error) {
		p.saved++
		return p.memory.Save(ctx, batch)
	}
}

// manyBatches returns an input of a few batches, the last one not full.
func manyBatches() string { return region("TR", 0, 4500, 3) }

func TestImportPrepares(t *testing.T) {
	plain, ahead := newMemory(), &preparing{memory: newMemory()}
	want := mustImport(t, plain, options(manyBatches()))
	got, err := feed.Import(t.Context(), ahead, options(manyBatches()))
	if err != nil || got.Saved != want.Saved || got.Read != want.Read {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if n := len(plain.batches); n != 3 || ahead.prepared != n || ahead.saved != n {
		t.Errorf("%d batches prepared and %d saved; want %d, 3", ahead.prepared, ahead.saved, n)
	}
}

// TestStrictImportPreparesLate checks that a strict import prepares nothing
// before all lines have been checked.
func TestStrictImportPreparesLate(t *testing.T) {
	store := &preparing{memory: newMemory()}
	o := options(manyBatches() + "bad\n")
	o.Strict, o.TempDir = true, t.TempDir()
	if _, err := feed.Import(t.Context(), store, o); err == nil || store.prepared != 0 {
		t.Errorf("%v, and %d batches prepared; want an error and none", err, store.prepared)
	}
}

// TestImportStopsPreparing checks that no batch is saved after a failed batch; one more
// may be prepared.
func TestImportStopsPreparing(t *testing.T) {
	store := &preparing{memory: newMemory()}
	store.failAt = 2
	got, err := feed.Import(t.Context(), store, options(manyBatches()))
	if !errors.Is(err, errStore) || store.saved != 2 || got.Saved.New != 2000 {
		t.Errorf("%v after %d saves, %+v; want %v after 2 and 2000 listings", err, store.saved, got.Saved, errStore)
	}
}
