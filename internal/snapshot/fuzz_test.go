package snapshot_test

import (
	"bytes"
	"testing"

	"gamedex/internal/snapshot"
)

// FuzzOpen opens arbitrary bytes. An accepted file must be readable to its last byte,
// and must be refused after any byte is changed.
func FuzzOpen(f *testing.F) {
	good := sample(f)
	f.Add(good, 0)
	f.Add([]byte(nil), 0)
	for _, n := range []int{8, 47, 52, len(good) / 2, len(good) - 1} {
		f.Add(good[:n], n)
		f.Add(good, n)
		flipped := bytes.Clone(good)
		flipped[n] ^= 0x10
		f.Add(flipped, n)
	}
	f.Fuzz(func(t *testing.T, data []byte, at int) {
		file, err := snapshot.Open(data, kind, versions)
		if err != nil {
			return
		}
		read(t, file)
		at = int(uint(at) % uint(len(data)))
		changed := bytes.Clone(data)
		changed[at] ^= 1
		if _, err := snapshot.Open(changed, kind, versions); err == nil {
			t.Errorf("accepted after a change of byte %d", at)
		}
	})
}

func read(t *testing.T, file *snapshot.File) {
	for _, name := range file.Names() {
		if _, err := file.Section(name); err != nil {
			t.Errorf("section %q: %v", name, err)
		}
		if s, err := file.Strings(name); err == nil {
			for i := range s.Len() {
				_ = s.At(uint32(i))
			}
		}
	}
}
