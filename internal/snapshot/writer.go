package snapshot

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// The sizes of the layout that the package comment describes, in bytes.
const (
	magic       = "gdxsnap\n"
	container   = 1
	kindSize    = 16
	nameSize    = 32
	headerSize  = 48
	entrySize   = nameSize + 24
	sumSize     = 4
	alignment   = 8
	maxSections = 1 << 12
)

// header is the start of a file, and entry the table's entry of a section.
type (
	header struct {
		Magic              [len(magic)]byte
		Container, Version uint32
		Kind               [kindSize]byte
		Size               uint64
		Sections, _        uint32
	}
	entry struct {
		Name           [nameSize]byte
		Offset, Length uint64
		Sum, _         uint32
	}
)

// Writer collects the sections of one file.
type Writer struct {
	kind     string
	version  uint32
	sections []section
}

type section struct {
	name string
	data []byte
}

// NewWriter starts a file of the given kind (1 to 16 bytes) and version of its
// contents.
func NewWriter(kind string, version uint32) *Writer {
	return &Writer{kind: kind, version: version}
}

// Add appends a section; the file has the sections in the order of Add. The name must
// have 1 to 32 bytes and be used once; otherwise [Writer.Bytes] returns an error. Add
// does not copy data, which must not change before Bytes.
func (w *Writer) Add(name string, data []byte) {
	w.sections = append(w.sections, section{name, data})
}

// Bytes returns the file.
func (w *Writer) Bytes() ([]byte, error) {
	if err := checkName("kind", w.kind, kindSize); err != nil {
		return nil, err
	}
	if len(w.sections) > maxSections {
		return nil, fmt.Errorf("write snapshot %q: %d sections; the maximum is %d", w.kind, len(w.sections), maxSections)
	}
	seen := make(map[string]bool, len(w.sections))
	for _, s := range w.sections {
		if err := checkName("section name", s.name, nameSize); err != nil {
			return nil, err
		}
		if seen[s.name] {
			return nil, fmt.Errorf("write snapshot %q: section %q added twice", w.kind, s.name)
		}
		seen[s.name] = true
	}
	out := w.header()
	for _, s := range w.sections {
		out = append(out, make([]byte, aligned(len(out))-len(out))...)
		out = append(out, s.data...)
	}
	return out, nil
}

// checkName refuses names that a zero-padded field cannot store.
func checkName(what, name string, limit int) error {
	if name == "" || len(name) > limit {
		return fmt.Errorf("write snapshot: %s %q: want 1 to %d bytes", what, name, limit)
	}
	for i := range len(name) {
		if name[i] <= ' ' || name[i] > '~' {
			return fmt.Errorf("write snapshot: %s %q: want visible ASCII", what, name)
		}
	}
	return nil
}

// header returns everything before the first section, with capacity for the rest.
func (w *Writer) header() []byte {
	tableEnd := headerSize + entrySize*len(w.sections)
	size := tableEnd + sumSize
	offsets := make([]int, len(w.sections))
	for i, s := range w.sections {
		offsets[i] = aligned(size)
		size = offsets[i] + len(s.data)
	}
	h := header{Container: container, Version: w.version, Size: uint64(size), Sections: uint32(len(w.sections))}
	copy(h.Magic[:], magic)
	copy(h.Kind[:], w.kind)
	out, _ := binary.Append(make([]byte, 0, size), binary.LittleEndian, h)
	for i, s := range w.sections {
		e := entry{Offset: uint64(offsets[i]), Length: uint64(len(s.data)), Sum: checksum(s.data)}
		copy(e.Name[:], s.name)
		out, _ = binary.Append(out, binary.LittleEndian, e)
	}
	return binary.LittleEndian.AppendUint32(out, checksum(out))
}

func aligned(n int) int { return (n + alignment - 1) &^ (alignment - 1) }

// checksum returns the CRC-32C of b. MakeTable returns the shared table of the library,
// for which it has hardware support.
func checksum(b []byte) uint32 {
	return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
}
