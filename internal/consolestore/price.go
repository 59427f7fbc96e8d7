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

// priceReader reads the prices of one region.
type priceReader struct {
	currency money.Currency
	own      int // prices in the region's currency
	foreign  int // prices in another currency
}

// accepts counts a price by its currency and reports whether it is that of the region. A
// price in another currency is that of another region: the store may redirect to it.
func (t *priceReader) accepts(c *cost) bool {
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

// elsewhere reports whether all prices so far belong to another region.
func (t *priceReader) elsewhere() bool { return t.foreign > 0 && t.own == 0 }

// offer is the result of a product's actions.
type offer struct {
	price  *catalog.Price // nil: not for sale, unless silent
	silent bool           // the product is for sale, but the answer does not have its price
	guess  bool           // the answer does not have everybody's price: price is the base
	demo   bool           // the product itself is a demo: it has no other actions
}

// actionKind is the kind of an action, in the order of precedence.
type actionKind uint8

const (
	buy         actionKind = iota // for everybody, for money or free
	conditional                   // the discounted price is not everybody's, or may not be
	silent                        // for everybody, but without a price
	join                          // for subscribers
	try                           // a trial for subscribers
	sample                        // a demo
	other                         // owned, not available, an upgrade for owners
)

// kind returns the kind of an action. Its type is the same in every language.
func (a *action) kind() actionKind {
	upsell := strings.HasPrefix(a.Type, "UPSELL_")
	switch {
	case a.Type == "DOWNLOAD_DEMO" || a.Type == "DOWNLOAD_TRIAL":
		return sample
	case !a.Price.present && a.isPurchase():
		return silent
	case a.Price.cost == nil:
		return other
	case a.Price.isNothing():
		return other // owned already, or not available
	case upsell && strings.Contains(a.Type, "TRIAL"):
		return try
	case upsell:
		return join
	case a.Price.Applicability != "" && a.Price.Applicability != "APPLICABLE":
		return other
	case a.isPurchase():
		return a.Price.kind()
	case a.Type == "DOWNLOAD" && a.Price.Free && a.Price.Current == (number{0, true}):
		return a.Price.kind()
	}
	return other
}

func (a *action) isPurchase() bool {
	return a.Type == "ADD_TO_CART" || a.Type == "PREORDER" || a.Type == "BUY_NOW"
}

func (c *cost) kind() actionKind {
	hasBase := c.Base.known || c.BaseText != ""
	switch {
	case c.Tied || c.Exclusive || isBranded(c.Services) && !hasBase:
		return join
	case c.isForSome() && !hasBase:
		return other
	case c.isForSome() || c.isUncertain():
		return conditional
	}
	return buy
}

// isForSome reports whether the discounted price is for subscribers, or for owners of
// another product. Everybody else pays the base price.
func (c *cost) isForSome() bool {
	return isBranded(c.Services) || slices.ContainsFunc(c.Qualifications, qualification.isOwnership)
}

// isUncertain reports whether the answer does not show what everybody pays: the price
// is that of an experiment or depends on a condition that is not known, or one of two
// offers at once is for everybody and only their sum is shown.
func (c *cost) isUncertain() bool {
	isOther := func(q qualification) bool { return !q.isOwnership() }
	return slices.ContainsFunc(c.Qualifications, isOther) || c.isSum()
}

// isSum reports whether the discounted price is the sum of two offers, and one of them
// is not for everybody. Only other answers then have the price for everybody.
func (c *cost) isSum() bool { return c.isForSome() && strings.Contains(c.RewardID, ",") }

// isNothing reports whether there is no price: no number, and no text or one like
// "not available". A text without digits is a price only if the store says for whom.
func (c *cost) isNothing() bool {
	if c.Base.known || c.Current.known {
		return false
	}
	if c.BaseText == "" && c.CurrentText == "" {
		return true
	}
	return c.Services == nil && !c.Free && !c.Tied && !c.Exclusive && isUnavailable(c.BaseText) && isUnavailable(c.CurrentText)
}

// isUnavailable reports whether a text has no digit and is not a known word for free.
func isUnavailable(text string) bool {
	return !strings.ContainsFunc(text, unicode.IsDigit) && !money.IsFree(shown(text))
}

// offer reads a product's actions in order. The price is the first price for everybody,
// or else that for subscribers, or else the zero of a trial. ok is false if that price is
// in the currency of another region.
func (t *priceReader) offer(actions []action) (o offer, ok bool) {
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
	case rank == silent:
		return offer{silent: true}, true
	case !t.accepts(best.Price.cost):
		return offer{}, false
	case rank == buy || rank == conditional:
		return offer{price: t.everybodys(best.Price.cost), guess: best.Price.isSum()}, true
	case rank == join:
		return offer{price: t.subscribers(best.Price.cost)}, true
	}
	return offer{price: t.trial(best.Price.cost)}, true
}

