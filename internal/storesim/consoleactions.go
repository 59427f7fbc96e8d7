package storesim

import "gamedex/internal/money"

// action is one of the ways to get a product.
type action struct {
	kind, applicability   string
	base, current         money.Amount
	baseText, currentText string
	label, branding       string
	upsell                string
	free, tied, worded    bool
	ends                  bool
}

// actions appends a product's, in the order of the store: offers to
// subscribers stand beside the purchase, and sometimes before it.
func (v view) actions(d *doc, p *consoleProduct) {
	d.open("webctas", '[')
	offer, beside := p.upsell(v.World)
	first := beside && v.one(2, topicUpsell, int(p.article), 1, 0)
	if first {
		v.action(d, p, &offer)
	}
	if own, ok := p.own(); ok {
		v.action(d, p, &own)
	} else if p.mode != modeNone {
		v.emptyAction(d, p)
	}
	if beside && !first {
		v.action(d, p, &offer)
	}
	d.close(']')
}

// own is the action that gives a product its price, if there is one.
func (p *consoleProduct) own() (a action, ok bool) {
	f := p.face()
	a = action{
		kind: "ADD_TO_CART", applicability: "APPLICABLE", base: f.base, current: f.current, baseText: f.baseText, currentText: f.currentText,
		label: f.label, branding: f.branding, upsell: f.upsell, free: f.free, tied: f.tied,
		worded: p.wordsOnly, ends: p.percent > 0,
	}
	switch p.mode {
	case modeBuy:
	case modePreorder:
		a.kind = "PREORDER"
	case modeFree:
		a.kind, a.worded, a.ends = "DOWNLOAD", false, false
	case modeIncluded:
		a.kind, a.applicability, a.worded, a.ends = "UPSELL_PS_PLUS_UPGRADE_GAME_CATALOG", "UPSELL", false, false
	case modeTrialOnly:
		a.kind, a.applicability, a.worded, a.ends = "UPSELL_PS_PLUS_UPGRADE_TRIAL", "UPSELL", false, false
	case modeUpgrade:
		words := p.market.words.free
		a = action{kind: "DOWNLOAD_DIGITAL_UPGRADE", applicability: "APPLICABLE", base: p.base, baseText: words, currentText: words,
			branding: "NONE", upsell: "PS5", free: true}
	default:
		return a, false
	}
	return a, true
}

// upsell is what a subscriber is offered beside the purchase.
func (p *consoleProduct) upsell(w *World) (a action, ok bool) {
	if p.mode != modeBuy || p.addOn() {
		return a, false
	}
	m := p.market
	a = action{applicability: "UPSELL", base: p.base, baseText: m.style.text(p.base), tied: true, worded: p.wordsOnly}
	switch n := w.upTo(100, topicUpsell, int(p.article), m.number(), w.age(p.article, m, p.day)); {
	case n < 8:
		a.kind, a.branding, a.label, a.tied = "UPSELL_EA_ACCESS_DISCOUNT", "EA_ACCESS", "-10%", false
		a.current = m.reduced(p.base, 10)
		a.currentText = m.style.text(a.current)
	case n < 14:
		a.kind, a.branding, a.free = "UPSELL_PS_PLUS_TRIAL", "PS_PLUS", true
		a.base, a.baseText, a.currentText = 0, m.words.trial, m.words.trial
	case n < 22:
		a.kind, a.branding, a.free = "UPSELL_PS_PLUS_UPGRADE_GAME_CATALOG", "PS_PLUS", true
		a.currentText, a.label = m.words.included, m.words.included
	case n < 26:
		a.kind, a.branding, a.label = "UPSELL_PS_PLUS_DISCOUNT", "PS_PLUS", "-20%"
		a.current = m.reduced(p.base, 20)
		a.currentText = m.style.text(a.current)
	default:
		return a, false
	}
	return a, true
}

func (v view) action(d *doc, p *consoleProduct, a *action) {
	v.actionHead(d, p, a.kind)
	d.open("price", '{')
	d.text("__typename", "Price")
	d.text("applicability", a.applicability)
	d.text("basePrice", a.baseText)
	d.raw("campaignId", "null")
	d.text("currencyCode", string(p.market.currency))
	d.textOrNull("discountText", a.label)
	d.text("discountedPrice", a.currentText)
	if a.worded {
		d.raw("basePriceValue", "null")
		d.raw("discountedValue", "null")
	} else {
		d.number("basePriceValue", p.wireNumber(v.World, a.base))
		d.number("discountedValue", p.wireNumber(v.World, a.current))
	}
	if a.ends {
		v.endTime(d, p)
	} else {
		d.raw("endTime", "null")
	}
	d.flag("isExclusive", a.tied)
	d.flag("isFree", a.free)
	d.flag("isTiedToSubscription", a.tied)
	d.texts("qualifications")
	d.text("rewardId", "")
	d.texts("serviceBranding", a.branding)
	d.textOrNull("upsellText", a.upsell)
	d.close('}')
	d.close('}')
}

// emptyAction has all of the price null: demos, trials, and what cannot be had.
func (v view) emptyAction(d *doc, p *consoleProduct) {
	switch p.mode {
	case modeDemo:
		v.actionHead(d, p, "DOWNLOAD_DEMO")
	case modeTrial:
		v.actionHead(d, p, "DOWNLOAD_TRIAL")
	default:
		v.actionHead(d, p, "UNAVAILABLE")
	}
	d.open("price", '{')
	d.text("__typename", "Price")
	for _, field := range [...]string{"applicability", "basePrice", "basePriceValue", "campaignId", "currencyCode", "discountText",
		"discountedPrice", "discountedValue", "endTime", "isExclusive", "isTiedToSubscription", "qualifications", "rewardId", "upsellText"} {
		d.raw(field, "null")
	}
	d.flag("isFree", false)
	d.texts("serviceBranding", "NONE")
	d.close('}')
	d.close('}')
}

// actionHead leaves the action's object open.
func (v view) actionHead(d *doc, p *consoleProduct, kind string) {
	d.open("", '{')
	d.text("__typename", "GameCTA")
	d.open("action", '{')
	d.open("param", '[')
	d.open("", '{')
	d.text("name", "skuId")
	d.text("value", p.sku(v.World))
	d.close('}')
	d.close(']')
	d.text("type", kind)
	d.close('}')
	d.open("meta", '{')
	d.flag("exclusive", false)
	d.open("ineligibilityReasons", '[')
	if p.mode == modeUnavailable {
		d.raw("", `{"names":[],"type":"OWN"}`)
	}
	d.close(']')
	d.close('}')
	d.text("type", kind)
}
