package demo

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"gamedex/internal/catalog"
)

// Mover chooses which prices of the sample change while it is served.
type Mover struct {
	now    catalog.Millis
	offers map[catalog.Key]offer
	bySold map[sold]*sale
	sales  []*sale           // in the order of their first listings
	over   []catalog.Listing // the sale has ended
}

// sold is a product in one of the stores. Its price changes in all regions at once, but for
// Japan.
type sold struct {
	*product
	platform catalog.Platform
	japan    bool
}

type sale struct {
	listings []catalog.Listing
	offers   []offer
	reduced  bool
}

// Mover returns a Mover for the present time, which needs all listings that are stored.
func (c *Catalog) Mover(now catalog.Millis) *Mover {
	m := &Mover{now: now, offers: make(map[catalog.Key]offer), bySold: make(map[sold]*sale)}
	for l, o := range c.offers(now) {
		m.offers[l.Key] = o
	}
	return m
}

// ErrOthers means that there are listings that are not of the sample.
var ErrOthers = errors.New("the database has other listings than those of the demo")

// Add adds a stored listing. It returns ErrOthers if the listing is not one of the sample.
func (m *Mover) Add(stored *catalog.Listing) error {
	l := *stored
	o, ok := m.offers[l.Key]
	if !ok {
		return ErrOthers
	}
	p := l.Price
	if l.Withdrawn || o.Was > 0 || !changes(p) || p.Subscription || !o.hasSales() {
		return nil
	}
	if p.DiscountEndsAt > 0 && p.DiscountEndsAt <= m.now {
		m.over = append(m.over, o.moved(l, 0))
		return nil
	}
	key := sold{o.product, l.Platform, o.market.front == "JP"}
	s := m.bySold[key]
	if s == nil {
		s = new(sale)
		m.bySold[key], m.sales = s, append(m.sales, s)
	}
	s.listings, s.offers = append(s.listings, l), append(s.offers, o)
	s.reduced = s.reduced || p.Current < p.Base
	return nil
}

// Move returns the listings with new prices, observed now: one product's sale begins, one ends,
// one of the best-known games gets another discount, and a sale whose end has passed is over. For
// the same listings and minute the result is the same.
func (m *Mover) Move() []catalog.Listing {
	draw := hash("move", strconv.FormatInt(int64(m.now/minute), 10))
	percents := [...]int{20, 25, 33, 40, 50, 60, 75}
	percent := percents[draw%7]
	moved := m.over
	for _, change := range []struct {
		reduced, always bool
		percent         int
	}{{false, false, percent}, {true, false, 0}, {true, true, percent}} {
		var some []*sale
		for _, s := range m.sales {
			if s.reduced == change.reduced && s.offers[0].game.alwaysReduced() == change.always {
				some = append(some, s)
			}
		}
		if len(some) == 0 {
			continue
		}
		s := some[draw/7%uint64(len(some))]
		if change.percent > 0 && s.listings[0].Price.DiscountPercent == change.percent {
			change.percent = percents[(draw+1)%7]
		}
		for i, l := range s.listings {
			moved = append(moved, s.offers[i].moved(l, change.percent))
		}
	}
	return moved
}

// moved returns a listing of the offer whose price is now the base less some percent.
func (o offer) moved(l catalog.Listing, percent int) catalog.Listing {
	p := *l.Price
	p.Current, p.DiscountPercent, p.DiscountLabel, p.DiscountEndsAt = p.Base, catalog.NoPercent, "", 0
	if percent > 0 {
		o.discount(&p, percent, o.saleEnd())
	}
	p.BaseText, p.CurrentText = o.storeText(p.Base), o.storeText(p.Current)
	l.Price, l.ObservedAt, l.PricedAt = &p, o.now, o.now
	return l
}

// Covers chooses the listings of the sample whose pictures have the address of an earlier start.
type Covers struct {
	BaseURL string // of this start, as of [Catalog.Listings]; "": no pictures are served
	moved   []catalog.Listing
}

// Add adds a stored listing.
func (c *Covers) Add(stored *catalog.Listing) error {
	old, _, found := strings.Cut(stored.Prose.Thumbnail, CoverPath)
	if !found || old == c.BaseURL || c.BaseURL == "" {
		return nil
	}
	l := *stored
	p := &l.Prose
	p.Screenshots = slices.Clone(p.Screenshots)
	pictures := []*string{&p.Thumbnail, &p.Cover, &p.Logo}
	for i := range p.Screenshots {
		pictures = append(pictures, &p.Screenshots[i])
	}
	for _, address := range pictures {
		if path, ok := strings.CutPrefix(*address, old); ok {
			*address = c.BaseURL + path
		}
	}
	c.moved = append(c.moved, l)
	return nil
}

// Move returns the listings with the present addresses, otherwise as they were.
func (c *Covers) Move() []catalog.Listing { return c.moved }
