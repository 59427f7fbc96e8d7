package storesim

import (
	"strconv"
	"time"

	"gamedex/internal/money"
)

// The renderings of the PC store's operations and of its platform service.

const placeholderDate = "2099-01-01T00:00:00.000Z"

// searchAnswer answers searchStoreQuery, data and errors: with elements of
// which nobody knows the page come errors that mean nothing.
func (v view) searchAnswer(d *doc, start, count int, empty bool) {
	var list []item
	if !empty {
		list = v.search(v.market, v.day)
	}
	total := len(list)
	start = min(max(start, 0), total)
	page := list[start:min(start+max(count, 0), total)]
	var lost []int // elements that an error stands for
	var missing []int
	d.open("data", '{')
	d.open("Catalog", '{')
	d.open("searchStore", '{')
	d.open("elements", '[')
	for i, at := range page {
		if v.partial && i%5 == 2 {
			missing = append(missing, i)
			d.raw("", "null")
			continue
		}
		if v.searchElement(d, at) {
			lost = append(lost, i)
		}
	}
	d.close(']')
	d.open("paging", '{')
	d.number("count", int64(count))
	d.number("total", int64(total))
	d.close('}')
	d.close('}')
	d.close('}')
	d.close('}')
	v.searchErrors(d, lost, missing)
}

func (v view) searchErrors(d *doc, lost, missing []int) {
	if len(lost)+len(missing) == 0 {
		return
	}
	d.open("errors", '[')
	for _, i := range lost {
		prefix := `{"message":"CatalogOffer/offerMappings: Request failed with status code 404","serviceResponse":` + strconv.Quote(notFoundResponse) +
			`,"path":["Catalog","searchStore","elements",` + strconv.Itoa(i)
		d.raw("", prefix+`,"offerMappings"]}`)
		d.raw("", prefix+`,"catalogNs","mappings"]}`)
	}
	for _, i := range missing {
		d.raw("", `{"message":"Operation timed out!","path":["Catalog","searchStore","elements",`+strconv.Itoa(i)+`]}`)
	}
	d.close(']')
}

const notFoundResponse = `{"errorMessage":"The item or resource being requested could not be found.","errorCode":"errors.com.pc.example.not_found","numericErrorCode":1004,"errorStatus":404}`

// searchElement says whether the element's page is not known.
func (v view) searchElement(d *doc, at item) bool {
	if at.slot < 0 {
		v.mystery(d, int(at.game))
		return false
	}
	o := v.offer(int(at.game), int(at.slot), v.market, v.day)
	d.open("", '{')
	v.element(d, &o)
	d.close('}')
	return o.addressing == byCodeName
}

// element appends the fields that a search shows of an offer.
func (v view) element(d *doc, o *offer) {
	title := o.title(v.World, v.language)
	d.text("title", title)
	d.text("id", o.id)
	d.text("namespace", v.namespace(o.game))
	d.text("description", "About "+title)
	v.dates(d, o)
	if o.untyped(v.World) {
		d.raw("offerType", "null")
	} else {
		d.text("offerType", o.kind(v.World))
	}
	d.text("status", "ACTIVE")
	d.flag("isCodeRedemptionOnly", o.standing == redeemed)
	d.open("keyImages", '[')
	for _, kind := range [...]string{"OfferImageTall", "Thumbnail"} {
		d.open("", '{')
		d.text("type", kind)
		d.text("url", "https://image.pc.example/"+o.id+".jpg")
		d.close('}')
	}
	d.close(']')
	v.makers(d, o)
	v.addresses(d, o)
	d.raw("items", `[{"id":"`+o.id+`"}]`)
	v.attributes(d, o)
	d.open("categories", '[')
	for _, path := range o.categories(v.World) {
		d.open("", '{')
		d.text("path", path)
		d.close('}')
	}
	d.close(']')
	d.raw("tags", `[{"id":"1216"},{"id":"9547"}]`)
	v.pcPrice(d, o)
}

