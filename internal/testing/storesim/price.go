package storesim

import (
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// article is one product of one store, for which random numbers are drawn. It
// is the same in all regions.
type article int

// The articles of a game are numbered by slot; those of the PC store follow
// those of the console store.
const (
	slots      = 64
	pcArticles = 1 << 40
)

func consoleArticle(game, slot int) article { return article(game*slots + slot) }

func pcArticle(game, slot int) article { return article(pcArticles + game*slots + slot) }

// cost is the price of an article somewhere on a day, as the store holds it.
type cost struct {
	base, current money.Amount
	percent       int // off; 0 = no discount
	ends          catalog.Millis
	wordsOnly     bool // numbers are not shown
	wrong         bool // the numbers shown do not match the text
}

// shown returns an amount as the store's numbers have it.
func (c *cost) shown(a money.Amount) money.Amount {
	if c.wrong {
		return a * 7 / 5
	}
	return a
}

// The pace of the world, in days: how often each thing happens to one product
// in one region.
const (
	daysBetweenChanges  = 40 // of a list price
	daysBetweenSales    = 15
	longestSale         = 9
	daysBetweenTurns    = 90  // a product is withdrawn
	daysBetweenGameTurn = 250 // a whole game is
)

// age returns how often an article's list price has changed in a region.
func (w *World) age(a article, m *market, day int) int {
	n := 0
	for d := 1; d <= day; d++ {
		if w.one(daysBetweenChanges, topicChange, int(a), m.number(), d) {
			n++
		}
	}
	return n
}

// cost of an article whose list price is that of an article worth cents.
func (w *World) cost(a article, m *market, cents int64, day int) cost {
	age := w.age(a, m, day)
	// Consecutive ages never have the same price, so that no text is repeated
	// when numbers are replaced by words.
	variant := (w.upTo(3, topicPrice, int(a), m.number(), 0) + age) % 3
	c := cost{base: m.list(cents*int64(90+10*variant)/100, fixedRate(m.currency))}
	c.current = c.base
	outlier, factor := w.outlier(a)
	if outlier {
		c.base = m.far(c.base, factor, w.stray(a) == m.number())
		c.current = c.base
		return c
	}
	c.wordsOnly = w.one(14, topicWords, int(a), m.number(), age)
	c.wrong = !c.wordsOnly && w.one(250, topicWrong, int(a), m.number(), age)
	if percent, ends := w.sale(a, m, day); percent > 0 {
		c.current = m.reduced(c.base, percent)
		if c.current < c.base && c.current > 0 {
			c.percent, c.ends = money.DiscountPercent(c.base, c.current), ends
		} else {
			c.current = c.base
		}
	}
	return c
}

// outlier reports whether an article's price is far off in some region, and
// whether above (1) or below (-1) the others.
func (w *World) outlier(a article) (bool, int) {
	if !w.one(300, topicOutlier, int(a), 0, 0) {
		return false, 0
	}
	return true, 1 - 2*w.upTo(2, topicOutlier, int(a), 1, 0)
}

// stray returns the region in which an outlier is off.
func (w *World) stray(a article) int {
	m := w.markets[w.upTo(len(w.markets), topicOutlier, int(a), 2, 0)]
	return m.group.number()
}

// far multiplies or divides a price by sixty.
func (m *market) far(a money.Amount, factor int, off bool) money.Amount {
	switch {
	case !off:
		return a
	case factor > 0:
		return a * 60
	case m.style.whole:
		return max(a/60/100*100, 100)
	}
	return max(a/60, 1)
}

// sale returns the discount that runs on a day, and its promised end: at least
// 40 days after the world's start, however short the sale is.
func (w *World) sale(a article, m *market, day int) (percent int, ends catalog.Millis) {
	for began := day; began > day-longestSale; began-- {
		if !w.one(daysBetweenSales, topicSale, int(a), m.number(), began) {
			continue
		}
		length := 2 + w.upTo(longestSale-1, topicSale, int(a), m.number(), began+1000)
		if day-began >= length {
			continue
		}
		percents := [...]int{10, 20, 25, 30, 33, 40, 50}
		percent = percents[w.upTo(len(percents), topicPercent, int(a), m.number(), began)]
		if w.one(8, topicPercent, int(a), m.number(), began+1000) {
			return percent, 0 // a discount without an end
		}
		end := w.start.Truncate(24*time.Hour).AddDate(0, 0, 60+began+length)
		return percent, catalog.MillisOf(end.Add(22*time.Hour + 59*time.Minute))
	}
	return 0, 0
}

// sold reports whether an article is on sale in a region on a day.
func (w *World) sold(a article, m *market, day int) bool {
	return w.there(topicSold, int(a), m, day, 16, daysBetweenTurns) &&
		w.there(topicGameTurn, int(a)/slots*slots, m, day, 20, daysBetweenGameTurn)
}

// there reports whether something is listed on a day. On the first day one in rare
// things is not. Each is withdrawn about once in every days, and comes back soon
// enough for the world to keep its size.
func (w *World) there(t topic, key int, m *market, day int, rare, every uint64) bool {
	yes := !w.one(rare, t, key, m.number(), 0)
	for d := 1; d <= day; d++ {
		n := every
		if !yes {
			n = every / rare
		}
		if w.one(n, topicTurn+t*64, key, m.number(), d) {
			yes = !yes
		}
	}
	return yes
}

// number identifies the region in draws.
func (m *market) number() int { return int(m.region[0])<<8 | int(m.region[1]) }

// ladder are the usual prices, in US cents. It must not be changed.
var ladder = [...]int64{199, 499, 999, 1499, 1999, 2999, 3999, 4999, 5999, 6999, 7999}

// cents returns a list price of rank 0 (add-ons) to 2 (the largest edition) for
// a game.
func (w *World) cents(game int, rank int, a article) int64 {
	if rank == 0 {
		return ladder[w.upTo(5, topicPrice, int(a), 0, 1)]
	}
	return ladder[3+w.upTo(6, topicPrice, game, 0, 2)+rank-1]
}
