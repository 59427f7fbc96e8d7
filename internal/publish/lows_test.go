package publish_test

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index/pack"
	"gamedex/internal/money"
	"gamedex/internal/publish"
)

// packLows packs a snapshot of one card, which costs the same in all regions, and its lows in each
// on a day. The regions are sorted.
func packLows(t *testing.T, title string, price money.Amount, day int64, regions ...string) (files pack.Blobs, all [][]byte) {
	t.Helper()
	var entries []catalog.Entry
	var rows []uint32
	for i, region := range regions {
		entries = append(entries, catalog.Entry{Product: "P", Region: catalog.MustRegion(region), Facts: &catalog.Facts{}, PricedAt: 2000,
			Price: &catalog.Price{Currency: "UAH", Base: price, Current: price, DiscountPercent: catalog.NoPercent}})
		rows = append(rows, uint32(i))
	}
	files, repricer, err := pack.Build(pack.Input{
		Entries: entries,
		Cards: []catalog.Card{{Platform: catalog.ConsoleStore, ID: "AAAAAAAA", Family: "1", Class: catalog.GameClass, Type: catalog.Game,
			Title: title, Titles: []string{title}, Rows: rows}},
		Active: []catalog.Region{catalog.MustRegion("UA")},
	})
	must(t, err)
	lows := pack.NewLows(day)
	steps := []history.Step{{At: 1000, State: history.Priced, Currency: "UAH", Base: 1, Current: 1}, {At: 2000, State: history.Priced, Currency: "UAH", Base: price, Current: price}}
	for i := range entries {
		must(t, lows.Set(uint32(i), &entries[i], steps))
	}
	for _, region := range repricer.Regions() {
		blob, err := repricer.PackLows(lows, entries, region)
		must(t, err)
		all = append(all, blob)
	}
	return files, all
}

// publishLows puts a snapshot with lows of a day. The prices of all days are the same.
func (b *blobs) publishLows(t *testing.T, seq, day int64) publish.Manifest {
	t.Helper()
	regions := []string{"TR", "UA"}
	files, lows := packLows(t, "Star", 199900, day, regions...)
	m := publish.Manifest{Seq: seq, Catalog: "catalog/star", Prices: "prices/star"}
	b.held[m.Catalog], b.held[m.Prices] = files.Catalog, files.Prices
	for i, region := range regions {
		name := fmt.Sprintf("lows/star%s%d", region, day)
		m.Lows, b.held[name] = append(m.Lows, name), lows[i]
	}
	b.put(t, m)
	return m
}

// lowsShown returns the day of the lows that are live and since when the first row is
// watched; 0 without lows.
func lowsShown(n *cached) (day, watchedSince int64) {
	v := n.live.View()
	row, summary := v.Card(0).Rows().At(0), history.Summary{}
	row.Lows(3000, &summary)
	return catalog.Millis(v.LowsDay()).Day(), int64(summary.WatchedSince)
}

func TestFollowerReadsLows(t *testing.T) {
	b := newBlobs()
	n := startCached(t, b, t.TempDir())
	poll := func(wantDay, wantSince int64) {
		t.Helper()
		if swapped, err := n.Poll(t.Context()); !swapped || err != nil {
			t.Fatalf("swapped %v, %v, failed %q", swapped, err, n.failed)
		}
		if day, since := lowsShown(n); day != wantDay || since != wantSince {
			t.Errorf("lows of day %d, watched since %d, want %d, %d", day, since, wantDay, wantSince)
		}
	}
	m := b.publishLows(t, 1, 20_000)
	poll(20_000, 1000)
	first := n.live.View()
	b.publishLows(t, 2, 20_001)
	poll(20_001, 1000)
	if reads := b.reads[m.Catalog] + b.reads[m.Prices]; reads != 2 {
		t.Errorf("a new day: catalog and prices were read %d times, want once each", reads)
	}
	if day := catalog.Millis(first.LowsDay()).Day(); day != 20_000 {
		t.Errorf("the view before has lows of day %d now", day)
	}
	m.Seq, m.Lows = 3, nil // of a program without lows
	b.put(t, m)
	poll(0, 0)
	b.publishLows(t, 4, 20_002)
	poll(20_002, 1000)
}

// TestFollowerPreparesDiscounts checks that a new view has the lists of discounts that
// requests needed of the view before, and no others.
func TestFollowerPreparesDiscounts(t *testing.T) {
	b := newBlobs()
	n := startCached(t, b, t.TempDir())
	poll := func(want ...catalog.Region) {
		t.Helper()
		if swapped, err := n.Poll(t.Context()); !swapped || err != nil {
			t.Fatalf("swapped %v, %v, failed %q", swapped, err, n.failed)
		}
		if got := n.live.View().PreparedRegions(); !slices.Equal(got, want) {
			t.Errorf("prepared %v, want %v", got, want)
		}
	}
	b.publishLows(t, 1, 20_000)
	poll()
	b.publishLows(t, 2, 20_001)
	poll()
	ua, _ := n.live.View().RegionNo(catalog.MustRegion("UA"))
	n.live.View().Discounts(ua)
	b.publishLows(t, 3, 20_002) // other lows, the same cards
	poll(catalog.MustRegion("UA"))
	b.publish(t, 4, "Other") // other cards
	poll(catalog.MustRegion("UA"))
}

