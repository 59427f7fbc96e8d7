package web

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestKeptPages compares what is kept with a map without a bound, while states of the catalog
// follow each other and time passes.
func TestKeptPages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var k keptPages
		made := map[string]*keptPage{}
		source, now := 0, int64(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			address := fmt.Sprint("/", rapid.IntRange(0, 5).Draw(t, "address"))
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				page := &keptPage{body: make([]byte, rapid.SampledFrom([]int{0, 1000, largestKept + 1}).Draw(t, "size")), until: now + 10}
				k.keep(address, source, page)
				if len(page.body) < largestKept {
					made[address] = page
				}
			case 1:
				source++
				clear(made)
			case 2:
				now += 4
			default:
				want := made[address]
				if want != nil && want.until <= now {
					want = nil
				}
				if got := k.find(address, source, now); got != want {
					t.Fatalf("%s: %p, want %p", address, got, want)
				}
			}
		}
	})
}

func TestKeptPagesAreBounded(t *testing.T) {
	var k keptPages
	for i := range 2000 {
		k.keep(fmt.Sprint("/", i), nil, &keptPage{body: make([]byte, largestKept/2), until: 1})
	}
	all := 0
	for address, page := range k.pages {
		all += len(address) + len(page.body) + keptOverhead
	}
	if k.bytes != all || all > keptBytes || all < keptBytes-largestKept {
		t.Errorf("%d bytes are kept, counted as %d", all, k.bytes)
	}
	if k.find("/1999", nil, 0) == nil {
		t.Error("the last page is not kept")
	}
}
