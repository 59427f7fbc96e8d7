package storesim

import "strconv"

// condition says whose the discounted price of an action is. The zero value is
// everybody's.
type condition struct {
	kind, value string
	reward      string // the ids of its offers
}

func (c condition) qualifications() []object {
	if c.kind == "" {
		return []object{}
	}
	return []object{{"type": c.kind, "value": c.value}}
}

// The conditions of a price. The last two are too little to know what everybody pays.
var (
	forOwners  = condition{"ENTITLED_TO", "UP0001-CUSA00001_00-OWNEDALREADY0000", "OFFER-UPGRADE-7-PAID"}
	forMembers = condition{"ENTITLED_TO", "IP9103-NPIA90007_00-PLUS00", "OFFER-PROD-7"}
	forTesters = condition{"USER_IN_EXPERIMENT", "price-test-7", ""}
	twoOffers  = condition{"ENTITLED_TO", "IP9103-NPIA90007_00-PLUS00", "OFFER-PROD-7_42,OFFER-PROD-7-PSP_42"}
)

// form is what the actions of a product show of the price for everybody.
type form uint8

const (
	formPlain   form = iota // the price, perhaps beside prices for some
	formTesters             // only that of an experiment
	formSum                 // only the sum of two offers, one of them for members
	formSilent              // nothing
)

// formOf draws the form of a product. A form without the price stays while the list price
// does. Actions are silent only for add-ons, whose price is in a list too. An
// experiment is only for products that no list shows.
func (w *World) formOf(p *consoleProduct) form {
	if p.mode != modeBuy || p.wordsOnly || p.wrong {
		return formPlain
	}
	outlier, _ := w.outlier(p.article)
	switch n := w.upTo(32, topicForm, int(p.article), p.market.number(), w.age(p.article, p.market, p.day)); {
	case n < 8 && p.percent > 0:
		return formSum
	case n <= 9 && p.addOn():
		return formSilent
	case n == 9 && p.percent == 0 && !outlier:
		return formTesters
	}
	return formPlain
}

// onlyInLists reports whether only lists show everybody's price.
func (p *consoleProduct) onlyInLists() bool {
	return p.addOn() && (p.form == formSum || p.form == formSilent)
}

// reducedTo returns a purchase with a discount that has a condition.
func (p *consoleProduct) reducedTo(own action, percent int, c condition) action {
	own.current, own.condition = p.market.reduced(p.base, percent), c
	own.currentText, own.label = p.market.style.text(own.current), "-"+strconv.Itoa(percent)+"%"
	if c == forMembers || c == twoOffers {
		own.branding, own.upsell = "PS_PLUS", own.label
	}
	return own
}

const (
	testersPercent = 20
	sumPercent     = 84
)

// conditions returns the purchase of a product as the store shows it, and the actions
// before it. Where nothing is reduced for everybody, the purchase may show the price of
// owners or members beside the base price. None of that changes what everybody pays.
func (v view) conditions(p *consoleProduct, own action) (shown action, before []object) {
	switch {
	case p.form == formTesters:
		return p.reducedTo(own, testersPercent, forTesters), nil
	case p.form == formSum:
		return p.reducedTo(own, sumPercent, twoOffers), nil
	case p.mode != modeBuy || p.percent > 0 || p.wordsOnly || p.wrong:
		return own, nil
	}
	m := p.market
	switch v.upTo(24, topicCondition, int(p.article), m.number(), v.age(p.article, m, p.day)) {
	case 0:
		return p.reducedTo(own, 80, forOwners), nil
	case 1:
		free := p.reducedTo(own, 0, condition{forOwners.kind, forOwners.value, "OFFER-UPGRADE-7-FREE"})
		free.current, free.currentText, free.label, free.free = 0, m.words.free, "-100%", true
		return free, nil
	case 2:
		return p.reducedTo(own, 30, forMembers), nil
	case 3:
		return own, []object{v.action(p, p.reducedTo(own, testersPercent, forTesters))}
	case 4:
		return own, []object{v.action(p, p.reducedTo(own, sumPercent, twoOffers))}
	case 5:
		return own, []object{v.priceless(p, own.kind)}
	}
	return own, nil
}

// priceless returns an action that does not say what the product costs.
func (v view) priceless(p *consoleProduct, kind string) object {
	a := v.callToAction(p, kind, actionPrice{})
	delete(a, "price")
	a["meta"] = object{"preOrder": false}
	return a
}
