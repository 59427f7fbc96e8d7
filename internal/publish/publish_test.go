package publish_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/bucket"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/index/pack"
	"gamedex/internal/money"
	"gamedex/internal/publish"
)

// blobs is a bucket in memory that counts reads and can fail. Its clock is set by
// the test.
type blobs struct {
	held  map[string][]byte
	times map[string]time.Time // of those that were stored by Put
	now   time.Time
	mu    sync.Mutex
	reads map[string]int
	lists int
	down  error
}

func newBlobs() *blobs {
	return &blobs{held: map[string][]byte{}, times: map[string]time.Time{}, reads: map[string]int{}}
}

func (b *blobs) Get(_ context.Context, name string) ([]byte, error) {
	b.mu.Lock()
	b.reads[name]++
	b.mu.Unlock()
	data, ok := b.held[name]
	if !ok && b.down == nil {
		return nil, fmt.Errorf("get %s: %w", name, bucket.ErrNotExist)
	}
	return data, b.down
}

// GetCompressed and Decompress stand for a compression.
func (b *blobs) GetCompressed(ctx context.Context, name string) ([]byte, error) {
	data, err := b.Get(ctx, name)
	return append([]byte(compressedMark), data...), err
}

func (b *blobs) Decompress(compressed []byte) ([]byte, error) {
	data, ok := bytes.CutPrefix(compressed, []byte(compressedMark))
	if !ok {
		return nil, errors.New("not compressed")
	}
	return data, nil
}

const compressedMark = "compressed:"

func (b *blobs) Put(_ context.Context, name string, blob []byte) error {
	if b.held[name] != nil {
		return bucket.ErrExists
	}
	b.held[name], b.times[name] = blob, b.now
	return b.down
}

func (b *blobs) Delete(_ context.Context, name string) error {
	delete(b.held, name)
	return b.down
}

func (b *blobs) Walk(_ context.Context, prefix, after string) iter.Seq2[bucket.Entry, error] {
	return func(yield func(bucket.Entry, error) bool) {
		b.lists++
		if b.down != nil {
			yield(bucket.Entry{}, b.down)
			return
		}
		for _, name := range slices.Sorted(maps.Keys(b.held)) {
			if strings.HasPrefix(name, prefix) && name > after && !yield(bucket.Entry{Name: name, Time: b.times[name]}, nil) {
				return
			}
		}
	}
}

// publish puts a snapshot of one card and its manifest.
func (b *blobs) publish(t *testing.T, seq int64, title string) publish.Manifest {
	t.Helper()
	return b.publishAt(t, seq, title, 199900)
}

// publishAt is publish with a price.
func (b *blobs) publishAt(t *testing.T, seq int64, title string, price money.Amount) publish.Manifest {
	t.Helper()
	files, _, err := pack.Build(pack.Input{
		Entries: []catalog.Entry{{Product: "P", Region: catalog.MustRegion("UA"), Facts: &catalog.Facts{},
			Price: &catalog.Price{Currency: "UAH", Base: price, Current: price, DiscountPercent: catalog.NoPercent}}},
		Cards: []catalog.Card{{Platform: catalog.ConsoleStore, ID: "AAAAAAAA", Family: "1", Class: catalog.GameClass, Type: catalog.Game,
			Title: title, Titles: []string{title}, Rows: []uint32{0}}},
		Active: []catalog.Region{catalog.MustRegion("UA")},
	})
	must(t, err)
	m := publish.Manifest{Seq: seq, Catalog: "catalog/" + strings.ToLower(title), Prices: "prices/" + strings.ToLower(title), BuiltAt: 5}
	b.held[m.Catalog], b.held[m.Prices] = files.Catalog, files.Prices
	b.put(t, m)
	return m
}

func (b *blobs) put(t *testing.T, m publish.Manifest) {
	t.Helper()
	data, err := m.Encode()
	must(t, err)
	b.held[publish.ManifestName(m.Seq)] = data
}

