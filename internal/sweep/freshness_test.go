package sweep

import (
	"testing"

	"gamedex/internal/catalog"
)

func TestSeenTimes(t *testing.T) {
	for _, c := range []struct {
		name  string
		times []catalog.Millis
		want  catalog.Freshness
	}{
		{"none", nil, catalog.Freshness{}},
		{"one", []catalog.Millis{7}, catalog.Freshness{Listings: 1, OldestSeen: 7, MedianSeen: 7}},
		{"the earlier of two middle times", []catalog.Millis{9, 7}, catalog.Freshness{Listings: 2, OldestSeen: 7, MedianSeen: 7}},
		{"the middle of five", []catalog.Millis{50, 10, 30, 20, 40}, catalog.Freshness{Listings: 5, OldestSeen: 10, MedianSeen: 30}},
		{"repeated times", []catalog.Millis{5, 1, 5, 5, 1}, catalog.Freshness{Listings: 5, OldestSeen: 1, MedianSeen: 5}},
	} {
		var s SeenTimes
		for _, at := range c.times {
			s.AddListing(at, false)
		}
		if got := s.Freshness(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestSeenTimesWithManyTimes checks that the median is exact to an interval when
// there are more distinct times than intervals.
func TestSeenTimesWithManyTimes(t *testing.T) {
	const n = 5 * maxIntervals
	var s SeenTimes
	for i := range catalog.Millis(n) {
		s.AddListing(1000+i*7919%n, i%2 == 0)
	}
	f := s.Freshness()
	if middle := catalog.Millis(1000 + (n-1)/2); f.MedianSeen > middle || f.MedianSeen <= middle-s.width || len(s.counts) > maxIntervals {
		t.Errorf("median %d of %d intervals of %d, want %d", f.MedianSeen, len(s.counts), s.width, middle)
	}
	if f.Listings != n || f.Doubtful != n/2 || f.OldestSeen != 1000 {
		t.Errorf("%+v", f)
	}
}

func TestDoubtApply(t *testing.T) {
	listing := func(source string) *catalog.Listing {
		return &catalog.Listing{Price: &catalog.Price{Current: 5, Source: source}, FirstSeenAt: 1, PricedAt: 2, ObservedAt: 3}
	}
	withdrawn := listing(catalog.SourceExact)
	withdrawn.Withdrawn = true
	for _, c := range []struct {
		name     string
		stored   *catalog.Listing
		doubtful bool
		want     string // the source, "" if nothing changes
	}{
		{"not stored", nil, true, ""},
		{"withdrawn", withdrawn, true, ""},
		{"without a price", &catalog.Listing{}, true, ""},
		{"doubtful already", listing(catalog.SourceDoubtful), true, ""},
		{"not doubtful before either", listing(catalog.SourceExact), false, ""},
		{"becomes doubtful", listing(catalog.SourceExact), true, catalog.SourceDoubtful},
		{"no longer doubtful", listing(catalog.SourceDoubtful), false, catalog.SourceExact},
	} {
		marked, changed := Doubt{Doubtful: c.doubtful}.Apply(c.stored)
		if changed != (c.want != "") {
			t.Errorf("%s: changed is %v", c.name, changed)
		} else if changed && (marked.Price.Source != c.want || marked.Price == c.stored.Price ||
			marked.FirstSeenAt != 0 || marked.PricedAt != 0 || marked.ObservedAt != 3) {
			t.Errorf("%s: %+v, price %+v", c.name, marked, marked.Price)
		}
	}
}
