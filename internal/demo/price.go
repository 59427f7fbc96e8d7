package demo

import (
	"strconv"
	"strings"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

const (
	minute = catalog.Millis(time.Minute / time.Millisecond)
	day    = catalog.Millis(24 * time.Hour / time.Millisecond)
)

type offer struct {
	*product
	game     *game
	platform catalog.Platform
	market   market
	now      catalog.Millis
	texts    *money.Formatter
}

// chance returns a number from 0 to n-1 that is always the same for the product, the region
// and the subject about.
func (o offer) chance(about string, n uint64) uint64 {
	return hash(about, o.game.name, o.name, o.market.region.String()) % n
}

// price returns the price of the offer; nil if it is only announced.
func (o offer) price() *catalog.Price {
	if o.game.notes.soon {
		return nil
	}
	base := o.market.list(o.usd, o.platform)
	p := catalog.Price{
		Currency: o.market.currency, Base: base, Current: base, DiscountPercent: catalog.NoPercent,
		Trial: o.kind == kindDemo,
	}
	// The price is only a text if the table says so, and for a part of the PC
	// store's games in Kazakhstan.
	isText := o.platform == catalog.PCStore && o.market.currency == "KZT" && o.usd > 0 && hash("text", o.game.name)%5 == 0
	if o.notes.text {
		isText = o.platform == catalog.PCStore || !o.game.pc
	}
	if isText {
		region := o.market.region.String()
		text := o.texts.Format(region, o.market.currency, base)
		if base == 0 {
			text = money.RegionWords(region).Free
		}
		return &catalog.Price{
			Base: money.None, Current: money.None, BaseText: text, CurrentText: text, DiscountPercent: catalog.NoPercent,
		}
	}
	if o.platform == catalog.ConsoleStore {
		p.Source = "graphql"
	}
	if o.notes.doubt && o.market.currency == "TRY" {
		p.Source = catalog.SourceDoubtful
	}
	switch {
	case o.notes.trial && (o.market.currency == "PLN" || o.market.currency == "INR"): // a trial instead of a sale
		p.Base, p.Current, p.Trial = 0, 0, true
	case o.notes.plus > 0 && o.platform == catalog.ConsoleStore:
		p.Subscription = true
		o.discount(&p, o.notes.plus, 0)
	case o.notes.was > 0:
		o.discount(&p, o.notes.was, o.now-day)
	case o.notes.off > 0 && o.market.currency != "JPY" && o.chance("sale", 6) != 0:
		// The sale ends in a late evening within two weeks; some sales show no end.
		endsAt := catalog.Millis(0)
		if days := hash("ends", o.game.name) % 14; days < 13 {
			endsAt = o.now - o.now%day + catalog.Millis(days+1)*day + 22*60*minute + 59*minute
		}
		o.discount(&p, o.notes.off, endsAt)
	}
	p.BaseText, p.CurrentText = o.storeText(p.Base), o.storeText(p.Current)
	return &p
}

// reduced returns a base price less some percent.
func (o offer) reduced(base money.Amount, percent int) money.Amount {
	reduced := base * money.Amount(100-percent) / 100
	if o.market.whole {
		reduced -= reduced % 100
	}
	return reduced
}

func (o offer) discount(p *catalog.Price, percent int, endsAt catalog.Millis) {
	p.Current = o.reduced(p.Base, percent)
	p.DiscountPercent = money.DiscountPercent(p.Base, p.Current)
	p.DiscountLabel = "-" + strconv.Itoa(p.DiscountPercent) + "%"
	p.DiscountEndsAt = endsAt
}

// storeText returns the console store's text of a price if it differs from CLDR; "" if not,
// and for zero.
func (o offer) storeText(a money.Amount) string {
	if o.platform != catalog.ConsoleStore || a == 0 {
		return ""
	}
	switch o.market.currency {
	case "TRY":
		return strings.TrimPrefix(o.texts.Format("TR", "TRY", a), "₺") + " TL"
	case "INR":
		return "Rs " + strings.TrimSuffix(strings.TrimPrefix(o.texts.Format("IN", "INR", a), "₹"), ".00")
	}
	return ""
}