func rates(t *testing.T) money.Rates {
	t.Helper()
	r, err := money.ParseRates([]byte(`{"base":"EUR","rates":{"UAH":45.10,"USD":1.08},"updatedAt":"2026-11-20T00:00:00Z"}`))
	must(t, err)
	return r
}

func TestManifestRoundTrip(t *testing.T) {
	full := publish.Manifest{
		Seq: 7, Catalog: "catalog/abc", Prices: "prices/<&>", Lows: []string{"lows/x", "lows/y"}, Rates: rates(t), BuiltAt: 1_700_000_000_123,
		Platforms: []index.PlatformState{
			{Platform: catalog.ConsoleStore, Status: "operational", Collecting: true, FirstSweepDone: true, Freshness: []catalog.Freshness{
				{Platform: catalog.ConsoleStore, Region: catalog.MustRegion("PL"), Listings: 1},
				{Platform: catalog.ConsoleStore, Region: catalog.MustRegion("UA"), Listings: 20, Doubtful: 3, OldestSeen: 1_700_000_000_001,
					MedianSeen: 1_700_000_000_002, LastSweep: 1_700_000_000_003},
			}},
			{Platform: catalog.PCStore, Status: "outage"},
		},
		Inputs: publish.Inputs{DatabaseID: "db", Epoch: "e", Generation: 9, Active: []catalog.Region{catalog.MustRegion("UA"), catalog.MustRegion("TR")},
			MergeVersion: 2, OverridesHash: 1<<64 - 1, Format: index.Format, Day: 20_000},
	}
	for _, m := range []publish.Manifest{full, {Seq: 1, Catalog: "c", Prices: "p"}, {Seq: 2, Catalog: "c", Prices: "p", Lows: []string{"lows/z"}}} {
		data, err := m.Encode()
		must(t, err)
		got, err := publish.DecodeManifest(data)
		must(t, err)
		same := cmp.Comparer(func(a, b money.Rates) bool { return string(a.AppendJSON(nil)) == string(b.AppendJSON(nil)) })
		if diff := cmp.Diff(m, got, same); diff != "" {
			t.Errorf("manifest (-want +got):\n%s", diff)
		}
	}
}

func TestManifestRefusesEveryChangedByte(t *testing.T) {
	data, err := publish.Manifest{Seq: 7, Catalog: "catalog/abc", Prices: "prices/def", Rates: rates(t)}.Encode()
	must(t, err)
	body := strings.Index(string(data), `"manifest":`) + len(`"manifest":`)
	for i := body; i < len(data)-1; i++ {
		broken := slices.Clone(data)
		broken[i] ^= 1
		if _, err := publish.DecodeManifest(broken); err == nil {
			t.Fatalf("byte %d changed without an error:\n%s", i, broken)
		}
	}
	for i := range data {
		if _, err := publish.DecodeManifest(data[:i]); err == nil {
			t.Fatalf("the first %d of %d bytes are accepted as a manifest", i, len(data))
		}
	}
}

func TestManifestRefusesNonsense(t *testing.T) {
	for _, m := range []publish.Manifest{{Seq: 0, Catalog: "c", Prices: "p"}, {Seq: 1, Prices: "p"}, {Seq: 1, Catalog: "c"}} {
		data, err := m.Encode()
		must(t, err)
		if _, err := publish.DecodeManifest(data); err == nil {
			t.Errorf("%+v is accepted as a manifest", m)
		}
	}
}

