package storesim

import (
	"strconv"
	"strings"
	"time"

	"gamedex/internal/money"
)

// The answers of the PC store and of its platform service.

const (
	pcTime          = "2006-01-02T15:04:05.000Z"
	placeholderDate = "2099-01-01T00:00:00.000Z"
)

// searchAnswer answers searchStoreQuery, data and errors: elements whose page
// is unknown come with meaningless errors.
func (v view) searchAnswer(start, count int, empty bool) object {
	var list []item
	if !empty {
		list = v.search(v.market, v.day)
	}
	page, _ := cutPage(list, start, count)
	elements, lost, missing := []any{}, []object(nil), []object(nil)
	for i, at := range page {
		path := []any{"Catalog", "searchStore", "elements", i}
		switch {
		case v.partial && i%5 == 2:
			elements = append(elements, nil)
			missing = append(missing, timedOut(path...))
		case at.slot < 0:
			elements = append(elements, v.mystery(int(at.game)))
		default:
			o := v.offer(int(at.game), int(at.slot), v.market, v.day)
			elements = append(elements, v.element(&o))
			if o.addressing == byCodeName {
				lost = append(lost, notFound(append(path, "offerMappings")...), notFound(append(path, "catalogNs", "mappings")...))
			}
		}
	}
	answer := object{"data": object{"Catalog": object{"searchStore": object{
		"elements": elements, "paging": object{"count": count, "total": len(list)},
	}}}}
	if errors := append(lost, missing...); len(errors) > 0 {
		answer["errors"] = errors
	}
	return answer
}

func timedOut(path ...any) object { return object{"message": "Operation timed out!", "path": path} }

func notFound(path ...any) object {
	return object{
		"message": "CatalogOffer/offerMappings: Request failed with status code 404", "path": path,
		"serviceResponse": `{"errorMessage":"The item or resource being requested could not be found.","errorCode":"errors.com.pc.example.not_found","numericErrorCode":1004,"errorStatus":404}`,
	}
}

// element is an offer as a search shows it. Fields of type any may be null.
type element struct {
	Title          string   `json:"title"`
	ID             string   `json:"id"`
	Namespace      string   `json:"namespace"`
	Description    string   `json:"description"`
	OfferType      any      `json:"offerType"`
	Status         string   `json:"status"`
	CodeRedemption bool     `json:"isCodeRedemptionOnly"`
	KeyImages      []link   `json:"keyImages"`
	Items          []object `json:"items"`
	Attributes     []pair   `json:"customAttributes"`
	Tags           []object `json:"tags"`
	Categories     []path   `json:"categories"`
	Seller         object   `json:"seller"`
	Publisher      any      `json:"publisherDisplayName"`
	Developer      any      `json:"developerDisplayName"`
	EffectiveDate  string   `json:"effectiveDate"`
	ViewableDate   any      `json:"viewableDate"`
	ExpiryDate     any      `json:"expiryDate"`
	PCReleaseDate  any      `json:"pcReleaseDate"`
	ReleaseDate    any      `json:"releaseDate"`
	CatalogNs      struct {
		Mappings []pagePath `json:"mappings"`
	} `json:"catalogNs"`
	OfferMappings []pagePath  `json:"offerMappings"`
	ProductSlug   any         `json:"productSlug"`
	URLSlug       string      `json:"urlSlug"`
	Price         *offerPrice `json:"price"`
	Promotions    any         `json:"promotions"`
}

type (
	offerPrice struct {
		TotalPrice totalPrice `json:"totalPrice"`
		LineOffers []object   `json:"lineOffers"`
	}
	link struct {
		Type string `json:"type"`
		URL  string `json:"url"`
	}
	pair struct {
		Key   string `json:"key"`
		Value string `json:"value"`
	}
	path struct {
		Path string `json:"path"`
	}
	pagePath struct {
		Slug string `json:"pageSlug"`
		Type string `json:"pageType"`
	}
)

func (v view) element(o *offer) element {
	// The developer and the seller, where this kind of element has them; the
	// custom attributes have the rest.
	title, maker := o.title(v.World, v.language), v.publisher(o.game, "")
	image := "https://image.pc.example/" + o.id + ".jpg"
	e := element{
		Title: title, ID: o.id, Namespace: v.namespace(o.game), Description: "About " + title,
		Status: "ACTIVE", CodeRedemption: o.availability == redeemed,
		KeyImages: []link{{"OfferImageTall", image}, {"Thumbnail", image}},
		Items:     []object{{"id": o.id}}, Attributes: v.attributes(o), Tags: []object{{"id": "1216"}, {"id": "9547"}},
		Seller: object{"id": "o-" + productNumber(o.game), "name": maker},
	}
	if !o.untyped(v.World) {
		e.OfferType = o.kind(v.World)
	}
	for _, category := range o.categories(v.World) {
		e.Categories = append(e.Categories, path{category})
	}
	if o.game%3 == 0 {
		e.Publisher, e.Developer = maker, v.developer(o.game)
	}
	v.setDates(&e, o)
	v.setAddresses(&e, o)
	v.setPrice(&e, o)
	return e
}

