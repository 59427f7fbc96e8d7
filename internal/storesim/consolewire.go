package storesim

import (
	"strconv"

	"gamedex/internal/money"
)

// The renderings of the console store's operations. Each appends what stands
// under "data".

// view is for whom an answer is made.
type view struct {
	*World
	market   *market
	language string // of names; further locales have another than the market's
	day      int
	partial  bool // a part is missing
}

// gridAnswer answers categoryGridRetrieve.
func (v view) gridAnswer(d *doc, offset, size int, empty bool) {
	var list []item
	if !empty {
		list = v.grid(v.market, v.day)
	}
	total := len(list)
	offset = min(max(offset, 0), total)
	page := list[offset:min(offset+max(size, 0), total)]
	d.open("categoryGridRetrieve", '{')
	d.open("concepts", '[')
	for i, at := range page {
		if v.partial && i%2 == 1 {
			continue
		}
		v.gridConcept(d, int(at.game))
	}
	d.close(']')
	pageInfo(d, total, offset, size, offset+len(page) == total)
	d.close('}')
}

func pageInfo(d *doc, total, offset, size int, last bool) {
	d.open("pageInfo", '{')
	d.number("totalCount", int64(total))
	d.number("offset", int64(offset))
	d.number("size", int64(size))
	d.flag("isLast", last)
	d.close('}')
}

func (v view) gridConcept(d *doc, page int) {
	var room [8]item
	on := v.onPage(room[:0], page, v.market, v.day)
	d.open("", '{')
	d.text("__typename", "Concept")
	d.text("id", v.conceptID(page))
	d.text("name", v.title(page, v.language, false))
	v.media(d, page)
	d.open("personalizedMeta", '{')
	v.media(d, page)
	d.close('}')
	if p := v.shopDefault(page, on, v.market, v.day); p != nil {
		v.skuPrice(d, p, !p.wordsOnly && v.one(4, topicGrid, page, v.market.number(), 0))
	} else {
		d.raw("price", "null")
	}
	d.open("products", '[')
	for _, at := range on {
		d.open("", '{')
		d.text("__typename", "Product")
		p := v.product(int(at.game), int(at.slot), v.market, v.day)
		d.text("id", p.id)
		d.close('}')
	}
	d.close(']')
	d.close('}')
}

// media are links to pictures that nobody serves.
func (v view) media(d *doc, game int) {
	number := strconv.Itoa(game)
	d.open("media", '[')
	for _, kind := range [...][3]string{{"PREVIEW", "VIDEO", "clip.mp4"}, {"SCREENSHOT", "IMAGE", "1.jpg"}, {"LOGO", "IMAGE", "logo.png"}, {"MASTER", "IMAGE", "cover.png"}} {
		d.open("", '{')
		d.text("role", kind[0])
		d.text("type", kind[1])
		d.text("url", "https://image.store.example/"+number+"/"+kind[2])
		d.close('}')
	}
	d.close(']')
}

// skuPrice is the short form: as a rule only words.
func (v view) skuPrice(d *doc, p *consoleProduct, numbers bool) {
	if p.mode == modeUnavailable {
		d.raw("price", "null")
		return
	}
	f := p.face()
	d.open("price", '{')
	d.text("__typename", "SkuPrice")
	d.text("basePrice", f.baseText)
	d.text("discountedPrice", f.currentText)
	if p.mode == modeIncluded {
		d.text("discountText", "-100%")
	} else {
		d.textOrNull("discountText", f.label)
	}
	if numbers {
		d.text("skuId", p.sku(v.World))
		d.number("basePriceValue", p.wireNumber(v.World, f.base))
		d.number("discountedValue", p.wireNumber(v.World, f.current))
		d.text("currencyCode", string(p.market.currency))
		v.endTime(d, p)
	}
	d.flag("includesBundleOffer", false)
	d.flag("isExclusive", f.tied)
	d.flag("isFree", f.free)
	d.flag("isTiedToSubscription", f.tied)
	d.texts("serviceBranding", f.branding)
	d.texts("upsellServiceBranding", f.upsellBranding)
	d.textOrNull("upsellText", f.upsell)
	d.close('}')
}

// face is what a product's own price shows.
type face struct {
	base, current         money.Amount
	baseText, currentText string
	label                 string
	free, tied            bool
	branding              string
	upsellBranding        string
	upsell                string
}