// TestManifestFreshness reads a manifest of an older version, with the only lows in a field
// of their own and without freshness, and refuses invalid freshness.
func TestManifestFreshness(t *testing.T) {
	file := func(freshness string) []byte {
		body := `{"seq":7,"catalog":"c","prices":"p","lows":"lows/x","platforms":[{"platform":"pcstore","status":"degraded","collecting":true,"firstSweepDone":false` +
			freshness + `}],"inputs":{"databaseId":"db","generation":1,"mergeVersion":1,"overridesHash":"0","format":1},"active":["UA"],"builtAt":5}`
		return fmt.Appendf(nil, `{"checksum":%d,"manifest":%s}`, crc32.Checksum([]byte(body), crc32.MakeTable(crc32.Castagnoli)), body)
	}
	m, err := publish.DecodeManifest(file(""))
	want := []index.PlatformState{{Platform: catalog.PCStore, Status: "degraded", Collecting: true}}
	if diff := cmp.Diff(want, m.Platforms); err != nil || diff != "" || !slices.Equal(m.Lows, []string{"lows/x"}) {
		t.Errorf("an older manifest: %v, lows %q (-want +got):\n%s", err, m.Lows, diff)
	}
	for _, c := range []struct{ freshness, want string }{
		{`{"region":"UA","listings":-1}`, "freshness of pcstore UA: -1 listings"},
		{`{"region":"UA","doubtful":-2}`, "-2 doubtful"},
		{`{"region":"Utopia"}`, `region "Utopia"`},
		{`{"region":"UA","oldestSeen":"yesterday"}`, "oldestSeen"},
		{`7`, "freshness"},
	} {
		if _, err := publish.DecodeManifest(file(`,"freshness":[` + c.freshness + `]`)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", c.freshness, err, c.want)
		}
	}
}

func TestInputsEqual(t *testing.T) {
	one := publish.Inputs{DatabaseID: "db", Epoch: "e", Generation: 9, Active: []catalog.Region{{'U', 'A'}, {'T', 'R'}}, MergeVersion: 2, OverridesHash: 3, Format: 1}
	if !one.Equal(one) {
		t.Error("inputs differ from themselves")
	}
	for name, change := range map[string]func(*publish.Inputs){
		"database":   func(in *publish.Inputs) { in.DatabaseID = "other" },
		"epoch":      func(in *publish.Inputs) { in.Epoch = "other" },
		"generation": func(in *publish.Inputs) { in.Generation = 8 },
		"order":      func(in *publish.Inputs) { in.Active = []catalog.Region{{'T', 'R'}, {'U', 'A'}} },
		"merge":      func(in *publish.Inputs) { in.MergeVersion++ },
		"overrides":  func(in *publish.Inputs) { in.OverridesHash++ },
		"format":     func(in *publish.Inputs) { in.Format++ },
		"day":        func(in *publish.Inputs) { in.Day++ },
	} {
		other := one
		change(&other)
		if one.Equal(other) {
			t.Errorf("another %s makes no difference", name)
		}
	}
}

func TestLatest(t *testing.T) {
	b := newBlobs()
	var skipped []string
	latest := func() (int64, error) {
		skipped = nil
		m, err := publish.Latest(t.Context(), b, func(err error) { skipped = append(skipped, err.Error()) })
		return m.Seq, err
	}
	if _, err := latest(); !errors.Is(err, publish.ErrNoManifest) {
		t.Errorf("error %v, want none found", err)
	}
	b.publish(t, 9, "Nine")
	b.publish(t, 10, "Ten")
	b.held["manifest/readme"] = nil
	b.held["manifest/09223372036854775807"] = nil // no number could come after it
	b.held["manifest/11"] = b.held[publish.ManifestName(10)]
	b.held[publish.ManifestName(12)] = b.held[publish.ManifestName(10)][:50]
	b.held[publish.ManifestName(13)] = b.held[publish.ManifestName(10)]
	if seq, err := latest(); seq != 10 || err != nil {
		t.Errorf("latest %d, %v, want 10", seq, err)
	}
	if len(skipped) != 2 || !strings.Contains(skipped[0], "manifest/00000000000000000013: its content has number 10") ||
		!strings.Contains(skipped[1], "manifest/00000000000000000012: decode manifest") {
		t.Errorf("skipped %q, want 13 and 12 by name", skipped)
	}
	if numbers, err := publish.Numbers(t.Context(), b); !slices.Equal(numbers, []int64{13, 12, 10, 9}) || err != nil {
		t.Errorf("numbers %v, %v", numbers, err)
	}
}

// follower returns a Follower, its Live, and the list of its failures.
func follower(b *blobs) (*publish.Follower, *index.Live, *[]string) {
	live, failed := &index.Live{}, &[]string{}
	return publish.NewFollower(b, live, func(err error) { *failed = append(*failed, err.Error()) }), live, failed
}

