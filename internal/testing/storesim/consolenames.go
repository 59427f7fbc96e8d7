package storesim

import (
	"strconv"
	"strings"
	"time"
)

// edition returns the product's edition in a language; "" for the standard one.
// Many products with an edition do not show its name separately.
func (p *consoleProduct) edition(w *World, language string) string {
	if p.slot != slotDeluxe && p.slot != slotUltimate || p.hidesEdition(w) {
		return ""
	}
	return inLanguage(p.editionKey(w), language)
}

func (p *consoleProduct) hidesEdition(w *World) bool {
	return w.one(3, topicEdition, int(p.article), 0, 0)
}

// editionKey returns the edition's name in English.
func (p *consoleProduct) editionKey(w *World) string {
	n := w.roll(topicEdition, int(p.article), 1, 0)
	if p.slot == slotUltimate {
		return ultimateNames[n%uint64(len(ultimateNames))]
	}
	return deluxeNames[n%uint64(len(deluxeNames))]
}

// editionType returns the edition type in an answer.
func (p *consoleProduct) editionType(w *World) string {
	switch {
	case p.slot == slotDeluxe || p.slot == slotUltimate:
		if p.hidesEdition(w) {
			return "OTHER"
		}
		return "PREMIUM"
	case w.one(2, topicEdition, int(p.article), 2, 0):
		return "STANDARD"
	}
	return "OTHER"
}

// class returns the product's class in details. Trials are called games.
func (p *consoleProduct) class(w *World) string {
	n := w.upTo(10, topicFields, int(p.article), 2, 0)
	switch {
	case p.addOn():
		return [...]string{"ITEM", "ADD_ON_PACK", "VIRTUAL_CURRENCY", "COSTUME", "LEVEL", "SEASON_PASS", "ADD_ON_PACK", "MAP", "ITEM", "OTHER"}[n]
	case p.mode == modeDemo:
		return "DEMO"
	case p.slot == slotUltimate && n < 3:
		return "GAME_BUNDLE"
	case (p.slot == slotDeluxe || p.slot == slotUltimate) && n < 8:
		return "PREMIUM_EDITION"
	}
	return "FULL_GAME"
}

func (p *consoleProduct) topCategory() string {
	switch {
	case p.addOn():
		return "ADD_ON"
	case p.mode == modeDemo:
		return "DEMO"
	}
	return "GAME"
}

// name returns the product's name in a language, "" for the language-neutral
// one: the game's name with the additions that stores like.
func (p *consoleProduct) name(w *World, language string) string {
	title := w.title(p.game, language, false)
	style := w.upTo(4, topicFields, int(p.article), 3, 0)
	consoles := strings.Join(p.platforms(w), " & ")
	switch {
	case p.addOn():
		return title + " - " + p.addOnName(w)
	case p.slot == slotDemo:
		return title + " Demo"
	case p.slot == slotUpgrade:
		return title + " PS5 Upgrade"
	case p.slot == slotDeluxe || p.slot == slotUltimate:
		title += [...]string{" ", " – ", ": ", " - "}[style] + inLanguage(p.editionKey(w), language)
		if style == 0 {
			title += " " + consoles
		}
		return title
	case style == 0:
		return title + " Standard Edition " + consoles
	case style == 1:
		return title + " " + consoles
	}
	return title
}

// invariant returns the language-neutral name, which some products lack.
func (p *consoleProduct) invariant(w *World) string {
	if w.one(12, topicFields, int(p.article), 4, 0) {
		return ""
	}
	return p.name(w, "")
}

// familyName returns a page's language-neutral name, which some pages lack.
// Pages that products move to have one; otherwise nothing would show that the
// old name no longer applies.
func (w *World) familyName(page int) string {
	if w.one(15, topicFields, page, 5, 0) && !w.one(moversAre, topicMove, page^1, 0, 0) {
		return ""
	}
	return w.title(page, "", false)
}

func (p *consoleProduct) addOnName(w *World) string {
	n := w.upTo(1000, topicName, int(p.article), 3, 0)
	number := " " + strconv.Itoa(p.slot-firstAddOn+1)
	switch p.class(w) {
	case "VIRTUAL_CURRENCY":
		return strconv.Itoa(100*(1+n%50)) + " Coins" + number
	case "SEASON_PASS":
		return "Season Pass" + number
	case "ITEM", "COSTUME":
		return itemNames[n%len(itemNames)] + number
	}
	return packNames[n%len(packNames)] + number
}

// released returns the day of release in a region.
func (p *consoleProduct) released(w *World) time.Time {
	if p.mode == modePreorder {
		return w.start.Truncate(24*time.Hour).AddDate(0, 0, 45+w.upTo(200, topicRelease, p.game, 1, 0))
	}
	days := w.upTo(3000, topicRelease, p.game, p.slot, int(p.market.front[0]))
	return w.start.Truncate(24*time.Hour).AddDate(0, 0, -100-days)
}

// releaseTime returns that day as the store writes it: local midnight, in
// UTC.
func (p *consoleProduct) releaseTime(w *World) string {
	return p.released(w).Add(-time.Duration(p.market.ahead) * time.Minute).Format(time.RFC3339)
}

// stars returns how many people have rated the product.
func (p *consoleProduct) stars(w *World) int {
	return w.upTo(20000, topicStars, int(p.article), 0, 0) + 37*w.age(p.article, p.market, p.day)
}

// ageMark returns the age rating of the region's authority.
func (p *consoleProduct) ageMark(w *World) string {
	return p.market.ages[w.upTo(len(p.market.ages), topicAge, p.game, 0, 0)]
}

// sku returns the product's first purchase id.
func (p *consoleProduct) sku(w *World) string {
	return p.id + "-" + p.front[:1] + "00" + strconv.Itoa(1+w.upTo(9, topicCode, int(p.article), 2, 0))
}
