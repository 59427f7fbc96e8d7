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

// conditions returns the purchase of a product as the store shows it, and the actions
// before it. Where nothing is reduced for everybody, the purchase may show the price of
// owners or members beside the base price. None of that changes what everybody pays.
func (v view) conditions(p *consoleProduct, own action) (shown action, before []object) {
	if p.mode != modeBuy || p.percent > 0 || p.wordsOnly || p.wrong {
		return own, nil
	}
	m := p.market
	reduce := func(percent int, c condition) action {
		a := own
		a.current, a.condition = m.reduced(p.base, percent), c
		a.currentText, a.label = m.style.text(a.current), "-"+strconv.Itoa(percent)+"%"
		if c == forMembers || c == twoOffers {
			a.branding, a.upsell = "PS_PLUS", a.label
		}
		return a
	}
	switch v.upTo(24, topicCondition, int(p.article), m.number(), v.age(p.article, m, p.day)) {
	case 0:
		return reduce(80, forOwners), nil
	case 1:
		free := reduce(0, condition{forOwners.kind, forOwners.value, "OFFER-UPGRADE-7-FREE"})
		free.current, free.currentText, free.label, free.free = 0, m.words.free, "-100%", true
		return free, nil
	case 2:
		return reduce(30, forMembers), nil
	case 3:
		return own, []object{v.action(p, reduce(20, forTesters))}
	case 4:
		return own, []object{v.action(p, reduce(84, twoOffers))}
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
