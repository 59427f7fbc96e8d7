package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/index"
	"gamedex/internal/publish"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/storesim"
)

// eightRegions are the regions of the large simulated world; four are active.
var eightRegions = regionsOf("UA", "TR", "PL", "IN", "US", "DE", "FR", "JP")

func regionsOf(codes ...string) []catalog.Region {
	var list []catalog.Region
	for _, code := range codes {
		list = append(list, catalog.MustRegion(code))
	}
	return list
}

// simulated is a world of stores, reached over HTTP, and the profile with which
// the program reads them.
type simulated struct {
	world    *storesim.World
	regions  []catalog.Region
	url      string
	profile  string       // file
	requests atomic.Int64 // requests so far
}

// simulate starts a world. wrap, if not nil, handles every request first.
func simulate(t *testing.T, c storesim.Config, wrap func(http.Handler) http.Handler) *simulated {
	t.Helper()
	c.Start = time.Now()
	world := storesim.New(c)
	handler := world.Handler()
	if wrap != nil {
		handler = wrap(handler)
	}
	s := &simulated{world: world, regions: c.Regions, profile: filepath.Join(t.TempDir(), "profile.json")}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	s.change(t, func(map[string]any) {})
	return s
}

// comments matches the comment lines of a profile, which are not JSON.
var comments = regexp.MustCompile(`(?m)^\s*#.*$`)

// change writes the world's profile with changes.
func (s *simulated) change(t *testing.T, change func(profile map[string]any)) {
	t.Helper()
	profile := decoded[map[string]any](t, string(comments.ReplaceAll(s.world.Profile(s.url), nil)))
	change(profile)
	text, err := json.MarshalIndent(profile, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, s.profile, string(text))
}

// once runs `collect once`, which may fail.
func (s *simulated) once(t *testing.T, dir string, args ...string) result {
	t.Helper()
	if serverDSN(t, dir) != "" { // the profile may have changed
		register := []string{"collect", "profile", s.profile}
		for _, arg := range args {
			if arg == "--collect-texts" || arg == "--collect-images" {
				register = append(register, arg)
			}
		}
		must(t, dir, "", register...)
	}
	return runWhile(t, func() any { return s.requests.Load() }, dir, "",
		append([]string{"collect", "once", "--collect-profile", s.profile}, args...)...)
}

// sweep runs `collect once`, which has to succeed.
func (s *simulated) sweep(t *testing.T, dir string, args ...string) string {
	t.Helper()
	r := s.once(t, dir, args...)
	if r.status != 0 {
		t.Fatalf("collect once %v: status %d\n%s%s", args, r.status, r.stdout, r.stderr)
	}
	return r.stdout
}

// newShop starts a service without listings, but with the world's rates.
func (s *simulated) newShop(t *testing.T, args ...string) *shop {
	t.Helper()
	shop := &shop{dir: t.TempDir()}
	shop.server = start(t, shop.dir, args...)
	must(t, shop.dir, string(s.world.Rates().AppendJSON(nil)), "rates", "import", "-")
	_, shop.token = newKey(t, shop.dir, highLimits...)
	return shop
}

// truthService is a service that imports the true listings of the world.
type truthService struct {
	*shop
	world *simulated
}

// importTruth imports all true listings of the day, and returns them. Whether a listing was on sale
// in the past, and since when, is not part of the truth: that is copied from the
// collecting service.
func (h *truthService) importTruth(t *testing.T, collected string) (sold []catalog.Listing) {
	t.Helper()
	known := make(map[catalog.Key]catalog.Listing)
	for _, l := range listingsOf(t, collected) {
		known[l.Key] = l
	}
	var lines bytes.Buffer
	writer := feed.NewWriter(&lines)
	write := func(l catalog.Listing) {
		if err := writer.Write(&l); err != nil {
			t.Fatal(err)
		}
	}
	price := func(k catalog.Key, p *catalog.Price) *catalog.Price { return withKnownNumbers(p, known[k].Price) }
	for _, l := range h.world.world.TruthKnowing(time.Now(), price) {
		if was, both := known[l.Key]; both {
			l.FirstSeenAt = was.FirstSeenAt
		}
		delete(known, l.Key)
		sold = append(sold, l)
		write(l)
	}
	for _, l := range known {
		if l.Withdrawn { // the card's age depends on it
			write(l)
		}
	}
	args := []string{"import", "--strict", "--force"}
	for _, p := range catalog.Platforms() {
		for _, r := range h.world.regions {
			args = append(args, "--complete", p.String()+":"+r.String())
		}
	}
	must(t, h.dir, lines.String(), append(args, "-")...)
	return sold
}

// withKnownNumbers returns a true price with the numbers and the end that an earlier
// answer showed beside the same texts, if the store shows only the texts now: they stay
// in force (sweep.Overlay).
func withKnownNumbers(now, known *catalog.Price) *catalog.Price {
	if now == nil || known == nil || now.Currency != known.Currency || now.BaseText != known.BaseText ||
		now.CurrentText != known.CurrentText || now.Base.Known() || now.Current.Known() {
		return now
	}
	both := *now
	both.Base, both.Current, both.Source, both.DiscountEndsAt = known.Base, known.Current, known.Source, known.DiscountEndsAt
	return &both
}

