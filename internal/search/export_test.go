package search

import "gamedex/internal/fold"

// Keep sets which answers the builder keeps, so that small catalogs have some.
func (b *Builder) Keep(above, most int) { b.keep = keeping{above, most} }

// Answers is the number of kept answers.
func (x *Index) Answers() int { return x.kept.len() }

// Recalls says whether the query as written has a kept answer.
func (x *Index) Recalls(q Query) bool {
	f := newFinder(x)
	f.begin(q)
	f.plan(fold.Fold(q.Text))
	return f.recall()
}

// Unpooled returns Find with a working memory of its own: the race detector
// makes pools forget.
func (x *Index) Unpooled() func(q Query, dst []Hit) ([]Hit, int) {
	f := newFinder(x)
	return func(q Query, dst []Hit) ([]Hit, int) {
		f.begin(q)
		total := f.search(q)
		return f.page(q, dst), total
	}
}