// TestFollowerKeepsLowsOpen checks that of the lows only those of a region that changed are
// read again.
func TestFollowerKeepsLowsOpen(t *testing.T) {
	b := newBlobs()
	n := startCached(t, b, t.TempDir())
	m := b.publishLows(t, 1, 20_000)
	n.follow(t, "1 Star")
	tr, ua := m.Lows[0], m.Lows[1]
	m.Seq, m.Lows = 2, []string{tr, "lows/new"}
	b.held["lows/new"] = b.held[ua]
	b.put(t, m)
	n.follow(t, "2 Star")
	if b.reads[tr] != 1 || b.reads["lows/new"] != 1 {
		t.Errorf("the same lows were read %d times, the new ones %d times", b.reads[tr], b.reads["lows/new"])
	}
	m.Seq, m.Lows = 3, []string{tr}
	b.put(t, m)
	n.follow(t, "2 Star")
	if want := "there are no lows of region UA"; len(n.failed) != 1 || !strings.Contains(n.failed[0], want) {
		t.Errorf("failed %q, want %q", n.failed, want)
	}
}

func TestFollowerRefusesDamagedLows(t *testing.T) {
	b := newBlobs()
	n := startCached(t, b, t.TempDir())
	b.publishLows(t, 1, 20_000)
	n.follow(t, "1 Star")
	m := b.publishLows(t, 2, 20_001)
	b.held[m.Lows[0]] = b.held[m.Lows[0]][:100]
	n.follow(t, "1 Star")
	if want := "open manifest 2: open lows/starTR20001: read snapshot: "; len(n.failed) == 0 || !strings.HasPrefix(n.failed[0], want) {
		t.Errorf("failed %q, want %q…", n.failed, want)
	}
}

func TestRestartWithLowsFromTheCache(t *testing.T) {
	b, dir := newBlobs(), t.TempDir()
	b.address(t, b.publishLows(t, 1, 20_000))
	startCached(t, b, dir).follow(t, "1 Star")
	b.down = errors.New("bucket is down")
	n := startCached(t, b, dir)
	if recalled, err := n.Recall(t.Context()); !recalled || err != nil {
		t.Fatalf("recalled %v, %v", recalled, err)
	}
	if day, since := lowsShown(n); day != 20_000 || since != 1000 {
		t.Errorf("lows of day %d, watched since %d", day, since)
	}
}

// TestLowsAreKeptWithTheirManifest checks that old lows are deleted with the manifests
// that name them, and not before.
func TestLowsAreKeptWithTheirManifest(t *testing.T) {
	s := newShelf(t)
	for i := range 7 {
		names := s.publish(10*i, "cat", "prices")
		lows, err := s.PutBlob(t.Context(), fmt.Append(nil, "low", i+1))
		must(t, err)
		must(t, s.Publish(t.Context(), publish.Manifest{Catalog: names[0], Prices: names[1], Lows: []string{lows}}))
	}
	must(t, s.Clean(t.Context(), 0, always))
	if got, want := s.left(), "10 11 12 13 14 cat low5 low6 low7 prices"; got != want {
		t.Errorf("left %s, want %s", got, want)
	}
}

func TestMissingLowsAreNoticed(t *testing.T) {
	s := newShelf(t)
	names := s.publish(0, "cat", "prices")
	lows, err := s.PutBlob(t.Context(), []byte("low"))
	must(t, err)
	must(t, s.Publish(t.Context(), publish.Manifest{Catalog: names[0], Prices: names[1], Lows: []string{lows}}))
	delete(s.b.held, lows)
	if listed, err := s.Listed(t.Context()); len(listed) != 3 || listed[lows].Name != "" || err != nil {
		t.Errorf("listed %v, %v; want all but %s", listed, err, lows)
	}
	_, err = s.Verify(t.Context(), lows)
	if damage, ok := errors.AsType[*publish.DamageError](err); !ok || damage.Name != lows {
		t.Errorf("error %v, want that %s is missing", err, lows)
	}
	again := publish.NewPublisher(s.b, new(counted), slog.New(slog.DiscardHandler))
	if err := again.Resume(t.Context(), 0); err != nil || again.Current().Seq != 0 {
		t.Errorf("a snapshot without its lows is resumed: %d, %v", again.Current().Seq, err)
	}
}
