package storesim

import (
	"strconv"

	"gamedex/internal/money"
)

// object is a JSON object in an answer.
type object = map[string]any

// orNull returns s, or null if it is empty.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// The answers to the console store's operations: what is under "data".

// view describes for whom an answer is built.
type view struct {
	*World
	market   *market
	language string // language of names; further locales have another than the market's
	day      int
	partial  bool // a part is missing
	unpriced bool // no price is shown
}

// product returns a product as the answer shows it.
func (v view) product(game, slot int, m *market, day int) consoleProduct {
	p := v.World.product(game, slot, m, day)
	if v.unpriced {
		p.mode = modeUnavailable
	}
	return p
}

// gridAnswer answers categoryGridRetrieve.
func (v view) gridAnswer(offset, size int, empty bool) object {
	var list []item
	if !empty {
		list = v.grid(v.market, v.day)
	}
	page, info := cutPage(list, offset, size)
	concepts := []object{}
	for i, at := range page {
		if !v.partial || i%2 == 0 {
			concepts = append(concepts, v.gridConcept(int(at.game)))
		}
	}
	return object{"categoryGridRetrieve": object{"concepts": concepts, "pageInfo": info}}
}

// cutPage returns a page of a list and its pageInfo.
func cutPage[T any](list []T, offset, size int) ([]T, object) {
	total := len(list)
	offset = min(max(offset, 0), total)
	end := min(offset+max(size, 0), total)
	return list[offset:end], object{"totalCount": total, "offset": offset, "size": size, "isLast": end == total}
}

func (v view) gridConcept(page int) object {
	var room [8]item
	on := v.onPage(room[:0], page, v.market, v.day)
	products := []object{}
	for _, at := range on {
		p := v.product(int(at.game), int(at.slot), v.market, v.day)
		products = append(products, object{"__typename": "Product", "id": p.id})
	}
	var price *skuPrice
	if p := v.shopDefault(page, on, v.market, v.day); p != nil {
		price = v.skuPrice(p, !p.wordsOnly && v.one(4, topicGrid, page, v.market.number(), 0))
	}
	return object{
		"__typename": "Concept", "id": v.conceptID(page), "name": v.title(page, v.language, false),
		"media": media(page), "personalizedMeta": object{"media": media(page)}, "price": price, "products": products,
	}
}

type medium struct {
	Role string `json:"role"`
	Type string `json:"type"`
	URL  string `json:"url"`
}

// media returns links to pictures that do not exist.
func media(game int) []medium {
	at := "https://image.store.example/" + strconv.Itoa(game) + "/"
	return []medium{
		{"PREVIEW", "VIDEO", at + "clip.mp4"}, {"SCREENSHOT", "IMAGE", at + "1.jpg"},
		{"LOGO", "IMAGE", at + "logo.png"}, {"MASTER", "IMAGE", at + "cover.png"},
	}
}

// skuPrice is the short form of a price: usually only text.
type skuPrice struct {
	Typename            string   `json:"__typename"`
	BasePrice           string   `json:"basePrice"`
	DiscountedPrice     string   `json:"discountedPrice"`
	DiscountText        any      `json:"discountText"`
	IncludesBundleOffer bool     `json:"includesBundleOffer"`
	Exclusive           bool     `json:"isExclusive"`
	Free                bool     `json:"isFree"`
	Tied                bool     `json:"isTiedToSubscription"`
	Branding            []string `json:"serviceBranding"`
	UpsellBranding      []string `json:"upsellServiceBranding"`
	UpsellText          any      `json:"upsellText"`
	*skuNumbers
}

type skuNumbers struct {
	SkuID      string         `json:"skuId"`
	Base       int64          `json:"basePriceValue"`
	Discounted int64          `json:"discountedValue"`
	Currency   money.Currency `json:"currencyCode"`
	EndTime    any            `json:"endTime"`
}

