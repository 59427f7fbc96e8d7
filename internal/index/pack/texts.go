package pack

import "gamedex/internal/snapshot"

// texts numbers the strings of a blob and keeps the hash of each, so that hashes
// of records do not depend on the numbers.
type texts struct {
	table  *snapshot.StringsWriter
	hashes []uint64
}

func newTexts() *texts {
	return &texts{table: snapshot.NewStringsWriter(), hashes: []uint64{digest(0).addText("").sum()}}
}

// resumeTexts continues the strings of an opened blob.
func resumeTexts(s snapshot.Strings) *texts {
	t := &texts{table: snapshot.ResumeStrings(s), hashes: make([]uint64, s.Len())}
	for i := range t.hashes {
		t.hashes[i] = digest(0).addText(s.At(uint32(i))).sum()
	}
	return t
}

func (t *texts) numberText(s string) uint32 {
	if s == "" {
		return 0
	}
	n := t.table.Number(s)
	if int(n) == len(t.hashes) {
		t.hashes = append(t.hashes, digest(0).addText(s).sum())
	}
	return n
}

// lists writes lists of numbers, each distinct list once: its length, then its
// numbers. Offset 0 is the empty list.
type lists struct {
	offsets map[string]uint32
	data    []byte
}

func newLists() *lists {
	return &lists{offsets: map[string]uint32{}, data: make([]byte, 4)}
}

// placeList returns where the list begins, counted in numbers.
func (l *lists) placeList(numbers []uint32) uint32 {
	if len(numbers) == 0 {
		return 0
	}
	at := uint32(len(l.data) / 4)
	l.data = snapshot.AppendU32(l.data, uint32(len(numbers)))
	for _, n := range numbers {
		l.data = snapshot.AppendU32(l.data, n)
	}
	list := l.data[4*at:]
	if earlier, ok := l.offsets[string(list)]; ok {
		l.data = l.data[:4*at]
		return earlier
	}
	l.offsets[string(list)] = at
	return at
}
