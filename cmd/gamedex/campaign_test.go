package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"gamedex/internal/testing/await"
)

// The random campaigns are small in `make test`. `make check` sets
// GAMEDEX_WORLD, and `make torture` sets all of these variables.
const (
	seedVariable     = "GAMEDEX_SEED"     // repeats a campaign
	killsVariable    = "GAMEDEX_KILLS"    // kills of all kill tests together
	faultsVariable   = "GAMEDEX_FAULTS"   // of engines, processes and networks
	requestsVariable = "GAMEDEX_REQUESTS" // requests of random bytes
	daysVariable     = "GAMEDEX_DAYS"     // simulated days of the stores
	worldVariable    = "GAMEDEX_WORLD"    // "full": stores with thousands of games
)

// campaign is the source of random numbers of one test. It is not safe for
// concurrent use.
type campaign struct{ *rand.Rand }

// newCampaign takes the seed from the environment or draws a new one, and logs
// how to repeat the run.
func newCampaign(t *testing.T) campaign {
	t.Helper()
	seed := uint64(number(t, seedVariable, int(time.Now().UnixMicro())))
	t.Logf("repeat with: %s=%d go test ./cmd/gamedex -run '^%s$' -count=1 -v", seedVariable, seed, t.Name())
	return campaign{rand.New(rand.NewPCG(seed, uint64(len(t.Name()))))}
}

// between returns a random duration between low and high.
func (c campaign) between(least, most time.Duration) time.Duration {
	return least + time.Duration(c.Int64N(int64(most-least)+1))
}

// number reads a whole number from the environment.
func number(t *testing.T, variable string, absent int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return absent
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		t.Fatalf("%s=%q: want a whole number", variable, text)
	}
	return n
}

// kills returns this test's share of all kills, in percent; at least one.
func kills(t *testing.T, percent int) int {
	t.Helper()
	all := 5
	if fullWorld() {
		all = 20
	}
	return max(1, number(t, killsVariable, all)*percent/100)
}

// clients is an HTTP client for many concurrent requests. A server that hangs
// fails the test.
func clients(t *testing.T) *http.Client {
	transport := &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: await.Patience}
}

// reply is one answer of the API.
type reply struct {
	status int
	header http.Header
	body   string
}