// setDates sets the dates of an offer; which of them is the release differs.
func (v view) setDates(e *element, o *offer) {
	day := o.released(v.World).Add(8 * time.Hour).Format(pcTime)
	today := v.start.Truncate(24 * time.Hour)
	e.EffectiveDate, e.ViewableDate = day, day
	switch {
	case o.availability == announced:
		e.EffectiveDate, e.ViewableDate, day = placeholderDate, today.AddDate(0, -1, 0).Format(pcTime), placeholderDate
	case o.availability == preorder:
		e.ViewableDate = today.AddDate(0, -1, 0).Format(pcTime)
	case o.availability == hidden && o.game%2 == 0:
		e.ExpiryDate = today.AddDate(0, -1, 0).Format(pcTime)
	case o.availability == hidden:
		e.ViewableDate = today.AddDate(2, 0, 0).Format(pcTime)
	}
	if o.game%3 == 0 || o.availability == preorder {
		e.PCReleaseDate = day
	}
	if o.game%3 < 2 || o.availability == preorder {
		e.ReleaseDate = day
	}
}

// developer returns the developer of a game, "" where the store does not show
// one.
func (w *World) developer(game int) string {
	if game%3 == 2 {
		return ""
	}
	return makers[w.upTo(len(makers), topicPublisher, game, 1, 0)] + " Studio"
}

