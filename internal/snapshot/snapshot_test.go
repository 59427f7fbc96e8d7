package snapshot_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/snapshot"
)

const (
	kind    = "catalog"
	version = 7
)

var versions = snapshot.Versions{Oldest: version, Newest: version}

// sample returns a file with sections of odd lengths, one of them empty.
func sample(tb testing.TB) []byte {
	tb.Helper()
	w := snapshot.NewWriter(kind, version)
	w.Add("first", []byte("12345"))
	w.Add("empty", nil)
	w.Add("numbers", snapshot.AppendU32(snapshot.AppendU32(nil, 1), 2))
	w.Add("last", []byte("x"))
	data, err := w.Bytes()
	must(tb, err)
	return data
}

func open(tb rapid.TB, w *snapshot.Writer) *snapshot.File {
	tb.Helper()
	data, err := w.Bytes()
	must(tb, err)
	f, err := snapshot.Open(data, kind, versions)
	must(tb, err)
	return f
}

func TestAnySections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.MapOfN(rapid.StringMatching(`[a-z/-]{1,32}`), rapid.SliceOf(rapid.Byte()), 0, 6).Draw(t, "sections")
		names := slices.Collect(maps.Keys(want))
		w := snapshot.NewWriter(kind, version)
		for _, name := range names {
			w.Add(name, want[name])
		}
		f := open(t, w)
		if data, _ := w.Bytes(); f.Size() != len(data) || !slices.Equal(f.Names(), names) {
			t.Fatalf("%d bytes of %q, want %d of %q", f.Size(), f.Names(), len(data), names)
		}
		for name, body := range want {
			if got, err := f.Section(name); err != nil || string(got) != string(body) {
				t.Fatalf("section %q = %q, %v; want %q", name, got, err, body)
			}
		}
	})
}

func TestSectionsDoNotGrowIntoEachOther(t *testing.T) {
	f, err := snapshot.Open(sample(t), kind, versions)
	must(t, err)
	first, _ := f.Section("first")
	_ = append(first, make([]byte, 64)...)
	if last, _ := f.Section("last"); string(last) != "x" {
		t.Errorf("last = %q after an append to first, want %q", last, "x")
	}
}

func TestWriterRefuses(t *testing.T) {
	for _, tt := range []struct{ name, kind, section, want string }{
		{"no kind", "", "a", "kind"},
		{"long kind", strings.Repeat("k", 17), "a", "1 to 16 bytes"},
		{"no name", kind, "", "section name"},
		{"long name", kind, strings.Repeat("n", 33), "1 to 32 bytes"},
		{"zero in a name", kind, "a\x00b", "visible ASCII"},
		{"twice", kind, "other", "added twice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := snapshot.NewWriter(tt.kind, version)
			w.Add("other", nil)
			w.Add(tt.section, nil)
			if _, err := w.Bytes(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Bytes: %v, want an error with %q", err, tt.want)
			}
		})
	}
}

// TestOneByteChanged checks the promise of the package: a file with one changed byte,
// at any position and in any way, is refused.
func TestOneByteChanged(t *testing.T) {
	good := sample(t)
	for at := range good {
		for _, change := range []byte{0x01, 0x80, 0xff} {
			bad := append([]byte(nil), good...)
			bad[at] ^= change
			if _, err := snapshot.Open(bad, kind, versions); err == nil {
				t.Fatalf("byte %d changed by %#x was accepted", at, change)
			}
		}
	}
}

func TestCutOrExtended(t *testing.T) {
	good := sample(t)
	for n := range good {
		if _, err := snapshot.Open(good[:n:n], kind, versions); err == nil {
			t.Fatalf("the first %d of %d bytes were accepted", n, len(good))
		}
	}
	if _, err := snapshot.Open(append(good, 0), kind, versions); err == nil {
		t.Fatal("a file with a byte after the end was accepted")
	}
}

// TestDamageNamesSection checks that the error for a changed byte names its part of
// the file.
func TestDamageNamesSection(t *testing.T) {
	good := sample(t)
	for _, tt := range []struct {
		section string
		at      int
	}{
		{"header", 0},
		{"table", 48},
		{"first", strings.Index(string(good), "12345")},
		{"numbers", len(good) - 9},
		{"last", len(good) - 1},
	} {
		bad := append([]byte(nil), good...)
		bad[tt.at] ^= 0x20
		_, err := snapshot.Open(bad, kind, versions)
		if damage, ok := errors.AsType[*snapshot.DamageError](err); !ok || damage.Section != tt.section {
			t.Errorf("byte %d changed: %v, want damage in %s", tt.at, err, tt.section)
		}
	}
}

func TestForeignFiles(t *testing.T) {
	good := sample(t)
	var damage *snapshot.DamageError
	if _, err := snapshot.Open(good, "prices", versions); !errors.As(err, &damage) || damage.Section != "header" {
		t.Errorf("other kind: %v, want damage in header", err)
	}
	if _, err := snapshot.Open([]byte(strings.Repeat("gzip", 100)), kind, versions); !errors.As(err, &damage) || damage.Section != "header" {
		t.Errorf("other file: %v, want damage in header", err)
	}
	var other *snapshot.VersionError
	for _, read := range []snapshot.Versions{{version - 1, version}, {version, version + 1}, {version - 1, version + 1}} {
		if _, err := snapshot.Open(good, kind, read); err != nil {
			t.Errorf("a program that reads %d to %d: %v", read.Oldest, read.Newest, err)
		}
	}
	for _, tt := range []struct {
		read  snapshot.Versions
		newer bool
		want  string
	}{
		{snapshot.Versions{version + 1, version + 2}, false, "catalog version is 7, this program reads 8 to 9: build it again"},
		{snapshot.Versions{version - 2, version - 1}, true, "catalog version is 7, this program reads 5 to 6: a newer program wrote it"},
	} {
		_, err := snapshot.Open(good, kind, tt.read)
		if !errors.As(err, &other) || other.Found != version || other.Newer() != tt.newer || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("other version: %v, want %q", err, tt.want)
		}
	}
	good[8]++
	if _, err := snapshot.Open(good, kind, versions); !errors.As(err, &other) || other.Kind != "container" {
		t.Errorf("other container: %v, want a VersionError of the container", err)
	}
}

func TestMissingSection(t *testing.T) {
	f := open(t, snapshot.NewWriter(kind, version))
	_, err := f.Section("cards")
	if want := "read snapshot: cards is damaged: missing"; err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
}

// must ends a test that cannot go on.
func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
