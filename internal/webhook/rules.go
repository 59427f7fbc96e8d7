package webhook

import (
	"encoding/binary"
	"slices"

	"gamedex/internal/catalog"
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
	if f.When != WhenChange {
		after.title = min(now.title, 1)
	}
	for _, r := range regions {
		was, is := before.in(r), now.in(r)
		if is.counts {
			was = f.needed(f.follow(was, is, send))
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

// needed returns a price without what the subscription never compares, so that nothing is stored when only that
// changes.
func (f *Filter) needed(p price) price {
	if f.When != WhenChange {
		p.shown = min(p.shown, 1)
	}
	switch f.When {
	case WhenDrop, WhenBelow:
		p.discounted = false
	case WhenDeal:
		p.amount, p.currency = unknown, ""
	}
	return p
}

// concerns reports whether a change of a game from was to is, as it is served, can be reason for a message or change
// what is remembered. What is remembered is found from was, which is never less than what WhenDrop remembers. Prices
// that do not count hide it.
func (f *Filter) concerns(was, is *state) bool {
	_, before := f.next(&state{}, was)
	send, after := f.next(&before, is)
	return send || before.title != after.title || !slices.Equal(before.prices, after.prices) ||
		slices.ContainsFunc(was.prices, func(p price) bool { return !p.counts })
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
