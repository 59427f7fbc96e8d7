package importer_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/feed/importer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is a Repository that keeps listings in a map, according to catalog.Supersede.
type memory struct {
	stored  map[catalog.Key]catalog.Stored
	batches []int // lengths, in order
	failAt  int   // the batch that fails, from 1; 0: none
	onSave  func()
}

var errSave = errors.New("disk full")

func newMemory() *memory { return &memory{stored: make(map[catalog.Key]catalog.Stored)} }

func (m *memory) Save(ctx context.Context, batch []catalog.Listing) (n catalog.SaveCounts, err error) {
	if m.onSave != nil {
		m.onSave()
	}
	if len(m.batches)+1 == m.failAt {
		return n, errSave
	}
	if err := ctx.Err(); err != nil {
		return n, err
	}
	m.batches = append(m.batches, len(batch))
	for i := range batch {
		var old *catalog.Stored
		if s, ok := m.stored[batch[i].Key]; ok {
			old = &s
		}
		out := catalog.Supersede(old, &batch[i])
		m.stored[batch[i].Key] = out.Stored
		switch out.Effect {
		case catalog.New:
			n.New++
		case catalog.Changed:
			n.Changed++
		case catalog.Unchanged:
			n.Unchanged++
		case catalog.Older:
			n.Older++
		}
	}
	return n, nil
}

func (m *memory) RegionListings(_ context.Context, p catalog.Platform, r catalog.Region, fn func(string, catalog.Millis)) error {
	for key, s := range m.stored {
		if key.Platform == p && key.Region == r && !s.Withdrawn {
			fn(key.Product, s.SeenAt)
		}
	}
	return nil
}

// onSale lists the products of a region that are not withdrawn.
func (m *memory) onSale(region string) map[string]bool {
	products := make(map[string]bool)
	m.RegionListings(context.Background(), catalog.ConsoleStore, catalog.MustRegion(region), func(product string, _ catalog.Millis) {
		products[product] = true
	})
	return products
}

// texts opens inputs whose names are their contents.
func texts(_ context.Context, name string) (io.ReadCloser, int64, error) {
	return io.NopCloser(strings.NewReader(name)), int64(len(name)), nil
}

func options(inputs ...string) importer.Options {
	return importer.Options{Inputs: inputs, Open: texts, Now: clock}
}

// region returns a feed of products n to m-1 of one region, observed at an hour.
func region(code string, n, m, hour int) string {
	var b strings.Builder
	for i := n; i < m; i++ {
		fmt.Fprintln(&b, console(fmt.Sprintf(`"region":%q,"product":"P%d","observedAt":"2026-11-20T%02d:00:00Z"`, code, i, hour)))
	}
	return b.String()
}

