package sqldb_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/lease"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sweep"
)

// naive is a model of the rules of collection, in maps and loops.
type naive struct {
	listings map[catalog.Key]*naiveListing
	items    map[sweep.Kind]map[string]*naiveItem
	sweeps   map[sweep.Kind]*sweep.State
	prices   map[sweep.Kind]*naivePrices
	raised   bool // by the current operation
}

// naivePrices are those that the sweeps of a kind found, lost and removed.
type naivePrices struct {
	found, removed int
	lost           map[catalog.Key]catalog.Millis
}

type naiveListing struct {
	content catalog.Listing
	catalog.Stored
	by sweep.Kind
	at catalog.Millis
}

type naiveItem struct {
	mark             string
	by               sweep.Kind
	named, read, due catalog.Millis
}

const never = catalog.Millis(math.MaxInt64)

// whole returns the listing as last seen.
func (n *naiveListing) whole() catalog.Listing {
	l := n.content
	l.ObservedAt, l.FirstSeenAt, l.PricedAt, l.Withdrawn = n.SeenAt, n.FirstSeen, n.PricedAt, n.Withdrawn
	return l
}

// put stores a line according to Supersede.
func (m *naive) put(l catalog.Listing) (*naiveListing, catalog.Outcome) {
	n := m.listings[l.Key]
	var before *catalog.Stored
	if n == nil {
		n = &naiveListing{}
		m.listings[l.Key] = n
	} else {
		before = &n.Stored
	}
	out := catalog.Supersede(before, &l)
	if out.Effect == catalog.New || out.Effect == catalog.Changed && !l.Withdrawn {
		n.content = l
	}
	n.Stored = out.Stored
	m.raised = m.raised || out.Generation
	return n, out
}

func tally(c *catalog.SaveCounts, e catalog.Effect) {
	switch e {
	case catalog.New:
		c.New++
	case catalog.Changed:
		c.Changed++
	case catalog.Unchanged:
		c.Unchanged++
	case catalog.Older:
		c.Older++
	}
}

func (m *naive) importLine(l catalog.Listing) {
	before := catalog.Stored{}
	if n := m.listings[l.Key]; n != nil {
		before = n.Stored
	}
	if n, out := m.put(l); out.Effect != catalog.Older && n.Stored != before {
		n.by, n.at = 0, 0
	}
}

var errBad = errors.New("is bad")

func refuseBad(l *catalog.Listing) error {
	if l.Facts.Title == "bad" {
		return errBad
	}
	return nil
}

func finds(k sweep.Kind) bool { return k != sweep.Details && k != sweep.Titles }

// checkStored checks the stored prices of products that a batch is compared with.
func (m *naive) checkStored(t *rapid.T, products []string, stored []sweep.RegionPrice) {
	want := map[catalog.Key]money.Amount{}
	for key, n := range m.listings {
		if p := n.content.Price; slices.Contains(products, key.Product) && !n.Withdrawn && p != nil && p.Current.Known() {
			want[key] = p.Current
		}
	}
	got := map[catalog.Key]money.Amount{}
	for _, p := range stored {
		got[catalog.Key{Platform: catalog.ConsoleStore, Region: p.Region, Product: p.Product}] = p.Price.Current
	}
	if diff := gocmp.Diff(want, got); diff != "" || len(got) != len(stored) {
		t.Fatalf("%d stored prices to compare (-want +got):\n%s", len(stored), diff)
	}
}

// doubt marks the price of a listing that the batch did not read.
func (m *naive) doubt(d sweep.Doubt) (l catalog.Listing, ok bool) {
	n := m.listings[d.Key]
	if n == nil || n.Withdrawn || n.content.Price == nil || d.Doubtful == (n.content.Price.Source == catalog.SourceDoubtful) {
		return l, false
	}
	l = n.whole()
	price := *l.Price
	price.Source = map[bool]string{true: catalog.SourceDoubtful, false: catalog.SourceExact}[d.Doubtful]
	l.Price, l.FirstSeenAt, l.PricedAt = &price, 0, 0
	return l, true
}

