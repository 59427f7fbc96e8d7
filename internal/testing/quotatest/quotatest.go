// Package quotatest tests the behaviour of implementations of quota.Counter. It is
// for tests only.
//
//	TestMemory, TestShared ──► Run(t, open) ──► one subtest for each rule
//	                                              │
//	             quota.Pair, a pure value, ◄──────┘ decides the same, bit for bit
//
// It refuses to test properties of a single implementation: what is stored when, and
// what happens without a server.
package quotatest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gamedex/internal/quota"
)

// Open returns a counter in which every key has its full limits, and a function
// that sets the time by which it decides, in Unix milliseconds.
type Open func(t *testing.T) (c quota.Counter, set func(now int64))

// Run checks the decisions of counters.
func Run(t *testing.T, open Open) {
	for _, rule := range []struct {
		name  string
		check func(*testing.T, *counter)
	}{
		{"decides as a pair does", testDecisions},
		{"concurrent callers get what the limits allow", testConcurrent},
	} {
		t.Run(rule.name, func(t *testing.T) {
			c, set := open(t)
			rule.check(t, &counter{Counter: c, set: set})
		})
	}
}

// counter is a counter under test. Each round uses keys and owners of its own.
type counter struct {
	quota.Counter
	set   func(now int64)
	round int
}

func (c *counter) id(name string) string { return fmt.Sprint(name, "-", c.round) }

// owners are the owners of the keys in a round; "" is none.
var owners = map[string]string{"a": "", "b": "one", "c": "one", "d": "two", "e": ""}

func genLimits(least int) *rapid.Generator[quota.Limits] {
	return rapid.Custom(func(t *rapid.T) quota.Limits {
		return quota.Limits{Minute: rapid.IntRange(least, 5).Draw(t, "minute"), Day: rapid.IntRange(least, 12).Draw(t, "day")}
	})
}

// genJump generates steps of the clock: usual ones, and forward and back by
// minutes and by days, also by exactly as many as a rule names.
func genJump() *rapid.Generator[int64] {
	return rapid.OneOf(
		rapid.Map(rapid.SampledFrom([]int64{-1441, -1440, -1439, -3, -2, -1, 1, 1440}), func(minutes int64) int64 { return minutes * 60_000 }),
		rapid.Just(int64(0)),
		rapid.Int64Range(0, 20_000),
		rapid.Int64Range(-200_000, 200_000),
		rapid.Int64Range(-100_000_000, 100_000_000),
	)
}

// testDecisions compares a counter with pairs, over random keys, owners, limits that
// change, and jumps of the clock.
func testDecisions(t *testing.T, c *counter) {
	latest := time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	rapid.Check(t, func(t *rapid.T) {
		c.round++
		spent := map[string]quota.Spent{} // by key or owner
		now := rapid.Int64Range(0, latest).Draw(t, "start")
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			now = max(0, now+genJump().Draw(t, "jump"))
			c.set(now)
			key := rapid.SampledFrom(slices.Sorted(maps.Keys(owners))).Draw(t, "key")
			l, o := genLimits(1).Draw(t, "limits"), quota.Owner{}
			if owners[key] != "" {
				o = quota.Owner{ID: c.id(owners[key]), Limits: genLimits(0).Draw(t, "of the owner")}
			}
			before := quota.Pair{Key: spent[key], Owner: spent[owners[key]]}
			if rapid.Bool().Draw(t, "look") {
				if d, err := c.Look(context.Background(), c.id(key), l, o, now); err != nil || d != before.Look(l, o, now) {
					t.Fatalf("Look: %+v, %v, want %+v", d, err, before.Look(l, o, now))
				}
			}
			after, want := before.Take(l, o, now)
			if d, err := c.Take(context.Background(), c.id(key), l, o, now); err != nil || d != want {
				t.Fatalf("Take: %+v, %v, want %+v", d, err, want)
			}
			spent[key] = after.Key
			if o.ID != "" {
				spent[owners[key]] = after.Owner
			}
		}
	})
}

// testConcurrent has several callers for each key at once. Exactly as many
// requests pass as the limits of keys and owners allow, and each is another one.
func testConcurrent(t *testing.T, c *counter) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixMilli()
	c.set(now)
	rapid.Check(t, func(t *rapid.T) {
		c.round++
		byOwner := map[string]int{} // what the owner's keys may make in all
		limits := map[string]quota.Limits{}
		keys := slices.Sorted(maps.Keys(owners))
		for _, key := range keys {
			limits[owners[key]] = genLimits(0).Draw(t, "of an owner")
		}
		const callers, requests = 3, 4
		var mu sync.Mutex
		used, passed := map[string]bool{}, map[string]int{}
		var all sync.WaitGroup
		for _, key := range keys {
			l, o, owner := genLimits(1).Draw(t, "limits"), quota.Owner{}, owners[key]
			if owner != "" {
				o = quota.Owner{ID: c.id(owner), Limits: limits[owner]}
			} else {
				owner = key
				limits[owner] = l
			}
			byOwner[owner] += min(l.Minute, l.Day, callers*requests)
			for range callers {
				all.Go(func() {
					for range requests {
						d, err := c.Take(context.Background(), c.id(key), l, o, now)
						mu.Lock()
						number := fmt.Sprint(key, d.Day.Used)
						if err != nil || d.Minute.Used > d.Minute.Limit || d.Day.Used > d.Day.Limit || d.Allowed && used[number] {
							t.Errorf("%+v, %v", d, err)
						}
						if d.Allowed {
							used[number] = true
							passed[owner]++
						}
						mu.Unlock()
					}
				})
			}
		}
		all.Wait()
		for owner, most := range byOwner {
			if want := min(most, limits[owner].Minute, limits[owner].Day); passed[owner] != want {
				t.Errorf("%d requests of %s passed, want %d", passed[owner], owner, want)
			}
		}
	})
}
