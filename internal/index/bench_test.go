package index_test

import (
	"testing"

	"gamedex/internal/index"
)

func BenchmarkBuild(b *testing.B) {
	s := large(2000, 16)
	for b.Loop() {
		s.build(b)
	}
}

// BenchmarkBuildAsStoresPrice has few prices in many rows.
func BenchmarkBuildAsStoresPrice(b *testing.B) {
	s := asStoresPrice(2000, 16)
	for b.Loop() {
		s.build(b)
	}
}

// BenchmarkBulk looks 1,000 cards up and reads four rows of each.
func BenchmarkBulk(b *testing.B) {
	v := index.NewView(large(2000, 16).open(b), index.Published{})
	ids := allIDs(v.Snapshot)[:1000]
	sum := 0
	for b.Loop() {
		for _, id := range ids {
			c, _ := v.Lookup(0, id)
			rows := c.Rows()
			for i := range 4 {
				r := rows.At(i).At(0)
				sum += len(r.BaseText()) + len(r.CurrentText()) + len(r.Product()) + int(r.Current)
			}
		}
	}
}

// BenchmarkOpen opens a snapshot in memory, with every check.
func BenchmarkOpen(b *testing.B) {
	blobs := asStoresPrice(30_000, 18).build(b)
	b.SetBytes(int64(len(blobs.Catalog) + len(blobs.Prices)))
	for b.Loop() {
		open(b, blobs)
	}
}
