package storesim

import (
	"strconv"
	"strings"

	"gamedex/internal/catalog"
)

// The slots of a game's products in the console store; add-ons follow.
const (
	slotGame     = iota // for both consoles, or for one of them
	slotOlder           // the game again, for the older console only
	slotDeluxe          // moves to another game's page from time to time
	slotUltimate        //
	slotDemo            //
	slotUpgrade         // to the newer console, for owners
	gameSlots
	firstAddOn = 8
)

// mode is the action by which a product can be had.
type mode uint8

const (
	modeBuy         mode = iota
	modePreorder         // a purchase as well
	modeFree             // free for everybody
	modeIncluded         // only within a subscription
	modeTrialOnly        // only a trial, within a subscription
	modeDemo             // a demo is a separate product
	modeTrial            // so is a trial that anybody may download
	modeUpgrade          // for owners of the older game
	modeUnavailable      // the action says so
	modeNone             // no action at all
)

// trialRow is how a trial within a subscription is offered.
type trialRow struct {
	kind, branding string
	based          bool // beside what the product costs after the trial
}

// trialRows must not be changed.
var trialRows = [...]trialRow{
	{"UPSELL_PS_PLUS_UPGRADE_TRIAL", "PS_PLUS", false}, {"UPSELL_PS_PLUS_TRIAL", "PS_PLUS", true},
	{"UPSELL_EA_ACCESS_PLAY_FIRST_TRIAL", "EA_ACCESS", false}, {"UPSELL_EA_ACCESS_PLAY_FIRST_TRIAL", "EA_ACCESS", true},
}

// priced reports whether a list of games shows a price for the mode.
func (m mode) priced() bool { return m <= modeTrialOnly }

// consoleProduct is a product as one storefront shows it on one day.
type consoleProduct struct {
	cost
	mode       mode
	form       form
	trial      trialRow // of modeTrialOnly
	game, slot int      // the product's game; the page that it is on may be another game's
	article    article
	market     *market
	day        int
	id         string
	titleID    string // without "_00"; empty where the store shows none
	front      string
}

// addOn reports whether the product is an add-on.
func (p *consoleProduct) addOn() bool { return p.slot >= firstAddOn }

// conceptID returns the id of a game with all its editions, the same
// everywhere.
func (w *World) conceptID(game int) string {
	if game%5 == 0 && game < 700000 {
		return strconv.Itoa(200000 + game)
	}
	return strconv.Itoa(10000000 + game)
}

// gameOf returns the game of a concept id, or -1.
func (w *World) gameOf(conceptID string) int {
	n, err := strconv.Atoi(conceptID)
	if err != nil {
		return -1
	}
	game := n - 10000000
	if n < 10000000 {
		game = n - 200000
	}
	if game < 0 || game >= w.console || w.conceptID(game) != conceptID {
		return -1
	}
	return game
}

// shape describes how a game is divided into products.
func (w *World) shape(game int) (apart, newer, older bool) {
	n := w.upTo(10, topicShape, game, 0, 0)
	return n < 2, n < 4, n == 4
}

// has reports whether a game ever has a product of a slot anywhere.
func (w *World) has(game, slot int) bool {
	switch slot {
	case slotGame:
		return true
	case slotOlder:
		apart, _, _ := w.shape(game)
		return apart
	case slotDeluxe:
		return w.upTo(100, topicShape, game, slot, 0) < 40
	case slotUltimate:
		return w.has(game, slotDeluxe) && w.one(3, topicShape, game, slot, 0)
	case slotDemo:
		return w.upTo(100, topicShape, game, slot, 0) < 12
	case slotUpgrade:
		return w.has(game, slotOlder) && w.one(3, topicShape, game, slot, 0)
	}
	return slot >= firstAddOn && slot < firstAddOn+w.addOns(game)
}

// addOns returns how many add-ons a game has: none for many, up to twelve.
func (w *World) addOns(game int) int {
	n := w.upTo(100, topicAddOns, game, 0, 0)
	switch {
	case n < 30:
		return 0
	case n < 85:
		return 1 + n%4
	}
	return 5 + n%8
}

// announced reports whether a game is only announced on a day.
func (w *World) announced(game, day int) bool {
	return w.launches(game) && day < w.launch(game)
}

// launches reports whether a game is announced before it is sold.
func (w *World) launches(game int) bool { return w.one(33, topicLaunch, game, 0, 0) }

func (w *World) launch(game int) int {
	if w.one(2, topicLaunch, game, 1, 0) {
		return 1 + w.upTo(15, topicLaunch, game, 2, 0)
	}
	return 1 << 30
}

// moversAre is how many games there are for each one with a product that moves.
const moversAre = 25

// page returns the game on whose page a product is on a day.
func (w *World) page(game, slot, day int) int {
	other := game ^ 1
	if slot != slotDeluxe || other >= w.console || !w.one(moversAre, topicMove, game, 0, 0) {
		return game
	}
	if w.launches(other) || day < 1+w.upTo(12, topicMove, game, 1, 0) {
		return game
	}
	return other
}

// inStore reports whether a region sells a product on a day. Add-ons are sold
// where the game's page is: nothing else leads to them.
func (w *World) inStore(game, slot int, m *market, day int) bool {
	return w.has(game, slot) && !w.announced(game, day) && w.sold(consoleArticle(game, slot), m, day) &&
		(slot < gameSlots || w.listed(game, m, day))
}

// onPage appends the products that a game's page shows on a day.
func (w *World) onPage(list []item, page int, m *market, day int) []item {
	for _, game := range [...]int{page, page ^ 1} {
		if game >= w.console {
			continue
		}
		for slot := range gameSlots {
			if (game == page || slot == slotDeluxe) && w.has(game, slot) &&
				w.page(game, slot, day) == page && w.inStore(game, slot, m, day) {
				list = append(list, item{int32(game), int32(slot)})
			}
		}
	}
	return list
}