func showing(l *index.Live) string {
	if v := l.View(); v != nil {
		return fmt.Sprint(v.Seq, " ", v.Card(0).Title())
	}
	return "nothing"
}

func TestFollowerTakesTheHighestAndNeverGoesBack(t *testing.T) {
	b := newBlobs()
	f, live, failed := follower(b)
	step := func(want string, swaps bool) {
		t.Helper()
		swapped, err := f.Poll(t.Context())
		if err != nil || swapped != swaps || showing(live) != want {
			t.Errorf("showing %s (swapped %v, %v), want %s (%v)", showing(live), swapped, err, want, swaps)
		}
	}
	step("nothing", false)
	b.publish(t, 3, "Three")
	b.publish(t, 2, "Two")
	step("3 Three", true)
	b.publish(t, 1, "One")
	step("3 Three", false)
	b.publish(t, 7, "Seven")
	step("7 Seven", true)
	delete(b.held, publish.ManifestName(7))
	step("7 Seven", false)
	b.down = errors.New("bucket is down")
	if _, err := f.Poll(t.Context()); err == nil || showing(live) != "7 Seven" {
		t.Errorf("showing %s, error %v, want the last view and an error", showing(live), err)
	}
	if len(*failed) > 0 {
		t.Errorf("failures %q", *failed)
	}
}

func TestFollowerReadsOnlyWhatIsNew(t *testing.T) {
	b := newBlobs()
	f, live, _ := follower(b)
	m := b.publish(t, 1, "Star")
	poll := func() *index.View {
		t.Helper()
		if swapped, err := f.Poll(t.Context()); !swapped || err != nil {
			t.Fatalf("swapped %v, %v", swapped, err)
		}
		return live.View()
	}
	first := poll()
	m.Seq, m.Rates = 2, rates(t)
	b.put(t, m)
	second := poll()
	if second.Snapshot != first.Snapshot || second.Rates.IsZero() || b.reads[m.Catalog] != 1 || b.reads[m.Prices] != 1 {
		t.Error("new rates: want the same snapshot, read once")
	}
	row := second.Card(0).Rows().At(0)
	if cents, ok := second.USD(&row); !ok || cents == 0 {
		t.Error("the new rates are not used")
	}
	again := m
	again.Seq, again.Prices = 3, "prices/copy"
	b.held[again.Prices] = b.held[m.Prices]
	b.put(t, again)
	if third := poll(); third.Snapshot == first.Snapshot || b.reads[m.Catalog] != 1 {
		t.Error("new prices: want another snapshot over the same catalog, read once")
	}
}

func TestFollowerKeepsTheLastGoodView(t *testing.T) {
	b := newBlobs()
	f, live, failed := follower(b)
	b.publish(t, 1, "One")
	two := b.publish(t, 2, "Two")
	whole := b.held[two.Prices]
	b.held[two.Prices] = whole[:len(whole)-1]
	for range 20 {
		if _, err := f.Poll(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if showing(live) != "1 One" {
		t.Errorf("showing %s, want the highest intact one", showing(live))
	}
	if n := b.reads[two.Prices]; n < 2 || n > 5 {
		t.Errorf("a damaged blob was read %d times in 20 polls, want growing pauses", n)
	}
	if want := "open manifest 2: open prices/two: read snapshot: header is damaged"; len(*failed) == 0 || !strings.HasPrefix((*failed)[0], want) {
		t.Errorf("failures %q, want %q…", *failed, want)
	}
	b.held[two.Prices] = whole
	for range 20 {
		if _, err := f.Poll(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if showing(live) != "2 Two" {
		t.Errorf("showing %s, want the repaired one", showing(live))
	}
}

func TestFollowerRunStopsWithItsContext(t *testing.T) {
	b := newBlobs()
	b.publish(t, 1, "One")
	f, live, _ := follower(b)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- f.Run(ctx, time.Millisecond) }()
	for live.View() == nil {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("error %v, want none", err)
	}
}

// must ends a test that cannot go on.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
