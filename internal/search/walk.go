package search

import "gamedex/internal/search/terms"

// The least number of names of a frequent term, and the least share of all names: the set takes
// at most four times the memory of the postings, for a hundred terms at most as much as all
// names. Without the sets, the 99th percentile of two words in 400,000 titles is five times as
// long.
const (
	minFrequent      = 1024
	minFrequentShare = 128
)

// findFrequent makes sets for terms with at least so many names and the least share.
func (x *Index) findFrequent(least int) {
	x.postings.FindFrequent(max(least, x.docs.Len()/minFrequentShare), x.docs.Len())
}

// rankNames ranks every name that has the rarest word of the plan.
func (f *finder) rankNames(l latitude) {
	f.reset()
	if len(f.need) == 0 || f.need[0].cost == 0 {
		return
	}
	f.beginRanking(l)
	f.chooseSets()
	first := f.need[0].word
	if first.written.Hi-first.written.Lo == 1 && first.alternate == 0 && first.acronym == 0 && len(first.typos) == 0 {
		list := f.x.postings.Of(first.written) // sorted, because it is that of one term
		for i := range list.Len() {
			f.visitName(list.At(i))
		}
	} else {
		if !first.sure {
			f.doubt = append(f.doubt, f.need[0])
		}
		first.eachSpan(func(s terms.Span) { f.marked.Add(f.x.postings.Of(s)) })
		f.marked.Drain(f.visitName)
	}
	f.considerBatch()
	f.closeDocument()
}

// beginRanking prepares for names in ascending order.
func (f *finder) beginRanking(l latitude) {
	f.latitude = l | f.acronyms
	f.setLeast(l)
	f.ranked = 0
	f.acronymOf = f.x.postings.Of(terms.Only(f.words[0].acronym))
}

// setLeast sets lower bounds for the ranks of all names.
func (f *finder) setLeast(l latitude) {
	if l&withTypos == 0 {
		f.least = titleLonger
		if f.words[len(f.words)-1].mayBeWhole() {
			f.least = asTyped
		}
		return
	}
	f.leastDistance = distance{}
	for i := range f.words {
		f.leastDistance.add(f.words[i].leastCost())
	}
	f.least = f.leastDistance.rank(whole)
}

// chooseSets chooses the sets that rule out names before they are read. Words without sets are
// in doubt, and so are those that do not match wherever they are in a name.
func (f *finder) chooseSets() {
	f.sets, f.ends, f.doubt = f.sets[:0], f.ends[:0], f.doubt[:0]
	free := true // f.others belongs to no word yet
	for _, n := range f.need[1:] {
		others := 0
		n.word.eachSpan(func(s terms.Span) { others += f.x.postings.CountOthers(s) })
		if others > 0 && (!free || !f.worthMarking(others)) {
			f.doubt = append(f.doubt, n)
			continue
		}
		if others > 0 {
			f.others.Clear()
			f.sets = append(f.sets, &f.others)
			free = false
		}
		n.word.eachSpan(func(s terms.Span) { f.sets = f.x.postings.AppendSets(f.sets, s, &f.others) })
		f.ends = append(f.ends, len(f.sets))
		if !n.word.sure {
			f.doubt = append(f.doubt, n)
		}
	}
}

// worthMarking reports whether to mark as many names to rule out candidates. It takes about an
// eighth of the time of checking the tokens of as many candidates.
func (f *finder) worthMarking(names int) bool {
	const worthwhile, timesQuicker = 256, 8
	return f.need[0].cost >= worthwhile && names <= timesQuicker*f.need[0].cost
}

// visitName adds a name to the batch if the sets of all words have it.
func (f *finder) visitName(name uint32) {
	at := 0
	for _, end := range f.ends {
		for at < end && !f.sets[at].Has(name) {
			at++
		}
		if at == end {
			return
		}
		at = end
	}
	if f.batch = append(f.batch, name); len(f.batch) == batchSize {
		f.considerBatch()
	}
}

// batchSize is how many names are considered at a time.
const batchSize = 32

// considerBatch considers the names of the batch. It first reads what is needed of all of them,
// so that the reads wait for memory together: the median of Russian words in 400,000 titles
// takes a quarter less time.
func (f *finder) considerBatch() {
	for _, name := range f.batch {
		if f.enough <= f.least && len(f.doubt) == 0 {
			break // the names are only counted
		}
		f.touched += uint32(f.x.groups[f.x.docOf(name)]) + uint32(f.x.shown.At(int(name)))
		if tokens := f.x.tokensOf(name); tokens.Len() > 0 {
			f.touched += tokens.At(0)
		}
	}
	for _, name := range f.batch {
		f.considerName(name)
	}
	f.batch = f.batch[:0]
}

// considerName ranks one name. Names are in the order of their documents, so all names
// of a document come one after another.
func (f *finder) considerName(name uint32) {
	l, ok := f.latitudeOf(name)
	if !ok {
		return
	}
	doc := f.x.docOf(name)
	if f.groups>>f.x.groups[doc]&1 == 0 || f.noOther && f.hasOtherNumber(name) {
		return
	}
	hit := Hit{Doc: doc, Shown: f.x.shown.At(int(name))}
	r := f.rankOf(name, l, hit.Shown != NotOwn)
	if !f.open || f.current.Doc != doc {
		f.closeDocument()
		f.current, f.best, f.open = hit, r, true
		return
	}
	if r < f.best || r == f.best && hit.Shown < f.current.Shown {
		f.current, f.best = hit, r
	}
}

// closeDocument counts the current document with its best name.
func (f *finder) closeDocument() {
	if !f.open {
		return
	}
	f.total++
	f.open = false
	if hits := f.found[f.best]; len(hits) < f.keep {
		f.addHit(f.best, f.current)
		if len(hits)+1 == f.keep {
			f.enough = min(f.enough, f.best)
		}
	}
}

func (f *finder) addHit(r rank, h Hit) {
	f.found[r] = append(f.found[r], h)
	f.used[r/64] |= 1 << (r % 64)
}
