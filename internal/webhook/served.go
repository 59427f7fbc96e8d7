package webhook

import (
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strconv"

	"gamedex/internal/api/bulk"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// begin prepares prices for items in the regions of a subscription, as they are at now.
func (f *Filter) begin(prices *bulk.Answer, v *index.View, now int64) {
	prices.Reset()
	var params bulk.Params
	if params.Regions = f.Regions; f.Deals != "" && !f.Regions.All && len(f.Regions.Codes) == 0 {
		for _, number := range f.Regions.NumbersOrFirst(v) {
			params.Regions.Codes = append(params.Regions.Codes, v.Region(number).Code)
		}
	}
	prices.Find(v, params, now, nil)
}

// comparison compares a game in two views, by the rules of subscriptions.
type comparison struct {
	views  [2]*index.View
	at     [2]int64
	prices map[string]*[2]bulk.Answer // by the regions of subscriptions
	cards  [2]index.Card              // the present game
	known  map[rule]bool              // whether its change concerns them
}

// rule is a filter without its games.
type rule struct {
	regions string // see [RegionsText]
	when    When
	amount  int64
}

func newComparison(before *index.View, beforeAt int64, v *index.View, at int64) *comparison {
	return &comparison{views: [2]*index.View{before, v}, at: [2]int64{beforeAt, at}, prices: map[string]*[2]bulk.Answer{}, known: map[rule]bool{}}
}

// game begins with another game, which both views have.
func (c *comparison) game(was, is index.Card) {
	c.cards = [2]index.Card{was, is}
	clear(c.known)
}

// concerns reports whether the change of the present game concerns subscriptions with a filter, whose rule is r.
func (c *comparison) concerns(f *Filter, r rule) bool {
	answer, known := c.known[r]
	if known {
		return answer
	}
	prices := c.prices[r.regions]
	if prices == nil {
		prices = new([2]bulk.Answer)
		c.prices[r.regions] = prices
	}
	var states [2]state
	for i := range states {
		if prices[i].View == nil {
			f.begin(&prices[i], c.views[i], c.at[i])
		}
		states[i] = served(&prices[i], c.cards[i], c.at[i])
	}
	answer = f.concerns(&states[0], &states[1])
	c.known[r] = answer
	return answer
}

// served returns a game as it is served at now, in the regions of prices.
func served(prices *bulk.Answer, c index.Card, now int64) state {
	s := state{title: hash(append(append([]byte(c.ID()), 0), c.Title()...))}
	rows, console := c.Rows(), c.Platform() == catalog.ConsoleStore
	var row index.Row
	for _, number := range prices.AppendRows(nil, rows) {
		rows.Read(number, &row)
		row.Pass(now)
		p := price{region: prices.View.Region(row.Region).Code, amount: unknown, discounted: row.Discounted(), shown: shown(prices.View, &row, console),
			counts: !row.Trial && !row.Subscription && !row.Doubtful}
		if row.Current.Known() {
			p.amount, p.currency = int64(row.Current), prices.View.Currency(row.Currency)
		}
		s.prices = append(s.prices, p)
	}
	slices.SortFunc(s.prices, func(a, b price) int { return a.region.Compare(b.region) })
	return s
}

// shown returns a hash of what bulk prices show of a row, without usd, converted and pricedAt; not 0.
func shown(v *index.View, row *index.Row, console bool) uint64 {
	var b []byte
	for _, n := range [...]int64{int64(row.Base), int64(row.Current), int64(row.Percent), row.EndsAt, int64(row.Variants)} {
		b = binary.AppendVarint(b, n)
	}
	product := ""
	if console {
		product = row.Product()
	}
	for _, text := range [...]string{string(v.Currency(row.Currency)), row.BaseText(), row.CurrentText(), row.Label(), row.Edition(), product, row.Source()} {
		b = append(append(b, text...), 0)
	}
	return hash(strconv.AppendBool(strconv.AppendBool(b, row.Trial), row.Subscription))
}

func hash(b []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(b)
	return max(h.Sum64(), 1)
}

// servedNow returns what is served of the games of a subscription at now, to be remembered.
func (s *Subscription) servedNow(v *index.View, now int64) []Served {
	var prices bulk.Answer
	s.begin(&prices, v, now)
	list := make([]Served, len(s.Games))
	for i, game := range s.Games {
		list[i].Game = game
		var is state
		if c, ok := find(v, game); ok {
			is = served(&prices, c, now)
		}
		_, after := s.next(&state{}, &is)
		list[i].State = after.append(nil)
	}
	return list
}

// find returns the card that a subscription names; ok is false if it is not served, or another card
// has its id.
func find(v *index.View, game string) (c index.Card, ok bool) {
	p, id, ok := ParseGameID(game)
	if !ok {
		return c, false
	}
	c, ok = v.Lookup(p, id)
	return c, ok && c.ID() == id
}

// successors returns the cards that a game that is not served has become.
func successors(v *index.View, game string) (list []index.Card) {
	p, id, _ := ParseGameID(game)
	if list = v.AppendMoved(nil, p, id); len(list) > 0 {
		return list
	}
	if c, ok := v.Lookup(p, id); ok { // another card has its id as an alias
		list = append(list, c)
	}
	return list
}
