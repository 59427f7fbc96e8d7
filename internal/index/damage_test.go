package index_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/index/pack"
	"gamedex/internal/snapshot"
	"gamedex/internal/testing/golden"
)

// everything is a small catalog in which no section is empty.
func everything() *sample {
	s := family()
	for i := range s.in.Cards {
		c := &s.in.Cards[i]
		c.TitleIDs, c.Platforms = []string{"CUSA0000" + string(rune('0'+i))}, []string{"PS4", "PS5"}
		c.Prose = catalog.ProseChoice{Description: 1, Genres: 1, Screenshots: 1}
	}
	s.prose[1] = &catalog.Prose{Description: "About a star.", Genres: []string{"Action"}, Screenshots: []string{"https://x.example/1"}}
	s.in.Cards[0].Popularity, s.in.Cards[0].FirstSeen = 1.5, 1000
	s.in.Cards[2].Members = []string{"G", "M"}
	s.in.Cards[8].Aliases = []string{"old-star"}
	s.prose[2] = &catalog.Prose{Description: "Про зірку."}
	s.in.Cards[0].Texts = []catalog.Texts{{Language: "en", Title: s.in.Cards[0].Title, Description: 1},
		{Language: "ru", Title: "Звезда"}, {Language: "uk", Title: "Зірка", EditionName: "Золота", Description: 2}}
	s.in.Cards[8].Offers[1].Texts = []catalog.Texts{{Language: "de", Title: "Stern", EditionName: "Gold"}}
	s.in.Moved = map[string][]string{"OLD00000": {"GAME0000", "DLC00000"}}
	s.in.Regions = map[catalog.Platform][]catalog.Region{catalog.ConsoleStore: s.in.Active}
	s.in.Entries[0].Price = discounted(1<<40, 1<<39, 5000)
	s.in.Entries[1].URL = catalog.PatternOf("https://c.example/ua/G", "G", "")
	return s
}

// patched returns a blob with bytes of a section changed and valid checksums.
func patched(t testing.TB, blob []byte, kind, section string, change func([]byte) []byte) []byte {
	t.Helper()
	f, err := snapshot.Open(blob, kind, index.Formats())
	must(t, err)
	w := snapshot.NewWriter(kind, index.Format)
	for _, name := range f.Names() {
		data, err := f.Section(name)
		must(t, err)
		if name == section {
			data = change(append([]byte(nil), data...))
		}
		w.Add(name, data)
	}
	out, err := w.Bytes()
	must(t, err)
	return out
}

func put(at int, v uint32) func([]byte) []byte {
	return func(b []byte) []byte {
		binary.LittleEndian.PutUint32(b[at:], v)
		return b
	}
}