func (m *naive) batch(s sweep.Batch, doubts []sweep.Doubt) (c sweep.BatchCounts) {
	lines, order, priced := map[catalog.Key]catalog.Listing{}, []catalog.Key{}, map[catalog.Key]bool{}
	present := map[catalog.Key]bool{}
	for _, p := range s.Parts {
		if p.Shows&sweep.ShowsPrice != 0 && p.Price != nil {
			m.prices[s.Scope.Kind].found++
		}
		var below *catalog.Listing
		if l, ok := lines[p.Key]; ok {
			below = &l
		} else if n := m.listings[p.Key]; n != nil {
			l := n.whole()
			below = &l
		}
		if below != nil && p.Shows&sweep.ShowsPrice != 0 && p.ObservedAt < below.ObservedAt {
			c.Saved.Older++
			if below.Withdrawn {
				continue
			}
			p.Shows &^= sweep.ShowsPrice // its facts are used
		}
		l, ok := sweep.Overlay(below, &p)
		hasPrice := p.Shows&sweep.ShowsPrice != 0
		switch {
		case !ok:
			c.Incomplete++
		case refuseBad(&l) == nil && hasPrice && below != nil && !below.Withdrawn && below.Price != nil && l.Price == nil:
			m.prices[s.Scope.Kind].lost[p.Key], present[p.Key] = p.ObservedAt, true
			p.Shows &^= sweep.ShowsPrice // its facts are used
			l, _ = sweep.Overlay(below, &p)
			if _, again := lines[p.Key]; !again {
				order = append(order, p.Key)
			}
			lines[p.Key] = l
		case refuseBad(&l) != nil:
			c.Rejected++
			c.FirstRejected = cmp.Or(c.FirstRejected, fmt.Sprintf("%s %s %s: is bad", p.Platform, p.Region, p.Product))
			present[p.Key] = present[p.Key] || hasPrice
		default:
			if _, again := lines[p.Key]; !again {
				order = append(order, p.Key)
			}
			lines[p.Key] = l
			if hasPrice {
				priced[p.Key] = true
				if l.Price != nil && l.Price.Source == catalog.SourceDoubtful {
					c.Doubtful++
				}
			}
		}
	}
	for _, d := range doubts {
		if _, read := lines[d.Key]; read {
			continue
		}
		if l, ok := m.doubt(d); ok {
			lines[d.Key], order = l, append(order, d.Key)
			if d.Doubtful {
				c.Doubtful++
			}
		}
	}
	for _, key := range order {
		known := m.listings[key]
		details := s.Scope.Kind == sweep.Details && (known == nil || known.Withdrawn || known.by == sweep.Details)
		n, out := m.put(lines[key])
		tally(&c.Saved, out.Effect)
		if priced[key] && (finds(s.Scope.Kind) || details) {
			n.by, n.at = s.Scope.Kind, s.At
		}
	}
	for _, product := range s.Present {
		for _, r := range s.Regions {
			present[catalog.Key{Platform: s.Scope.Platform, Region: r, Product: product}] = true
		}
	}
	for key := range present {
		if n := m.listings[key]; present[key] && n != nil && !n.Withdrawn && (finds(s.Scope.Kind) || n.by == s.Scope.Kind) {
			n.by, n.at = s.Scope.Kind, s.At
		}
	}
	c.Hot = m.name(s)
	for _, id := range s.Read {
		if i := m.items[s.Scope.Kind][id]; i != nil {
			i.read = s.At
			if !(i.due > s.At && i.due <= i.named) {
				i.due = never
			}
		}
	}
	for _, id := range s.Retry {
		if i := m.items[s.Scope.Kind][id]; i != nil {
			i.read, i.due = s.At, s.RetryAt
		}
	}
	w := m.sweeps[s.Scope.Kind]
	w.Cursor, w.Interrupted, w.Collected = s.Cursor, w.Interrupted || s.Interrupted, max(w.Collected, s.At)
	w.Requests, w.Parts, w.Doubtful = w.Requests+s.Requests, w.Parts+len(s.Parts), w.Doubtful+c.Doubtful
	return c
}

func (m *naive) name(s sweep.Batch) (hot int) {
	last := map[sweep.Item]bool{} // without marks
	for _, item := range slices.Backward(s.Items) {
		bare := sweep.Item{Kind: item.Kind, ID: item.ID}
		if last[bare] || m.sweeps[item.Kind] == nil {
			continue
		}
		last[bare] = true
		if m.items[item.Kind] == nil {
			m.items[item.Kind] = map[string]*naiveItem{}
		}
		i := m.items[item.Kind][item.ID]
		if i == nil {
			i = &naiveItem{due: s.At}
			m.items[item.Kind][item.ID] = i
			hot++
		} else if i.mark != item.Mark {
			i.due = min(i.due, s.At)
			hot++
		}
		i.mark, i.by, i.named = item.Mark, s.Scope.Kind, s.At
	}
	return hot
}

func (m *naive) begin(k sweep.Kind, at catalog.Millis) {
	w := m.sweeps[k]
	w.Began, w.Cursor, w.Interrupted, w.Requests, w.Parts, w.Doubtful, w.Withdrawn = at, "", false, 0, 0, 0, 0
	m.prices[k].found, m.prices[k].removed = 0, 0
}

