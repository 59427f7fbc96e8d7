package consolestore

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// till reads the prices of one region.
type till struct {
	currency money.Currency
	own      int // prices in the region's currency
	foreign  int // prices in another
}

// accepts counts a price by its currency. Prices in another one are those of
// another region: the store redirects where it likes.
func (t *till) accepts(c *cost) bool {
	switch {
	case c == nil || c.Currency == "":
		return true
	case strings.EqualFold(c.Currency, string(t.currency)):
		t.own++
		return true
	}
	t.foreign++
	return false
}

// elsewhere reports whether all that was read belongs to another region.
func (t *till) elsewhere() bool { return t.foreign > 0 && t.own == 0 }

// offer is what a product's actions come to.
type offer struct {
	price *catalog.Price // nil: not for sale
	demo  bool           // the product itself is one: there is nothing else to do with it
}

// actionKind is what an action offers, from the best to the least.
type actionKind uint8

const (
	buy    actionKind = iota // anybody can, for money or free
	join                     // subscribers can
	try                      // subscribers can try
	sample                   // a demo
	other                    // owned, not available, an upgrade for owners
)

// kind says what an action is. The types are the store's words, the same in
// every language.
func (a *action) kind() actionKind {
	upsell := strings.HasPrefix(a.Type, "UPSELL_")
	switch {
	case a.Type == "DOWNLOAD_DEMO" || a.Type == "DOWNLOAD_TRIAL":
		return sample
	case a.Price == nil:
		return other
	case !a.Price.Base.known && !a.Price.Current.known && a.Price.BaseText == "" && a.Price.CurrentText == "":
		return other // owned already, or not available
	case upsell && strings.Contains(a.Type, "TRIAL"):
		return try
	case upsell:
		return join
	case a.Price.Applicability != "" && a.Price.Applicability != "APPLICABLE":
		return other
	case a.Type == "ADD_TO_CART" || a.Type == "PREORDER" || a.Type == "BUY_NOW":
		return a.Price.kind()
	case a.Type == "DOWNLOAD" && a.Price.Free && a.Price.Current == (number{0, true}):
		return a.Price.kind()
	}
	return other
}

func (c *cost) kind() actionKind {
	if c.Tied || c.Exclusive || isBranded(c.Services) && !c.Base.known && c.BaseText == "" {
		return join
	}
	return buy
}

// offer reads a product's actions in order. The price is the first that
// everybody pays; failing that a subscriber's; failing that a trial's zero.
// ok is false if what counts is in another region's currency.
func (t *till) offer(actions []action) (o offer, ok bool) {
	var best *action
	rank := other
	for i := range actions {
		if kind := actions[i].kind(); kind < rank {
			best, rank = &actions[i], kind
		}
	}
	switch {
	case best == nil:
		return offer{}, true
	case rank == sample:
		// The store shows no price for a demo.
		return offer{demo: true, price: &catalog.Price{
			Currency: t.currency, Base: money.None, DiscountPercent: catalog.NoPercent, Trial: true, Source: catalog.SourceExact,
		}}, true
	case !t.accepts(best.Price):
		return offer{}, false
	case rank == buy:
		return offer{price: t.everybodys(best.Price)}, true
	case rank == join:
		return offer{price: t.subscribers(best.Price)}, true
	}
	return offer{price: t.trial(best.Price)}, true
}

// everybodys is what anybody pays. Under a subscription's brand the store may
// show what its subscribers pay instead: then all others pay the base price.
func (t *till) everybodys(c *cost) *catalog.Price {
	if isBranded(c.Services) && (c.Base.known || c.BaseText != "") {
		return t.price(&cost{BaseText: c.BaseText, Base: c.Base, Free: c.Free && c.Base == (number{0, true})})
	}
	return t.price(c)
}

func (t *till) subscribers(c *cost) *catalog.Price {
	p := t.price(c)
	if p == nil {
		return nil
	}
	p.Subscription = true
	if c.Free && !p.Current.Known() {
		p.Current, p.Source = 0, cmp.Or(p.Source, catalog.SourceExact)
	}
	return p
}