func TestOpenRefusesDamageBySection(t *testing.T) {
	whole := everything().build(t)
	cut := func(b []byte) []byte { return b[:len(b)-4] }
	text := func(s string) func([]byte) []byte { return func([]byte) []byte { return []byte(s) } }
	for _, tt := range []struct {
		kind, section string
		change        func([]byte) []byte
		want          string // part of the reason
	}{
		{"catalog", "ranking", cut, "not a multiple"},
		{"catalog", "ranking", func(b []byte) []byte { return b[16:] }, "records, want"},
		{"catalog", "languages", cut, ""}, // records in a language that nobody can ask for
		{"catalog", "languages", put(4, 1<<30), "record 1: number 1073741824 of"},
		{"catalog", "languages", put(4, 0), `"" comes after "de"`},
		{"catalog", "local", put(16, 1<<30), "record 1: number 1073741824 of"},
		{"catalog", "local", put(16+8, 1<<30), "record 1: number 1073741824 of"},
		{"catalog", "local", put(12, 1<<31), "no list begins at 2147483648"},
		{"catalog", "local", put(12, 2), "no list begins at 2"},
		{"catalog", "local", cut, "not a multiple"},
		{"catalog", "local-first", put(0, 1), "offset 0 is 1, after 0"},
		{"catalog", "local-first", put(4, 1<<30), "offset 2 is 3, after 1073741824"},
		{"catalog", "local-first", cut, "13 offsets, want 14"},
		{"catalog", "local-first", func(b []byte) []byte { return put(len(b)-4, 5)(b) }, "end at 5, want 4"},
		{"catalog", "meta", text("{"), "unexpected end"},
		{"catalog", "meta", text(`{"regions":["UA","TR"]}`), "TR comes after UA"},
		{"catalog", "meta", text(`{"active":["UA"]}`), "active region UA has no number"},
		{"catalog", "meta", text(`{"regions":["ZZ"]}`), "not a country code"},
		{"catalog", "cards", cut, "not a multiple"},
		{"catalog", "cards", put(4, 1<<30), "number 1073741824 of"},
		{"catalog", "cards", put(15*4, 2), "no list begins at 2"},
		{"catalog", "cards", put(21*4, 1<<31), "no list begins at 2147483648"},
		{"catalog", "cards", put(24*4, 1<<31), "offers 2147483648"},
		{"catalog", "cards", put(26*4, 7), "is numbered 7"},
		{"catalog", "cards", put(0, 9), "platform 9"},
		{"catalog", "offers", put(4, 1<<30), "number 1073741824 of"},
		{"catalog", "offers", put(12, 99), "type 99"},
		{"catalog", "texts", put(4, 1<<30), "has 1073741824 numbers"},
		{"catalog", "texts", put(8, 1<<30), "number 1073741824 of"},
		{"catalog", "links", put(8, 1<<30), "number 1073741824 of"},
		{"catalog", "links", text(""), "no empty list"},
		{"catalog", "ids", cut, "not a multiple"},
		{"catalog", "ids", func(b []byte) []byte { return b[8:] }, "not a power of two"},
		{"catalog", "keys", func(b []byte) []byte { return b[:0] }, "not a power of two"},
		{"catalog", "keys", func(b []byte) []byte {
			for i := range b {
				b[i] = 1
			}
			return b
		}, "has card 16843008 of 9"},
		{"catalog", "keys", func(b []byte) []byte {
			for i := range b {
				b[i] = byte(1 - min(i%8, 1))
			}
			return b
		}, "no slot is free"},
		{"catalog", "moved", put(0, 1<<30), "number 1073741824 of"},
		{"catalog", "moved", put(4, 1<<30), "no list begins"},
		{"catalog", "moved", cut, "do not form pairs"},
		{"prices", "meta", text(`{"catalog":"other"}`), `belong to catalog "other"`},
		{"prices", "currencies", put(4, 1<<30), "number 1073741824 of"},
		{"prices", "currencies", text(""), "0 currencies"},
		{"prices", "rows", put(2, 1<<30), ""}, // a time: any number is right
		{"prices", "rows", put(8, 1<<30), "record 0: number 1073741824 of"},
		{"prices", "rows", put(24+12, 1<<30), "record 1: number 1073741824 of"},
		{"prices", "rows", put(48+16, 1<<30), "record 2: number 1073741824 of"},
		{"prices", "rows", put(20, 1<<32-1), "record 0: number 4294967295 of"},
		{"prices", "points", put(4, 1<<30), ""}, // an amount
		{"prices", "points", put(12, 1<<30), "record 1: number 1073741824 of"},
		{"prices", "points", cut, "not a multiple"},
		{"prices", "extras", text(""), "empty"},
		{"prices", "extras", put(24+12, 1<<20), "record 1: number 1048576 of"},
		{"prices", "extras", put(16, 1<<20), "record 0: number 1048576 of"},
		{"prices", "extras", func(b []byte) []byte { b[22] = 200; return b }, "number 200 of"},
		{"prices", "ends", func(b []byte) []byte { return append(b, b...) }, "not above"},
		{"prices", "revs", func(b []byte) []byte { return b[8:] }, "8 for 9 cards"},
		{"prices", "card-rows", put(0, 1<<30), "record 0: rows 1073741824 to"},
		{"prices", "card-rows", put(4, 200), "to 200 of"},
		{"prices", "card-rows", put(4, 5), "do not rise"},
		{"prices", "offer-rows", put(0, 1<<30), "record 0: rows 1073741824 to"},
	} {
		t.Run(tt.kind+" "+tt.section+" "+tt.want, func(t *testing.T) {
			blobs := whole
			if tt.kind == "catalog" {
				blobs.Catalog = patched(t, whole.Catalog, tt.kind, tt.section, tt.change)
			} else {
				blobs.Prices = patched(t, whole.Prices, tt.kind, tt.section, tt.change)
			}
			_, err := index.Open(blobs.Catalog, blobs.Prices)
			if tt.want == "" {
				if err != nil {
					t.Errorf("error %v, want none", err)
				}
				return
			}
			if damage, ok := errors.AsType[*snapshot.DamageError](err); !ok || damage.Section != tt.section || !strings.Contains(damage.Reason, tt.want) {
				t.Errorf("error %v\nwant damage of %q: …%s…", err, tt.section, tt.want)
			}
		})
	}
}

