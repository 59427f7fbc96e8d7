package builder

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gamedex/internal/bucket"
	"gamedex/internal/bucket/s3"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/publish"
	"gamedex/internal/testing/await"
	ct "gamedex/internal/testing/catalogtest"
	"gamedex/internal/testing/enginetest"
)

// TestMain sets the credentials for S3 services, so that tests of buckets there can run at the
// same time.
func TestMain(m *testing.M) {
	os.Setenv("AWS_ACCESS_KEY_ID", enginetest.S3AccessKey)
	os.Setenv("AWS_SECRET_ACCESS_KEY", enginetest.S3SecretKey)
	os.Exit(m.Run())
}

// shared is a world with two builders, and the nodes that read what they publish.
type shared struct {
	*world
	files string                                                       // the folder that has the bucket's files
	open  func(live *index.Live, failed func(error)) *publish.Follower // a node without a cache
	nodes []*reader
	shown map[int64]string // what is published under each number
}

// reader is a node.
type reader struct {
	*publish.Follower
	live index.Live
}

func (s *shared) newReader() *reader {
	n := new(reader)
	n.Follower = s.open(&n.live, func(error) {})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nodes = append(s.nodes, n)
	return n
}

// damaged returns what the nodes report.
func (s *shared) damaged() (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.nodes {
		if damage := n.Damage(); damage != nil {
			names = append(names, damage.Name)
		}
	}
	return names
}

// poll lets a node look, and fails if it serves anything else than what was published.
func (s *shared) poll(n *reader) (seq int64) {
	s.t.Helper()
	if _, err := n.Poll(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	v := n.live.View()
	if v == nil {
		return 0
	}
	want, known := s.shown[v.Seq]
	if got := shownBy(v); known && got != want {
		s.t.Fatalf("snapshot %d shows %s, want %s", v.Seq, got, want)
	} else if !known {
		s.shown[v.Seq] = got
	}
	return v.Seq
}

// until polls a node until it serves a snapshot of at least this number.
func (s *shared) until(n *reader, seq int64) int64 {
	s.t.Helper()
	var got int64
	if !await.Progress(func() bool { got = s.poll(n); return got >= seq && n.Damage() == nil }, await.Nothing) {
		s.t.Fatalf("waited for snapshot %d\n%s", seq, &s.log)
	}
	return got
}

// shownBy returns all titles, prices and lows of a view.
func shownBy(v *index.View) string {
	var b strings.Builder
	for i := range v.Len() {
		card := v.Card(i)
		fmt.Fprint(&b, card.Title())
		for rows, j := card.Rows(), 0; j < rows.Len(); j++ {
			row, lows := rows.At(j), history.Summary{}
			row.Lows(int64(ct.Day(3)), &lows)
			fmt.Fprint(&b, " ", row.Current, " ", lows)
		}
	}
	return b.String()
}

// TestDamageIsRepaired damages each file of the newest snapshot in each way, and starts a
// node. It must serve the newest prices soon, and no others than were published.
func TestDamageIsRepaired(t *testing.T) {
	files := map[string]func(m, former publish.Manifest) (name, was string){
		"manifest": func(m, former publish.Manifest) (string, string) {
			return publish.ManifestName(m.Seq), publish.ManifestName(former.Seq)
		},
		"catalog": func(m, former publish.Manifest) (string, string) { return m.Catalog, former.Catalog },
		"prices":  func(m, former publish.Manifest) (string, string) { return m.Prices, former.Prices },
		"lows": func(m, former publish.Manifest) (string, string) {
			i := slices.IndexFunc(m.Lows, func(name string) bool { return !slices.Contains(former.Lows, name) })
			return m.Lows[i], former.Lows[i]
		},
	}
	kinds := map[string]func(content, former, other []byte) []byte{
		"missing":    nil,
		"cut":        func(content, _, _ []byte) []byte { return content[:len(content)/2] },
		"empty":      func(_, _, _ []byte) []byte { return nil },
		"noise":      func(content, _, _ []byte) []byte { return []byte(strings.Repeat("noise", len(content)/5)) },
		"four bytes": func(content, _, _ []byte) []byte { return flip(content) },
		"old":        func(_, former, _ []byte) []byte { return former },
		"another's":  func(_, _, other []byte) []byte { return other },
	}
	for place, start := range map[string]func(*testing.T, func(*shared)){"folder": inFolder, "s3": inS3} {
		for which, find := range files {
			for kind, harm := range kinds {
				t.Run(place+" "+which+" "+kind, func(t *testing.T) {
					start(t, func(s *shared) {
						former, newest := s.publishTwo()
						name, was := find(newest, former)
						other := newest.Catalog
						if name == other {
							other = newest.Prices
						}
						if harm == nil {
							s.remove(name)
						} else {
							s.write(name, harm(s.read(name), s.read(was), s.read(other)))
						}
						repaired := s.until(s.newReader(), newest.Seq)
						if s.shown[repaired] != s.shown[newest.Seq] {
							t.Errorf("snapshot %d shows %s, want what was published last: %s", repaired, s.shown[repaired], s.shown[newest.Seq])
						}
						s.until(s.nodes[0], repaired)
						if seq := s.poll(s.newReader()); seq < repaired || s.damaged() != nil {
							t.Errorf("a node that starts later serves %d, and reports %q", seq, s.damaged())
						}
					})
				})
			}
		}
	}
}

// TestManifestThatNobodyPublished checks that an old manifest under a higher number, which nodes
// report as damaged, is overtaken.
func TestManifestThatNobodyPublished(t *testing.T) {
	inFolder(t, func(s *shared) {
		former, newest := s.publishTwo()
		s.write(publish.ManifestName(newest.Seq+7), s.read(publish.ManifestName(former.Seq)))
		for _, n := range []*reader{s.nodes[0], s.newReader()} {
			if seq := s.until(n, newest.Seq+8); s.shown[seq] != s.shown[newest.Seq] {
				t.Errorf("snapshot %d shows %s, want what was published last: %s", seq, s.shown[seq], s.shown[newest.Seq])
			}
		}
	})
}

// publishTwo publishes two snapshots that differ in all files. The first node serves them.
func (s *shared) publishTwo() (former, newest publish.Manifest) {
	s.t.Helper()
	n := s.newReader()
	s.save(star, starTR)
	former = s.manifest(s.until(n, 1))
	s.save(ct.Console("UA", star.Product, ct.Family("1"), ct.Title("Star Forge II"), ct.Price("UAH", 119900), ct.On(2)))
	newest = s.manifest(s.until(n, former.Seq+1))
	return former, newest
}

func inFolder(t *testing.T, test func(*shared)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		s := &shared{world: w, files: w.dir, open: func(live *index.Live, failed func(error)) *publish.Follower {
			return publish.NewFollower(w.bucket, live, failed)
		}}
		s.run(test)
	})
}

