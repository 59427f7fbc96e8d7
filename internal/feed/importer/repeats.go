package importer

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"

	"gamedex/internal/catalog"
)

// Repeats are the lines of an input that have the key and time of an earlier line of it,
// but other content. Import does not store them: each would be a correction of the one
// before, again and again when the input is imported again.
type Repeats struct {
	Input         string
	Lines         int // how many there are
	Earlier, Line int // the first of them is Line, which repeats Earlier
}

// String returns a message without the name of the input.
func (r Repeats) String() string {
	lines := "1 line repeats the key and time of an earlier line and was"
	if r.Lines != 1 {
		lines = fmt.Sprintf("%d lines repeat the key and time of an earlier line and were", r.Lines)
	}
	return fmt.Sprintf("%s not stored; first: lines %d and %d", lines, r.Earlier, r.Line)
}

// maxKnown bounds the memory of a finder, which has 30 to 40 bytes for a line. Further
// lines are compared with these only.
const maxKnown = 1 << 24

var hashSeed = maphash.MakeSeed()

// finder finds the repeats of one input.
type finder struct {
	known map[uint64]knownLine // by a hash of key and time
	found Repeats
}

// knownLine is the first line of a key and time. Its content is part of a hash, or 0 for a
// withdrawal, which has none.
type knownLine struct{ line, content uint32 }

// repeats reports whether l has the key and time of an earlier line, but other content.
// Among ten million lines two keys have the same hash in 3 of a million imports.
func (f *finder) repeats(l *catalog.Listing, line int) bool {
	hash := maphash.Comparable(hashSeed, struct {
		catalog.Key
		catalog.Millis
	}{l.Key, l.ObservedAt})
	var content uint32
	if !l.Withdrawn {
		sum := l.ContentHash()
		content = binary.LittleEndian.Uint32(sum[:])
	}
	first, known := f.known[hash]
	if !known && len(f.known) < maxKnown {
		f.known[hash] = knownLine{uint32(line), content}
	}
	if !known || first.content == content {
		return false
	}
	if f.found.Lines++; f.found.Lines == 1 {
		f.found.Earlier, f.found.Line = int(first.line), line
	}
	return true
}