func (t *till) trial(c *cost) *catalog.Price {
	p := t.price(c)
	if p == nil {
		return nil
	}
	p.Trial, p.Current, p.Source = true, 0, cmp.Or(p.Source, catalog.SourceExact)
	return p
}

// listed reads the price of a list entry. plain means that it is simply what
// the product costs; otherwise a flag or a brand is behind it, and the actions
// tell better what it is.
func (t *till) listed(c *cost) (p *catalog.Price, plain bool) {
	inWords := len(money.ReadText(c.BaseText)) == 0 && c.Base.n == 0
	switch {
	case c.Tied || c.Exclusive:
		if c.Free && inWords {
			return t.trial(c), false
		}
		return t.subscribers(c), false
	case isBranded(c.Services):
		return t.everybodys(c), false
	case c.Free && inWords && c.UpsellText != "" && !isBranded(c.UpsellServices):
		return t.trial(c), false // "Trial", in the region's language
	case c.Free && inWords:
		// The flags say that it costs nothing, whatever the text.
		if p := t.price(c); p != nil {
			p.Base, p.Current, p.Source = 0, 0, catalog.SourceExact
			return p, true
		}
		return nil, true
	}
	return t.price(c), true
}

func isBranded(services []string) bool {
	return slices.ContainsFunc(services, func(s string) bool { return s != "" && s != "NONE" })
}

// price takes numbers and texts as they are shown; nil if there are neither.
func (t *till) price(c *cost) *catalog.Price {
	baseText, currentText := shown(c.BaseText), shown(c.CurrentText)
	base, baseDoubt := t.amount(c.Base, baseText, c.Free && baseText == currentText)
	current, doubt := t.amount(c.Current, cmp.Or(currentText, baseText), c.Free)
	if !c.Current.known && currentText == "" {
		current, currentText = base, baseText
	}
	if !base.Known() && !current.Known() && baseText == "" && currentText == "" {
		return nil
	}
	label := shown(c.Label)
	if rest, ok := strings.CutSuffix(label, "%"); ok {
		label = strings.TrimRightFunc(rest, unicode.IsSpace) + "%" // "-25 %" becomes "-25%"
	}
	p := &catalog.Price{
		Currency: t.currency, Base: base, Current: current, BaseText: baseText, CurrentText: currentText,
		DiscountPercent: catalog.NoPercent, DiscountLabel: label, DiscountEndsAt: catalog.Millis(c.EndsAt),
	}
	if current == base && currentText == baseText {
		p.DiscountEndsAt = 0 // nothing ends that has not begun
	}
	if current.Known() && base.Known() && current > base {
		p.Base, doubt = money.None, true // no discount raises a price
	}
	switch {
	case baseDoubt || doubt:
		p.Source = catalog.SourceDoubtful
	case base.Known() || current.Known():
		p.Source = catalog.SourceExact
	}
	return p
}

// amount turns the store's number into hundredths, which it is as a rule. Of a
// currency without decimals it may be whole units: the text decides. A number
// that contradicts its text is doubtful. A free zero comes with a word, in
// which there may be a number of hours.
func (t *till) amount(v number, text string, free bool) (a money.Amount, doubtful bool) {
	a = money.Amount(v.n)
	switch {
	case !v.known:
		return money.None, false
	case free && v.n == 0, money.Agrees(a, text):
		return a, false
	case t.currency.Digits() == 0 && money.Agrees(100*a, text):
		return 100 * a, false
	}
	return a, true
}

func productIDs(list []json.RawMessage) (ids []string, whole bool) {
	type named struct {
		ID string `json:"id"`
	}
	products, whole := decodeEach[named](list)
	seen := make(map[string]bool, len(products))
	for _, p := range products {
		switch {
		case !isID(p.ID):
			whole = false
		case !seen[p.ID]:
			seen[p.ID] = true
			ids = append(ids, p.ID)
		}
	}
	return ids, whole
}
