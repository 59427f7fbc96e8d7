package index_test

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"testing"

	"gamedex/internal/index"
	"gamedex/internal/index/pack"
	"gamedex/internal/snapshot"
)

// BenchmarkOpen opens a snapshot in memory, with every check, and for
// comparison decodes gob of the same columns, without checks.
func BenchmarkOpen(b *testing.B) {
	blobs := asStoresPrice(30_000, 18).build(b)
	size := int64(len(blobs.Catalog) + len(blobs.Prices))
	var encoded bytes.Buffer
	if err := gob.NewEncoder(&encoded).Encode(columnsOf(b, blobs)); err != nil {
		b.Fatal(err)
	}
	b.Run("open", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			open(b, blobs)
		}
	})
	b.Run("gob", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			if err := gob.NewDecoder(bytes.NewReader(encoded.Bytes())).Decode(&columns{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// columns returns the sections of a snapshot as columns, one for each field of
// a record.
type columns struct {
	Bytes map[string][]byte
	U16   map[string][]uint16
	U32   map[string][]uint32
	U64   map[string][]uint64
}

// widths are the fields of records, in bytes; what is not named is 32-bit
// numbers.
var widths = map[string][]int{
	"meta": {1}, "rows": {1, 1, 6, 4, 4, 4, 4}, "points": {4, 8}, "extras": {4, 4, 4, 4, 4, 2, 1, 1},
	"ends": {8}, "revs": {8}, "ids": {8}, "keys": {8}, "search/groups": {1}, "search/shown": {2},
}

func columnsOf(b *testing.B, blobs pack.Blobs) columns {
	c := columns{map[string][]byte{}, map[string][]uint16{}, map[string][]uint32{}, map[string][]uint64{}}
	for kind, blob := range map[string][]byte{"catalog": blobs.Catalog, "prices": blobs.Prices} {
		f, err := snapshot.Open(blob, kind, index.Formats())
		if err != nil {
			b.Fatal(err)
		}
		for _, name := range f.Names() {
			data, _ := f.Section(name)
			if s, err := f.Strings(name); err == nil && (name == "strings" || name == "search/terms") {
				text := 4 + 4*(s.Len()+1)
				c.Bytes[kind+name], data = data[text:], data[:text]
			}
			c.add(kind+name, data, widths[name])
		}
	}
	return c
}

func (c *columns) add(name string, data []byte, fields []int) {
	if fields == nil {
		fields = []int{4}
	}
	for len(data) > 0 {
		for i, width := range fields {
			column := name + string(rune('a'+i))
			var number [8]byte
			switch copy(number[:], data[:min(width, len(data))]); width {
			case 1:
				c.Bytes[column] = append(c.Bytes[column], number[0])
			case 2:
				c.U16[column] = append(c.U16[column], binary.LittleEndian.Uint16(number[:]))
			case 4:
				c.U32[column] = append(c.U32[column], binary.LittleEndian.Uint32(number[:]))
			default:
				c.U64[column] = append(c.U64[column], binary.LittleEndian.Uint64(number[:]))
			}
			data = data[min(width, len(data)):]
		}
	}
}
