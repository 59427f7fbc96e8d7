package consolestore_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/consolestore"
	"gamedex/internal/money"
	"gamedex/internal/sweep"
)

// fields is a JSON object in tests.
type fields map[string]any

func (f fields) with(more fields) fields {
	all := fields{}
	for _, from := range []fields{f, more} {
		for k, v := range from {
			all[k] = v
		}
	}
	return all
}

func body(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// can returns an action without a price: of an owned or unavailable product.
func can(kind string) fields {
	price := fields{"serviceBranding": []string{"NONE"}, "isFree": false}
	for _, name := range []string{"basePrice", "basePriceValue", "discountedPrice", "discountedValue", "currencyCode", "endTime", "applicability", "isTiedToSubscription"} {
		price[name] = nil
	}
	return fields{"type": kind, "price": price}
}

// pay returns an action with a price; flags are written behind the numbers.
func pay(kind, baseText string, base int, currentText string, current int, flags ...string) fields {
	price := fields{
		"applicability": "APPLICABLE", "basePrice": baseText, "basePriceValue": base, "discountedPrice": currentText, "discountedValue": current,
		"currencyCode": "HKD", "discountText": nil, "endTime": nil, "isFree": false, "isExclusive": false, "isTiedToSubscription": false,
		"serviceBranding": []string{"NONE"}, "upsellText": nil,
	}
	for _, flag := range flags {
		name, value, _ := strings.Cut(flag, "=")
		switch {
		case value == "":
			price[name] = true
		case name == "serviceBranding":
			price[name] = []string{value}
		default:
			price[name] = value
		}
	}
	return fields{"type": kind, "price": price}
}

// edition returns the answer about a game with one product.
func edition(t testing.TB, more fields) string {
	t.Helper()
	product := fields{"id": "UP0001-CUSA00001_00-STARFORGE0000000", "name": "Star Forge", "topCategory": "GAME"}
	return body(t, fields{"data": fields{"conceptRetrieve": fields{"id": "10000001", "products": []fields{product.with(more)}}}})
}

// offered returns the page of such a game.
func offered(t testing.TB, more fields) sweep.Page {
	t.Helper()
	return open(t, profile(), always(edition(t, more))).read(t, "HK", sweep.Editions, "10000001")
}

// TestActions checks which actions products had, and their prices. Prices are
// current/base; the contents of the list behind a purchase do not count.
func TestActions(t *testing.T) {
	upsell := []string{"applicability=UPSELL", "isFree", "isTiedToSubscription", "serviceBranding=PS_PLUS"}
	subscribers := []string{"discountText=-90%", "endTime=1677686340000", "serviceBranding=PS_PLUS", "upsellText=Save 90% with Plus"}
	tests := []struct {
		name    string
		actions []fields
		want    string
	}{
		{"a purchase", []fields{pay("ADD_TO_CART", "HK$398.00", 39800, "HK$398.00", 39800)},
			`HKD 39800/39800 "HK$398.00"/"HK$398.00" graphql`},
		{"owned, and a purchase", []fields{can("DOWNLOAD"), pay("ADD_TO_CART", "HK$148.00", 14800, "HK$148.00", 14800)},
			`HKD 14800/14800 "HK$148.00"/"HK$148.00" graphql`},
		{"owned", []fields{can("DOWNLOAD")}, `not for sale`},
		{"a preorder", []fields{pay("PREORDER", "HK$468.00", 46800, "HK$468.00", 46800)},
			`HKD 46800/46800 "HK$468.00"/"HK$468.00" graphql`},
		{"a discount with an end", []fields{pay("ADD_TO_CART", "HK$300.00", 30000, "HK$225.00", 22500, "discountText=-25\u00a0%", "endTime=1779893940000")},
			`HKD 22500/30000 "HK$225.00"/"HK$300.00" label "-25%" until 2026-05-27T14:59:00Z graphql`},
		{"a discount without an end", []fields{pay("BUY_NOW", "HK$300.00", 30000, "HK$225.00", 22500, "discountText=-25%")},
			`HKD 22500/30000 "HK$225.00"/"HK$300.00" label "-25%" graphql`},
		{"an end without a discount", []fields{pay("BUY_NOW", "HK$300.00", 30000, "HK$300.00", 30000, "endTime=1779893940000")},
			`HKD 30000/30000 "HK$300.00"/"HK$300.00" graphql`},
		{"an end in ISO", []fields{pay("BUY_NOW", "HK$300.00", 30000, "HK$225.00", 22500, "endTime=2026-05-27T14:59:00Z")},
			`HKD 22500/30000 "HK$225.00"/"HK$300.00" until 2026-05-27T14:59:00Z graphql`},
		{"an end beyond all calendars", []fields{pay("BUY_NOW", "HK$300.00", 30000, "HK$225.00", 22500, "endTime=253402300800000")},
			`HKD 22500/30000 "HK$225.00"/"HK$300.00" graphql`},
		{"an end that is none", []fields{pay("BUY_NOW", "HK$300.00", 30000, "HK$225.00", 22500, "endTime=soon")},
			`HKD 22500/30000 "HK$225.00"/"HK$300.00" graphql`},
		{"free", []fields{can("DOWNLOAD"), pay("DOWNLOAD", "免费", 0, "免费", 0, "isFree")},
			`HKD 0/0 "免费"/"免费" graphql`},
		{"given away", []fields{pay("DOWNLOAD", "HK$99.00", 9900, "免费", 0, "isFree", "discountText=-100%")},
			`HKD 0/9900 "免费"/"HK$99.00" label "-100%" graphql`},
		{"a purchase, and the catalog of a subscription", []fields{
			pay("ADD_TO_CART", "HK$438.00", 43800, "HK$438.00", 43800),
			pay("UPSELL_PS_PLUS_UPGRADE_GAME_CATALOG", "HK$438.00", 43800, "包含", 0, upsell...)},
			`HKD 43800/43800 "HK$438.00"/"HK$438.00" graphql`},
		{"the catalog of a subscription first, then a purchase", []fields{
			pay("UPSELL_PS_PLUS_UPGRADE_CLASSIC_GAME_COLLECTION", "HK$438.00", 43800, "包含", 0, upsell...),
			pay("ADD_TO_CART", "HK$438.00", 43800, "HK$438.00", 43800)},
			`HKD 43800/43800 "HK$438.00"/"HK$438.00" graphql`},
		{"the catalog of a subscription only", []fields{
			pay("UPSELL_PS_PLUS_UPGRADE_GAME_CATALOG", "HK$568.00", 56800, "包含", 0, append(upsell, "isExclusive", "discountText=包含")...)},
			`HKD 0/56800 "包含"/"HK$568.00" label "包含" subscription graphql`},
		{"a subscription's discount beside the purchase", []fields{
			pay("ADD_TO_CART", "HK$399.00", 39900, "HK$399.00", 39900),
			pay("UPSELL_EA_ACCESS_DISCOUNT", "HK$399.00", 39900, "HK$359.10", 35910, "applicability=UPSELL", "serviceBranding=EA_ACCESS", "discountText=-10%")},
			`HKD 39900/39900 "HK$399.00"/"HK$399.00" graphql`},
		{"a subscription's discount under its brand, not tied", []fields{pay("ADD_TO_CART", "HK$769.00", 76900, "HK$76.90", 7690, subscribers...)},
			`HKD 76900/76900 "HK$769.00"/"HK$769.00" graphql`},
		{"a subscription's price under its brand, not tied, without another", []fields{{"type": "ADD_TO_CART", "price": fields{
			"discountedPrice": "HK$76.90", "discountedValue": 7690, "currencyCode": "HKD", "serviceBranding": []string{"NONE", "PS_PLUS"}}}},
			`HKD 7690/- "HK$76.90"/"" subscription graphql`},
		{"a tied purchase", []fields{pay("ADD_TO_CART", "HK$769.00", 76900, "包含", 0, "isFree", "isTiedToSubscription", "serviceBranding=PS_PLUS")},
			`HKD 0/76900 "包含"/"HK$769.00" subscription graphql`},
		{"a subscriber's trial only", []fields{pay("UPSELL_PS_PLUS_UPGRADE_TRIAL", "游戏试玩", 0, "游戏试玩", 0, append(upsell, "isExclusive")...)},
			`HKD 0/0 "游戏试玩"/"游戏试玩" trial graphql`},
		{"a trial of so many hours", []fields{pay("UPSELL_EA_ACCESS_PLAY_FIRST_TRIAL", "10 h trial", 0, "10 h trial", 0, "applicability=UPSELL", "isFree", "isTiedToSubscription")},
			`HKD 0/0 "10 h trial"/"10 h trial" trial graphql`},
		{"a trial, then a catalog", []fields{
			pay("UPSELL_PS_PLUS_TRIAL", "游戏试玩", 0, "游戏试玩", 0, upsell...),
			pay("UPSELL_PS_PLUS_UPGRADE_GAME_CATALOG", "HK$568.00", 56800, "包含", 0, upsell...)},
			`HKD 0/56800 "包含"/"HK$568.00" subscription graphql`},
		{"a purchase with the word for trial beside it", []fields{pay("ADD_TO_CART", "HK$158.00", 15800, "HK$158.00", 15800, "upsellText=试玩")},
			`HKD 15800/15800 "HK$158.00"/"HK$158.00" graphql`},
		{"a demo", []fields{can("DOWNLOAD_DEMO")}, `HKD 0/- ""/"" trial graphql, demo`},
		{"a trial to download", []fields{can("DOWNLOAD_TRIAL")}, `HKD 0/- ""/"" trial graphql, demo`},
		{"a trial to download, and a purchase", []fields{can("DOWNLOAD_TRIAL"), pay("ADD_TO_CART", "HK$158.00", 15800, "HK$158.00", 15800)},
			`HKD 15800/15800 "HK$158.00"/"HK$158.00" graphql`},
		{"not available", []fields{can("UNAVAILABLE")}, `not for sale`},
		{"no action", []fields{}, `not for sale`},
		{"an upgrade for owners", []fields{pay("DOWNLOAD_DIGITAL_UPGRADE", "免费", 23800, "免费", 0, "isFree", "upsellText=PS5数字版升级")}, `not for sale`},
		{"two purchases", []fields{pay("ADD_TO_CART", "HK$300.00", 30000, "HK$300.00", 30000), pay("ADD_TO_CART", "HK$200.00", 20000, "HK$200.00", 20000)},
			`HKD 30000/30000 "HK$300.00"/"HK$300.00" graphql`},
		{"a purchase that is not for everybody", []fields{pay("ADD_TO_CART", "HK$300.00", 30000, "HK$300.00", 30000, "applicability=UPSELL")}, `not for sale`},
		{"a number that is not in the text", []fields{pay("ADD_TO_CART", "HK$300.00", 3000, "HK$300.00", 3000)},
			`HKD 3000/3000 "HK$300.00"/"HK$300.00" doubtful`},
		{"a discount that raises the price", []fields{pay("ADD_TO_CART", "HK$300.00", 30000, "HK$350.00", 35000)},
			`HKD 35000/- "HK$350.00"/"HK$300.00" doubtful`},
		{"a purchase without a price", []fields{{"type": "ADD_TO_CART", "price": nil}}, `not for sale`},
		{"an upgrade for owners of another product", []fields{discounted(8000, "ENTITLED_TO")}, `HKD 39800/39800 "HK$398.00"/"HK$398.00" graphql`},
		{"a free upgrade for owners", []fields{discounted(0, "ENTITLED_TO", "isFree")}, `HKD 39800/39800 "HK$398.00"/"HK$398.00" graphql`},
		{"a price for owners without a base", []fields{{"type": "ADD_TO_CART", "price": fields{
			"discountedPrice": "HK$80.00", "discountedValue": 8000, "currencyCode": "HKD", "qualifications": []fields{{"type": "ENTITLED_TO"}}}}},
			`not for sale`},
		{"a price for members", []fields{discounted(8000, "ENTITLED_TO", "serviceBranding=PS_PLUS")}, `HKD 39800/39800 "HK$398.00"/"HK$398.00" graphql`},
		{"everybody's price behind that for owners", []fields{discounted(8000, "ENTITLED_TO"), discounted(29800, "")}, `HKD 29800/39800 "HK$298.00"/"HK$398.00" graphql`},
		{"an experiment", []fields{discounted(29800, "USER_IN_EXPERIMENT")}, `HKD 29800/39800 "HK$298.00"/"HK$398.00" doubtful`},
		{"everybody's price behind an experiment", []fields{discounted(29800, "USER_IN_EXPERIMENT"), discounted(39800, "")}, `HKD 39800/39800 "HK$398.00"/"HK$398.00" graphql`},
		{"a condition that is not known", []fields{discounted(29800, "BORN_ON_A_MONDAY")}, `HKD 29800/39800 "HK$298.00"/"HK$398.00" doubtful`},
		{"two offers at once", []fields{discounted(8000, "ENTITLED_TO", "serviceBranding=PS_PLUS", "rewardId=OFFER-A_42,OFFER-A-PSP_42")},
			`HKD 39800/39800 "HK$398.00"/"HK$398.00" doubtful`},
		{"two offers at once, and a price for everybody", []fields{
			discounted(8000, "ENTITLED_TO", "serviceBranding=PS_PLUS", "rewardId=OFFER-A_42,OFFER-A-PSP_42"), discounted(29800, "")},
			`HKD 29800/39800 "HK$298.00"/"HK$398.00" graphql`},
		{"two offers for everybody", []fields{discounted(29800, "", "rewardId=OFFER-A,OFFER-B")}, `HKD 29800/39800 "HK$298.00"/"HK$398.00" graphql`},
		{"a free upgrade for owners, with a word in place of the base", []fields{conditional("免費", 23800, "免費", 0, "ENTITLED_TO")},
			`HKD 23800/23800 ""/"" graphql`},
		{"an experiment without numbers", []fields{conditional("HK$398.00", nil, "HK$298.00", nil, "USER_IN_EXPERIMENT")},
			`HKD -/- "HK$298.00"/"HK$398.00" doubtful`},
		{"a word for free in Finnish", []fields{inWords("Ilmainen")}, `HKD -/- "Ilmainen"/"Ilmainen"`},
		{"a word for free in Hebrew", []fields{inWords("חינם")}, `HKD -/- "חינם"/"חינם"`},
		{"a word for unavailable", []fields{inWords("無法使用")}, `not for sale`},
		{"a word for free", []fields{inWords("免費")}, `HKD -/- "免費"/"免費"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			page := offered(t, fields{"webctas": tt.actions})
			if len(page.Parts) != 1 || page.Interrupted {
				t.Fatalf("the page is\n%s", text(page))
			}
			got := priceText(page.Parts[0].Price)
			if page.Parts[0].Facts.Demo {
				got += ", demo"
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// discounted returns a purchase for 398.00 with a discount that has a condition; ""
// means no condition. Flags are those of [pay].
func discounted(current int, condition string, flags ...string) fields {
	action := pay("ADD_TO_CART", "HK$398.00", 39800, fmt.Sprintf("HK$%d.00", current/100), current, flags...)
	action["price"].(fields)["qualifications"] = []fields{}
	if condition != "" {
		action["price"].(fields)["qualifications"] = []fields{{"type": condition, "value": "UP0001-PPSA00001_00-ANOTHERPRODUCT00"}}
	}
	return action
}

// conditional returns a purchase with a discount that has a condition; nil is no number.
func conditional(baseText string, base any, currentText string, current any, condition string) fields {
	action := pay("ADD_TO_CART", baseText, 0, currentText, 0)
	price := action["price"].(fields)
	price["basePriceValue"], price["discountedValue"], price["isFree"] = base, current, current == 0
	price["qualifications"] = []fields{{"type": condition}}
	return action
}

// inWords returns a purchase whose price is a word, without numbers and flags.
func inWords(text string) fields {
	action := can("ADD_TO_CART")
	for name, value := range map[string]any{"basePrice": text, "discountedPrice": text, "serviceBranding": nil, "isFree": nil} {
		action["price"].(fields)[name] = value
	}
	return action
}

// TestActionWithoutPriceSaysNothing checks that a purchase without the member price
// leaves the stored price as it is, and that the product counts as present.
func TestActionWithoutPriceSaysNothing(t *testing.T) {
	silent := fields{"type": "ADD_TO_CART", "meta": fields{"preOrder": false}}
	for name, actions := range map[string][]fields{
		"alone":              {silent},
		"beside a catalog":   {silent, pay("UPSELL_PS_PLUS_UPGRADE_GAME_CATALOG", "HK$438.00", 43800, "Included", 0, "applicability=UPSELL", "isFree")},
		"before the details": {can("UNAVAILABLE"), silent},
	} {
		page := offered(t, fields{"webctas": actions})
		if len(page.Parts) != 1 || page.Interrupted || len(page.Present) != 1 {
			t.Errorf("%s: the page is\n%s", name, text(page))
		} else if page.Parts[0].Shows&sweep.ShowsPrice != 0 {
			t.Errorf("%s: the part shows the price %s", name, priceText(page.Parts[0].Price))
		}
	}
	page := offered(t, fields{"webctas": []fields{silent, pay("ADD_TO_CART", "HK$300.00", 30000, "HK$300.00", 30000)}})
	if got := priceText(page.Parts[0].Price); got != `HKD 30000/30000 "HK$300.00"/"HK$300.00" graphql` {
		t.Errorf("beside a price: %s", got)
	}
}

// TestSumOfOffersIsAGuess checks that the price of a product with two offers at once
// is a guess in all operations that show it, so that everybody's price of another
// operation stays, and that the product counts as present.
func TestSumOfOffersIsAGuess(t *testing.T) {
	const id = "UP0001-CUSA00001_00-STARFORGE0000000"
	sum := discounted(8000, "ENTITLED_TO", "serviceBranding=PS_PLUS", "rewardId=OFFER-A_42,OFFER-A-PSP_42")
	product := fields{"id": id, "name": "Star Forge", "topCategory": "GAME", "webctas": []fields{sum}}
	addOn := fields{"id": id, "name": "Star Forge", "price": sum["price"]}
	for _, c := range []struct {
		kind sweep.Kind
		from string
		data fields
	}{
		{sweep.Editions, "10000001", fields{"conceptRetrieve": fields{"id": "10000001", "products": []fields{product}}}},
		{sweep.Details, id, fields{"productRetrieve": product}},
		{sweep.AddOns, "10000001", fields{"addOnProductsByConceptIdRetrieve": fields{"addOnProducts": []fields{addOn}}}},
	} {
		page := open(t, profile(), always(body(t, fields{"data": c.data}))).read(t, "HK", c.kind, c.from)
		if len(page.Parts) != 1 || len(page.Present) != 1 || page.Interrupted {
			t.Errorf("%s: the page is\n%s", c.kind, text(page))
			continue
		}
		part := page.Parts[0]
		if got := priceText(part.Price); part.Shows&sweep.ShowsPrice != 0 || part.Guesses&sweep.ShowsPrice == 0 ||
			got != `HKD 39800/39800 "HK$398.00"/"HK$398.00" doubtful` {
			t.Errorf("%s: the page is\n%s", c.kind, text(page))
		}
	}
}

// TestPriceOfListBesideSumOfOffers reads the grid and the editions of a product with two
// offers at once, in either order: the grid's price is everybody's.
func TestPriceOfListBesideSumOfOffers(t *testing.T) {
	const id = "UP0001-CUSA00001_00-STARFORGE0000000"
	sum := discounted(8000, "ENTITLED_TO", "serviceBranding=PS_PLUS", "rewardId=OFFER-A_42,OFFER-A-PSP_42")
	listed := fields{"basePrice": "HK$398.00", "discountedPrice": "HK$230.84", "discountText": "-42%", "isFree": false,
		"serviceBranding": []string{"NONE"}, "upsellServiceBranding": []string{"PS_PLUS"}, "upsellText": "-42%"}
	product := fields{"id": id, "name": "Star Forge", "topCategory": "GAME", "webctas": []fields{sum}}
	s := open(t, profile(), func(q question) string {
		data := fields{"conceptRetrieve": fields{"id": "10000001", "products": []fields{product}}}
		if q.Operation == "categoryGridRetrieve" {
			data = fields{"categoryGridRetrieve": fields{"pageInfo": fields{"totalCount": 1, "isLast": true},
				"concepts": []fields{{"id": "10000001", "name": "Star Forge", "price": listed, "products": []fields{{"id": id}}}}}}
		}
		return body(t, fields{"data": data})
	})
	grid, editions := s.read(t, "HK", sweep.Prices, "").Parts, s.read(t, "HK", sweep.Editions, "10000001").Parts
	for name, parts := range map[string][]sweep.Part{
		"grid first": slices.Concat(grid, editions), "editions first": slices.Concat(editions, grid, editions),
	} {
		var stored *catalog.Listing
		for i := range parts {
			l, ok := sweep.Overlay(stored, &parts[i])
			if !ok {
				t.Fatalf("%s: part %d cannot be stored", name, i)
			}
			stored = &l
		}
		if got := priceText(stored.Price); got != `HKD -/- "HK$230.84"/"HK$398.00" label "-42%"` {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestTypes checks types by the classification, where it is informative. A standard edition
// that is sold as a bundle of its versions is a game.
func TestTypes(t *testing.T) {
	tests := []struct {
		classification, topCategory, edition, want string
	}{
		{"FULL_GAME", "GAME", "", "game"}, {"GAME_BUNDLE", "GAME", "", "bundle"}, {"PREMIUM_EDITION", "GAME", "", "edition"},
		{"DEMO", "DEMO", "", "game"}, {"SUBSCRIPTION", "", "", "subscription"}, {"SEASON_PASS", "ADD_ON", "", "season-pass"},
		{"COSTUME", "", "", "dlc"}, {"VIRTUAL_CURRENCY", "ADD_ON", "", "dlc"}, {"OTHER", "ADD_ON", "", "dlc"}, {"OTHER", "GAME", "", "game"},
		{"", "DEMO", "", "game"}, {"OTHER", "", "", "not given"}, {"", "PVU_GAME", "", "not given"},
		{"GAME_BUNDLE", "GAME", "STANDARD", "game"}, {"GAME_BUNDLE", "GAME", "PREMIUM", "bundle"}, {"GAME_BUNDLE", "GAME", "OTHER", "bundle"},
	}
	for _, tt := range tests {
		product := fields{"id": "A", "storeDisplayClassification": tt.classification, "topCategory": tt.topCategory}
		if tt.edition != "" {
			product["edition"] = fields{"name": "X", "type": tt.edition}
		}
		answer := fields{"data": fields{"productRetrieve": product}}
		part := open(t, profile(), always(body(t, answer))).read(t, "HK", sweep.Details, "A").Parts[0]
		got := "not given"
		if part.Shows&sweep.ShowsType != 0 {
			got = part.Facts.Type.String()
		}
		if got != tt.want {
			t.Errorf("%q, %q, %q is %s, want %s", tt.classification, tt.topCategory, tt.edition, got, tt.want)
		}
	}
}

// TestLongTexts checks that long texts are cut to what a listing may hold, and
// that the product is for sale.
func TestLongTexts(t *testing.T) {
	long := strings.Repeat("星", 20_000)
	page := offered(t, fields{"name": long, "invariantName": long, "edition": fields{"name": long, "type": "OTHER"}, "webctas": []fields{}})
	judge(t, page)
	if title := page.Parts[0].Facts.Title; title != strings.Repeat("星", 500) {
		t.Errorf("the title has %d bytes", len(title))
	}
}

// TestTopCategoryMakesDemos checks that the top category identifies a demo that
// can be downloaded like a free game.
func TestTopCategoryMakesDemos(t *testing.T) {
	part := offered(t, fields{"topCategory": "DEMO", "webctas": []fields{pay("DOWNLOAD", "免费", 0, "免费", 0, "isFree")}}).Parts[0]
	if !part.Facts.Demo || !part.Price.Trial || part.Price.Current != 0 {
		t.Errorf("demo %t, %s", part.Facts.Demo, priceText(part.Price))
	}
}

// TestNumbersAndTexts checks that numbers are hundredths, or whole units where
// the text says so.
func TestNumbersAndTexts(t *testing.T) {
	tests := []struct {
		currency  money.Currency
		code, loc string
		text      string
		number    int
		want      string
	}{
		{"JPY", "JP", "ja-jp", "¥7,678", 767800, "767800 graphql"},
		{"JPY", "JP", "ja-jp", "¥7,678", 7678, "767800 graphql"},
		{"JPY", "JP", "ja-jp", "¥7,678", 76780, "76780 doubtful"},
		{"KRW", "KR", "ko-kr", "6,600원", 6600, "660000 graphql"},
		{"KRW", "KR", "ko-kr", "무료", 6600, "6600 graphql"},
		{"TRY", "TR", "tr-tr", "1.574,10 TL", 157410, "157410 graphql"},
		{"TRY", "TR", "tr-tr", "1.574 TL", 157400, "157400 graphql"},
		{"TRY", "TR", "tr-tr", "1.574 TL", 1574, "1574 doubtful"},
		{"INR", "IN", "en-in", "Rs\u00a04,799", 479900, "479900 graphql"},
		{"UAH", "UA", "uk-ua", "1 299,00 грн", 129900, "129900 graphql"},
		{"TWD", "TW", "zh-hant-tw", "NT$1,575", 157500, "157500 graphql"},
		{"TWD", "TW", "zh-hant-tw", "NT$1,575", 1575, "1575 doubtful"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s %d", tt.text, tt.number), func(t *testing.T) {
			p := profile()
			p.Regions = []consolestore.Region{region(tt.code, tt.loc, tt.currency)}
			action := pay("ADD_TO_CART", tt.text, tt.number, tt.text, tt.number)
			action["price"].(fields)["currencyCode"] = tt.currency
			s := open(t, p, always(edition(t, fields{"webctas": []fields{action}})))
			price := s.read(t, tt.code, sweep.Editions, "10000001").Parts[0].Price
			if got := fmt.Sprintf("%d %s", price.Current, price.Source); got != tt.want || price.Base != price.Current {
				t.Errorf("got %s (base %d), want %s", got, price.Base, tt.want)
			}
		})
	}
}

// TestListedPrices checks the short prices of add-ons.
func TestListedPrices(t *testing.T) {
	plain := fields{"basePrice": "$9.99", "discountedPrice": "$9.99", "discountText": nil, "isFree": false, "isExclusive": false,
		"isTiedToSubscription": false, "serviceBranding": []string{"NONE"}, "upsellServiceBranding": []string{"NONE"}, "upsellText": nil}
	free := fields{"basePrice": "Free", "discountedPrice": "Free", "isFree": true}
	tests := []struct {
		name  string
		price fields
		want  string
	}{
		{"text", plain, `USD -/- "$9.99"/"$9.99"`},
		{"a subscription's discount is not in it", plain.with(fields{"upsellText": "Save 10%", "upsellServiceBranding": []string{"EA_ACCESS"}}), `USD -/- "$9.99"/"$9.99"`},
		{"a discount", plain.with(fields{"discountedPrice": "$4.99", "discountText": "-50%"}), `USD -/- "$4.99"/"$9.99" label "-50%"`},
		{"numbers", plain.with(fields{"basePriceValue": 999, "discountedValue": "499", "currencyCode": "USD", "discountedPrice": "$4.99"}), `USD 499/999 "$4.99"/"$9.99" graphql`},
		{"free", plain.with(free), `USD 0/0 "Free"/"Free" graphql`},
		{"given away, in words", plain.with(fields{"discountedPrice": "Free", "isFree": true, "discountText": "-100%"}), `USD -/- "Free"/"$9.99" label "-100%"`},
		{"a trial by its flags", plain.with(free).with(fields{"basePrice": "体验版", "discountedPrice": "体验版", "upsellText": "体验版"}), `USD 0/- "体验版"/"体验版" trial graphql`},
		{"a subscriber's trial", plain.with(free).with(fields{"basePrice": "Game Trial", "discountedPrice": "Game Trial", "isTiedToSubscription": true, "isExclusive": true}), `USD 0/- "Game Trial"/"Game Trial" trial graphql`},
		{"included", plain.with(fields{"discountedPrice": "Included", "discountText": "-100%", "isFree": true, "isTiedToSubscription": true, "isExclusive": true, "serviceBranding": []string{"PS_PLUS"}, "upsellText": "Premium"}),
			`USD 0/- "Included"/"$9.99" label "-100%" subscription graphql`},
		{"a subscription's discount under its brand", plain.with(fields{"discountedPrice": "$7.99", "serviceBranding": []string{"PS_PLUS"}}), `USD -/- "$9.99"/"$9.99"`},
		{"nothing", fields{"basePrice": nil, "discountedPrice": nil}, `not for sale`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := profile()
			p.Regions = []consolestore.Region{region("US", "en-us", "USD")}
			s := open(t, p, always(body(t, fields{"data": fields{"list": fields{"addOnProducts": []fields{{"id": "UP1-A", "name": "Coins", "price": tt.price}}}}})))
			page := s.read(t, "US", sweep.AddOns, "10000001")
			if got := priceText(page.Parts[0].Price); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