func TestLowsRefuseDamageBySection(t *testing.T) {
	blobs, all := lowsOfEverything(t)
	snap, number := open(t, blobs), richest(all)
	blob := all[number]
	cut := func(n int) func([]byte) []byte { return func(b []byte) []byte { return b[:len(b)-n] } }
	text := func(s string) func([]byte) []byte { return func([]byte) []byte { return []byte(s) } }
	set := func(at int, v byte) func([]byte) []byte { return func(b []byte) []byte { b[at] = v; return b } }
	for _, tt := range []struct {
		section string
		change  func([]byte) []byte
		want    string // part of the reason
	}{
		{"meta", text("{"), "unexpected end"},
		{"meta", text(`{"cards":-1}`), "-1 cards"},
		{"meta", text(`{"today":-1}`), "today -1"},
		{"meta", text(`{"origin":9223372036854775807}`), "origin 9223372036854775807"},
		{"moments", cut(1), "not a multiple"},
		{"moments", text(""), ""}, // the records that need one
		{"changed", cut(8), "for 9 cards"},
		{"changed", set(7, 0x80), "a card above 9"},
		{"lengths", func(b []byte) []byte { return append(b, 1) }, "4 for 3 records"},
		{"ranks", set(0, 1), "is 1, want 0"},
		{"ranks", cut(4), "0 for 1 words"},
		{"lengths", set(0, 255), "ends at 255 of"},
		{"records", set(0, 0), "record 0: it is cut off"},
		{"lengths", cut(1), "2 for 3 records"},
		{"places", set(0, 9), "begins at 0, not 9"},
		{"places", text(""), "0 for 3 records"},
		{"records", func(b []byte) []byte { return append(b, 0) }, "but records of"},
		{"records", set(1, 0xbf), "record 0"}, // a number that the table lacks
	} {
		t.Run(tt.section+" "+tt.want, func(t *testing.T) {
			damaged := slices.Clone(all)
			damaged[number] = patched(t, blob, "lows", tt.section, tt.change)
			_, err := index.OpenLows(damaged[number])
			if err == nil {
				_, err = snap.WithLows(opened(t, damaged)...)
			}
			section := tt.section
			if tt.want == "" {
				section = "records"
			}
			if damage, ok := errors.AsType[*snapshot.DamageError](err); !ok || damage.Section != section || !strings.Contains(damage.Reason, tt.want) {
				t.Errorf("error %v\nwant damage of %q: …%s…", err, section, tt.want)
			}
		})
	}
}

// rowsIn returns the entries of a region.
func (s *sample) rowsIn(region string) (entries []uint32) {
	for n := range s.in.Entries {
		if s.in.Entries[n].Region == catalog.MustRegion(region) {
			entries = append(entries, uint32(n))
		}
	}
	return entries
}

// richest returns the number of the largest blob.
func richest(blobs [][]byte) (number int) {
	for i := range blobs {
		if len(blobs[i]) > len(blobs[number]) {
			number = i
		}
	}
	return number
}

// lowsOfEverything returns the blobs of everything and, by region, lows in which some
// prices have changed.
func lowsOfEverything(t testing.TB) (pack.Blobs, [][]byte) {
	t.Helper()
	s := everything()
	blobs, repricer, err := pack.Build(s.in)
	must(t, err)
	lows := pack.NewLows(builtDay)
	tr := s.rowsIn("TR")
	for n, entry := range tr[:3] {
		steps := []history.Step{
			{At: builtAt - 50*day, State: history.Priced, Currency: "UAH", Base: 99900, Current: 99900},
			{At: builtAt - 20*day, State: history.Priced, Currency: "UAH", Base: 99900, Current: 0, EndsAt: builtAt - 19*day},
			{At: builtAt - 10*day, State: history.Priced, Currency: "UAH", Base: 1 << 40, Current: 1 << 39, EndsAt: builtAt + day},
		}
		must(t, lows.Set(entry, &s.in.Entries[entry], steps[:n+1]))
	}
	return blobs, packed(t, repricer, lows, s)
}

