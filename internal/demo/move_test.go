package demo_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/demo"
	"gamedex/internal/feed"
)

// move moves the stored listings of the sample and returns those that changed.
func move(t *testing.T, c *demo.Catalog, stored []catalog.Listing, at catalog.Millis) []catalog.Listing {
	t.Helper()
	m := c.Mover(at)
	for i := range stored {
		if err := m.Add(&stored[i]); err != nil {
			t.Fatalf("%v: %v", stored[i].Key, err)
		}
	}
	return m.Move()
}

// TestMove lets prices move for half an hour: in each minute a sale begins, one ends and a
// well-known game has another discount, and the share of reduced prices stays.
func TestMove(t *testing.T) {
	const minute = 60 * 1000
	c := open(t)
	stored := listings(t)
	at := map[catalog.Key]int{}
	for i, l := range stored {
		at[l.Key] = i
	}
	reduced := func() (n int) {
		for _, l := range stored {
			if l.Price != nil && l.Price.Current < l.Price.Base {
				n++
			}
		}
		return n
	}
	before := reduced()
	wellKnown := map[string]int{}
	for i := range 30 {
		now := now + catalog.Millis(i+1)*minute
		moved := move(t, c, stored, now)
		if i == 0 {
			if diff := cmp.Diff(moved, move(t, c, stored, now)); diff != "" {
				t.Errorf("the same minute twice:\n%s", diff)
			}
		}
		var began, ended, other int
		for _, l := range moved {
			old := stored[at[l.Key]]
			if err := feed.Check(&l, now); err != nil {
				t.Fatalf("%v: %v", l.Key, err)
			}
			if l.Price.Base != old.Price.Base || l.Price.Current == old.Price.Current || l.ObservedAt != now || l.PricedAt != now {
				t.Fatalf("%v: %+v became %+v", l.Key, old.Price, l.Price)
			}
			switch was, is := old.Price.Current < old.Price.Base, l.Price.Current < l.Price.Base; {
			case !was:
				began++
			case !is:
				ended++
			default:
				other++
				wellKnown[l.Facts.FamilyName]++
			}
			stored[at[l.Key]] = l
		}
		if began == 0 || ended == 0 || other == 0 || len(moved) > 40 {
			t.Fatalf("minute %d: %d sales began, %d ended, %d prices changed otherwise, of %d", i, began, ended, other, len(moved))
		}
	}
	for _, name := range []string{"The Witcher 3: Wild Hunt", "Cyberpunk 2077"} {
		if wellKnown[name] == 0 {
			t.Errorf("%s did not change: %v", name, wellKnown)
		}
	}
	if after := reduced(); after < before*9/10 || after > before*11/10 {
		t.Errorf("%d prices are reduced, %d were", after, before)
	}
}

// TestMoveEndsSales checks that sales are over at their end, all of them at once.
func TestMoveEndsSales(t *testing.T) {
	stored := listings(t)
	later := now + 30*24*60*60*1000
	over := map[catalog.Key]bool{}
	for _, l := range move(t, open(t), stored, later) {
		over[l.Key] = l.Price.Current == l.Price.Base
	}
	ended := 0
	for _, l := range stored {
		if l.Price != nil && l.Price.DiscountEndsAt > 0 && !l.Price.Subscription && l.ObservedAt > now-24*60*60*1000 {
			ended++
			if !over[l.Key] {
				t.Errorf("%v is still reduced", l.Key)
			}
		}
	}
	if ended < 100 {
		t.Errorf("%d sales had an end", ended)
	}
}

// TestMoverKnowsItsListings checks that a listing of anybody else is refused.
func TestMoverKnowsItsListings(t *testing.T) {
	other := slices.Clone(listings(t)[:1])
	other[0].Product += "X"
	if err := open(t).Mover(now).Add(&other[0]); !errors.Is(err, demo.ErrOthers) {
		t.Errorf("a listing that is not of the sample: %v", err)
	}
}

// TestCoversFollow checks that stored pictures get the address of a later start, and nothing else
// changes.
func TestCoversFollow(t *testing.T) {
	const later = "https://games.example/dex"
	stored := append(listings(t), catalog.Listing{Prose: catalog.Prose{Thumbnail: "https://other.example/cover.png"}})
	for at, want := range map[string][]catalog.Listing{
		baseURL: nil, "": nil, later: slices.Collect(open(t).Listings(later, now)),
	} {
		c := demo.Covers{BaseURL: at}
		for i := range stored {
			if err := c.Add(&stored[i]); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, c.Move()); diff != "" {
			t.Errorf("%s:\n%s", at, diff)
		}
	}
	if diff := cmp.Diff(listings(t), stored[:len(stored)-1]); diff != "" {
		t.Errorf("stored listings changed:\n%s", diff)
	}
}
