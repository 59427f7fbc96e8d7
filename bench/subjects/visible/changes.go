package visible

import (
	"math/rand/v2"

	"gamedex/bench/sample"
	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// changes makes listings that differ in prices and times alone.
type changes struct {
	sample  *sample.Sample
	regions int
	at      catalog.Millis
	rng     *rand.Rand
}

// sweep sees every listing of one region again; a tenth has another price.
func (c *changes) sweep(round int) []catalog.Listing {
	return c.seen(func(_, region int) bool { return region == round%c.regions }, func() bool { return c.rng.IntN(10) == 0 })
}

// share changes the prices of one listing in a hundred.
func (c *changes) share() []catalog.Listing {
	return c.seen(func(int, int) bool { return c.rng.IntN(100) == 0 }, func() bool { return true })
}

// seen makes what is seen an hour after the last time.
func (c *changes) seen(again func(product, region int) bool, repriced func() bool) []catalog.Listing {
	c.at += 3_600_000
	var out []catalog.Listing
	for l := range c.sample.Some(c.regions, again) {
		l.ObservedAt = c.at
		if repriced() && l.Price != nil && l.Price.Current.Known() {
			l.Price = c.reprice(*l.Price)
		}
		out = append(out, *l)
	}
	return out
}

// reprice gives an exact price that is another one, of the same currency.
func (c *changes) reprice(p catalog.Price) *catalog.Price {
	p.Base += money.Amount(1 + c.rng.IntN(500))
	p.Current, p.DiscountPercent, p.DiscountEndsAt, p.DiscountLabel = p.Base, catalog.NoPercent, 0, ""
	p.BaseText, p.CurrentText, p.Subscription = "", "", false
	return &p
}
