package catalog_test

import (
	"testing"

	"gamedex/internal/catalog"
	. "gamedex/internal/testing/catalogtest"
)

// TestSupersede covers rule 1 of the feed, sentence by sentence: how a second
// line changes a listing that was seen on day 10 at 100.
func TestSupersede(t *testing.T) {
	first := Console("US", "A", On(10), Price("USD", 100))
	withFirstSeen := func(day int) Option { return func(l *catalog.Listing) { l.FirstSeenAt = Day(day) } }
	withPricedAt := func(day int) Option { return func(l *catalog.Listing) { l.PricedAt = Day(day) } }
	type times struct{ First, Observed, Seen, Priced int }
	tests := []struct {
		name       string
		lines      []catalog.Listing // after the first
		effect     catalog.Effect    // of the last
		generation bool
		want       times
		withdrawn  bool
	}{
		{"a new listing", nil, catalog.New, true, times{10, 10, 10, 10}, false},
		{"a repeated line moves only the time last seen",
			[]catalog.Listing{Console("US", "A", On(12), Price("USD", 100))},
			catalog.Unchanged, false, times{10, 10, 12, 10}, false},
		{"the same line twice changes nothing",
			[]catalog.Listing{first}, catalog.Unchanged, false, times{10, 10, 10, 10}, false},
		{"another price",
			[]catalog.Listing{Console("US", "A", On(12), Price("USD", 90))},
			catalog.Changed, true, times{10, 12, 12, 12}, false},
		{"another title keeps the time of the price",
			[]catalog.Listing{Console("US", "A", On(12), Price("USD", 100), Title("x"))},
			catalog.Changed, true, times{10, 12, 12, 10}, false},
		{"at equal time the later line wins",
			[]catalog.Listing{Console("US", "A", On(10), Price("USD", 90))},
			catalog.Changed, true, times{10, 10, 10, 10}, false},
		{"an older line changes nothing but the time first seen",
			[]catalog.Listing{Console("US", "A", On(9), Price("USD", 90))},
			catalog.Older, true, times{9, 10, 10, 10}, false},
		{"older than last seen, though newer than the content",
			[]catalog.Listing{Console("US", "A", On(14), Price("USD", 100)), Console("US", "A", On(12), Price("USD", 90))},
			catalog.Older, false, times{10, 10, 14, 10}, false},
		{"firstSeenAt counts as an older observation",
			[]catalog.Listing{Console("US", "A", On(12), Price("USD", 100), withFirstSeen(3))},
			catalog.Unchanged, true, times{3, 10, 12, 10}, false},
		{"a later firstSeenAt does not raise it",
			[]catalog.Listing{Console("US", "A", On(12), Price("USD", 100), withFirstSeen(11))},
			catalog.Unchanged, false, times{10, 10, 12, 10}, false},
		{"pricedAt is the time of a new price",
			[]catalog.Listing{Console("US", "A", On(12), Price("USD", 90), withPricedAt(11))},
			catalog.Changed, true, times{10, 12, 12, 11}, false},
		{"pricedAt does not touch a price that is known",
			[]catalog.Listing{Console("US", "A", On(12), Price("USD", 100), withPricedAt(2))},
			catalog.Unchanged, false, times{10, 10, 12, 10}, false},
		{"a withdrawal keeps the time first seen",
			[]catalog.Listing{Console("US", "A", On(12), Withdrawn())},
			catalog.Changed, true, times{10, 12, 12, 10}, true},
		{"withdrawn again, whatever else the line says",
			[]catalog.Listing{Console("US", "A", On(12), Withdrawn()), Console("US", "A", On(13), Withdrawn(), Title("x"))},
			catalog.Unchanged, false, times{10, 12, 13, 10}, true},
		{"a listing that comes back has a new price time",
			[]catalog.Listing{Console("US", "A", On(12), Withdrawn()), Console("US", "A", On(13), Price("USD", 100))},
			catalog.Changed, true, times{10, 13, 13, 13}, false},
		{"an older line does not bring it back",
			[]catalog.Listing{Console("US", "A", On(12), Withdrawn()), Console("US", "A", On(11), Price("USD", 100))},
			catalog.Older, false, times{10, 12, 12, 10}, true},
		{"a price that goes is a price change",
			[]catalog.Listing{Console("US", "A", On(12))},
			catalog.Changed, true, times{10, 12, 12, 12}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := catalog.Supersede(nil, &first)
			for i := range tt.lines {
				stored := out.Stored
				out = catalog.Supersede(&stored, &tt.lines[i])
			}
			if out.Effect != tt.effect || out.Generation != tt.generation {
				t.Errorf("effect %v, generation %v; want %v, %v", out.Effect, out.Generation, tt.effect, tt.generation)
			}
			day := func(m catalog.Millis) int { return m.Time().YearDay() }
			s := out.Stored
			got := times{day(s.FirstSeen), day(s.ObservedAt), day(s.SeenAt), day(s.PricedAt)}
			if got != tt.want || s.Withdrawn != tt.withdrawn {
				t.Errorf("days %+v withdrawn %v; want %+v %v", got, s.Withdrawn, tt.want, tt.withdrawn)
			}
		})
	}
}

func TestSupersedeOfANewLine(t *testing.T) {
	line := Console("US", "A", On(10), Withdrawn())
	line.FirstSeenAt, line.PricedAt = Day(3), Day(4)
	got := catalog.Supersede(nil, &line)
	want := catalog.Stored{FirstSeen: Day(3), ObservedAt: Day(10), SeenAt: Day(10), PricedAt: Day(4), Withdrawn: true,
		ContentHash: line.ContentHash(), PriceHash: line.PriceHash()}
	if got.Effect != catalog.New || got.Stored != want {
		t.Errorf("got %v %+v, want new %+v", got.Effect, got.Stored, want)
	}
}
