package snapshot

import (
	"encoding/binary"
	"testing"
)

// TestForgedTable checks that tables with a valid checksum and invalid contents are
// refused.
func TestForgedTable(t *testing.T) {
	const (
		first  = headerSize
		second = headerSize + entrySize
	)
	for _, tt := range []struct {
		name  string
		forge func(data []byte)
	}{
		{"offset beyond the file", func(d []byte) { put64(d[first+nameSize:], 1<<40) }},
		{"offset that wraps", func(d []byte) { put64(d[second+nameSize:], 1<<64-8) }},
		{"length beyond the file", func(d []byte) { put64(d[first+nameSize+8:], 1<<40) }},
		{"length that wraps", func(d []byte) { put64(d[first+nameSize+8:], 1<<64-1) }},
		{"overlap", func(d []byte) { copy(d[second+nameSize:], d[first+nameSize:first+nameSize+8]) }},
		{"length too small", func(d []byte) { put64(d[second+nameSize+8:], 0) }},
		{"no name", func(d []byte) { clear(d[first : first+nameSize]) }},
		{"same name", func(d []byte) { copy(d[second:second+nameSize], d[first:]) }},
		{"size", func(d []byte) { put64(d[32:], 1) }},
		{"count", func(d []byte) { binary.LittleEndian.PutUint32(d[40:], 1<<31) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := NewWriter("catalog", 1)
			w.Add("a", []byte("12345678"))
			w.Add("b", []byte("12345678"))
			data, err := w.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			tt.forge(data)
			end := headerSize + 2*entrySize
			binary.LittleEndian.PutUint32(data[end:], checksum(data[:end]))
			if _, err := Open(data, "catalog", Versions{1, 1}); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func put64(b []byte, v uint64) { binary.LittleEndian.PutUint64(b, v) }