func (v view) setAddresses(e *element, o *offer) {
	home, own := v.home(o.game), o.ownPage(v.World)
	none := []pagePath{}
	switch o.addressing {
	case byMappings, byBoth:
		e.CatalogNs.Mappings = []pagePath{{home, "productHome"}}
	case byPath:
		e.CatalogNs.Mappings = none
	}
	switch {
	case own != "" && o.addOn():
		e.OfferMappings = []pagePath{{own, "addon--cms-hybrid"}}
	case own != "":
		e.OfferMappings = []pagePath{{own, "offer"}}
	case o.addressing == byMappings && o.game%2 == 0:
		e.OfferMappings = []pagePath{{home, "productHome"}}
	case o.addressing != byCodeName:
		e.OfferMappings = none
	}
	// Older fields, which newer offers leave empty or fill with placeholders.
	e.URLSlug = o.id
	switch {
	case o.addressing == byPath && o.slot == offerBase:
		e.ProductSlug, e.URLSlug = home+"/home", home
	case o.addressing == byPath:
		e.ProductSlug, e.URLSlug = home+"/part-"+strconv.Itoa(o.slot), home
	case o.addressing == byBoth:
		e.ProductSlug = "[]"
	case o.addressing == byCodeName:
		e.URLSlug = codeName(o.game)
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

func (v view) attributes(o *offer) []pair {
	list := []pair{}
	add := func(key, value string) { list = append(list, pair{key, value}) }
	barred := v.barredFrom(o)
	switch {
	case len(barred) > 0:
		add("com.pc.example.app.blacklist", strings.Join(barred, ","))
	case o.game%4 == 0:
		add("com.pc.example.app.blacklist", "[]")
	case o.game%4 == 1:
		add("com.pc.example.app.blacklist", "{}")
	}
	if o.availability == preorder {
		add("isPrepurchase", "true")
	}
	if o.game%3 == 1 {
		add("publisherName", v.publisher(o.game, ""))
		add("developerName", v.developer(o.game))
	}
	return list
}

// setPrice sets the price of an offer and the end of its discount.
func (v view) setPrice(e *element, o *offer) {
	end := ""
	if ends := o.end(v.World); ends != 0 {
		end = ends.Time().Format(pcTime)
	}
	byPromotion := o.game%5 == 0 // the rule lacks the end
	rules := []object{}
	if end != "" && !byPromotion {
		rules = append(rules, object{"id": "rule", "endDate": end, "discountSetting": object{"discountType": "PERCENTAGE"}})
	}
	if !v.unpriced {
		e.Price = &offerPrice{o.totalPrice(), []object{{"appliedRules": rules}}}
	}
	if end == "" || !byPromotion && o.game%2 == 0 {
		return
	}
	base, current := o.priceNow()
	e.Promotions = object{
		"promotionalOffers": []object{{"promotionalOffers": []object{{
			"startDate": v.start.AddDate(0, 0, -20).Format(pcTime), "endDate": end,
			"discountSetting": object{"discountType": "PERCENTAGE", "discountPercentage": 100 - money.DiscountPercent(base, current)},
		}}}},
		"upcomingPromotionalOffers": []object{},
	}
}

// totalPrice has amounts in the smallest unit of the currency, and texts in the
// language of the answer.
type totalPrice struct {
	Discounted      int64          `json:"discountPrice"`
	Original        int64          `json:"originalPrice"`
	VoucherDiscount int64          `json:"voucherDiscount"`
	Discount        int64          `json:"discount"`
	Currency        money.Currency `json:"currencyCode"`
	CurrencyInfo    struct {
		Decimals int `json:"decimals"`
	} `json:"currencyInfo"`
	Texts struct {
		Original     string `json:"originalPrice"`
		Discounted   string `json:"discountPrice"`
		Intermediate string `json:"intermediatePrice"`
	} `json:"fmtPrice"`
}

func (o *offer) totalPrice() totalPrice {
	m := o.market
	base, current := o.priceNow()
	baseText, currentText := o.texts()
	t := totalPrice{Currency: m.currency, Discounted: int64(current), Original: int64(base), Discount: int64(base - current)}
	t.CurrencyInfo.Decimals = m.currency.Digits()
	if t.CurrencyInfo.Decimals == 0 {
		t.Discounted, t.Original, t.Discount = t.Discounted/100, t.Original/100, t.Discount/100
	}
	t.Texts.Original, t.Texts.Discounted, t.Texts.Intermediate = m.pcText(baseText), m.pcText(currentText), m.pcText(currentText)
	return t
}

// mystery is a giveaway whose game is not announced yet.
func (v view) mystery(n int) element {
	number := strconv.Itoa(n)
	e := element{
		Title: "Mystery Game " + number, ID: "ffffffffffffffffffffffff" + strconv.Itoa(10000000+n), Namespace: "mystery" + number,
		Description: "Mystery Game", EffectiveDate: placeholderDate, OfferType: "OTHERS", Status: "ACTIVE",
		KeyImages: []link{}, Seller: object{"id": "o-mystery", "name": "PC Store"},
		ProductSlug: "[]", URLSlug: "mysterygame" + number, Items: []object{}, Attributes: []pair{},
		Categories: []path{{"freegames"}, {"games"}}, Tags: []object{}, OfferMappings: []pagePath{},
	}
	e.Price = &offerPrice{LineOffers: []object{{"appliedRules": []object{}}}}
	t := &e.Price.TotalPrice
	t.Currency, t.CurrencyInfo.Decimals = v.market.currency, 2
	t.Texts.Original, t.Texts.Discounted, t.Texts.Intermediate = "0", "0", "0"
	return e
}

// noOffer is the data of an answer without an offer.
func noOffer() object { return object{"Catalog": object{"catalogOffer": nil}} }

// offerAnswer answers getCatalogOffer, data and errors.
func (v view) offerAnswer(o *offer) object {
	if v.partial {
		return object{"data": noOffer(), "errors": []object{timedOut("Catalog", "catalogOffer")}}
	}
	offer := struct {
		element
		Blacklist   []string `json:"countriesBlacklist"`
		Whitelist   []string `json:"countriesWhitelist"`
		Description any      `json:"longDescription"`
	}{element: v.element(o), Blacklist: v.barredFrom(o)}
	answer := object{"data": object{"Catalog": object{"catalogOffer": offer}}}
	if o.addressing == byCodeName {
		answer["errors"] = []object{notFound("Catalog", "catalogOffer", "offerMappings")}
	}
	return answer
}

// mappingAnswer is the platform service's answer about a slug.
func (v view) mappingAnswer(slug string, game int, slots []int) object {
	offers := []object{}
	for _, slot := range slots {
		offers = append(offers, object{
			"__typename": "MappingPageOfferModule", "offerId": v.offerID(game, slot), "sandboxId": v.namespace(game), "store": storeName,
		})
	}
	return object{
		"__typename": "OfferMapping", "modules": object{"pageOffers": offers},
		"productId": productNumber(game), "sandboxId": v.namespace(game), "slug": slug,
	}
}

// gameAnswer is the platform service's answer about a game.
func (v view) gameAnswer(game int) object {
	developers, genres := []string{}, []object{}
	if developer := v.developer(game); developer != "" {
		developers = append(developers, developer)
	}
	for i, g := range v.genres(game, v.language) {
		genres = append(genres, object{"id": strconv.Itoa(1200 + i), "name": g})
	}
	return object{
		"__typename": "Product", "developers": developers, "id": productNumber(game), "mapping": object{"slug": v.home(game)},
		"publishers": []string{v.publisher(game, "")}, "shortDescription": "A game among games.", "title": v.pcTitle(game, v.language),
		"tags": object{
			"features": []object{{"id": "1370", "name": "Single Player"}}, "genres": genres,
			"platforms": []object{{"id": "9547", "name": "Windows"}},
		},
	}
}

// storeName is the PC store's name in the platform service.
const storeName = "PC"
