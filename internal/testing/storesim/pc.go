package storesim

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// The slots of a game's offers in the PC store; add-ons follow.
const (
	offerBase = iota
	offerDeluxe
	offerUltimate // searches do not find it; the game's page has it
	offerBundle
	offerDemo
	offerSlots
)

// availability is how an offer can be bought.
type availability uint8

const (
	onSale    availability = iota
	giveaway               // free for some time
	free                   // free permanently
	preorder               // sold before release
	announced              // not sold yet, without a date
	redeemed               // only with codes
	hidden                 // withdrawn, or not yet visible
)

// addressing is how a game names its home page.
type addressing uint8

const (
	byMappings addressing = iota // of its namespace
	byPath                       // in the old form, "slug/home"
	byBoth                       // mappings, and "[]" for a path
	byCodeName                   // not at all: only the platform service knows it
)

// offer is an offer of the PC store as a country sees it on a day.
type offer struct {
	cost
	game, slot   int
	article      article
	market       *market // the country's price region
	day          int
	id           string
	availability availability
	addressing   addressing
}

func (o *offer) addOn() bool { return o.slot >= firstAddOn }

// offers reports whether a game ever has an offer of a slot anywhere.
func (w *World) offers(game, slot int) bool {
	n := w.upTo(100, topicOffer, game, slot, 0)
	switch slot {
	case offerBase:
		return true
	case offerDeluxe:
		return n < 25
	case offerUltimate:
		return n < 3
	case offerBundle:
		return n < 6
	case offerDemo:
		return n < 5
	}
	return slot >= firstAddOn && slot < firstAddOn+w.pcAddOns(game)
}

func (w *World) pcAddOns(game int) int {
	n := w.upTo(100, topicOffer, game, firstAddOn, 1)
	switch {
	case n < 55:
		return 0
	case n < 90:
		return 1 + n%3
	}
	return 4 + n%4
}

// pcSold reports whether a price region sells an offer on a day. An offer that
// searches do not find is sold where its game is: nothing else leads to it.
func (w *World) pcSold(game, slot int, m *market, day int) bool {
	if !w.offers(game, slot) || !w.sold(pcArticle(game, slot), m.group, day) {
		return false
	}
	if slot != offerUltimate {
		return true
	}
	base := w.offer(game, offerBase, m, day)
	return base.availability != hidden && w.sold(base.article, m.group, day)
}

// barred reports whether a country is on an offer's black list. The first
// country of a price region never is: what is not sold there cannot be found.
func (w *World) barred(game, slot int, m *market) bool {
	return m != m.group && w.one(15, topicBlock, game, slot, m.number())
}

// search returns what a search in a country finds, in a stable order. The last
// are the mystery games, with slot -1.
func (w *World) search(m *market, day int) []item {
	return w.lists.get(listKey{catalog.PCStore, m.region}, func() []item {
		var list []item
		for game := range w.pc {
			for slot := range firstAddOn + w.pcAddOns(game) {
				if slot != offerUltimate && w.pcSold(game, slot, m, day) && !w.barred(game, slot, m) {
					list = append(list, item{int32(game), int32(slot)})
				}
			}
		}
		if w.pc > 0 {
			for n := range 1 + w.pc/300 {
				list = append(list, item{int32(n), -1})
			}
		}
		return list
	})
}

// offer returns an offer as shown to a country, whether it is sold there or
// not.
func (w *World) offer(game, slot int, m *market, day int) offer {
	a := pcArticle(game, slot)
	o := offer{game: game, slot: slot, article: a, market: m.group, day: day, id: w.offerID(game, slot)}
	rank := 0
	if slot < offerSlots {
		rank = 1 + min(slot, 2)
	}
	o.cost = w.cost(a, o.market, w.cents(game, rank, a), day)
	o.wordsOnly = false
	o.availability = w.availability(&o)
	o.addressing = w.addressing(game)
	return o
}

func (w *World) availability(o *offer) availability {
	n := w.upTo(1000, topicStatus, int(o.article), 0, 0)
	now := w.upTo(1000, topicStatus, int(o.article), o.market.number(), w.age(o.article, o.market, o.day))
	switch {
	case o.slot == offerDemo, o.slot == offerBase && n < 60, o.addOn() && n < 80:
		return free
	case n >= 990:
		return hidden
	case n >= 980:
		return redeemed
	case o.slot != offerBase:
		return onSale
	case n >= 965:
		return preorder
	case n >= 945:
		return announced
	case now < 12:
		return giveaway
	}
	return onSale
}

