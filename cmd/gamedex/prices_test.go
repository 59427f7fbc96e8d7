package main

import (
	"testing"
)

// row asks for all regions of one game, editions included, and is the path of
// one of them in the answer.
func rowOf(u *apiUser, id, region string) (answer, string) {
	u.t.Helper()
	a := u.get("/catalog/prices?regions=all&include=editions,url&ids="+id).want(200).is("counts.resolved", "1")
	return a, "data.items.0.regions." + region
}

func TestRegionPrices(t *testing.T) {
	u := sharedClient(t)
	type row map[string]string
	for _, c := range []struct {
		name, title, region string
		want                row
	}{
		{"discount", "Зоряна кузня", "UA", row{"alpha2": `"UA"`, "currency": `"UAH"`, "base": "199900", "current": "99950", "baseText": `"1 999,00 ₴"`,
			"currentText": `"999,50 ₴"`, "discountPercent": "50", "discountLabel": `"Осінній розпродаж"`, "discountEndAt": `"2099-12-01T22:59:00.000Z"`,
			"usd": "24.99", "isFree": "false", "isTrial": "false", "isSubPlus": "false", "edition": "null",
			"sku": `"EP0001-PPSA00001_00-STARFORGE0000001"`, "source": `"graphql"`, "pricedAt": `"2024-05-01T10:00:00.000Z"`, "variantsCount": "3",
			"storeUrl": `"https://console.example/uk-ua/product/EP0001-PPSA00001_00-STARFORGE0000001"`}},
		{"discount that has passed", "Зоряна кузня", "TR", row{"base": "174900", "current": "174900", "baseText": `"1.749,00 TL"`, "currentText": `"1.749,00 TL"`,
			"discountPercent": "null", "discountLabel": "null", "discountEndAt": "null", "usd": "54.66", "variantsCount": "2", "storeUrl": "null"}},
		{"text only", "Зоряна кузня", "PL", row{"currency": `"PLN"`, "base": "null", "current": "null", "baseText": `"Tylko w pakiecie"`,
			"currentText": `"Tylko w pakiecie"`, "usd": "null", "isFree": "false", "pricedAt": `"2024-05-01T10:00:02.500Z"`, "source": "null"}},
		{"no price", "Зоряна кузня", "IN", row{"base": "null", "current": "null", "baseText": `""`, "currentText": `""`, "usd": "null",
			"discountPercent": "null", "isFree": "false", "isTrial": "false", "isSubPlus": "false", "variantsCount": "1"}},
		{"hundredths of yen", "Зоряна кузня", "JP", row{"currency": `"JPY"`, "base": "798000", "current": "798000", "currentText": `"￥7,980"`, "usd": "53.2",
			"source": `"doubtful"`, "sku": `"JP0001-PPSA00003_00-STARFORGEJPN0001"`}},
		{"dollars", "Зоряна кузня", "US", row{"currentText": `"$69.99"`, "usd": "69.99"}},
		{"edition", "Star Forge - Deluxe Edition", "TR", row{"edition": `"Deluxe Sürümü"`, "currentText": `"₺2.449,00"`, "variantsCount": "2"}},
		{"rounded half up", "Star Forge: Ember Pack", "UA", row{"usd": "7.48", "variantsCount": "1"}}, // 7.475
		{"free", "Moon Farm", "UA", row{"isFree": "true", "current": "0", "currentText": `"Безкоштовно"`, "usd": "0"}},
		{"free, store text without a letter", "Moon Farm", "TR", row{"isFree": "true", "currentText": `"Ücretsiz"`}},
		{"free in the store's text", "Moon Farm", "PL", row{"isFree": "true", "currentText": `"Gratis"`}},
		{"free without a rate", "Moon Farm", "DE", row{"isFree": "true", "currentText": `"Free"`, "usd": "null", "currency": `"EUR"`}},
		{"zero within a subscription", "Plus Vault", "UA", row{"isFree": "true", "isSubPlus": "true", "base": "89900", "current": "0", "currentText": `"У складі підписки"`}},
		{"subscribers' price that has passed", "Plus Vault", "TR", row{"isSubPlus": "false", "base": "79900", "current": "79900", "discountPercent": "null", "usd": "24.97"}},
		{"trial", "Plus Vault", "PL", row{"isFree": "true", "isTrial": "true", "currentText": `"Wersja próbna"`}},
		{"lakhs", "Plus Vault", "IN", row{"currentText": `"₹1,23,456.00"`, "usd": "1478.51"}},
		{"demo", "Star Forge - Demo", "UA", row{"isTrial": "true", "isFree": "true", "edition": `"Demo"`, "variantsCount": "1"}},
		{"texts whose discount has passed", "Text Tale", "UA", row{"baseText": `"₴ 500"`, "currentText": `"₴ 500"`, "discountPercent": "null", "discountEndAt": "null", "currency": `"UAH"`}},
		{"texts", "Text Tale", "TR", row{"baseText": `"₺ 500"`, "currentText": `"₺ 250"`, "discountPercent": "50", "discountEndAt": `"2099-06-01T00:00:00.000Z"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := *u
			u.t = t
			a, at := rowOf(&u, idOf(&u, c.title), c.region)
			for name, want := range c.want {
				a.is(at+"."+name, want)
			}
		})
	}
}

func TestPricesOfThePCStore(t *testing.T) {
	u := sharedClient(t)
	a, at := rowOf(u, "STAR-FORGE-OLD", "UKR")
	a.is("data.items.0.id", `"star-forge"`).is("data.items.0.platform", `"pcstore"`).is("data.items.0.title", `"Star Forge"`).
		is("regions", `["UKR","TUR","USA"]`).is("data.items.0.regionsCount", "3").is(at+".alpha2", `"UA"`).is(at+".sku", "null").
		is(at+".current", "74950").is(at+".variantsCount", "2")
	same(t, "editions", a.texts(at+".editions", "id"), "a1", "a2") // the add-on is not an edition
	a.is("data.items.0.links", `{"card":"/api/v1/catalog/pcstore/games/star-forge","store":"https://pc.example/p/star-forge"}`).
		is("data.items.0.cheapest", `{"region":"UKR","text":"749,50 ₴","usd":18.74}`).is("data.items.0.comparedRegions", "3").is("data.items.0.updatedAt", `"2024-05-03T10:00:00.000Z"`)
}

func TestEditionsOfARegion(t *testing.T) {
	u := sharedClient(t)
	a, at := rowOf(u, starForge(u), "UA")
	same(t, "by price", a.texts(at+".editions", "title"), "Зоряна кузня", "Star Forge - Collection", "Star Forge - Deluxe Edition")
	a.is(at+".editions.1.current", "249900").is(at+".editions.2.edition", `"Deluxe Edition"`).is(at+".editions.0.usd", "24.99").
		is(at+".editions.0.sku", `"EP0001-PPSA00001_00-STARFORGE0000001"`).is(at+".editions.2.type", `"edition"`)
	a, at = rowOf(u, idOf(u, "Star Forge: Ember Pack"), "UA")
	same(t, "an add-on alone", a.texts(at+".editions", "title"), "Star Forge: Ember Pack")
}
