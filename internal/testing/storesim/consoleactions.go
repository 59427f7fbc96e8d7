package storesim

import (
	"slices"

	"gamedex/internal/money"
)

// action is one of the ways to get a product.
type action struct {
	kind, applicability   string
	base, current         money.Amount
	baseText, currentText string
	label, branding       string
	upsell                string
	free, tied, worded    bool
	ends                  bool
	condition             condition
}

// actions lists a product's actions, in the order of the store: offers to
// subscribers come beside the purchase, and sometimes before it.
func (v view) actions(p *consoleProduct) []object {
	list := []object{}
	if own, ok := p.own(); ok && p.form == formSilent {
		list = append(list, v.priceless(p, own.kind))
	} else if ok {
		own, beside := v.conditions(p, own)
		list = append(append(list, beside...), v.action(p, own))
	} else if p.mode != modeNone {
		list = append(list, v.emptyAction(p))
	}
	if offer, ok := p.upsell(v.World); ok {
		list = append(list, v.action(p, offer))
		if v.one(2, topicUpsell, int(p.article), 1, 0) {
			slices.Reverse(list)
		}
	}
	return list
}

// own returns the action with the product's price, if there is one.
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
		a.kind, a.applicability, a.worded, a.ends = p.trial.kind, "UPSELL", false, false
	case modeUpgrade:
		words := p.market.words.free
		a = action{kind: "DOWNLOAD_DIGITAL_UPGRADE", applicability: "APPLICABLE", base: p.base, baseText: words, currentText: words,
			branding: "NONE", upsell: "PS5", free: true}
	default:
		return a, false
	}
	return a, true
}

// upsell returns the action that offers the product to a subscriber beside the
// purchase.
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
	case n < 12:
		a.kind, a.branding, a.free = "UPSELL_PS_PLUS_TRIAL", "PS_PLUS", true
		a.base, a.baseText, a.currentText = 0, m.words.trial, m.words.trial
	case n < 14: // beside what it costs after the trial
		a.kind, a.branding, a.free = "UPSELL_PS_PLUS_TRIAL", "PS_PLUS", true
		a.currentText = m.words.trial
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

type actionPrice struct {
	Typename        string   `json:"__typename"`
	Applicability   any      `json:"applicability"`
	BasePrice       any      `json:"basePrice"`
	CampaignID      any      `json:"campaignId"`
	Currency        any      `json:"currencyCode"`
	DiscountText    any      `json:"discountText"`
	DiscountedPrice any      `json:"discountedPrice"`
	Base            any      `json:"basePriceValue"`
	Discounted      any      `json:"discountedValue"`
	EndTime         any      `json:"endTime"`
	Exclusive       any      `json:"isExclusive"`
	Free            bool     `json:"isFree"`
	Tied            any      `json:"isTiedToSubscription"`
	Qualifications  []object `json:"qualifications"`
	RewardID        any      `json:"rewardId"`
	Branding        []string `json:"serviceBranding"`
	UpsellText      any      `json:"upsellText"`
}

func (v view) action(p *consoleProduct, a action) object {
	price := actionPrice{
		Typename: "Price", Applicability: a.applicability, BasePrice: a.baseText, Currency: p.market.currency,
		DiscountText: orNull(a.label), DiscountedPrice: a.currentText, Exclusive: a.tied, Free: a.free, Tied: a.tied,
		Qualifications: a.condition.qualifications(), RewardID: a.condition.reward, Branding: []string{a.branding}, UpsellText: orNull(a.upsell),
	}
	if !a.worded {
		price.Base, price.Discounted = p.wireNumber(v.World, a.base), p.wireNumber(v.World, a.current)
	}
	if a.ends {
		price.EndTime = v.endTime(p)
	}
	return v.callToAction(p, a.kind, price)
}

// emptyAction has a price whose fields are all null: demos, trials, and
// products that are not available. For some of these it says so in words.
func (v view) emptyAction(p *consoleProduct) object {
	kind := "UNAVAILABLE"
	switch p.mode {
	case modeDemo:
		kind = "DOWNLOAD_DEMO"
	case modeTrial:
		kind = "DOWNLOAD_TRIAL"
	}
	price := actionPrice{Typename: "Price", Branding: []string{"NONE"}}
	if p.mode == modeUnavailable && v.one(2, topicForm, int(p.article), 0, 0) {
		word := p.market.words.unavailable
		kind, price.Branding, price.BasePrice, price.DiscountedPrice = "ADD_TO_CART", nil, word, word
	}
	return v.callToAction(p, kind, price)
}

func (v view) callToAction(p *consoleProduct, kind string, price actionPrice) object {
	reasons := []object{}
	if p.mode == modeUnavailable {
		reasons = append(reasons, object{"names": []string{}, "type": "OWN"})
	}
	return object{
		"__typename": "GameCTA", "type": kind, "price": price,
		"action": object{"type": kind, "param": []object{{"name": "skuId", "value": p.sku(v.World)}}},
		"meta":   object{"exclusive": false, "ineligibilityReasons": reasons},
	}
}