// readAll reads everything that can be read.
func readAll(s *index.Snapshot) (n int) {
	v := index.NewView(s, index.Published{})
	rows := func(r index.Rows) {
		for i := range r.Len() {
			row, lows := r.At(i).At(6000), history.Summary{}
			v.USD(&row)
			if row.Lows(6000, &lows) {
				n += lows.AllTime.Times
			}
			n += len(row.BaseText() + row.CurrentText() + row.Label() + row.Edition() + row.Product() + row.Source())
			n += len(row.AppendURL(nil)) + len(s.Currency(row.Currency)) + len(s.Region(row.Region).Key(catalog.PCStore))
		}
		r.Simple(4000)
	}
	languages := []index.Language{s.Language("uk"), s.Language("en"), s.Language("de"), s.Language("fr")}
	texts := func(c index.Card) {
		for _, l := range languages {
			n += len(c.TitleIn(l) + c.EditionNameIn(l) + c.DescriptionIn(l) + index.Hit{Card: c}.TitleIn(l))
			for i := range c.Offers().Len() {
				o := c.Offers().At(i)
				n += len(o.TitleIn(l) + o.EditionIn(l))
			}
		}
	}
	list := func(l index.Cards) {
		for i := range l.Len() {
			n += len(l.At(i).Title())
		}
	}
	for i := range s.Len() {
		c := s.Card(i)
		s.LookupEach(0, []string{c.ID()}, new([index.PrefetchStep]index.Card))
		s.PrefetchCards([]index.Card{c}, []uint8{0, 1, 255})
		readCard(s, c)
		texts(c)
		rows(c.Rows())
		list(c.Variants())
		list(c.Related())
		list(c.Members())
		list(c.Editions())
		for j := range c.Offers().Len() {
			rows(c.Offers().At(j).Rows())
			c.Offers().At(j).InActive()
		}
		n += int(c.Rev()&1) + int(c.Popularity()+float64(c.AddedAt()))
		s.Lookup(0, c.ID())
		s.Find(c.Title(), 0, 5, 0, true, nil)
	}
	for _, q := range []string{"CUSA00001_00", "https://c.example/ua/G", "star", "satr pack"} {
		s.Find(q, 0, 3, 1, true, nil)
	}
	s.Lookup(0, "old-star")
	return n + len(s.Moved(0, "OLD00000")) + s.PassedEnds(6000)
}

// FuzzOpen changes bytes of one section and corrects the checksums: everything
// in a blob that Open accepts must be readable. Section 255 is the file.
func FuzzOpen(f *testing.F) {
	whole := everything().build(f)
	f.Add(true, uint8(255), uint32(0), whole.Catalog[:100])
	f.Add(false, uint8(255), uint32(0), []byte{})
	for section := range uint8(32) {
		for _, at := range []uint32{0, 4, 24, 41} {
			f.Add(true, section, at, []byte{1, 0, 0, 0})
			f.Add(false, section, at, []byte{255, 255, 255, 255, 255})
		}
	}
	f.Fuzz(func(t *testing.T, inCatalog bool, section uint8, at uint32, patch []byte) {
		blobs := whole
		if inCatalog {
			blobs.Catalog = fuzzed(t, whole.Catalog, "catalog", section, at, patch)
		} else {
			blobs.Prices = fuzzed(t, whole.Prices, "prices", section, at, patch)
		}
		if s, err := index.Open(blobs.Catalog, blobs.Prices); err == nil {
			readAll(s)
		}
	})
}

// FuzzOpenLows does the same with the lows.
func FuzzOpenLows(f *testing.F) {
	blobs, all := lowsOfEverything(f)
	snap, number := open(f, blobs), richest(all)
	whole := all[number]
	f.Add(uint8(255), uint32(0), whole[:100])
	for section := range uint8(7) {
		for _, at := range []uint32{0, 1, 4, 41} {
			f.Add(section, at, []byte{255, 255, 255, 255, 255})
		}
	}
	f.Fuzz(func(t *testing.T, section uint8, at uint32, patch []byte) {
		l, err := index.OpenLows(fuzzed(t, whole, "lows", section, at, patch))
		if err != nil {
			return
		}
		lows := opened(t, all)
		lows[number] = l
		if s, err := snap.WithLows(lows...); err == nil {
			readAll(s)
		}
	})
}

