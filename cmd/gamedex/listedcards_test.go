package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

// listed is an item of browse.
type listed struct {
	ID, Platform, Title, Type string
	EditionName               *string
	Platforms                 []string
	ReleaseDate, Publisher    string
	Genres                    []string
	AddedAt                   time.Time
	Regions                   []string
}

// facet is a facet of browse.
type facet struct {
	Values []struct {
		Value string
		Count int
	}
	More int
}

// compareBrowse compares the cards and facets of a random query, and returns how many
// cards there are.
func (l *lists) compareBrowse() int {
	l.t.Helper()
	q := &query{Values: url.Values{}}
	l.drawBrowse(q)
	order := anyOf(l.Rand, "", "id", "popularity", "title", "released", "added")
	q.Set("sort", order)
	names := []string{"types", "genres", "publishers", "platforms", "regions", "years"}
	l.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	names = names[:l.IntN(len(names)+1)]
	q.Set("facets", strings.Join(names, ","))
	var found []rank
	for _, c := range l.cards {
		if q.passes(c, nil) {
			found = append(found, l.browseRank(order, c))
		}
	}
	slices.SortFunc(found, rank.compare)
	want, got := []listed{}, []listed{}
	for _, p := range found {
		want = append(want, l.listed(p.card))
	}
	counts := l.facets(names, found)
	l.walk("/catalog/browse", q.Values, len(want), func(body []byte) error {
		var page struct {
			Data struct {
				Items  []listed
				Facets map[string]facet
			}
		}
		if err := json.Unmarshal(body, &page); err != nil {
			return err
		}
		got = append(got, page.Data.Items...)
		return differentFacets(counts, page.Data.Facets)
	})
	if diff := gocmp.Diff(want, got); diff != "" {
		l.t.Fatalf("browse %s (-naive +answer):\n%.4000s", q.Encode(), diff)
	}
	return len(got)
}

// drawBrowse draws the filters of browse.
func (l *lists) drawBrowse(q *query) {
	l.drawCards(q)
	regions := l.drawRegions(q, nil)
	if regions != nil {
		q.keep = append(q.keep, func(c *pricedCard, _ *pricedRow) bool {
			return slices.ContainsFunc(regions, func(r string) bool { return c.in(r) != nil })
		})
	} else {
		regions = l.active
	}
	like := anyOf(l.Rand, l.cards...)
	l.maybe(q, 4, "priced", "1", func(c *pricedCard, _ *pricedRow) bool {
		return slices.ContainsFunc(regions, func(r string) bool { return c.in(r).priced() })
	})
	l.maybe(q, 6, "releasedFrom", like.Meta.ReleaseDate, func(c *pricedCard, _ *pricedRow) bool { return c.Meta.ReleaseDate >= like.Meta.ReleaseDate })
	l.maybe(q, 6, "releasedTo", like.Meta.ReleaseDate, func(c *pricedCard, _ *pricedRow) bool {
		return c.Meta.ReleaseDate != "" && c.Meta.ReleaseDate <= like.Meta.ReleaseDate
	})
	l.maybe(q, 6, "addedAfter", time.UnixMilli(like.added-1).UTC().Format(time.RFC3339Nano), func(c *pricedCard, _ *pricedRow) bool { return c.added >= like.added })
}

func (l *lists) browseRank(order string, c *pricedCard) rank {
	p := rank{card: c}
	switch order {
	case "popularity":
		p.number = -c.popularity
	case "title":
		p.text = strings.ToLower(c.Title)
	case "released":
		p.number = math.Inf(1)
		if date, err := time.Parse(time.DateOnly, c.Meta.ReleaseDate); err == nil {
			p.number = -float64(date.Unix())
		}
	case "added":
		p.number = -float64(c.added)
	default: // by id, then platform
		p.text = c.ID
	}
	return p
}

func (l *lists) listed(c *pricedCard) listed {
	shown := listed{c.ID, c.Platform, c.Title, c.kind, c.Meta.EditionName, c.Meta.Platforms, c.Meta.ReleaseDate, c.Meta.Publisher, c.Meta.Genres,
		time.UnixMilli(c.added).UTC(), []string{}}
	for _, region := range l.active {
		if c.in(region) != nil {
			shown.Regions = append(shown.Regions, strings.ToLower(region))
		}
	}
	return shown
}

// facets counts the values of the cards that were found, in lower case.
func (l *lists) facets(names []string, found []rank) map[string]map[string]int {
	counts := map[string]map[string]int{}
	for _, name := range names {
		counts[name] = map[string]int{}
		for _, p := range found {
			c := p.card
			values := map[string][]string{"types": {c.kind}, "genres": c.Meta.Genres, "publishers": {c.Meta.Publisher}, "platforms": c.Meta.Platforms,
				"years": {strings.Split(c.Meta.ReleaseDate, "-")[0]}}[name]
			if name == "regions" {
				for _, r := range c.Regions {
					values = append(values, r.Alpha2)
				}
			}
			seen := map[string]bool{"": true}
			for _, value := range values {
				if value = strings.ToLower(value); !seen[value] {
					seen[value] = true
					counts[name][value]++
				}
			}
		}
	}
	return counts
}

// differentFacets returns an error unless the facets have the counts: the 50 highest ones.
func differentFacets(want map[string]map[string]int, got map[string]facet) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d facets, want %d", len(got), len(want))
	}
	for name, counts := range want {
		f := got[name]
		if len(f.Values) != min(50, len(counts)) || f.More != len(counts)-len(f.Values) {
			return fmt.Errorf("facet %s has %d values and %d more of %d", name, len(f.Values), f.More, len(counts))
		}
		highest := slices.SortedFunc(maps.Values(counts), func(a, b int) int { return b - a })
		for i, v := range f.Values {
			if v.Count != counts[strings.ToLower(v.Value)] || v.Count != highest[i] {
				return fmt.Errorf("facet %s: %q counts %d at place %d, want %d and %d there", name, v.Value, v.Count, i, counts[strings.ToLower(v.Value)], highest[i])
			}
		}
	}
	return nil
}