func (p *consoleProduct) face() face {
	m := p.market
	f := face{base: p.base, current: p.current, branding: "NONE", upsellBranding: "NONE"}
	f.baseText, f.currentText = m.style.text(p.base), m.style.text(p.current)
	if p.percent > 0 {
		f.label = p.label()
		f.upsell = p.label()
	}
	switch p.mode {
	case modeFree:
		f = face{baseText: m.words.free, currentText: m.words.free, free: true, branding: "NONE", upsellBranding: "NONE"}
	case modeIncluded:
		f.current, f.currentText, f.label = 0, m.words.included, m.words.included
		f.free, f.tied, f.branding, f.upsellBranding, f.upsell = true, true, "PS_PLUS", "PS_PLUS", "Extra"
	case modeTrialOnly:
		f = face{baseText: m.words.trial, currentText: m.words.trial, free: true, tied: true, branding: "PS_PLUS", upsellBranding: "PS_PLUS", upsell: m.words.trial}
	}
	return f
}

// label is the discount as the store shows it: in French with a space.
func (p *consoleProduct) label() string {
	text := "-" + strconv.Itoa(p.percent)
	if p.market.language == "fr" {
		text += nbsp
	}
	return text + "%"
}

// wireNumber is an amount as the store's numbers count it: hundredths, but for
// some products in a currency without decimals whole units.
func (p *consoleProduct) wireNumber(w *World, a money.Amount) int64 {
	if p.mode == modeBuy || p.mode == modePreorder {
		a = p.shown(a)
	}
	if p.market.currency.Digits() == 0 && !p.wrong && w.one(2, topicUnits, int(p.article), 0, 0) {
		return int64(a) / 100
	}
	return int64(a)
}

// endTime is in milliseconds, as text; rarely an ISO time.
func (v view) endTime(d *doc, p *consoleProduct) {
	switch {
	case p.percent == 0 || p.ends == 0:
		d.raw("endTime", "null")
	case v.one(6, topicFields, int(p.article), 6, 0):
		d.text("endTime", p.ends.Time().Format("2006-01-02T15:04:05Z"))
	default:
		d.text("endTime", strconv.FormatInt(int64(p.ends), 10))
	}
}

// conceptAnswer answers conceptRetrieveForUpsellWithCtas.
func (v view) conceptAnswer(d *doc, page int) {
	var room [8]item
	on := v.onPage(room[:0], page, v.market, v.day)
	d.open("conceptRetrieve", '{')
	d.text("__typename", "Concept")
	d.text("id", v.conceptID(page))
	d.text("name", v.title(page, v.language, false))
	if name := v.familyName(page); name != "" && v.one(2, topicFields, page, 7, 0) {
		d.text("invariantName", name)
	}
	v.media(d, page)
	if p := v.shopDefault(page, on, v.market, v.day); p != nil {
		d.open("defaultProduct", '{')
		d.text("id", p.id)
		d.close('}')
	} else {
		d.raw("defaultProduct", "null")
	}
	d.flag("isAnnounce", len(on) == 0)
	d.open("products", '[')
	for i, at := range on {
		p := v.product(int(at.game), int(at.slot), v.market, v.day)
		v.conceptProduct(d, &p, page, v.partial && i == len(on)-1)
	}
	d.close(']')
	d.close('}')
}

func (v view) conceptProduct(d *doc, p *consoleProduct, page int, cut bool) {
	d.open("", '{')
	d.text("__typename", "Product")
	v.editionObject(d, p)
	d.text("id", p.id)
	v.media(d, p.game)
	d.texts("platforms", p.platforms(v.World)...)
	d.text("topCategory", p.topCategory())
	v.conceptRef(d, page, false)
	d.flag("isWishlistable", true)
	d.text("name", p.name(v.World, v.language))
	if v.one(3, topicFields, p.game, 8, 0) {
		d.textOrNull("invariantName", p.invariant(v.World))
		d.textOrNull("npTitleId", p.npTitleID())
	}
	if cut {
		d.raw("skus", "null")
		d.raw("webctas", "null")
	} else {
		v.skus(d, p)
		v.actions(d, p)
	}
	d.close('}')
}

func (p *consoleProduct) npTitleID() string {
	if p.titleID == "" {
		return ""
	}
	return p.titleID + "_00"
}

func (v view) conceptRef(d *doc, page int, named bool) {
	d.open("concept", '{')
	d.text("__typename", "Concept")
	d.text("id", v.conceptID(page))
	if named {
		d.textOrNull("invariantName", v.familyName(page))
	}
	d.close('}')
}

// editionObject is null for some, without a name for many.
func (v view) editionObject(d *doc, p *consoleProduct) {
	name := p.edition(v.World, v.language)
	style := v.upTo(4, topicEdition, int(p.article), 3, 0)
	if p.addOn() || name == "" && style == 0 {
		d.raw("edition", "null")
		return
	}
	if name == "" && style == 1 && p.slot <= slotOlder {
		name = "Standard Edition"
	}
	d.open("edition", '{')
	d.text("__typename", "ProductEdition")
	d.texts("features")
	if name == "" && style == 2 {
		d.raw("name", "null")
	} else {
		d.text("name", name)
	}
	d.raw("ordering", "null")
	d.text("type", p.editionType(v.World))
	d.close('}')
}