func fuzzed(t *testing.T, blob []byte, kind string, section uint8, at uint32, patch []byte) []byte {
	if section == 255 {
		return patch
	}
	f, err := snapshot.Open(blob, kind, index.Formats())
	must(t, err)
	names := f.Names()
	return patched(t, blob, kind, names[int(section)%len(names)], func(b []byte) []byte {
		if int64(at) < int64(len(b)) {
			copy(b[at:], patch)
			return b
		}
		return append(b, patch...)
	})
}

// TestEveryByteOfEveryRecord writes odd values over every number of every
// section, with valid checksums, and reads the blobs that Open accepts.
func TestEveryByteOfEveryRecord(t *testing.T) {
	whole := everything().build(t)
	taken := 0
	for kind, blob := range map[string][]byte{"catalog": whole.Catalog, "prices": whole.Prices} {
		f, err := snapshot.Open(blob, kind, index.Formats())
		must(t, err)
		for _, name := range f.Names() {
			data, _ := f.Section(name)
			for at := 0; at+4 <= len(data); at += 4 {
				for _, v := range []uint32{0, 1, 1<<32 - 1, binary.LittleEndian.Uint32(data[at:]) + 1} {
					blobs := whole
					if kind == "catalog" {
						blobs.Catalog = patched(t, blob, kind, name, put(at, v))
					} else {
						blobs.Prices = patched(t, blob, kind, name, put(at, v))
					}
					if s, err := index.Open(blobs.Catalog, blobs.Prices); err == nil {
						readAll(s)
						taken++
					}
				}
			}
		}
	}
	if taken == 0 {
		t.Error("no change was accepted, so nothing was read")
	}
}

// TestFixtures reads the snapshots that the first programs with the formats of Formats
// wrote: a program must read them, or raise Format and Oldest.
func TestFixtures(t *testing.T) {
	fixture := func(kind string, format uint32) string {
		return filepath.Join("testdata", fmt.Sprintf("%s-v%d.snap", kind, format))
	}
	if golden.Update() {
		blobs := everything().build(t)
		_, lows := lowsOfEverything(t)
		files := map[string][]byte{"catalog": blobs.Catalog, "prices": blobs.Prices}
		for i, blob := range lows {
			files[fmt.Sprint("lows", i)] = blob
		}
		for kind, blob := range files {
			must(t, os.WriteFile(fixture(kind, index.Format), blob, 0o644))
		}
	}
	read := index.Formats()
	if read.Newest != index.Format || read.Oldest != index.Format-1 {
		t.Errorf("this program writes format %d and reads %d to %d; want its own and the one before", index.Format, read.Oldest, read.Newest)
	}
	for format := read.Oldest; format <= read.Newest; format++ {
		t.Run(fmt.Sprint("format ", format), func(t *testing.T) {
			snap := open(t, pack.Blobs{Catalog: readFile(t, fixture("catalog", format)), Prices: readFile(t, fixture("prices", format))})
			if got, want := readAll(snap), readAll(everything().open(t)); format == index.Format && got != want {
				t.Errorf("the fixture reads as %d, a new snapshot as %d", got, want)
			}
			if got := hits(snap, "star pack", 0, false); got != "BUNDLE00" {
				t.Errorf("the fixture finds %q", got)
			}
			row := inRegion(t, snap, find(t, snap, "game0000").Rows(), "TR")
			if row.Base != 1<<40 || row.EndsAt != 5000 || row.Label() != "Sale" {
				t.Errorf("the fixture's first row is %+v", row)
			}
			card := find(t, snap, "game0000")
			if got := fmt.Sprint(card.Popularity(), card.AddedAt()); got != "1.5 1000" {
				t.Errorf("the popularity of the fixture's first card and when it was added: %s", got)
			}
			if got := card.TitleIn(snap.Language("uk")); got != "Зірка" {
				t.Errorf("the Ukrainian title of the fixture's first card: %s", got)
			}
			names, err := filepath.Glob(fixture("lows*", format))
			must(t, err)
			var lows [][]byte
			for _, name := range names {
				lows = append(lows, readFile(t, name))
			}
			snap = joined(t, snap, lows...)
			row = inRegion(t, snap, find(t, snap, "game0000").Rows(), "TR")
			var first history.Summary
			if row.Lows(int64(builtAt), &first); first.WatchedSince != builtAt-50*day {
				t.Errorf("the fixture's first lows are %+v", first)
			}
		})
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; to write the files of a new format, run: go test gamedex/internal/index -run '^TestFixtures$' -update", err)
	}
	return data
}
