package snapshot

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// File is an opened, fully checked snapshot. It is safe for concurrent use.
type File struct {
	names    []string
	sections map[string][]byte
	size     int
}

// entry is one entry of the table.
type entry struct {
	name           string
	offset, length uint64
	sum            uint32
}

// Versions are the versions of contents that a program reads, both included.
type Versions struct{ Oldest, Newest uint32 }

// Open checks data and returns its sections. The File keeps data, which must not
// change afterwards. The package comment lists what Open refuses, with a
// [*DamageError] or a [*VersionError].
func Open(data []byte, kind string, read Versions) (*File, error) {
	table, err := checkHeader(data, kind, read)
	if err != nil {
		return nil, err
	}
	f := &File{sections: make(map[string][]byte, len(table)), size: len(data)}
	end := uint64(headerSize + entrySize*len(table) + sumSize)
	for _, e := range table {
		if _, twice := f.sections[e.name]; twice {
			return nil, Damaged("table", "section %q is listed twice", e.name)
		}
		body, err := cut(data, end, e)
		if err != nil {
			return nil, err
		}
		f.names = append(f.names, e.name)
		f.sections[e.name] = body
		end = e.offset + e.length
	}
	if end != uint64(len(data)) {
		return nil, Damaged("header", "%d bytes after the last section", uint64(len(data))-end)
	}
	return f, nil
}

// checkHeader checks everything before the first section and returns the table.
func checkHeader(data []byte, kind string, read Versions) ([]entry, error) {
	if len(data) < headerSize+sumSize {
		return nil, Damaged("header", "%d bytes are too few for a snapshot", len(data))
	}
	if string(data[:8]) != magic {
		return nil, Damaged("header", "not a snapshot file")
	}
	if found := binary.LittleEndian.Uint32(data[8:]); found != container {
		return nil, &VersionError{Kind: "container", Found: found, Read: Versions{container, container}}
	}
	count := binary.LittleEndian.Uint32(data[40:])
	if count > maxSections {
		return nil, Damaged("header", "%d sections, more than %d", count, maxSections)
	}
	tableEnd := headerSize + entrySize*int(count)
	if len(data) < tableEnd+sumSize {
		return nil, Damaged("table", "truncated at %d bytes", len(data))
	}
	if sum := binary.LittleEndian.Uint32(data[tableEnd:]); sum != checksum(data[:tableEnd]) {
		return nil, Damaged("table", "wrong checksum")
	}
	if found := unpadded(data[16 : 16+kindSize]); found != kind {
		return nil, Damaged("header", "kind is %q, want %q", found, kind)
	}
	if found := binary.LittleEndian.Uint32(data[12:]); found < read.Oldest || found > read.Newest {
		return nil, &VersionError{Kind: kind, Found: found, Read: read}
	}
	if size := binary.LittleEndian.Uint64(data[32:]); size != uint64(len(data)) {
		return nil, Damaged("header", "the file has %d bytes, but its header has the size %d", len(data), size)
	}
	b := data[headerSize:tableEnd]
	table := make([]entry, 0, len(b)/entrySize)
	for ; len(b) > 0; b = b[entrySize:] {
		e := entry{
			name:   unpadded(b[:nameSize]),
			offset: binary.LittleEndian.Uint64(b[nameSize:]),
			length: binary.LittleEndian.Uint64(b[nameSize+8:]),
			sum:    binary.LittleEndian.Uint32(b[nameSize+16:]),
		}
		if e.name == "" {
			return nil, Damaged("table", "section %d has no name", len(table))
		}
		table = append(table, e)
	}
	return table, nil
}

func unpadded(field []byte) string {
	name, _, _ := bytes.Cut(field, []byte{0})
	return string(name)
}

// cut returns the section e, which must begin at the first aligned offset after end.
// The order of the comparisons keeps the sums from overflowing.
func cut(data []byte, end uint64, e entry) ([]byte, error) {
	size := uint64(len(data))
	if e.offset != uint64(aligned(int(end))) || e.offset > size {
		return nil, Damaged(e.name, "begins at byte %d, not right after the section before", e.offset)
	}
	if e.length > size-e.offset {
		return nil, Damaged(e.name, "%d bytes at %d do not fit into %d", e.length, e.offset, size)
	}
	for _, b := range data[end:e.offset] {
		if b != 0 {
			return nil, Damaged(e.name, "the padding before it is not zero")
		}
	}
	// The capacity ends with the section, so that an append never writes into
	// the next one.
	body := data[e.offset : e.offset+e.length : e.offset+e.length]
	if checksum(body) != e.sum {
		return nil, Damaged(e.name, "wrong checksum")
	}
	return body, nil
}

// Section returns the bytes of a section, which must not be changed. A missing
// section is a [*DamageError].
func (f *File) Section(name string) ([]byte, error) {
	body, ok := f.sections[name]
	if !ok {
		return nil, Damaged(name, "missing")
	}
	return body, nil
}

// Names returns the names of the sections in the order of the file.
func (f *File) Names() []string { return slices.Clone(f.names) }

// Size returns the length of the whole file in bytes.
func (f *File) Size() int { return f.size }

// DamageError is the error for an unusable file. Section is the damaged part: the name
// of a section, "header" for the part before the table (also for a file of another
// format), or "table".
type DamageError struct {
	Section string
	Reason  string
}

// Error names the section and its fault.
func (e *DamageError) Error() string {
	return fmt.Sprintf("read snapshot: %s is damaged: %s", e.Section, e.Reason)
}

// Damaged returns a [DamageError]. Packages use it for faults inside the sections that
// they wrote.
func Damaged(section, format string, args ...any) error {
	return &DamageError{Section: section, Reason: fmt.Sprintf(format, args...)}
}

// VersionError is the error for an intact file that another version of the program
// wrote.
type VersionError struct {
	Kind  string // of the file; "container" if the layout itself differs
	Found uint32
	Read  Versions
}

// Newer reports whether a newer version of the program wrote the file.
func (e *VersionError) Newer() bool { return e.Found > e.Read.Newest }

// Error names the versions and the remedy.
func (e *VersionError) Error() string {
	remedy := "build it again"
	if e.Newer() {
		remedy = "a newer program wrote it: use that one"
	}
	return fmt.Sprintf("read snapshot: %s version is %d, this program reads %d to %d: %s", e.Kind, e.Found, e.Read.Oldest, e.Read.Newest, remedy)
}