// lost returns the listings whose price a kind no longer finds, and whether these are too many.
func (m *naive) lost(k sweep.Kind) (keys []catalog.Key, all int, many bool) {
	p := m.prices[k]
	for key, at := range p.lost {
		n := m.listings[key]
		if slices.Contains(m.sweeps[k].Regions, key.Region) && !n.Withdrawn && n.content.Price != nil && n.SeenAt < at {
			keys = append(keys, key)
		}
	}
	all = len(keys) + p.removed
	return keys, all, all > 4 && all*10 > all+p.found
}

func (m *naive) removePrices(k sweep.Kind, keys []catalog.Key) {
	p := m.prices[k]
	for _, key := range keys {
		l := m.listings[key].whole()
		l.Price, l.ObservedAt, l.FirstSeenAt, l.PricedAt = nil, p.lost[key], 0, 0
		m.put(l)
	}
	p.removed += len(keys)
	clear(p.lost)
}

func (m *naive) settle(k sweep.Kind) (heldBack int) {
	keys, all, many := m.lost(k)
	if many {
		m.sweeps[k].Failed, m.sweeps[k].HeldBack = true, all
		return all
	}
	m.removePrices(k, keys)
	return 0
}

// missing returns the listings that a sweep owns and did not see, and how many it owns.
func (m *naive) missing(k sweep.Kind) (gone []catalog.Key, own int) {
	w := m.sweeps[k]
	for key, n := range m.listings {
		if n.by == k && !n.Withdrawn && slices.Contains(w.Regions, key.Region) {
			own++
			if n.at < w.Began && n.SeenAt < w.Began && !w.Interrupted {
				gone = append(gone, key)
			}
		}
	}
	return gone, own
}

func (m *naive) finish(k sweep.Kind, at catalog.Millis, force bool) (end sweep.End) {
	w := m.sweeps[k]
	gone, own := m.missing(k)
	lost, named := 0, 0
	for _, items := range m.items {
		for _, i := range items {
			if i.by == k {
				named++
				if i.named < w.Began {
					lost++
				}
			}
		}
	}
	many := len(gone) > 4 && len(gone)*10 > own || lost > 4 && lost*10 > named
	unpriced, all, manyPrices := m.lost(k)
	if w.Interrupted {
		lost, many = 0, false
	}
	if (many || manyPrices) && !force {
		end.HeldBack = max(len(gone), lost, all)
	} else {
		m.removePrices(k, unpriced)
	}
	if end.HeldBack == 0 && !w.Interrupted {
		for _, key := range gone {
			m.put(catalog.Listing{Key: key, Facts: catalog.Facts{Type: catalog.Game}, ObservedAt: at, Withdrawn: true})
		}
		end.Withdrawn = len(gone)
		for _, items := range m.items {
			maps.DeleteFunc(items, func(_ string, i *naiveItem) bool { return i.by == k && i.named < w.Began })
		}
	}
	if w.Failed = end.HeldBack > 0; !w.Failed {
		w.Completed = at
	}
	w.Began, w.Cursor, w.Withdrawn, w.HeldBack = 0, "", end.Withdrawn, end.HeldBack
	return end
}

func (m *naive) due(k sweep.Kind, now catalog.Millis) []string {
	began := m.sweeps[k].Began
	var ids []string
	for id, i := range m.items[k] {
		if i.due <= now || i.read < began {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		x, y := m.items[k][a], m.items[k][b]
		return cmp.Or(cmp.Compare(x.due, y.due), cmp.Compare(x.read, y.read), cmp.Compare(a, b))
	})
	return ids
}

