package listings

import (
	"cmp"
	"context"
	"slices"

	"gamedex/internal/catalog"
)

// prepared is a line and all that can be computed from it without the database:
// a third of the work of saving new lines. Another core can do it while the batch
// before is written.
type prepared struct {
	line         *catalog.Listing
	digests      catalog.Digests
	facts, prose content
}

// Prepare does the part of Save that needs no database, and returns the rest as
// a function, to be called at most once. Prepare may run while
// another batch is saved, and a batch that was prepared before another one was saved
// may be saved after it. The listings must not change until the function returns.
func (store *Store) Prepare(ls []catalog.Listing) func(context.Context) (catalog.SaveCounts, error) {
	if len(ls) > MaxBatch {
		return func(ctx context.Context) (catalog.SaveCounts, error) { return store.Save(ctx, ls) }
	}
	lines, pack := prepareAll(ls), store.packing()
	for i := range lines {
		lines[i].pack(pack)
	}
	runs := distinctRuns(lines)
	return func(ctx context.Context) (catalog.SaveCounts, error) { return store.saveRuns(ctx, runs) }
}

func (store *Store) packing() *packing { return &packing{facts: store.facts, prose: store.prose} }

func prepareAll(ls []catalog.Listing) []prepared {
	lines := make([]prepared, len(ls))
	for i := range ls {
		lines[i].line, lines[i].digests = &ls[i], ls[i].Digests()
	}
	return lines
}

// pack encodes the contents of the line.
func (p *prepared) pack(with *packing) {
	p.facts, p.prose = with.packFacts(&p.line.Facts), with.packProse(&p.line.Prose)
}

// distinctRuns divides lines into runs in which no key repeats. The order within a
// run does not matter, so each run is sorted in the order of the key's index: then
// every page of the index is written once.
func distinctRuns(lines []prepared) (runs [][]*prepared) {
	all := make([]*prepared, len(lines))
	for i := range lines {
		all[i] = &lines[i]
	}
	for len(all) > 0 {
		// n lines come before the first that repeats a key.
		n, seen := 0, make(map[catalog.Key]struct{}, len(all))
		for ; n < len(all); n++ {
			if _, twice := seen[all[n].line.Key]; twice {
				break
			}
			seen[all[n].line.Key] = struct{}{}
		}
		slices.SortFunc(all[:n], func(a, b *prepared) int { return compareKeys(&a.line.Key, &b.line.Key) })
		runs = append(runs, all[:n])
		all = all[n:]
	}
	return runs
}

// compareKeys orders keys as the index of the table does.
func compareKeys(a, b *catalog.Key) int {
	return cmp.Or(cmp.Compare(a.Platform, b.Platform), a.Region.Compare(b.Region), cmp.Compare(a.Product, b.Product))
}
