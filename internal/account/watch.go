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
	Price   SeenPrice
	SeenAt  int64 // when the present visit began; 0: never seen
	Prior   int64 // on the visit before, in hundredths of the same currency; NotSeen: not known
	PriorAt int64
}

// SeenPrice is a price in a market, in hundredths of its currency. Amount is NotSeen without one.
type SeenPrice struct {
	Region   string // a country; "": the cheapest one
	Currency string
	Amount   int64
}

// NotSeen stands for an amount where there is none.
const NotSeen = -1

const (
	visitMillis  = 6 * 60 * 60 * 1000      // how long a visit lasts: until then a page that is opened again says the same
	marketMillis = 7 * 24 * 60 * 60 * 1000 // how long a watch keeps to its market without a visit there
)

// Convert returns an amount in another currency, in hundredths, at today's rate; NotSeen without one.
type Convert func(amount int64, from, to string) int64

// See returns the watch after its user saw a price at now. It reports whether it differs. A watch follows
// one market: a look at another one changes nothing, until nobody looked at the first for a week. Nor does a look
// at a game that is not for sale.
func (w Watch) See(p SeenPrice, now int64, convert Convert) (seen Watch, changed bool) {
	seen = w
	age, known := now-w.SeenAt, w.SeenAt != 0
	if age < 0 { // the clock was set back
		age = marketMillis
	}
	switch {
	case p.Amount == NotSeen:
	case !known || p.Region != w.Price.Region && age >= marketMillis:
		seen.Price, seen.SeenAt, seen.Prior, seen.PriorAt = p, now, NotSeen, 0
	case p.Region == w.Price.Region && age >= visitMillis:
		seen.Price, seen.SeenAt, seen.Prior, seen.PriorAt = p, now, inCurrency(w.Price.Amount, w.Price.Currency, p, convert), w.SeenAt
	}
	return seen, seen != w
}

// Before returns the price on the visit before in the currency of p; NotSeen if it is not known in p's market.
func (w Watch) Before(p SeenPrice, convert Convert) int64 {
	if p.Region != w.Price.Region {
		return NotSeen
	}
	return inCurrency(w.Prior, w.Price.Currency, p, convert)
}

func inCurrency(amount int64, currency string, p SeenPrice, convert Convert) int64 {
	if amount == NotSeen || currency == p.Currency {
		return amount
	}
	return convert(amount, currency, p.Currency)
}