func (v view) skuPrice(p *consoleProduct, numbers bool) *skuPrice {
	if v.unpriced || p.mode == modeUnavailable {
		return nil
	}
	f := p.face()
	price := &skuPrice{
		Typename: "SkuPrice", BasePrice: f.baseText, DiscountedPrice: f.currentText, DiscountText: orNull(f.label),
		Exclusive: f.tied, Free: f.free, Tied: f.tied,
		Branding: []string{f.branding}, UpsellBranding: []string{f.upsellBranding}, UpsellText: orNull(f.upsell),
	}
	if p.mode == modeIncluded {
		price.DiscountText = "-100%"
	}
	if numbers {
		price.skuNumbers = &skuNumbers{
			p.sku(v.World), p.wireNumber(v.World, f.base), p.wireNumber(v.World, f.current), p.market.currency, v.endTime(p),
		}
	}
	return price
}

// face returns the price fields of a product.
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
		branding := p.trial.branding
		f = face{baseText: m.words.trial, currentText: m.words.trial, free: true, tied: true, branding: branding, upsellBranding: branding, upsell: m.words.trial}
		if p.trial.based {
			f.base, f.baseText, f.label = p.base, m.style.text(p.base), "-100%"
		}
	}
	return f
}

// label formats the discount as the store does: in French with a space.
func (p *consoleProduct) label() string {
	text := "-" + strconv.Itoa(p.percent)
	if p.market.language == "fr" {
		text += nbsp
	}
	return text + "%"
}

// wireNumber returns an amount as the store's numbers count it: in hundredths,
// but in whole units for some products in a currency without decimals.
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
func (v view) endTime(p *consoleProduct) any {
	switch {
	case p.percent == 0 || p.ends == 0:
		return nil
	case v.one(6, topicFields, int(p.article), 6, 0):
		return p.ends.Time().Format("2006-01-02T15:04:05Z")
	}
	return strconv.FormatInt(int64(p.ends), 10)
}

// conceptAnswer answers conceptRetrieveForUpsellWithCtas.
func (v view) conceptAnswer(page int) object {
	var room [8]item
	on := v.onPage(room[:0], page, v.market, v.day)
	products := []object{}
	for i, at := range on {
		p := v.product(int(at.game), int(at.slot), v.market, v.day)
		products = append(products, v.conceptProduct(&p, page, v.partial && i == len(on)-1))
	}
	concept := object{
		"__typename": "Concept", "id": v.conceptID(page), "name": v.title(page, v.language, false), "media": media(page),
		"defaultProduct": nil, "isAnnounce": len(on) == 0, "products": products,
	}
	if name := v.familyName(page); name != "" && v.one(2, topicFields, page, 7, 0) {
		concept["invariantName"] = name
	}
	if p := v.shopDefault(page, on, v.market, v.day); p != nil {
		concept["defaultProduct"] = object{"id": p.id}
	}
	return object{"conceptRetrieve": concept}
}

func (v view) conceptProduct(p *consoleProduct, page int, cut bool) object {
	product := object{
		"__typename": "Product", "edition": v.edition(p), "id": p.id, "media": media(p.game), "platforms": append([]string{}, p.platforms(v.World)...),
		"topCategory": p.topCategory(), "concept": object{"__typename": "Concept", "id": v.conceptID(page)},
		"isWishlistable": true, "name": p.name(v.World, v.language), "skus": nil, "webctas": nil,
	}
	if v.one(3, topicFields, p.game, 8, 0) {
		product["invariantName"] = orNull(p.invariant(v.World))
		product["npTitleId"] = p.npTitleID()
	}
	if !cut {
		product["skus"], product["webctas"] = v.skus(p), v.actions(p)
	}
	return product
}

func (p *consoleProduct) npTitleID() any {
	if p.titleID == "" {
		return nil
	}
	return p.titleID + "_00"
}

// edition is null for some products, without a name for many.
func (v view) edition(p *consoleProduct) any {
	name := p.edition(v.World, v.language)
	style := v.upTo(4, topicEdition, int(p.article), 3, 0)
	if p.addOn() || name == "" && style == 0 {
		return nil
	}
	if name == "" && style == 1 && p.slot <= slotOlder {
		name = "Standard Edition"
	}
	edition := object{"__typename": "ProductEdition", "features": []string{}, "name": name, "ordering": nil, "type": p.editionType(v.World)}
	if name == "" && style == 2 {
		edition["name"] = nil
	}
	return edition
}