// everybodys returns the price for everybody: the base price if the discounted one is
// for some.
func (t *priceReader) everybodys(c *cost) *catalog.Price {
	paid := c
	if c.isForSome() && (c.Base.known || c.BaseText != "") {
		paid = &cost{BaseText: c.BaseText, Base: c.Base, Free: c.Free && c.Base == (number{0, true})}
		if c.Base.n > 0 && !strings.ContainsFunc(c.BaseText, unicode.IsDigit) {
			paid.BaseText = "" // "Free" for some is not the text of the base
		}
	}
	p := t.price(paid)
	if p != nil && c.isUncertain() {
		p.Source = catalog.SourceDoubtful
	}
	return p
}

func (t *priceReader) subscribers(c *cost) *catalog.Price {
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

func (t *priceReader) trial(c *cost) *catalog.Price {
	p := t.price(c)
	if p == nil {
		return nil
	}
	p.Trial, p.Current, p.Source = true, 0, cmp.Or(p.Source, catalog.SourceExact)
	return p
}

// listed reads the price of a list entry. plain reports that it is the price of the
// product; otherwise it depends on a flag or a brand, and the actions are more reliable.
func (t *priceReader) listed(c *cost) (p *catalog.Price, plain bool) {
	inWords := len(money.ReadText(c.BaseText)) == 0 && c.Base.n == 0
	switch {
	case c.isNothing():
		return nil, true
	case c.Tied || c.Exclusive:
		if c.Free && inWords {
			return t.trial(c), false
		}
		return t.subscribers(c), false
	case c.isForSome() || c.isUncertain():
		return t.everybodys(c), false
	case c.Free && inWords && c.UpsellText != "" && !isBranded(c.UpsellServices):
		return t.trial(c), false // "Trial", in the region's language
	case c.Free && inWords:
		// According to the flags it is free, even if the text differs.
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

// price returns the numbers and texts as shown; nil if there are none.
func (t *priceReader) price(c *cost) *catalog.Price {
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
		p.DiscountEndsAt = 0 // without a discount there is no end
	}
	if current.Known() && base.Known() && current > base {
		p.Base, doubt = money.None, true // a discount cannot raise a price
	}
	switch {
	case baseDoubt || doubt:
		p.Source = catalog.SourceDoubtful
	case base.Known() || current.Known():
		p.Source = catalog.SourceExact
	}
	return p
}

// amount converts the store's number to hundredths. Usually it already is in hundredths;
// for a currency without decimals it may be in whole units: the text decides. A number
// that contradicts its text is doubtful. The text of a free zero is a word, which may
// include a number of hours.
func (t *priceReader) amount(v number, text string, free bool) (a money.Amount, doubtful bool) {
	a = money.Amount(v.n)
	switch {
	case !v.known:
		return money.None, false
	case free && v.n == 0, t.currency.Agrees(a, text):
		return a, false
	case t.currency.Digits() == 0 && t.currency.Agrees(100*a, text):
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