// listed reports whether a region's list of games contains a game on a day.
func (w *World) listed(game int, m *market, day int) bool {
	var room [8]item
	return w.comingSoon(game, m, day) || len(w.onPage(room[:0], game, m, day)) > 0
}

// comingSoon reports whether a region shows a game that it does not sell yet.
func (w *World) comingSoon(game int, m *market, day int) bool {
	return w.announced(game, day) && w.there(topicGameTurn, int(consoleArticle(game, 0)), m, day, 20, daysBetweenGameTurn)
}

// grid returns the list of a region's games, in a stable order.
func (w *World) grid(m *market, day int) []item {
	return w.lists.get(listKey{catalog.ConsoleStore, m.region}, func() []item {
		var list []item
		for game := range w.console {
			if w.listed(game, m, day) {
				list = append(list, item{int32(game), 0})
			}
		}
		return list
	})
}

// shopDefault returns the product whose price a page shows. It changes.
func (w *World) shopDefault(page int, on []item, m *market, day int) *consoleProduct {
	if len(on) == 0 {
		return nil
	}
	first := w.upTo(len(on), topicDefault, page, m.number(), day/6)
	for i := range on {
		at := on[(first+i)%len(on)]
		p := w.product(int(at.game), int(at.slot), m, day)
		if p.mode.priced() && p.form == formPlain {
			return &p
		}
	}
	return nil
}

// product returns a product as shown to a region, whether it is sold there or
// not.
func (w *World) product(game, slot int, m *market, day int) consoleProduct {
	a := consoleArticle(game, slot)
	p := consoleProduct{game: game, slot: slot, article: a, market: m, day: day, front: w.front(game, m)}
	p.mode = w.modeOf(&p)
	rank := 0
	if slot < gameSlots {
		rank = 1 + max(0, min(slot, slotUltimate)-slotOlder)
	}
	p.cost = w.cost(a, m, w.cents(game, rank, a), day)
	p.form, p.trial = w.formOf(&p), trialRows[w.upTo(len(trialRows), topicForm, int(a), 1, 0)]
	title := w.titleID(game, p.newer(w), p.front)
	p.id = w.productID(game, slot, title, p.front)
	if !p.addOn() || !w.one(3, topicFields, int(a), 1, 0) {
		p.titleID = title
	}
	return p
}

// front returns the prefix of a game's ids in a region. Some of those of the
// Americas are sold in Japan too.
func (w *World) front(game int, m *market) string {
	if m.front == "JP" && w.one(10, topicCode, game, 1, 0) {
		return "UP"
	}
	return m.front
}

// newer reports whether the product runs on the newer console.
func (p *consoleProduct) newer(w *World) bool {
	_, _, older := w.shape(p.game)
	return p.slot != slotOlder && !older
}

func (p *consoleProduct) platforms(w *World) []string {
	_, newer, older := w.shape(p.game)
	switch {
	case p.class(w) == "VIRTUAL_CURRENCY":
		return nil
	case p.slot == slotOlder || older:
		return []string{"PS4"}
	case newer:
		return []string{"PS5"}
	}
	return []string{"PS4", "PS5"}
}

// titleID identifies a game's program on a console, in a storefront.
func (w *World) titleID(game int, newer bool, front string) string {
	kind, side := "CUSA", 0
	if newer {
		kind, side = "PPSA", 1
	}
	n := w.upTo(100000, topicTitleID, game, side, int(front[0]))
	return kind + strconv.Itoa(100000 + n)[1:]
}

// productID returns an id from which game and slot can be derived.
func (w *World) productID(game, slot int, titleID, front string) string {
	publisher := strconv.Itoa(10000 + w.upTo(10000, topicCode, game, 0, 0))[1:]
	name := letters(w.title(game, "", false), 10)
	return front + publisher + "-" + titleID + "_00-" + name + strings.ToUpper(strconv.FormatInt(int64(slot), 36)) + base36(game)
}

// productOf returns the game and slot of a product id of any storefront.
func (w *World) productOf(id string) (game, slot int, ok bool) {
	if len(id) != 36 {
		return 0, 0, false
	}
	n, err := strconv.ParseInt(id[31:], 36, 64)
	s, err2 := strconv.ParseInt(id[30:31], 36, 64)
	game, slot = int(n), int(s)
	if err != nil || err2 != nil || game >= w.console || !w.has(game, slot) {
		return 0, 0, false
	}
	return game, slot, true
}

// modeOf draws how a product can be had in a region.
func (w *World) modeOf(p *consoleProduct) mode {
	a, r, age := int(p.article), p.market.number(), w.age(p.article, p.market, p.day)
	n := w.upTo(1000, topicMode, a, r, age)
	switch {
	case p.slot == slotUpgrade:
		return modeUpgrade
	case p.slot == slotDemo && w.one(3, topicMode, a, 0, 0):
		return modeTrial
	case p.slot == slotDemo:
		return modeDemo
	case p.addOn() && w.one(10, topicMode, a, 0, 0), p.slot <= slotOlder && w.one(20, topicMode, p.game, 0, 1):
		return modeFree
	case n < 15:
		return modeUnavailable
	case p.addOn():
		return modeBuy
	case n < 25:
		return modeNone
	case n < 50 && p.slot <= slotOlder:
		return modeIncluded
	case n < 60 && p.slot <= slotOlder:
		return modeTrialOnly
	case n < 80:
		return modePreorder
	}
	return modeBuy
}