func (w *World) addressing(game int) addressing {
	n := w.upTo(100, topicSlug, game, 0, 0)
	switch {
	case n < 70:
		return byMappings
	case n < 85:
		return byPath
	case n < 93:
		return byBoth
	}
	return byCodeName
}

// priceNow returns the amounts that the offer's numbers show, in hundredths.
func (o *offer) priceNow() (base, current money.Amount) {
	base, current = o.base, o.current
	switch o.availability {
	case free:
		return 0, 0
	case giveaway:
		return base, 0
	}
	if o.market.currency.Digits() == 0 {
		return o.shown(base) / 100 * 100, o.shown(current) / 100 * 100
	}
	return o.shown(base), o.shown(current)
}

// texts returns the amounts that the offer's texts show.
func (o *offer) texts() (base, current money.Amount) {
	switch o.availability {
	case free:
		return 0, 0
	case giveaway:
		return o.base, 0
	}
	return o.base, o.current
}

// end returns when the discount ends; zero without one.
func (o *offer) end(w *World) catalog.Millis {
	base, current := o.priceNow()
	switch {
	case base == current:
		return 0
	case o.availability == giveaway:
		return catalog.MillisOf(w.start.Truncate(24*time.Hour).AddDate(0, 0, 70).Add(15 * time.Hour))
	}
	return o.ends
}

// released returns the day the game came out or will come out.
func (o *offer) released(w *World) time.Time {
	today := w.start.Truncate(24 * time.Hour)
	if o.availability == preorder {
		return today.AddDate(0, 0, 60+w.upTo(200, topicRelease, o.game, 2, 0))
	}
	return today.AddDate(0, 0, -100-w.upTo(3000, topicRelease, o.game, o.slot, 3))
}

// The names of the PC store. The game can be derived from its slugs and ids.

func (w *World) pcTitle(game int, language string) string { return w.title(game, language, true) }

// title returns the offer's title in a language.
func (o *offer) title(w *World, language string) string {
	game := w.pcTitle(o.game, language)
	switch {
	case o.addOn():
		return game + " - " + o.addOnName(w)
	case o.slot == offerBundle:
		return game + " Bundle"
	case o.slot == offerDemo:
		return game + " Demo"
	case o.slot != offerBase:
		return game + " - " + o.edition(w, language)
	}
	return game
}

func (o *offer) edition(w *World, language string) string {
	n := w.roll(topicEdition, int(o.article), 0, 0)
	switch o.slot {
	case offerDeluxe:
		return inLanguage(deluxeNames[n%uint64(len(deluxeNames))], language)
	case offerUltimate:
		return inLanguage(ultimateNames[n%uint64(len(ultimateNames))], language)
	}
	return ""
}

func (o *offer) addOnName(w *World) string {
	n := w.upTo(1000, topicName, int(o.article), 4, 0)
	number := " " + strconv.Itoa(o.slot-firstAddOn+1)
	switch o.kind(w) {
	case "VIRTUAL_CURRENCY":
		return strconv.Itoa(100*(1+n%50)) + " Coins" + number
	case "DIGITAL_EXTRA":
		return "Soundtrack" + number
	}
	if n%6 == 0 {
		return "Season Pass" + number
	}
	return packNames[n%len(packNames)] + number
}

// kind returns the offer's type in the store's words.
func (o *offer) kind(w *World) string {
	switch {
	case o.addOn():
		return [...]string{"DLC", "ADD_ON", "DLC", "CONSUMABLE", "DIGITAL_EXTRA", "VIRTUAL_CURRENCY"}[w.upTo(6, topicFields, int(o.article), 2, 0)]
	case o.slot == offerBundle:
		return "BUNDLE"
	case o.slot == offerDemo:
		return "DEMO"
	case o.slot == offerBase:
		return "BASE_GAME"
	}
	return "EDITION"
}

// untyped reports whether the store shows only the offer's categories.
func (o *offer) untyped(w *World) bool {
	return o.slot != offerDemo && w.one(20, topicFields, int(o.article), 10, 0)
}

