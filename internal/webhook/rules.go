package webhook

import (
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strconv"

	"gamedex/internal/api/bulk"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// price is a price of a game in a region: as it is served, or as it is remembered.
type price struct {
	region     catalog.Region
	amount     int64          // of the current price; unknown without a number
	currency   money.Currency // of amount
	discounted bool
	// shown is a hash of what bulk prices show of it, without what exchange rates and the time alone
	// change; 0: the game is not sold in the region.
	shown uint64
	// counts is false for trials, prices for subscribers and doubtful ones: they neither make a
	// message nor replace what is remembered. Only of prices as they are served.
	counts bool
}

// unknown stands for an amount where there is none.
const unknown = -1

// state is a game with its prices in the regions of a subscription, sorted by region: as it is served,
// or as it is remembered.
type state struct {
	title  uint64 // a hash of its id and title; 0: it is not served
	prices []price
}

// in returns the price of a region; one that is not sold if there is none.
func (s *state) in(r catalog.Region) price {
	i, ok := slices.BinarySearchFunc(s.prices, r, func(p price, r catalog.Region) int { return p.region.Compare(r) })
	if !ok {
		return price{region: r, amount: unknown, counts: true}
	}
	return s.prices[i]
}

// next compares what is remembered of a game with what is served now. It returns whether this is to be
// sent, and what to remember from now on.
func (f *Filter) next(before, now *state) (send bool, after state) {
	var regions []catalog.Region
	for _, list := range [...][]price{before.prices, now.prices} {
		for i := range list {
			regions = append(regions, list[i].region)
		}
	}
	slices.SortFunc(regions, catalog.Region.Compare)
	regions = slices.Compact(regions)
	send = f.When == WhenChange && before.title != now.title
	for _, r := range regions {
		was, is := before.in(r), now.in(r)
		send = send || is.counts && f.fires(&was, &is)
	}
	after = state{title: now.title, prices: make([]price, 0, len(regions))}
	for _, r := range regions {
		was, is := before.in(r), now.in(r)
		if is.counts {
			was = f.follow(was, is, send)
		}
		was.counts = false
		if was != (price{region: r, amount: unknown}) {
			after.prices = append(after.prices, was)
		}
	}
	return send, after
}

// fires reports whether a price that counts is reason for a message.
func (f *Filter) fires(was, is *price) bool {
	switch f.When {
	case WhenDrop:
		return is.amount != unknown && is.amount < was.amount && is.currency == was.currency
	case WhenDeal:
		return is.discounted && !was.discounted
	case WhenBelow:
		return is.amount != unknown && is.amount < f.Amount && (was.amount == unknown || was.amount >= f.Amount)
	}
	return was.shown != is.shown
}

// follow returns what to remember of a price that counts. Without a number, the last one stays what
// others are compared with, and with WhenDrop, the one that was last sent. A game that is not sold
// for a while is not at the beginning of a discount when it comes back with it.
func (f *Filter) follow(was, is price, sent bool) price {
	if is.shown == 0 {
		is.discounted = was.discounted
	}
	if is.amount == unknown || f.When == WhenDrop && !sent && was.amount != unknown && was.currency == is.currency {
		is.amount, is.currency = was.amount, was.currency
	}
	return is
}

// begin prepares prices for items in the regions of a subscription, as they are at now.
func (f *Filter) begin(prices *bulk.Answer, v *index.View, now int64) {
	prices.Reset()
	var params bulk.Params
	params.Regions = f.Regions
	prices.Find(v, params, now, nil)
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

// stateVersion is the first byte of an encoded state. With another hash of what is shown it has to be another
// one: states of other versions are unknown, so that nothing is sent because the program changed.
const stateVersion = 1

// append appends the encoded state.
func (s *state) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(append(b, stateVersion), s.title)
	for i := range s.prices {
		p := &s.prices[i]
		flags := byte(len(p.currency)) << 1
		if p.discounted {
			flags |= 1
		}
		b = append(append(append(b, p.region[:]...), flags), p.currency...)
		b = binary.AppendVarint(binary.BigEndian.AppendUint64(b, p.shown), p.amount)
	}
	return b
}

// parseState is the reverse of append; ok is false if b is not a state of this version.
func parseState(b []byte) (s state, ok bool) {
	const head, fixed = 9, 3 + 8
	if len(b) < head || b[0] != stateVersion {
		return s, false
	}
	s.title = binary.BigEndian.Uint64(b[1:])
	for b = b[head:]; len(b) > 0; {
		if len(b) < fixed || len(b) < fixed+int(b[2]>>1) {
			return state{}, false
		}
		p := price{region: catalog.Region(b[:2]), discounted: b[2]&1 != 0}
		size := 3 + int(b[2]>>1)
		p.currency, p.shown = money.Currency(b[3:size]), binary.BigEndian.Uint64(b[size:])
		amount, n := binary.Varint(b[size+8:])
		if n <= 0 {
			return state{}, false
		}
		p.amount = amount
		s.prices, b = append(s.prices, p), b[size+8+n:]
	}
	return s, true
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