// try sends one request. It returns an error if the server cannot be reached or
// the answer is cut off.
func (s *server) try(c *http.Client, method, token, path, body string) (reply, error) {
	req, err := http.NewRequest(method, s.api+path, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return reply{res.StatusCode, res.Header, string(text)}, err
}

// limit parses a rate-limit header of whole numbers.
func (r reply) limit(t *testing.T, name string) int {
	t.Helper()
	n, err := strconv.Atoi(r.header.Get("X-RateLimit-" + name))
	if err != nil {
		t.Errorf("status %d: header X-RateLimit-%s: %v", r.status, name, err)
	}
	return n
}

// failure is the body of an error answer.
type failure struct {
	OK    bool
	Error struct {
		Code, Message string
		Details       map[string]any
	}
}

func (r reply) failure(t *testing.T) failure {
	t.Helper()
	var f failure
	if err := json.Unmarshal([]byte(r.body), &f); err != nil || f.OK || f.Error.Code == "" || f.Error.Message == "" {
		t.Errorf("status %d: %q is no error in the envelope (%v)", r.status, r.body, err)
	}
	return f
}

// stock is a generated feed: games numbered from 0, each in every region. Even
// games are offers of the PC store and odd ones are products of the console
// store, unless only offers are wanted. All lines of one version have a price
// that encodes the version.
type stock struct {
	games   int
	regions []string
	opened  time.Time  // observedAt of version 0
	offers  bool       // only games of the PC store
	noise   *rand.Rand // if set, every price has long texts that do not compress
}

// newStock starts yesterday, so that no version is in the future.
func newStock(games int, regions ...string) stock {
	return stock{games: games, regions: regions, opened: time.Now().UTC().Add(-24 * time.Hour).Truncate(time.Second)}
}

// versionZero is the price of version 0 in hundredths; version v costs v more.
const versionZero = 100_000

// feed returns the whole stock in one version, game by game.
func (k stock) feed(version int) string { return k.part(0, k.games, version) }

// part returns the feed of the games first to end-1.
func (k stock) part(first, end, version int) string {
	var b strings.Builder
	observed := k.opened.Add(time.Duration(version) * time.Minute).Format(time.RFC3339)
	for game := first; game < end; game++ {
		for _, region := range k.regions {
			k.line(&b, game, region)
			fmt.Fprintf(&b, `"title":"Game %05d","publisher":"Publisher %d","price":{%s"currency":"USD","base":%d,"current":%d},"observedAt":"%s"}`+"\n",
				game, game%7, k.texts(), versionZero+version, versionZero+version, observed)
		}
	}
	return b.String()
}

// texts returns the random texts of one price.
func (k stock) texts() string {
	if k.noise == nil {
		return ""
	}
	letters := make([]byte, 120)
	for i := range letters {
		letters[i] = byte('A' + k.noise.IntN('z'-'a'+1) + 32*k.noise.IntN(2))
	}
	return fmt.Sprintf(`"baseText":"%s","currentText":"%s",`, letters[:60], letters[60:])
}

// line returns the start of a game's line, with the fields that its platform
// needs.
func (k stock) line(b *strings.Builder, game int, region string) {
	if k.offers || game%2 == 0 {
		fmt.Fprintf(b, `{"platform":"pcstore","region":"%s","product":"offer-%05d","slug":"%s","type":"base",`, region, game, slug(game))
		return
	}
	fmt.Fprintf(b, `{"platform":"consolestore","region":"%s","product":"EP0000-PPSA%05d_00-GAME%012d","family":"%d","familyName":"Game %05d","titleIds":["PPSA%05d"],`,
		region, game, game, game, game, game)
}

// slug returns the id of a game of the PC store.
func slug(game int) string { return fmt.Sprintf("game-%05d", game) }

// slugs returns the ids of every step-th game; step is even unless all games
// are offers.
func (k stock) slugs(step int) []string {
	var ids []string
	for game := 0; game < k.games; game += step {
		ids = append(ids, slug(game))
	}
	return ids
}

// bulkBody returns a request body for the prices of ids in all regions.
func bulkBody(ids []string) string {
	return `{"ids":["` + strings.Join(ids, `","`) + `"],"regions":"all"}`
}

// bulkAnswer holds the fields of a bulk answer that the tests read.
type bulkAnswer struct {
	Data struct {
		Items []struct {
			ID      string `json:"id"`
			Regions map[string]struct {
				Current int `json:"current"`
			} `json:"regions"`
		} `json:"items"`
		NotFound []string `json:"notFound"`
	} `json:"data"`
}

// versions returns the version of each game in a bulk answer. It fails the test
// if a game shows two versions or lacks a region.
func (k stock) versions(t *testing.T, body string) map[string]int {
	t.Helper()
	var got bulkAnswer
	if err := jsonv2.Unmarshal([]byte(body), &got); err != nil {
		t.Errorf("bulk answer %.200q: %v", body, err)
	}
	versions := map[string]int{}
	for _, item := range got.Data.Items {
		if len(item.Regions) != len(k.regions) {
			t.Errorf("%s shows %d of %d regions: half of a batch", item.ID, len(item.Regions), len(k.regions))
		}
		for key, price := range item.Regions {
			version := price.Current - versionZero
			if before, seen := versions[item.ID]; seen && before != version {
				t.Errorf("%s in %s is of version %d, elsewhere of %d: half of a batch", item.ID, key, version, before)
			}
			versions[item.ID] = version
		}
	}
	return versions
}

// placed writes a feed to a file that a command can read, and returns its path.
func placed(t *testing.T, path, text string) string {
	t.Helper()
	writeFile(t, path, text)
	return path
}
