package storesim

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gamedex/internal/catalog"
)

// Config describes a world. Two worlds of one Config are the same.
type Config struct {
	Seed         uint64
	ConsoleGames int // concepts of the console store
	PCGames      int // games of the PC store, each with its offers
	Regions      []catalog.Region
	Start        time.Time        // the world's first day; promised dates are at least 40 days after it
	Now          func() time.Time // wall clock for History, rates and faults; nil: time.Now
}

// World is two stores, on one day. It is safe for concurrent use.
type World struct {
	dice
	console, pc int
	start       time.Time
	now         func() time.Time
	markets     []*market
	groups      [][]*market // price regions of the PC store, each by its first
	rates       rateTable
	faulty      faultSource
	queries     atomic.Int64
	hashed      map[string]string // the hashes of all operations, as in Profile

	mu      sync.RWMutex // held for reading while an answer is built
	days    []time.Time  // when each day began, by the wall clock
	rotated bool
	lists   lists
}

// New returns the world on its first day. It panics if a region is not a
// country or is repeated: that is a fault of the test.
func New(c Config) *World {
	w := &World{
		dice: dice(c.Seed), console: c.ConsoleGames, pc: c.PCGames,
		start: cmp.Or(c.Start, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).UTC(),
		now:   c.Now,
	}
	if w.now == nil {
		w.now = time.Now
	}
	for i, r := range c.Regions {
		if slices.Index(c.Regions, r) != i || r == (catalog.Region{}) {
			panic("storesim: region " + r.String() + " is given twice or is not a region")
		}
		w.markets = append(w.markets, newMarket(r))
	}
	w.hashed = hashes(slices.Concat(consoleOperations[:], pcOperations[:]))
	w.groups = priceRegions(w.markets)
	w.rates.reset()
	w.days = []time.Time{w.now()}
	return w
}

// priceRegions groups all countries that pay in euros; each other country is a
// group alone.
func priceRegions(markets []*market) [][]*market {
	var groups [][]*market
	euro := -1
	for _, m := range markets {
		switch {
		case m.currency != "EUR":
			groups = append(groups, []*market{m})
		case euro < 0:
			euro = len(groups)
			groups = append(groups, []*market{m})
		default:
			groups[euro] = append(groups[euro], m)
		}
	}
	for _, g := range groups {
		for _, m := range g {
			m.group = g[0]
		}
	}
	return groups
}

// Day returns how often the world has been advanced.
func (w *World) Day() int {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.day()
}

// day must be called with the lock held.
func (w *World) day() int { return len(w.days) - 1 }

// Advance lets a day pass: prices move, sales start and end, products and games
// come and go, editions move to another game's page, numbers become words and
// words numbers. In a world of some hundred games less than a twentieth of a
// region goes. It waits for the answers that are being built.
func (w *World) Advance() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.days = append(w.days, w.now())
	w.lists.forget()
}

// market returns the market of a region; nil if the world does not have it.
func (w *World) market(r catalog.Region) *market {
	for _, m := range w.markets {
		if m.region == r {
			return m
		}
	}
	return nil
}

// dice draws numbers that depend only on the seed and what they are for.
type dice uint64

// roll returns a number for a topic about up to three things.
func (d dice) roll(t topic, a, b, c int) uint64 {
	x := mix(uint64(d) ^ uint64(t)*0x9e3779b97f4a7c15)
	x = mix(x ^ uint64(a)*0xc2b2ae3d27d4eb4f)
	x = mix(x ^ uint64(b)*0x165667b19e3779f9)
	return mix(x ^ uint64(c)*0x27d4eb2f165667c5)
}

// one returns true once in n times.
func (d dice) one(n uint64, t topic, a, b, c int) bool { return d.roll(t, a, b, c)%n == 0 }

// upTo returns a number from 0 to n-1.
func (d dice) upTo(n int, t topic, a, b, c int) int { return int(d.roll(t, a, b, c) % uint64(n)) }

func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// topic is what a number is drawn for.
type topic uint64

const (
	topicName topic = iota + 1
	topicMark
	topicLocal
	topicSubtitle
	topicShape
	topicCode
	topicTitleID
	topicSold
	topicTurn
	topicGameTurn
	topicPrice
	topicChange
	topicSale
	topicPercent
	topicWords
	topicMode
	topicUpsell
	topicOutlier
	topicWrong
	topicUnits
	topicEdition
	topicMove
	topicDefault
	topicLaunch
	topicGrid
	topicPublisher
	topicRelease
	topicGenre
	topicAge
	topicStars
	topicAddOns
	topicStatus
	topicSlug
	topicOffer
	topicBlock
	topicFields
	_ // not used any more; without it, the topics after it would draw other numbers
	topicCondition
	topicForm
)

// lists keeps, for a day, what a store lists in a region: pages are cut from
// it.
type lists struct {
	mu   sync.Mutex
	byID map[listKey][]item
}

type listKey struct {
	platform catalog.Platform
	region   catalog.Region
}

// item is a game and one of its products; a game alone has slot 0.
type item struct{ game, slot int32 }

func (l *lists) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.byID = nil
}

// get returns the list, filled by fill the first time.
func (l *lists) get(k listKey, fill func() []item) []item {
	l.mu.Lock()
	defer l.mu.Unlock()
	if list, ok := l.byID[k]; ok {
		return list
	}
	if l.byID == nil {
		l.byID = make(map[listKey][]item)
	}
	list := fill()
	l.byID[k] = list
	return list
}