func (v view) skus(d *doc, p *consoleProduct) {
	d.open("skus", '[')
	for _, id := range [...]string{p.sku(v.World), p.id + "-" + p.front[:1] + "00B"} {
		d.open("", '{')
		d.text("__typename", "Sku")
		d.text("id", id)
		d.text("name", "Game")
		d.close('}')
		if !v.one(8, topicFields, int(p.article), 9, 0) {
			break
		}
	}
	d.close(']')
}

// addOnsAnswer answers getAddOnProductsByConcept.
func (v view) addOnsAnswer(d *doc, page, offset, size int) {
	var slots []int
	for slot := firstAddOn; slot < firstAddOn+v.addOns(page); slot++ {
		if v.inStore(page, slot, v.market, v.day) {
			slots = append(slots, slot)
		}
	}
	total := len(slots)
	offset = min(max(offset, 0), total)
	end := min(offset+max(size, 0), total)
	d.open("addOnProductsByConceptIdRetrieve", '{')
	d.open("addOnProducts", '[')
	for i, slot := range slots[offset:end] {
		if v.partial && i%2 == 0 {
			continue
		}
		p := v.product(page, slot, v.market, v.day)
		v.addOnEntry(d, &p)
	}
	d.close(']')
	pageInfo(d, total, offset, size, end == total)
	d.close('}')
}

func (v view) addOnEntry(d *doc, p *consoleProduct) {
	d.open("", '{')
	d.text("id", p.id)
	d.text("__typename", "Product")
	d.open("boxArt", '{')
	d.text("url", "https://image.store.example/"+p.id+"/box.png")
	d.close('}')
	v.conceptRef(d, p.game, false)
	d.open("contentRating", '{')
	d.text("name", p.market.rating+"_"+p.ageMark(v.World))
	d.close('}')
	d.textOrNull("invariantName", p.invariant(v.World))
	d.text("name", p.name(v.World, v.language))
	d.texts("platforms", p.platforms(v.World)...)
	v.skus(d, p)
	d.text("storeDisplayClassification", p.class(v.World))
	v.skuPrice(d, p, !p.wordsOnly && v.one(5, topicGrid, int(p.article), v.market.number(), 0))
	d.close('}')
}

// productAnswer answers metGetProductById.
func (v view) productAnswer(d *doc, p *consoleProduct) {
	d.open("productRetrieve", '{')
	d.text("__typename", "Product")
	d.text("id", p.id)
	d.text("name", p.name(v.World, v.language))
	d.textOrNull("invariantName", p.invariant(v.World))
	d.textOrNull("npTitleId", p.npTitleID())
	v.conceptRef(d, v.page(p.game, p.slot, p.day), true)
	v.editionObject(d, p)
	d.text("topCategory", p.topCategory())
	d.text("storeDisplayClassification", p.class(v.World))
	d.texts("platforms", p.platforms(v.World)...)
	if v.partial {
		d.raw("publisherName", "null")
		d.raw("combinedLocalizedGenres", "null")
		d.raw("webctas", "null")
		d.close('}')
		return
	}
	d.text("publisherName", v.publisher(p.game, p.front))
	d.text("releaseDate", p.releaseMoment(v.World))
	v.prose(d, p)
	v.media(d, p.game)
	if !p.addOn() || !p.wordsOnly || p.mode != modeBuy {
		v.actions(d, p)
	}
	d.close('}')
}

func (v view) prose(d *doc, p *consoleProduct) {
	d.open("descriptions", '[')
	for _, kind := range [...][2]string{{"SHORT", "A game of " + p.name(v.World, "")}, {"LONG", "<p>Long ago.<br/>And now &amp; then.</p>"}, {"LEGAL", "All rights reserved"}} {
		d.open("", '{')
		d.text("type", kind[0])
		d.raw("subType", "null")
		d.text("value", kind[1])
		d.close('}')
	}
	d.close(']')
	d.open("combinedLocalizedGenres", '[')
	for _, g := range v.genres(p.game, v.language) {
		d.open("", '{')
		d.text("value", g)
		d.close('}')
	}
	d.close(']')
	d.open("contentRating", '{')
	d.text("authority", p.market.rating)
	d.text("name", p.market.rating+"_"+p.ageMark(v.World))
	d.close('}')
	d.open("starRating", '{')
	d.raw("averageRating", "4.21")
	d.number("totalRatingsCount", int64(p.stars(v.World)))
	d.close('}')
}