// drawBatch draws a batch about a few products and items, so that batches overlap.
func drawBatch(t *rapid.T, k sweep.Kind, at catalog.Millis) (s sweep.Batch, doubts []sweep.Doubt) {
	ids := func(label string, from string, most int) []string {
		id := rapid.Map(rapid.IntRange(0, 19), func(i int) string { return from + fmt.Sprint(i) })
		return rapid.SliceOfN(id, rapid.SampledFrom([]int{0, most / 2}).Draw(t, "few "+label), most).Draw(t, label)
	}
	s = sweep.Batch{Scope: scope(k), Regions: regionsOf(k), At: at, RetryAt: at + 5, Requests: 1,
		Cursor: rapid.SampledFrom([]string{"", "2"}).Draw(t, "cursor"), Interrupted: rapid.IntRange(0, 9).Draw(t, "interrupted") == 0,
		Present: ids("present", "p", 20), Read: ids("read", "i", 10), Retry: ids("retry", "i", 2)}
	for _, id := range ids("items", "i", 20) {
		kind := rapid.SampledFrom([]sweep.Kind{sweep.Editions, sweep.Details, sweep.Titles}).Draw(t, "item of")
		s.Items = append(s.Items, sweep.Item{Kind: kind, ID: id, Mark: rapid.SampledFrom([]string{"1", "1", "2"}).Draw(t, "mark")})
	}
	for _, product := range ids("doubt", "p", 4) {
		r := rapid.SampledFrom(regionsOf(sweep.Prices)).Draw(t, "doubt in")
		key := catalog.Key{Platform: s.Scope.Platform, Region: r, Product: product}
		doubts = append(doubts, sweep.Doubt{Key: key, Doubtful: rapid.Bool().Draw(t, "doubtful")})
	}
	for _, product := range ids("parts", "p", 40) {
		s.Parts = append(s.Parts, drawPart(t, s.Regions, product, at))
	}
	return s, doubts
}

func drawPart(t *rapid.T, regions []catalog.Region, product string, at catalog.Millis) sweep.Part {
	r := rapid.SampledFrom(regions).Draw(t, "region")
	p := shown(r.String(), product, at-catalog.Millis(rapid.SampledFrom([]int{0, 0, 0, 3}).Draw(t, "late")))
	p.Facts.Title = rapid.SampledFrom([]string{"Star Forge", "Star Forge", "Star Forge 2", "bad"}).Draw(t, "title")
	p.Price.CurrentText = rapid.SampledFrom([]string{"1", "2"}).Draw(t, "text")
	switch rapid.IntRange(0, 7).Draw(t, "shows") {
	case 0:
		p.Shows = sweep.ShowsTitle
	case 1: // without numbers
		p.Price = &catalog.Price{Base: -1, Current: -1, CurrentText: p.Price.CurrentText, DiscountPercent: catalog.NoPercent}
	case 2:
		p.Price.Source = catalog.SourceDoubtful
	case 3:
		p.Shows = sweep.ShowsPrice
	case 4:
		p.Price = nil
	}
	return p
}

func regionsOf(k sweep.Kind) []catalog.Region {
	if k == sweep.Prices {
		return []catalog.Region{turkey, ukraine}
	}
	return []catalog.Region{turkey}
}

// collected is a database and its model, with the leases of all scopes.
type collected struct {
	db     *sqldb.DB
	model  naive
	leases map[sweep.Kind]lease.Lease
	now    catalog.Millis
}

func newCollected(t *testing.T, db *sqldb.DB) *collected {
	collect(t, db)
	c := &collected{db: db, leases: map[sweep.Kind]lease.Lease{}, now: noon, model: naive{
		listings: map[catalog.Key]*naiveListing{}, items: map[sweep.Kind]map[string]*naiveItem{}, sweeps: map[sweep.Kind]*sweep.State{},
		prices: map[sweep.Kind]*naivePrices{},
	}}
	list, err := db.Sweeps.Sweeps(t.Context(), noon, sweep.ManyItems)
	must(t, err)
	for i := range list {
		k := list[i].Scope.Kind
		c.leases[k] = claim(t, db, list[i].Scope, "a")
		list[i].RunBy, list[i].RunUntil = "a", catalog.Millis(c.leases[k].Until)
		c.model.sweeps[k] = &list[i]
		c.model.prices[k] = &naivePrices{lost: map[catalog.Key]catalog.Millis{}}
	}
	return c
}

// TestCollectionAgainstModel applies random imports, batches and ends of sweeps to the
// database and the model, and compares them. Package sweep has examples of its rules.
func TestCollectionAgainstModel(t *testing.T) {
	t.Parallel()
	kinds := []sweep.Kind{sweep.Prices, sweep.Prices, sweep.Editions, sweep.AddOns, sweep.Details}
	for _, e := range engines() {
		t.Run(e.name, func(t *testing.T) {
			db := open(t, e.dsn(t))
			cases := 0
			rapid.Check(t, func(rt *rapid.T) {
				if cases++; cases%casesADatabase == 0 {
					wantWhole(t, db)
					db = open(t, e.dsn(t))
				}
				execute(t, db, "DELETE FROM listing", "DELETE FROM history")
				must(t, db.Sweeps.EndCollection(t.Context(), catalog.ConsoleStore))
				c := newCollected(t, db)
				for range rapid.IntRange(1, 18).Draw(rt, "operations") {
					c.now += catalog.Millis(rapid.IntRange(0, 3).Draw(rt, "time"))
					c.operate(t, rt, rapid.SampledFrom(kinds).Draw(rt, "kind"))
				}
				c.compare(t, rt)
			})
			wantWhole(t, db)
		})
	}
}

