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
	for i, e := range table {
		name := unpadded(e.Name[:])
		if name == "" {
			return nil, Damaged("table", "section %d has no name", i)
		}
		if _, twice := f.sections[name]; twice {
			return nil, Damaged("table", "section %q is listed twice", name)
		}
		body, err := cut(data, end, name, e)
		if err != nil {
			return nil, err
		}
		f.names = append(f.names, name)
		f.sections[name] = body
		end = e.Offset + e.Length
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
	var h header
	_, _ = binary.Decode(data, binary.LittleEndian, &h) // it is long enough
	if string(h.Magic[:]) != magic {
		return nil, Damaged("header", "not a snapshot file")
	}
	if h.Container != container {
		return nil, &VersionError{Kind: "container", Found: h.Container, Read: Versions{container, container}}
	}
	if h.Sections > maxSections {
		return nil, Damaged("header", "%d sections, more than %d", h.Sections, maxSections)
	}
	tableEnd := headerSize + entrySize*int(h.Sections)
	if len(data) < tableEnd+sumSize {
		return nil, Damaged("table", "truncated at %d bytes", len(data))
	}
	if sum := binary.LittleEndian.Uint32(data[tableEnd:]); sum != checksum(data[:tableEnd]) {
		return nil, Damaged("table", "wrong checksum")
	}
	if found := unpadded(h.Kind[:]); found != kind {
		return nil, Damaged("header", "kind is %q, want %q", found, kind)
	}
	if h.Version < read.Oldest || h.Version > read.Newest {
		return nil, &VersionError{Kind: kind, Found: h.Version, Read: read}
	}
	if h.Size != uint64(len(data)) {
		return nil, Damaged("header", "the file has %d bytes, but its header has the size %d", len(data), h.Size)
	}
	table := make([]entry, h.Sections)
	_, _ = binary.Decode(data[headerSize:], binary.LittleEndian, table)
	return table, nil
}

func unpadded(field []byte) string {
	name, _, _ := bytes.Cut(field, []byte{0})
	return string(name)
}

// cut returns the section of an entry, which must begin at the first aligned offset after end.
// The order of the comparisons keeps the sums from overflowing.
func cut(data []byte, end uint64, name string, e entry) ([]byte, error) {
	size := uint64(len(data))
	if e.Offset != uint64(aligned(int(end))) || e.Offset > size {
		return nil, Damaged(name, "begins at byte %d, not right after the section before", e.Offset)
	}
	if e.Length > size-e.Offset {
		return nil, Damaged(name, "%d bytes at %d do not fit into %d", e.Length, e.Offset, size)
	}
	for _, b := range data[end:e.Offset] {
		if b != 0 {
			return nil, Damaged(name, "the padding before it is not zero")
		}
	}
	// The capacity ends with the section, so that an append never writes into
	// the next one.
	body := data[e.Offset : e.Offset+e.Length : e.Offset+e.Length]
	if checksum(body) != e.Sum {
		return nil, Damaged(name, "wrong checksum")
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
