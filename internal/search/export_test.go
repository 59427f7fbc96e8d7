package search

import (
	"gamedex/internal/fold"
	"gamedex/internal/search/spelling"
)

// Precompute sets for which prefixes the builder precomputes results, so that small
// catalogs have some.
func (b *Builder) Precompute(above, most int) { b.top = precomputing{above, most} }

// FindFrequent sets how many names a frequent term has at least, so that small catalogs have some.
func (x *Index) FindFrequent(least int) { x.findFrequent(least) }

// Frequent returns the number of frequent terms.
func (x *Index) Frequent() int { return len(x.postings.Frequent()) }

// Precomputed returns the number of precomputed results.
func (x *Index) Precomputed() int { return x.precomputed.Len() }

// HasPrecomputed reports whether the query as written has a precomputed result.
func (x *Index) HasPrecomputed(q Query) bool {
	f := newFinder(x)
	f.beginQuery(q)
	f.plain = spelling.IsPlainForm(q.Text, fold.Fold(q.Text))
	f.planQuery(fold.Fold(q.Text))
	return f.findPrecomputed()
}

// Unpooled returns Find without the pool, which the race detector empties.
func (x *Index) Unpooled() func(q Query, dst []Hit) ([]Hit, int) {
	f := newFinder(x)
	return func(q Query, dst []Hit) ([]Hit, int) {
		f.beginQuery(q)
		total := f.search(q)
		return f.appendPage(q, dst), total
	}
}
