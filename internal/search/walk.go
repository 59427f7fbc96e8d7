package search

import (
	"gamedex/internal/snapshot"
)

// rankNames ranks every name that has the rarest word of the plan.
func (f *finder) rankNames(l latitude) {
	f.latitude = l | f.acronyms
	f.reset()
	if len(f.need) == 0 || f.need[0].cost == 0 {
		return
	}
	f.setLeast(l)
	f.ranked = 0
	f.acronymOf = f.x.postingsOf(span{f.words[0].acronym, f.words[0].acronym + 1})
	f.doubt = f.doubt[:0]
	first := f.need[0].word
	oneTerm := first.written.hi-first.written.lo == 1 && first.alternate == 0 && first.acronym == 0 && len(first.typos) == 0
	if oneTerm && !f.worthNarrowing(1, f.need[0].cost) {
		f.doubt = append(f.doubt, f.need[1:]...)
		list := f.x.postingsOf(first.written) // sorted, because it is that of one term
		for i := range list.Len() {
			f.considerName(list.At(i))
		}
	} else {
		f.markCandidates()
		f.marked.Drain(f.considerName)
	}
	f.closeDocument()
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

// markCandidates marks the names that have the rarest word. Where it is faster than
// checking the tokens of names, it keeps only those that have other words, too. A
// word that matches wherever it is in the name is not in doubt then.
func (f *finder) markCandidates() {
	left := f.need[0].cost
	for i := range f.need {
		w := f.need[i].word
		switch {
		case i == 0:
			w.eachSpan(f.x, f.marked.Add)
		case f.worthNarrowing(i, left):
			left = 0
			w.eachSpan(f.x, func(names snapshot.U32s) { left += f.both.AddCommon(names, &f.marked) })
			f.marked.Clear()
			f.marked, f.both = f.both, f.marked
		default:
			f.doubt = append(f.doubt, f.need[i])
			continue
		}
		if !w.sure {
			f.doubt = append(f.doubt, f.need[i])
		}
	}
}

// worthNarrowing reports whether to walk the names of need i to rule out candidates. It
// takes about an eighth of the time of checking the tokens of as many candidates.
func (f *finder) worthNarrowing(i, left int) bool {
	const worthwhile, timesQuicker = 256, 8
	return i < len(f.need) && left >= worthwhile && f.need[i].cost <= timesQuicker*left
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