func (v view) skus(p *consoleProduct) []object {
	list := []object{{"__typename": "Sku", "id": p.sku(v.World), "name": "Game"}}
	if v.one(8, topicFields, int(p.article), 9, 0) {
		list = append(list, object{"__typename": "Sku", "id": p.id + "-" + p.front[:1] + "00B", "name": "Game"})
	}
	return list
}

// addOnsAnswer answers getAddOnProductsByConcept.
func (v view) addOnsAnswer(page, offset, size int) object {
	var slots []int
	for slot := firstAddOn; slot < firstAddOn+v.addOns(page); slot++ {
		if v.inStore(page, slot, v.market, v.day) {
			slots = append(slots, slot)
		}
	}
	slots, info := cutPage(slots, offset, size)
	products := []object{}
	for i, slot := range slots {
		if !v.partial || i%2 == 1 {
			p := v.product(page, slot, v.market, v.day)
			products = append(products, v.addOnProduct(&p))
		}
	}
	return object{"addOnProductsByConceptIdRetrieve": object{"addOnProducts": products, "pageInfo": info}}
}

func (v view) addOnProduct(p *consoleProduct) object {
	return object{
		"id": p.id, "__typename": "Product", "boxArt": object{"url": "https://image.store.example/" + p.id + "/box.png"},
		"concept":       object{"__typename": "Concept", "id": v.conceptID(p.game)},
		"contentRating": object{"name": p.market.rating + "_" + p.ageMark(v.World)},
		"invariantName": orNull(p.invariant(v.World)), "name": p.name(v.World, v.language), "platforms": append([]string{}, p.platforms(v.World)...),
		"skus": v.skus(p), "storeDisplayClassification": p.class(v.World),
		"price": v.skuPrice(p, p.numbersInList(v.World)),
	}
}

// numbersInList reports whether the list of add-ons has the numbers of a price.
func (p *consoleProduct) numbersInList(w *World) bool {
	return !p.wordsOnly && w.one(5, topicGrid, int(p.article), p.market.number(), 0)
}

// productAnswer answers metGetProductById.
func (v view) productAnswer(p *consoleProduct) object {
	page := v.page(p.game, p.slot, p.day)
	product := object{
		"__typename": "Product", "id": p.id, "name": p.name(v.World, v.language),
		"invariantName": orNull(p.invariant(v.World)), "npTitleId": p.npTitleID(),
		"concept": object{"__typename": "Concept", "id": v.conceptID(page), "invariantName": orNull(v.familyName(page))},
		"edition": v.edition(p), "topCategory": p.topCategory(), "storeDisplayClassification": p.class(v.World), "platforms": append([]string{}, p.platforms(v.World)...),
		"publisherName": nil, "combinedLocalizedGenres": nil,
	}
	if v.partial {
		product["webctas"] = nil
		return object{"productRetrieve": product}
	}
	genres := []object{}
	for _, g := range v.genres(p.game, v.language) {
		genres = append(genres, object{"value": g})
	}
	product["publisherName"] = v.publisher(p.game, p.front)
	product["releaseDate"] = p.releaseTime(v.World)
	product["descriptions"] = []object{
		{"type": "SHORT", "subType": nil, "value": "A game of " + p.name(v.World, "")},
		{"type": "LONG", "subType": nil, "value": "<p>Long ago.<br/>And now &amp; then.</p>"},
		{"type": "LEGAL", "subType": nil, "value": "All rights reserved"},
	}
	product["combinedLocalizedGenres"] = genres
	product["contentRating"] = object{"authority": p.market.rating, "name": p.market.rating + "_" + p.ageMark(v.World)}
	product["starRating"] = object{"averageRating": 4.21, "totalRatingsCount": p.stars(v.World)}
	product["media"] = media(p.game)
	if !p.addOn() || !p.wordsOnly || p.mode != modeBuy {
		product["webctas"] = v.actions(p)
	}
	return object{"productRetrieve": product}
}