func inS3(t *testing.T, test func(*shared)) {
	t.Parallel()
	service := enginetest.SharedS3(t)
	name := service.NewBucket(t)
	at, err := s3.Parse("s3://" + name + "?endpoint=" + service.URL)
	if err != nil {
		t.Fatal(err)
	}
	b, err := s3.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	w := newWorld(t)
	w.bucket, w.presentEvery = b, time.Hour
	s := &shared{world: w, files: service.Folder(name), open: func(live *index.Live, failed func(error)) *publish.Follower {
		kept, err := bucket.OpenFolder(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { kept.Close() })
		f := publish.NewFollower(publish.NewCache(b, kept, w.logger()), live, failed)
		f.Published = w.db.Nodes.Seq
		return f
	}}
	s.run(test)
}

// run starts two builders for a test.
func (s *shared) run(test func(*shared)) {
	s.shown = map[int64]string{}
	s.world.damaged = s.damaged
	for range 2 {
		s.t.Cleanup(s.start(s.bucket))
	}
	test(s)
}

func (s *shared) read(name string) []byte {
	s.t.Helper()
	content, err := os.ReadFile(filepath.Join(s.files, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return content
}

func (s *shared) write(name string, content []byte) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.files, name), content, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shared) remove(name string) {
	s.t.Helper()
	if err := s.bucket.Delete(s.t.Context(), name); err != nil {
		s.t.Fatal(err)
	}
}

// flip changes four bytes in the middle.
func flip(content []byte) []byte {
	content = slices.Clone(content)
	for i := len(content) / 2; i < len(content)/2+4; i++ {
		content[i] ^= 0xff
	}
	return content
}