// dates appends an offer's; which of them tells the release differs.
func (v view) dates(d *doc, o *offer) {
	const form = "2006-01-02T15:04:05.000Z"
	day := o.released(v.World).Add(8 * time.Hour).Format(form)
	today := v.start.Truncate(24 * time.Hour)
	effective, viewable, expires := day, day, ""
	switch {
	case o.standing == announced:
		effective, viewable, day = placeholderDate, today.AddDate(0, -1, 0).Format(form), placeholderDate
	case o.standing == preorder:
		viewable = today.AddDate(0, -1, 0).Format(form)
	case o.standing == hidden && o.game%2 == 0:
		expires = today.AddDate(0, -1, 0).Format(form)
	case o.standing == hidden:
		viewable = today.AddDate(2, 0, 0).Format(form)
	}
	d.text("effectiveDate", effective)
	d.textOrNull("viewableDate", viewable)
	d.textOrNull("expiryDate", expires)
	switch style := o.game % 3; {
	case style == 0 || o.standing == preorder:
		d.text("pcReleaseDate", day)
		d.text("releaseDate", day)
	case style == 1:
		d.raw("pcReleaseDate", "null")
		d.text("releaseDate", day)
	default:
		d.raw("pcReleaseDate", "null")
		d.raw("releaseDate", "null")
	}
}

// makers appends who made it and who sells it, where this kind of element has
// it; the custom attributes have the rest.
func (v view) makers(d *doc, o *offer) {
	maker := v.publisher(o.game, "")
	d.open("seller", '{')
	d.text("id", "o-"+productNumber(o.game))
	d.text("name", maker)
	d.close('}')
	if o.game%3 == 0 {
		d.text("publisherDisplayName", maker)
		d.text("developerDisplayName", v.developer(o.game))
	} else {
		d.raw("publisherDisplayName", "null")
		d.raw("developerDisplayName", "null")
	}
}

// developer is who made a game, "" where the store does not tell.
func (w *World) developer(game int) string {
	if game%3 == 2 {
		return ""
	}
	return makers[w.upTo(len(makers), topicPublisher, game, 1, 0)] + " Studio"
}

func (v view) addresses(d *doc, o *offer) {
	home := v.home(o.game)
	d.open("catalogNs", '{')
	switch o.addressing {
	case byMappings, byBoth:
		d.raw("mappings", `[{"pageSlug":"`+home+`","pageType":"productHome"}]`)
	case byPath:
		d.raw("mappings", "[]")
	case byCodeName:
		d.raw("mappings", "null")
	}
	d.close('}')
	own := o.ownPage(v.World)
	switch {
	case own != "" && o.addOn():
		d.raw("offerMappings", `[{"pageSlug":"`+own+`","pageType":"addon--cms-hybrid"}]`)
	case own != "":
		d.raw("offerMappings", `[{"pageSlug":"`+own+`","pageType":"offer"}]`)
	case o.addressing == byMappings && o.game%2 == 0:
		d.raw("offerMappings", `[{"pageSlug":"`+home+`","pageType":"productHome"}]`)
	case o.addressing == byCodeName:
		d.raw("offerMappings", "null")
	default:
		d.raw("offerMappings", "[]")
	}
	v.slugs(d, o, home)
}

// slugs appends the addresses in their older forms, which newer offers leave
// empty or fill with what is none.
func (v view) slugs(d *doc, o *offer, home string) {
	switch {
	case o.addressing == byPath && o.slot == offerBase:
		d.text("productSlug", home+"/home")
	case o.addressing == byPath:
		d.text("productSlug", home+"/part-"+strconv.Itoa(o.slot))
	case o.addressing == byBoth:
		d.text("productSlug", "[]")
	default:
		d.raw("productSlug", "null")
	}
	switch o.addressing {
	case byCodeName:
		d.text("urlSlug", codeName(o.game))
	case byPath:
		d.text("urlSlug", home)
	default:
		d.text("urlSlug", o.id)
	}
}