func mustImport(t *testing.T, m *memory, o importer.Options) importer.Summary {
	t.Helper()
	s, err := importer.Import(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func scope(t *testing.T, s string) []importer.Scope {
	t.Helper()
	parsed, err := importer.ParseScope(s)
	if err != nil {
		t.Fatal(err)
	}
	return []importer.Scope{parsed}
}

func TestImportCounts(t *testing.T) {
	m := newMemory()
	mustImport(t, m, options(region("TR", 0, 4, 1)))
	rejected := map[string][]string{}
	o := options(
		region("TR", 0, 2, 2)+"# comment\n{}\n"+console(`"product":"P2","title":"New","vat":1`)+"\n",
		region("TR", 3, 4, 0)+region("TR", 4, 5, 0)+"x\n")
	o.Rejected = func(input string, why *feed.LineError) {
		rejected[input[:20]] = append(rejected[input[:20]], why.Error())
	}
	got := mustImport(t, m, o)
	want := importer.Summary{
		Read: 7, Rejected: 2, Unknown: map[string]int{"vat": 1},
		Saved: catalog.SaveCounts{New: 1, Changed: 1, Unchanged: 2, Older: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got.Stored() != 2 {
		t.Errorf("stored %d, want 2", got.Stored())
	}
	wantRejected := map[string][]string{o.Inputs[0][:20]: {"line 4: platform: is required", "line 5: x is not a JSON object"}}
	wantRejected[o.Inputs[0][:20]][1] = "line 3: x is not a JSON object"
	if diff := cmp.Diff(wantRejected, rejected); diff != "" {
		t.Error(diff)
	}
}

func TestImportTable(t *testing.T) {
	o := options("product,title\nP1,Star Forge\nP2,Dust Runner\n")
	o.Table = &feed.TableOptions{Platform: "consolestore", Region: "TR"}
	got := mustImport(t, newMemory(), o)
	if len(got.First) != 2 || got.First[1].Product != "P2" || !slices.ContainsFunc(got.Notes, func(n importer.Note) bool {
		return n.Text == "no column observedAt: it is 2026-11-20T04:00:00Z, the time of the import"
	}) {
		t.Errorf("%+v", got)
	}
}

func TestImportBatches(t *testing.T) {
	longLine := console(`"x":"`+strings.Repeat("x", 900<<10)+`"`) + "\n"
	tests := []struct {
		name, input string
		want        []int
	}{
		{"nothing", "", nil},
		{"one batch", region("TR", 0, 2000, 1), []int{2000}},
		{"by lines", region("TR", 0, 4001, 1), []int{2000, 2000, 1}},
		{"by bytes", strings.Repeat(longLine, 11), []int{5, 5, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMemory()
			mustImport(t, m, options(tt.input))
			if diff := cmp.Diff(tt.want, m.batches); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestImportProgress(t *testing.T) {
	text := region("TR", 0, 4500, 1)
	var last importer.Progress
	o := options(text)
	calls := 0
	o.Progress = func(p importer.Progress) {
		if p.Bytes < last.Bytes || p.Summary.Read <= last.Summary.Read {
			t.Errorf("progress goes back from %+v to %+v", last, p)
		}
		last, calls = p, calls+1
	}
	mustImport(t, newMemory(), o)
	if calls != 3 || last.Bytes != int64(len(text)) || last.Size != last.Bytes || last.Input != text || last.Summary.Saved.New != 4500 {
		t.Errorf("%d calls, the last one %d of %d bytes, %+v", calls, last.Bytes, last.Size, last.Summary)
	}
}

func TestImportStopsAtBrokenInput(t *testing.T) {
	packed := gzipped(t, region("TR", 0, 10000, 1))
	m := newMemory()
	o := options(packed[:len(packed)/2], region("TR", 0, 1, 1))
	o.Complete = scope(t, "consolestore:TR")
	got, err := importer.Import(t.Context(), m, o)
	if err == nil || !strings.HasSuffix(err.Error(), "unexpected EOF") || !strings.Contains(err.Error(), ": read line ") {
		t.Errorf("got %v", err)
	}
	if got.Saved.New == 0 || got.Saved.New != len(m.stored) || got.Withdrawn != 0 {
		t.Errorf("lines before the damage: %+v, stored %d", got, len(m.stored))
	}
}

func TestImportStopsWhenTheStoreFails(t *testing.T) {
	m := newMemory()
	m.failAt = 2
	got, err := importer.Import(t.Context(), m, options(region("TR", 0, 9000, 1)))
	if !errors.Is(err, errSave) || got.Saved.New != 2000 || got.Read != 2000 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestImportInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := newMemory()
	mustImport(t, m, options(region("TR", 0, 10, 1)))
	m.onSave = cancel
	o := options(region("TR", 5, 5000, 2))
	o.Complete, o.Force = scope(t, "consolestore:TR"), true
	_, err := importer.Import(ctx, m, o)
	if !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "import: interrupted after ") {
		t.Errorf("got %v", err)
	}
	if len(m.onSale("TR")) != 10 {
		t.Errorf("an interrupted import left %d listings of 10", len(m.onSale("TR")))
	}
}

func TestImportStrict(t *testing.T) {
	good, bad := region("TR", 0, 3000, 1), region("UA", 0, 2, 1)+"{}\n"
	for _, tt := range []struct {
		name   string
		inputs []string
		want   string
		stored int
	}{
		{"all good", []string{good, region("UA", 0, 5, 1)}, "", 3005},
		{"packed", []string{gzipped(t, good)}, "", 3000},
		{"one bad line", []string{good, bad}, "import: nothing is stored (rejected lines: 1 of 3003): fix them, or drop --strict to import the other 3002", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, o := newMemory(), options(tt.inputs...)
			o.Strict, o.TempDir = true, t.TempDir()
			_, err := importer.Import(t.Context(), m, o)
			if (err == nil) != (tt.want == "") || err != nil && err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if len(m.stored) != tt.stored {
				t.Errorf("stored %d, want %d", len(m.stored), tt.stored)
			}
			if left, _ := os.ReadDir(o.TempDir); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestImportStrictReadsOnce checks that a strict import stores exactly what it checked,
// even if the input can be read only once, such as standard input.
func TestImportStrictReadsOnce(t *testing.T) {
	m, o := newMemory(), options("-")
	o.Strict, o.TempDir = true, t.TempDir()
	o.Open = importer.Inputs(strings.NewReader(region("TR", 0, 3, 1)), nil)
	got := mustImport(t, m, o)
	if got.Read != 3 || len(m.stored) != 3 {
		t.Errorf("%+v, stored %d", got, len(m.stored))
	}
}

func TestImportComplete(t *testing.T) {
	tests := []struct {
		name   string
		stored string // imported first
		inputs []string
		force  bool
		want   string // the error, if any
		gone   []string
	}{
		{"nothing missing", region("TR", 0, 20, 1), []string{region("TR", 0, 20, 2)}, false, "", nil},
		{"a tenth", region("TR", 0, 20, 1), []string{region("TR", 2, 20, 2)}, false, "", []string{"P0", "P1"}},
		{"over a tenth", region("TR", 0, 20, 1), []string{region("TR", 3, 20, 2)}, false,
			"import: withdraw nothing: the input lacks 3 of the 20 listings of consolestore:TR, more than 10%: check that it is complete, or repeat with --force", nil},
		{"over a tenth, forced", region("TR", 0, 20, 1), []string{region("TR", 3, 20, 2)}, true, "", []string{"P0", "P1", "P2"}},
		{"new lines do not hide a loss", region("TR", 0, 20, 1), []string{region("TR", 3, 200, 2)}, false,
			"import: withdraw nothing: the input lacks 3 of the 20 listings of consolestore:TR, more than 10%: check that it is complete, or repeat with --force", nil},
		{"several inputs count as one", region("TR", 0, 20, 1), []string{region("TR", 0, 10, 2), region("TR", 10, 19, 2)}, false, "", []string{"P19"}},
		{"a listing seen later stays", region("TR", 0, 19, 1) + region("TR", 19, 20, 3), []string{region("TR", 0, 18, 2)}, false, "", []string{"P18"}},
		{"listings seen later do not count as missing", region("TR", 0, 15, 1) + region("TR", 15, 20, 3), []string{region("TR", 0, 15, 2)}, false, "", nil},
		{"a listing seen at the same time is withdrawn", region("TR", 0, 20, 2), []string{region("TR", 0, 19, 2)}, false, "", []string{"P19"}},
		{"a rejected line", region("TR", 0, 20, 1), []string{region("TR", 1, 20, 2) + "{}\n"}, true,
			"import: withdraw nothing: the input is not complete (rejected lines: 1)", nil},
		{"nothing read", region("TR", 0, 20, 1), []string{"# empty\n"}, true,
			"import: withdraw nothing: the input has no listings", nil},
		{"an empty region", "", []string{region("TR", 0, 5, 1)}, false, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMemory()
			mustImport(t, m, options(tt.stored+region("UA", 0, 5, 1)))
			before := m.onSale("TR")
			o := options(tt.inputs...)
			o.Complete, o.Force = scope(t, "consolestore:TR"), tt.force
			got, err := importer.Import(t.Context(), m, o)
			if (err == nil) != (tt.want == "") || err != nil && err.Error() != tt.want {
				t.Errorf("got error %v\nwant %s", err, tt.want)
			}
			var gone []string
			for product := range before {
				if !m.onSale("TR")[product] {
					gone = append(gone, product)
				}
			}
			slices.Sort(gone)
			if diff := cmp.Diff(tt.gone, gone); diff != "" || got.Withdrawn != len(tt.gone) {
				t.Errorf("withdrew %d: %s", got.Withdrawn, diff)
			}
			if len(m.onSale("UA")) != 5 {
				t.Error("the other region changed")
			}
		})
	}
}

// TestImportCompleteIsDated checks that missing listings are withdrawn as of the time of
// the latest line, which may be anywhere in the input.
func TestImportCompleteIsDated(t *testing.T) {
	m := newMemory()
	mustImport(t, m, options(region("TR", 0, 20, 1)))
	o := options(region("UA", 0, 1, 3) + region("TR", 1, 20, 2))
	o.Complete = scope(t, "consolestore:TR")
	mustImport(t, m, o)
	got := m.stored[catalog.Key{Platform: catalog.ConsoleStore, Region: catalog.MustRegion("TR"), Product: "P0"}]
	if want := catalog.MillisOf(time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC)); got.SeenAt != want || !got.Withdrawn {
		t.Errorf("withdrawn %t as of %s", got.Withdrawn, got.SeenAt.Time())
	}
}

// TestImportCompleteIsAllOrNothing checks that nothing is withdrawn in any region if too
// much would be withdrawn in one.
func TestImportCompleteIsAllOrNothing(t *testing.T) {
	m := newMemory()
	mustImport(t, m, options(region("TR", 0, 20, 1)+region("UA", 0, 20, 1)))
	o := options(region("TR", 1, 20, 2) + region("UA", 10, 20, 2))
	o.Complete = append(scope(t, "consolestore:TR"), scope(t, "consolestore:UA")...)
	if _, err := importer.Import(t.Context(), m, o); err == nil || len(m.onSale("TR")) != 20 {
		t.Errorf("got %v; TR has %d listings", err, len(m.onSale("TR")))
	}
}

func TestParseScope(t *testing.T) {
	for text, want := range map[string]string{
		"consolestore:TR": "consolestore:TR",
		"pcstore:ukr":     "pcstore:UA",
		"pcstore:Germany": "pcstore:DE",
		"pcstore":         `"pcstore": must be PLATFORM:REGION such as consolestore:TR`,
		"phone:TR":        `"phone:TR": platform "phone" is not one of consolestore, pcstore`,
		"pcstore:EU":      `"pcstore:EU": region "EU" is not a country: write its code (DE, DEU) or its English name (Germany)`,
	} {
		s, err := importer.ParseScope(text)
		got := s.String()
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