func (c *collected) operate(t *testing.T, rt *rapid.T, k sweep.Kind) {
	c.model.raised = false
	before := generation(t, c.db)
	under := c.model.sweeps[k].Began != 0
	switch op := rapid.IntRange(0, 9).Draw(rt, "operation"); {
	case op == 9:
		l := drawPart(rt, regionsOf(sweep.Prices), "p"+fmt.Sprint(rapid.IntRange(0, 19).Draw(rt, "product")), c.now).Listing
		l.Withdrawn = rapid.Bool().Draw(rt, "withdrawn")
		_, err := c.db.Listings.Save(t.Context(), []catalog.Listing{l})
		must(t, err)
		c.model.importLine(l)
	case op == 7 && !under:
		got, err := c.db.Sweeps.SettlePrices(t.Context(), c.leases[k], scope(k))
		must(t, err)
		if want := c.model.settle(k); got != want {
			rt.Fatalf("settle prices of %s: %d held back, want %d", k, got, want)
		}
	case op == 8 || op > 4 && !under:
		must(t, c.db.Sweeps.BeginSweep(t.Context(), c.leases[k], scope(k), c.now))
		c.model.begin(k, c.now)
	case op > 4:
		missing, err := c.db.Sweeps.Missing(t.Context(), scope(k))
		must(t, err)
		var products []string
		gone, _ := c.model.missing(k)
		for _, key := range gone {
			products = append(products, key.Product)
		}
		slices.Sort(products)
		if want := slices.Compact(products); !slices.Equal(missing, want) {
			rt.Fatalf("missing of %s: %q, want %q", k, missing, want)
		}
		force := rapid.Bool().Draw(rt, "force")
		got, err := c.db.Sweeps.FinishSweep(t.Context(), c.leases[k], scope(k), c.now, force)
		must(t, err)
		if want := c.model.finish(k, c.now, force); got != want {
			rt.Fatalf("finish %s: %+v, want %+v", k, got, want)
		}
	default:
		s, doubts := drawBatch(rt, k, c.now)
		rules := sweep.Rules{Check: refuseBad, Products: []string{"p1", "p2"}}
		rules.Judge = func(parts []sweep.Part, stored []sweep.RegionPrice) ([]sweep.Part, []sweep.Doubt) {
			c.model.checkStored(rt, rules.Products, stored)
			return parts, doubts
		}
		got, err := c.db.Sweeps.SaveBatch(t.Context(), c.leases[k], s, rules)
		must(t, err)
		if want := c.model.batch(s, doubts); got != want {
			rt.Fatalf("batch of %s: %+v, want %+v", k, got, want)
		}
	}
	if raised := generation(t, c.db) > before; raised != c.model.raised {
		rt.Fatalf("generation raised: %v, want %v", raised, c.model.raised)
	}
}

func (c *collected) compare(t *testing.T, rt *rapid.T) {
	want := map[catalog.Key]catalog.Listing{}
	for key, n := range c.model.listings {
		want[key] = n.whole()
	}
	got := map[catalog.Key]catalog.Listing{}
	for _, l := range exported(t, c.db, listings.Filter{}) {
		got[l.Key] = l
	}
	if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		rt.Fatalf("listings (-want +got):\n%s", diff)
	}
	countTo := rapid.IntRange(0, 25).Draw(rt, "count to")
	list, err := c.db.Sweeps.Sweeps(t.Context(), c.now, countTo)
	must(t, err)
	for _, s := range list {
		k := s.Scope.Kind
		w := *c.model.sweeps[k]
		due := c.model.due(k, c.now)
		w.Pending = min(len(due), countTo)
		if s.RunUntil == 0 { // expired, and not claimed again
			w.RunBy, w.RunUntil = "", 0
		}
		if diff := gocmp.Diff(w, s); diff != "" {
			rt.Fatalf("sweep of %s (-want +got):\n%s", k, diff)
		}
		limit := rapid.SampledFrom([]int{0, 1, 5, 100}).Draw(rt, "limit")
		items, err := c.db.Sweeps.DueItems(t.Context(), s.Scope, c.now, limit)
		must(t, err)
		if diff := gocmp.Diff(due[:min(len(due), limit)], items, cmpopts.EquateEmpty()); diff != "" {
			rt.Fatalf("due items of %s (-want +got):\n%s", k, diff)
		}
	}
}