// barredFrom lists the countries of the price region that may not see an offer.
func (v view) barredFrom(o *offer) []string {
	var list []string
	for _, m := range v.markets {
		if m.group == o.market && v.barred(o.game, o.slot, m) {
			list = append(list, m.region.String())
		}
	}
	return list
}

func (v view) attributes(d *doc, o *offer) {
	attribute := func(key, value string) {
		d.open("", '{')
		d.text("key", key)
		d.text("value", value)
		d.close('}')
	}
	d.open("customAttributes", '[')
	barred := v.barredFrom(o)
	switch {
	case len(barred) > 0:
		list := barred[0]
		for _, r := range barred[1:] {
			list += "," + r
		}
		attribute("com.pc.example.app.blacklist", list)
	case o.game%4 == 0:
		attribute("com.pc.example.app.blacklist", "[]")
	case o.game%4 == 1:
		attribute("com.pc.example.app.blacklist", "{}")
	}
	if o.standing == preorder {
		attribute("isPrepurchase", "true")
	}
	if o.game%3 == 1 {
		attribute("publisherName", v.publisher(o.game, ""))
		attribute("developerName", v.developer(o.game))
	}
	d.close(']')
}

// pcPrice appends what an offer costs, and until when.
func (v view) pcPrice(d *doc, o *offer) {
	end := ""
	if ends := o.end(v.World); ends != 0 {
		end = ends.Time().Format("2006-01-02T15:04:05.000Z")
	}
	// The end stands with the rule, for some with the promotion alone.
	byPromotion := o.game%5 == 0
	d.open("price", '{')
	o.totalPrice(d)
	d.open("lineOffers", '[')
	d.open("", '{')
	d.open("appliedRules", '[')
	if end != "" && !byPromotion {
		d.raw("", `{"id":"rule","endDate":"`+end+`","discountSetting":{"discountType":"PERCENTAGE"}}`)
	}
	d.close(']')
	d.close('}')
	d.close(']')
	d.close('}')
	if end == "" || !byPromotion && o.game%2 == 0 {
		d.raw("promotions", "null")
		return
	}
	base, current := o.priceNow()
	began := v.start.AddDate(0, 0, -20).Format("2006-01-02T15:04:05.000Z")
	left := strconv.Itoa(100 - money.DiscountPercent(base, current))
	d.raw("promotions", `{"promotionalOffers":[{"promotionalOffers":[{"startDate":"`+began+`","endDate":"`+end+
		`","discountSetting":{"discountType":"PERCENTAGE","discountPercentage":`+left+`}}]}],"upcomingPromotionalOffers":[]}`)
}

// totalPrice is in the smallest unit of the currency, the texts as the language
// of the answer has them.
func (o *offer) totalPrice(d *doc) {
	m := o.market
	base, current := o.priceNow()
	baseText, currentText := o.texts()
	decimals := m.currency.Digits()
	units := func(a money.Amount) int64 {
		if decimals == 0 {
			return int64(a) / 100
		}
		return int64(a)
	}
	d.open("totalPrice", '{')
	d.number("discountPrice", units(current))
	d.number("originalPrice", units(base))
	d.number("voucherDiscount", 0)
	d.number("discount", units(base-current))
	d.text("currencyCode", string(m.currency))
	d.open("currencyInfo", '{')
	d.number("decimals", int64(decimals))
	d.close('}')
	d.open("fmtPrice", '{')
	d.text("originalPrice", m.pcText(baseText))
	d.text("discountPrice", m.pcText(currentText))
	d.text("intermediatePrice", m.pcText(currentText))
	d.close('}')
	d.close('}')
}

