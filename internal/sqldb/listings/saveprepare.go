package listings

import (
	"cmp"
	"context"
	"slices"

	"gamedex/internal/catalog"
)

// prepared is a line and what can be told of it without the database. That is
// a third of the work of saving new lines, and another core can do it while
// the batch before is written.
type prepared struct {
	line         *catalog.Listing
	digests      catalog.Digests
	facts, prose content
}

// Prepare does beforehand what Save can do without the database, and gives the
// rest of Save as a function, to be called at most once. It may run while
// another batch is saved; a batch that is prepared before another one is saved
// may be saved after it. The listings must stay as they are until the function
// returns.
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

// pack makes the contents of the line.
func (p *prepared) pack(with *packing) {
	p.facts, p.prose = with.packFacts(&p.line.Facts), with.packProse(&p.line.Prose)
}

func (p *prepared) packed() bool { return p.facts.hash != hash{} }

// distinctRuns cuts lines where a key comes again. The order within a run does
// not matter, so each is put in the order of the key's index: then every page
// of it is written once.
func distinctRuns(lines []prepared) (runs [][]*prepared) {
	all := make([]*prepared, len(lines))
	for i := range lines {
		all[i] = &lines[i]
	}
	for len(all) > 0 {
		n := distinctKeys(all)
		slices.SortFunc(all[:n], func(a, b *prepared) int { return compareKeys(&a.line.Key, &b.line.Key) })
		runs = append(runs, all[:n])
		all = all[n:]
	}
	return runs
}

// distinctKeys counts the lines before the first that repeats a key.
func distinctKeys(lines []*prepared) int {
	seen := make(map[catalog.Key]struct{}, len(lines))
	for i, p := range lines {
		if _, twice := seen[p.line.Key]; twice {
			return i
		}
		seen[p.line.Key] = struct{}{}
	}
	return len(lines)
}

// compareKeys orders keys as the index of the table does.
func compareKeys(a, b *catalog.Key) int {
	if a.Platform != b.Platform {
		return cmp.Compare(a.Platform, b.Platform)
	}
	if a.Region != b.Region {
		return a.Region.Compare(b.Region)
	}
	return cmp.Compare(a.Product, b.Product)
}