func (o *offer) categories(w *World) []string {
	switch o.kind(w) {
	case "BASE_GAME":
		return []string{"games", "games/edition", "games/edition/base", "applications"}
	case "EDITION":
		return []string{"games", "games/edition"}
	case "BUNDLE":
		return []string{"bundles", "bundles/games"}
	case "DEMO":
		return []string{"games", "games/edition", "games/demo"}
	case "DIGITAL_EXTRA":
		return []string{"digitalextras", "digitalextras/soundtrack"}
	}
	return []string{"addons", "addons/durable"}
}

// offerID ends in game and slot.
func (w *World) offerID(game, slot int) string {
	return fmt.Sprintf("%016x%08x%06x%02x", w.roll(topicCode, game, slot, 5), game, w.roll(topicCode, game, slot, 6)&0xffffff, slot)
}

func (w *World) offerOf(id string) (game, slot int, ok bool) {
	if len(id) != 32 {
		return 0, 0, false
	}
	n, err := strconv.ParseUint(id[16:24], 16, 32)
	s, err2 := strconv.ParseUint(id[30:], 16, 8)
	game, slot = int(n), int(s)
	if err != nil || err2 != nil || game >= w.pc || !w.offers(game, slot) || w.offerID(game, slot) != id {
		return 0, 0, false
	}
	return game, slot, true
}

// namespace is a number, or a code name for some games.
func (w *World) namespace(game int) string {
	if w.one(6, topicCode, game, 7, 0) {
		return codeName(game)
	}
	return fmt.Sprintf("%016x%016x", w.roll(topicCode, game, 8, 0), w.roll(topicCode, game, 9, 0))
}

// codeName is a made-up word that ends in the game's number in letters.
func codeName(game int) string {
	plants := [...]string{"calluna", "sorrel", "yarrow", "tansy", "borage", "comfrey"}
	b := []byte(plants[game%len(plants)])
	for n, i := game, 0; i < 5; i++ {
		b = append(b, byte('a'+n%26))
		n /= 26
	}
	return string(b)
}

// home returns a game's home slug.
func (w *World) home(game int) string {
	words := slugWords(w.pcTitle(game, ""))
	if w.addressing(game) == byPath {
		return words + "-" + strconv.Itoa(game)
	}
	return fmt.Sprintf("%s-%06x", words, game*0x9e3779&0xffffff)
}

// inverse undoes the multiplication in home.
const inverse = 0xb382c9

// gameOfSlug returns the game of a home slug, an offer's page or a code name.
func (w *World) gameOfSlug(slug string) (int, bool) {
	home, _, _ := strings.Cut(slug, "--")
	if game, ok := w.gameOfCodeName(slug); ok {
		return game, true
	}
	tail := home[strings.LastIndexByte(home, '-')+1:]
	if n, err := strconv.ParseUint(tail, 16, 32); err == nil && len(tail) == 6 {
		if game := int(n) * inverse & 0xffffff; game < w.pc && w.home(game) == home {
			return game, true
		}
	}
	if game, err := strconv.Atoi(tail); err == nil && game >= 0 && game < w.pc && w.home(game) == home {
		return game, true
	}
	return 0, false
}

func (w *World) gameOfCodeName(slug string) (int, bool) {
	if len(slug) < 6 {
		return 0, false
	}
	game := 0
	for i := len(slug) - 1; i >= len(slug)-5; i-- {
		c := int(slug[i]) - 'a'
		if c < 0 || c > 25 {
			return 0, false
		}
		game = game*26 + c
	}
	return game, game < w.pc && codeName(game) == slug && w.addressing(game) == byCodeName
}

// ownPage returns the slug of the offer's page; empty if it has none or is the
// game's home.
func (o *offer) ownPage(w *World) string {
	if o.slot == offerBase || o.addressing != byMappings && o.addressing != byBoth {
		return ""
	}
	name := slugWords(strings.TrimPrefix(o.title(w, ""), w.pcTitle(o.game, "")))
	return w.home(o.game) + "--" + name + "-" + strconv.FormatInt(int64(o.slot), 36)
}

// onGamePage lists the offers that a game's page shows in a price region: the
// game, and offers that searches do not find.
func (w *World) onGamePage(game int, m *market, day int) []int {
	var slots []int
	for _, slot := range [...]int{offerBase, offerUltimate} {
		if w.pcSold(game, slot, m, day) && !w.barred(game, slot, m) {
			slots = append(slots, slot)
		}
	}
	return slots
}

// productNumber identifies a game in the platform service.
func productNumber(game int) string { return fmt.Sprintf("prod-%08x", game) }