// mystery is a giveaway whose game is not told yet.
func (v view) mystery(d *doc, n int) {
	number := strconv.Itoa(n)
	currency := string(v.market.currency)
	d.raw("", `{"title":"Mystery Game `+number+`","id":"ffffffffffffffffffffffff`+strconv.Itoa(10000000+n)+`","namespace":"mystery`+number+
		`","description":"Mystery Game","effectiveDate":"`+placeholderDate+`","offerType":"OTHERS","expiryDate":null,"viewableDate":null,`+
		`"status":"ACTIVE","isCodeRedemptionOnly":false,"keyImages":[],"seller":{"id":"o-mystery","name":"PC Store"},"productSlug":"[]",`+
		`"urlSlug":"mysterygame`+number+`","items":[],"customAttributes":[],"categories":[{"path":"freegames"},{"path":"games"}],"tags":[],`+
		`"catalogNs":{"mappings":null},"offerMappings":[],"price":{"totalPrice":{"discountPrice":0,"originalPrice":0,"voucherDiscount":0,`+
		`"discount":0,"currencyCode":"`+currency+`","currencyInfo":{"decimals":2},"fmtPrice":{"originalPrice":"0","discountPrice":"0","intermediatePrice":"0"}},`+
		`"lineOffers":[{"appliedRules":[]}]},"promotions":null}`)
}

// offerAnswer answers getCatalogOffer, data and errors.
func (v view) offerAnswer(d *doc, o *offer) {
	if v.partial {
		d.raw("data", `{"Catalog":{"catalogOffer":null}}`)
		d.raw("errors", `[{"message":"Operation timed out!","path":["Catalog","catalogOffer"]}]`)
		return
	}
	d.open("data", '{')
	d.open("Catalog", '{')
	d.open("catalogOffer", '{')
	v.element(d, o)
	if barred := v.barredFrom(o); barred != nil {
		d.texts("countriesBlacklist", barred...)
	} else {
		d.raw("countriesBlacklist", "null")
	}
	d.raw("countriesWhitelist", "null")
	d.raw("longDescription", "null")
	d.close('}')
	d.close('}')
	d.close('}')
	if o.addressing == byCodeName {
		d.raw("errors", `[{"message":"CatalogOffer/offerMappings: Request failed with status code 404","serviceResponse":`+strconv.Quote(notFoundResponse)+
			`,"path":["Catalog","catalogOffer","offerMappings"]}]`)
	}
}

// mappingAnswer is what the platform service says of a slug.
func (v view) mappingAnswer(d *doc, slug string, game int, slots []int) {
	d.open("", '{')
	d.text("__typename", "OfferMapping")
	d.open("modules", '{')
	d.open("pageOffers", '[')
	for _, slot := range slots {
		d.open("", '{')
		d.text("__typename", "MappingPageOfferModule")
		d.text("offerId", v.offerID(game, slot))
		d.text("sandboxId", v.namespace(game))
		d.text("store", storeName)
		d.close('}')
	}
	d.close(']')
	d.close('}')
	d.text("productId", productNumber(game))
	d.text("sandboxId", v.namespace(game))
	d.text("slug", slug)
	d.close('}')
}

// gameAnswer is what the platform service says of a game.
func (v view) gameAnswer(d *doc, game int) {
	d.open("", '{')
	d.text("__typename", "Product")
	if developer := v.developer(game); developer != "" {
		d.texts("developers", developer)
	} else {
		d.texts("developers")
	}
	d.text("id", productNumber(game))
	d.open("mapping", '{')
	d.text("slug", v.home(game))
	d.close('}')
	d.texts("publishers", v.publisher(game, ""))
	d.text("shortDescription", "A game among games.")
	d.open("tags", '{')
	d.raw("features", `[{"id":"1370","name":"Single Player"}]`)
	d.open("genres", '[')
	for i, g := range v.genres(game, v.language) {
		d.open("", '{')
		d.text("id", strconv.Itoa(1200+i))
		d.text("name", g)
		d.close('}')
	}
	d.close(']')
	d.raw("platforms", `[{"id":"9547","name":"Windows"}]`)
	d.close('}')
	d.text("title", v.pcTitle(game, v.language))
	d.close('}')
}

// storeName is what the PC store is called in the platform service.
const storeName = "PC"
