package webhook

import (
	"bytes"
	"io"
	"slices"
	"time"

	"gamedex/internal/api/bulk"
	"gamedex/internal/api/wire"
	"gamedex/internal/index"
)

// The types of messages.
const (
	typeChanged = "prices.changed"
	typeResync  = "prices.resync" // read all games again: what has changed is not known
	typePing    = "ping"
)

// The limits of a message.
const (
	maxCards = 100
	maxData  = 240 << 10 // bytes of items and moved, so that the body has at most 256 KiB
)

// newMessage returns a message with the JSON object data.
func newMessage(kind string, data []byte, now int64, random io.Reader) (Message, error) {
	id, err := newID("msg_", now, random)
	body := wire.AppendString([]byte(`{"type":`), kind)
	body = wire.AppendTimestamp(append(body, `,"timestamp":`...), now)
	body = append(append(append(body, `,"data":`...), data...), '}')
	return Message{ID: id, Body: body}, err
}

// An evaluation compares games of a subscription with what is remembered of them, and collects a
// message.
type evaluation struct {
	s      *Subscription
	view   *index.View
	at     int64 // the time of the prices
	states map[string][]byte
	has    func(game string) bool // whether the subscription has a game
	deals  dealSet                // of a subscription to deals
	silent bool                   // deals are remembered and not sent
	prices bulk.Answer
	collected
}

// collected is what a message is made of, and what is stored with it.
type collected struct {
	items    []byte // with commas between them
	cards    int
	moved    []byte // members, with commas between them
	notFound []string
	Outcome
}

// evaluate compares games until the message is full. It returns the games that are left.
func (e *evaluation) evaluate(games []string) (left []string) {
	e.s.begin(&e.prices, e.view, e.at)
	if e.s.Deals != "" {
		return e.evaluateDeals(games)
	}
	for i, game := range games {
		before := e.collected
		e.compare(game)
		if e.isFull() && before.cards > 0 {
			e.collected = before
			return games[i:]
		}
	}
	return nil
}

// isFull reports whether the message is larger than it may be.
func (e *evaluation) isFull() bool { return e.cards > maxCards || len(e.items)+len(e.moved) > maxData }

// addItem adds a game to the message.
func (e *evaluation) addItem(c index.Card) {
	e.items = e.prices.AppendItem(wire.AppendComma(e.items, len(e.items)), c)
	e.cards++
}

// compare compares one game. One that has moved is replaced by its successors.
func (e *evaluation) compare(game string) {
	if c, ok := find(e.view, game); ok {
		e.compareCard(game, e.states[game], c)
		return
	}
	_, id, _ := ParseGameID(game)
	cards := successors(e.view, game)
	if len(cards) == 0 {
		if e.remember(game, e.states[game], &state{}) {
			e.notFound = append(e.notFound, id)
			e.cards++
		}
		return
	}
	e.Gone = append(e.Gone, game)
	e.cards++
	var ids []string
	for _, c := range cards {
		ids = append(ids, c.ID())
		if name := GameID(c); !e.has(name) && !slices.ContainsFunc(e.Served, func(s Served) bool { return s.Game == name }) {
			e.compareCard(name, e.states[game], c)
		}
	}
	e.moved = wire.AppendComma(e.moved, len(e.moved))
	e.moved = wire.AppendStrings(append(wire.AppendString(e.moved, id), ':'), ids)
}

func (e *evaluation) compareCard(game string, before []byte, c index.Card) {
	now := served(&e.prices, c, e.at)
	if e.remember(game, before, &now) {
		e.addItem(c)
	}
}

// remember reports whether a game as it is served now is to be sent. Nothing is sent of one of which nothing
// is known.
func (e *evaluation) remember(game string, before []byte, now *state) (send bool) {
	old, known := parseState(before)
	send, after := e.s.next(&old, now)
	if state := after.append(nil); !bytes.Equal(state, before) || !e.has(game) {
		e.Served = append(e.Served, Served{Game: game, State: state})
	}
	return send && known
}

// data returns the data of the message; nil if there is nothing to send.
func (e *evaluation) data() []byte {
	if e.cards == 0 {
		return nil
	}
	b := append(append([]byte(`{"items":[`), e.items...), ']')
	if len(e.moved) > 0 {
		b = append(append(append(b, `,"moved":{`...), e.moved...), '}')
	}
	if len(e.notFound) > 0 {
		b = wire.AppendStrings(append(b, `,"notFound":`...), e.notFound)
	}
	return append(b, '}')
}

// delays are how long after a failed try the next one is due.
var delays = [...]time.Duration{5 * time.Second, time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour}

const (
	jitter        = 0.1 // of a delay, more or less
	maxRetryAfter = 24 * time.Hour
)

// delay returns how long to wait after a number of failed tries; ok is false after the last one. The receiver
// can demand to wait for longer. random is in [0, 1).
func delay(failures int, demanded time.Duration, random float64) (wait time.Duration, ok bool) {
	if failures > len(delays) {
		return 0, false
	}
	wait = delays[failures-1]
	wait += time.Duration((2*random - 1) * jitter * float64(wait))
	return max(wait, min(demanded, maxRetryAfter)), true
}
