package account

import "errors"

// MaxWatched is how many games a user may watch.
const MaxWatched = 200

// ErrTooManyWatched means that a user watches as many games as they may.
var ErrTooManyWatched = errors.New("this user watches as many games as a user may")

// Watch is a game that a user watches, and what they saw of its price: on their present visit, and on the
// one before. Times are Unix milliseconds.
type Watch struct {
	Game    string // platform and id of the card: "pcstore/elden-ring"
	AddedAt int64
	Price   SeenPrice
	SeenAt  int64 // when the present visit began; 0: never seen
	Prior   int64 // on the visit before, in hundredths of the same currency; NotSeen: not known
	PriorAt int64
}

// SeenPrice is a price in a region, in hundredths of its currency. Amount is NotSeen without one.
type SeenPrice struct {
	Region, Currency string
	Amount           int64
}

// NotSeen stands for an amount where there is none.
const NotSeen = -1

// visitMillis is how long a visit lasts. Until then a page that is opened again says the same.
const visitMillis = 6 * 60 * 60 * 1000

// See returns the watch after its user saw a price at now. It reports whether it differs. Prices of
// different regions or currencies are not compared.
func (w Watch) See(p SeenPrice, now int64) (seen Watch, changed bool) {
	seen = w
	switch {
	case p.Region != w.Price.Region || p.Currency != w.Price.Currency:
		seen.Price, seen.SeenAt, seen.Prior, seen.PriorAt = p, now, NotSeen, 0
	case now-w.SeenAt >= visitMillis || now < w.SeenAt: // a new visit, or the clock was set back
		seen.Price, seen.SeenAt, seen.Prior, seen.PriorAt = p, now, w.Price.Amount, w.SeenAt
	}
	return seen, seen != w
}
