package collect_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/collect"
	"gamedex/internal/lease"
	"gamedex/internal/sweep"
	"gamedex/internal/upstream"
)

func fullShop(regions string) *shop {
	return newShop(catalog.ConsoleStore, regions, sweep.Details, sweep.Editions, sweep.Titles, sweep.Prices)
}

func TestOnce(t *testing.T) {
	bubble(t, func(w *world) {
		s := fullShop("DE UA").stock(10)
		var said []string
		got, err := w.collector("a", w.db, s).Once(w.t.Context(), collect.Filter{}, func(p collect.Progress) {
			if p.End {
				said = append(said, fmt.Sprintf("%s %d/%d", p.Scope, p.Done, p.Of))
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, s := range got {
			lines = append(lines, fmt.Sprintf("%s %d requests %d parts %d new %d changed %v", s.Scope, s.Requests, s.Parts, s.Saved.New, s.Saved.Changed, s.Err))
		}
		want := []string{
			"consolestore/UA/prices 3 requests 10 parts 10 new 0 changed <nil>",
			"consolestore/UA/editions 10 requests 10 parts 10 new 0 changed <nil>",
			"consolestore/UA/titles 3 requests 10 parts 0 new 0 changed <nil>",
			"consolestore/UA/details 10 requests 10 parts 0 new 10 changed <nil>",
			"consolestore/DE/prices 3 requests 10 parts 10 new 0 changed <nil>",
			"consolestore/DE/editions 10 requests 10 parts 10 new 0 changed <nil>",
			"consolestore/DE/titles 3 requests 10 parts 0 new 0 changed <nil>",
			"consolestore/DE/details 10 requests 10 parts 0 new 10 changed <nil>",
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("summaries (-want +got):\n%s", diff)
		}
		slices.Sort(said)
		if want := "consolestore/DE/details 10/10"; len(said) != 8 || said[0] != want {
			t.Errorf("progress ended with %q, want %q first of 8", said, want)
		}
	})
}

// TestOnceReportsProgress also checks that a second call reads everything again.
func TestOnceReportsProgress(t *testing.T) {
	bubble(t, func(w *world) {
		s := fullShop("UA").stock(10)
		c := w.collector("a", w.db, s)
		reported := map[string][]string{}
		for range 2 {
			clear(reported)
			_, err := c.Once(w.t.Context(), collect.Filter{}, func(p collect.Progress) {
				name := p.Scope.Kind.String()
				reported[name] = append(reported[name], fmt.Sprintf("%d/%d", p.Done, p.Of))
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if want := []string{"4/10", "8/10", "10/10", "10/10"}; !slices.Equal(reported["prices"], want) {
			t.Errorf("prices: %q, want %q", reported["prices"], want)
		}
		for at, reads := range s.reads {
			if n := count(reads, reads[0]); n != 2 {
				t.Errorf("%s: %q was read %d times, want twice though nothing is due", at, reads[0], n)
			}
		}
		if first := reported["editions"][0]; !strings.HasSuffix(first, "/10") {
			t.Errorf("editions: %q, want the number of items known from the start", reported["editions"])
		}
	})
}

func TestOnceFiltered(t *testing.T) {
	bubble(t, func(w *world) {
		pc := newShop(catalog.PCStore, "DE UA", sweep.Prices).stock(3)
		pc.jobs[0].Regions = regions("DE AT")
		c := w.collector("a", w.db, fullShop("UA").stock(3), pc)
		tests := []struct {
			filter collect.Filter
			want   string
		}{
			{collect.Filter{Platform: catalog.PCStore}, "pcstore/UA/prices pcstore/DE/prices"},
			{collect.Filter{Platform: catalog.PCStore, Region: catalog.MustRegion("AT")}, "pcstore/DE/prices"},
			{collect.Filter{Region: catalog.MustRegion("UA")}, "consolestore/UA/prices consolestore/UA/editions consolestore/UA/titles consolestore/UA/details pcstore/UA/prices"},
		}
		for _, tt := range tests {
			got, err := c.Once(w.t.Context(), tt.filter, nil)
			var names []string
			for _, s := range got {
				names = append(names, s.Scope.String())
			}
			if all := strings.Join(names, " "); err != nil || all != tt.want {
				t.Errorf("%+v: %s, %v, want %s", tt.filter, all, err, tt.want)
			}
		}
		_, err := c.Once(w.t.Context(), collect.Filter{Platform: catalog.ConsoleStore, Region: catalog.MustRegion("JP")}, nil)
		if want := "--region JP: the profile does not have it, only UA"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		_, err = w.collector("b", w.db, fullShop("UA")).Once(w.t.Context(), collect.Filter{Platform: catalog.PCStore}, nil)
		if want := "--platform pcstore: the profile has no section of this name, only consolestore"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	})
}

// TestNoItemCanBeRead checks that a sweep that reads none of its items has failed, by hand and
// in a service, that its requests are counted, and that it ends as soon as the store answers or
// no longer lists the items.
func TestNoItemCanBeRead(t *testing.T) {
	const name = "consolestore/UA/editions"
	for ending, end := range map[string]func(*shop){
		"answered":         func(s *shop) { s.fails = nil },
		"no longer listed": func(s *shop) { clear(s.games) },
	} {
		t.Run(ending, func(t *testing.T) {
			bubble(t, func(w *world) {
				s := consoleShop("UA").stock(1)
				s.fails = failingAt(upstream.NotFound, name, "")
				c := w.collector("a", w.db, s)
				got, err := c.Once(w.t.Context(), collect.Filter{}, nil)
				if err != nil {
					t.Fatal(err)
				}
				const why = "none of the items can be read, the last one g000: "
				if failed := got[1]; failed.Scope != scope(name) || failed.Err == nil || !strings.HasPrefix(failed.Err.Error(), why) || failed.Requests == 0 {
					t.Errorf("by hand: %+v", got)
				}
				w.runFor(time.Hour, c)
				if state := w.sweeps()[name]; state.Completed != 0 || !strings.HasPrefix(state.LastError, why) {
					t.Errorf("in the service: %+v", state)
				}
				s.set(func() { end(s) })
				w.runFor(time.Hour, c)
				if state := w.sweeps()[name]; state.Completed == 0 || state.LastError != "" {
					t.Errorf("not recovered: %+v", state)
				}
			})
		})
	}
}

func TestOnceContinuesAfterAFailure(t *testing.T) {
	bubble(t, func(w *world) {
		s := fullShop("UA DE").stock(3)
		s.fails = failingAt(upstream.Outdated, "consolestore/UA/titles", "")
		got, err := w.collector("a", w.db, s).Once(w.t.Context(), collect.Filter{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range got {
			up, failed := errors.AsType[*upstream.Error](s.Err)
			if want := s.Scope == scope("consolestore/UA/titles"); failed != want || failed && up.Kind != upstream.Outdated {
				t.Errorf("%s: %v", s.Scope, s.Err)
			}
		}
		if len(w.listings()) != 12 {
			t.Errorf("%d listings, want 12", len(w.listings()))
		}
	})
}

func TestOnceWaitsForTheLeaseHolder(t *testing.T) {
	tests := []struct {
		name string
		held time.Duration
		ok   bool
	}{{"that is released", time.Minute, true}, {"that is not released", time.Hour, false}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				s := pricesShop("UA").stock(3)
				other := lease.Holder{Repository: w.db.Sweeps.Leases(), ID: "other", TTL: 30 * time.Second}
				ctx, cancel := context.WithTimeout(w.t.Context(), tt.held)
				defer cancel()
				gone := make(chan struct{})
				go func() {
					defer close(gone)
					if _, err := other.Hold(ctx, "collect/consolestore/UA/prices", func(ctx context.Context, _ *lease.Lease) error {
						<-ctx.Done()
						return nil
					}); err != nil {
						t.Error(err)
					}
				}()
				time.Sleep(time.Second)
				began := time.Now()
				got, err := w.collector("a", w.db, s).Once(w.t.Context(), collect.Filter{}, nil)
				if err != nil || len(got) != 1 || (got[0].Err == nil) != tt.ok {
					t.Errorf("%+v, %v", got, err)
				}
				if waited := time.Since(began); waited > 130*time.Second {
					t.Errorf("waited %v, want no more than two minutes", waited)
				}
				cancel()
				<-gone
			})
		})
	}
}

// TestOnceGoesOnAfterALostLease checks that a sweep that loses its lease, as on a machine that
// slept, reads only the page again that was not saved, and that it fails after too many losses.
func TestOnceGoesOnAfterALostLease(t *testing.T) {
	for _, times := range []int{1, 5, 6} {
		t.Run(strconv.Itoa(times), func(t *testing.T) {
			bubble(t, func(w *world) {
				s := pricesShop("UA").stock(8)
				leases, left := w.db.Sweeps.Leases(), times
				s.fails = func(scope sweep.Scope, from string) error {
					if from == "" || left == 0 {
						return nil
					}
					left--
					l, _, err := leases.FindLease(w.t.Context(), "collect/"+scope.String())
					if err == nil {
						_, err = leases.Release(w.t.Context(), l)
					}
					return err
				}
				got, err := w.collector("a", w.db, s).Once(w.t.Context(), collect.Filter{}, nil)
				if err != nil || len(got) != 1 {
					t.Fatal(got, err)
				}
				if failed := errors.Is(got[0].Err, lease.ErrLost); failed != (times > 5) || !failed && got[0].Err != nil {
					t.Errorf("a sweep that loses %d leases: %v", times, got[0].Err)
				}
				pages := len(slices.Compact(slices.Sorted(slices.Values(s.reads[got[0].Scope]))))
				if reads := len(s.reads[got[0].Scope]); times < 6 && (reads != pages+times || got[0].Requests != pages || len(w.listings()) != 8) {
					t.Errorf("%d reads of %d pages, %d requests, %d listings", reads, pages, got[0].Requests, len(w.listings()))
				}
			})
		})
	}
}

func TestOnceStops(t *testing.T) {
	bubble(t, func(w *world) {
		s := fullShop("UA DE").stock(30)
		ctx, cancel := context.WithTimeout(w.t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, err := w.collector("a", w.db, s).Once(ctx, collect.Filter{}, nil)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 2*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}