// listingsOf returns every exported line of a database.
func listingsOf(t *testing.T, dir string) []catalog.Listing {
	t.Helper()
	reader, err := feed.NewReader(strings.NewReader(must(t, dir, "", "export")), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	var all []catalog.Listing
	for {
		var l catalog.Listing
		_, err := reader.Next(&l)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
}

// ids returns the ids of all cards that a service serves.
func ids(t *testing.T, dir string) []string {
	t.Helper()
	view := viewOf(t, dir)
	if view == nil {
		return nil
	}
	list := make([]string, view.Len())
	for i := range list {
		list[i] = view.Card(i).ID()
	}
	return list
}

// viewOf returns what a service publishes; nil if it is nothing yet.
func viewOf(t *testing.T, dir string) *index.View {
	t.Helper()
	var live index.Live
	if _, err := publish.NewFollower(snapshotsOf(t, dir), &live, func(err error) { t.Log(err) }).Poll(t.Context()); err != nil {
		t.Fatal(err)
	}
	return live.View()
}

// unchecked returns a client whose answers are too many to compare each with the API
// reference. Other tests do that.
func unchecked(t *testing.T, s *shop) *apiUser {
	return &apiUser{t, s.api, s.token, http.DefaultClient}
}

// answers returns the API's answers about all cards by id: bulk prices with
// everything in every region, and the pages of every nth card, without what
// differs between two services with the same listings.
func answers(t *testing.T, s *shop, list []string, nth int) map[string]any {
	t.Helper()
	user := unchecked(t, s)
	all := make(map[string]any)
	for some := range slices.Chunk(list, 200) {
		body, err := json.Marshal(map[string]any{"ids": some, "regions": "all", "include": "url,image,meta,editions"})
		if err != nil {
			t.Fatal(err)
		}
		a := user.post(string(body)).want(200)
		for _, item := range a.at("data.items").([]any) {
			all["prices of "+fmt.Sprint(item.(map[string]any)["id"])] = withoutTimes(item)
		}
	}
	for i := 0; i < len(list); i += nth {
		path := "/catalog/games/" + list[i]
		if len(list[i]) != 8 || strings.ToUpper(list[i]) != list[i] {
			path = "/catalog/pcstore/games/" + list[i]
		}
		a := user.get(path + "?include=all")
		all[path] = withoutTimes(a.at("data"))
	}
	return all
}

// withoutTimes removes the times at which things were seen.
func withoutTimes(node any) any {
	switch node := node.(type) {
	case map[string]any:
		for name, value := range node {
			if name == "updatedAt" || name == "observedAt" || name == "pricedAt" || name == "lastUpdated" {
				delete(node, name)
				continue
			}
			node[name] = withoutTimes(value)
		}
	case []any:
		for i := range node {
			node[i] = withoutTimes(node[i])
		}
	}
	return node
}

// agree waits until two services return the same answers about every card. If they
// never do, it fails the test and prints the differences.
func agree(t *testing.T, collected, truth *shop) {
	t.Helper()
	collected.healthy()
	truth.healthy()
	var list []string
	var diff string
	if !await.Progress(func() bool {
		list = ids(t, truth.dir)
		if diff = cmp.Diff(slices.Sorted(slices.Values(list)), slices.Sorted(slices.Values(ids(t, collected.dir)))); diff == "" && len(list) > 0 {
			diff = firstDifferences(answers(t, truth, list, 11), answers(t, collected, list, 11))
		}
		return diff == "" && len(list) > 0
	}, func() any { return diff }) {
		t.Fatalf("the collected catalog differs from the true one of %d cards (-true +collected):\n%.8000s%s", len(list), diff,
			explained(t, truth, collected))
	}
	t.Logf("%d cards agree", len(list))
}

// explained returns how the cards that only one of two shops has were formed.
func explained(t *testing.T, truth, collected *shop) string {
	t.Helper()
	var out strings.Builder
	describe := func(name string, has, lacks *shop) {
		others := ids(t, lacks.dir)
		for _, id := range ids(t, has.dir) {
			if !slices.Contains(others, id) {
				fmt.Fprintf(&out, "only %s:\n%s\n", name, must(t, has.dir, "", "explain", id))
			}
		}
	}
	describe("true", truth, collected)
	describe("collected", collected, truth)
	return out.String()
}

// firstDifferences returns the first few differences.
func firstDifferences(want, got map[string]any) string {
	var out strings.Builder
	shown := 0
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if diff := cmp.Diff(want[key], got[key]); diff != "" {
			if shown++; shown <= 6 {
				fmt.Fprintf(&out, "%s:\n%s\n", key, diff)
			}
		}
	}
	if shown > 0 {
		fmt.Fprintf(&out, "differences in %d of %d answers\n", shown, len(want))
	}
	return out.String()
}

// days returns how many simulated days a test goes through.
func days(t *testing.T) int {
	if fullWorld() {
		return number(t, daysVariable, 5)
	}
	return number(t, daysVariable, 1)
}

// fullWorld reports whether the simulated stores have thousands of games.
func fullWorld() bool { return os.Getenv(worldVariable) == "full" }
