package main

import (
	"encoding/json"
	"fmt"
	"strings"
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
		{"free in the store's word", "Moon Farm", "PL", row{"isFree": "true", "currentText": `"Gratis"`}},
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
		is("data.items.0.cheapest", `{"comparedRegions":3,"region":"UKR","regionsCount":3,"text":"749,50 ₴","usd":18.74}`).is("data.items.0.updatedAt", `"2024-05-03T10:00:00.000Z"`)
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

func TestTwelveCheapestEditions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var feed strings.Builder
	for i := range 15 {
		fmt.Fprintf(&feed, `{"platform":"pcstore","region":"UA","product":"o%d","slug":"many","title":"Many %d","type":"edition","edition":"E%d","price":{"currency":"UAH","current":%d},"observedAt":"2024-05-01T10:00:00Z"}`+"\n", i, i, i, 5000-100*i)
	}
	must(t, dir, feed.String(), "import", "-")
	_, token := newKey(t, dir)
	u := newUser(t, start(t, dir).api, token)
	u.eventually("/health", func(a answer) bool { return a.status == 200 })
	a := u.get("/catalog/prices?include=editions&ids=many").want(200).is("data.items.0.regions.UKR.variantsCount", "15")
	var prices []string
	for i := range 12 {
		prices = append(prices, fmt.Sprint(3600+100*i))
	}
	same(t, "prices", a.texts("data.items.0.regions.UKR.editions", "current"), prices...)
}

func TestCheapest(t *testing.T) {
	u := sharedClient(t)
	forge, vault := starForge(u), idOf(u, "Plus Vault")
	for query, want := range map[string]string{
		"regions=all&ids=" + forge:                     `{"comparedRegions":3,"region":"UA","regionsCount":6,"text":"999,50 ₴","usd":24.99}`,
		"regions=TR,US&ids=" + forge:                   `{"comparedRegions":2,"region":"TR","regionsCount":2,"text":"1.749,00 TL","usd":54.66}`,
		"regions=JP,US&ids=" + forge:                   `{"comparedRegions":1,"region":"US","regionsCount":2,"text":"$69.99","usd":69.99}`, // yen prices are doubtful
		"regions=JP,PL&ids=" + forge:                   `{"comparedRegions":1,"region":"JP","regionsCount":2,"text":"￥7,980","usd":53.2}`,
		"regions=PL,IN&ids=" + forge:                   `null`,
		"regions=UA,PL&ids=" + vault:                   `{"comparedRegions":1,"region":"UA","regionsCount":2,"text":"У складі підписки","usd":0}`,
		"regions=UA,IN&ids=" + vault:                   `{"comparedRegions":1,"region":"IN","regionsCount":2,"text":"₹1,23,456.00","usd":1478.51}`,
		"regions=PL&ids=" + vault:                      `null`,                                                                           // a trial
		"regions=TR,UA,PL&ids=" + idOf(u, "Moon Farm"): `{"comparedRegions":3,"region":"TR","regionsCount":3,"text":"Ücretsiz","usd":0}`, // ties: in the requested order
	} {
		u.get("/catalog/prices?"+query).want(200).is("data.items.0.cheapest", want)
	}
}

// order returns the names of an object in the order of the answer.
func order(t *testing.T, a answer, object string) []string {
	t.Helper()
	_, rest, found := strings.Cut(string(a.body), `"`+object+`":{`)
	if !found {
		t.Fatalf("%s: no object %s", a.request, object)
	}
	d := json.NewDecoder(strings.NewReader("{" + rest))
	var names []string
	for depth := 0; ; {
		token, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			if depth--; depth == 0 {
				return names
			}
		default:
			if name, ok := token.(string); ok && depth == 1 {
				names = append(names, name)
			}
		}
	}
}

func TestRegions(t *testing.T) {
	u := sharedClient(t)
	forge := starForge(u)
	for _, c := range []struct{ sent, filters, keys string }{
		{"", `["UA","TR","PL","IN"]`, "UA,TR,PL,IN"},
		{"&regions=", `["UA","TR","PL","IN"]`, "UA,TR,PL,IN"},
		{"&regions=US,UA", `["US","UA"]`, "US,UA"},
		{"&regions=%20usa%20,ua,UKR,ua", `["US","UA"]`, "US,UA"},
		{"&regions=UA&regions=JP", `["UA","JP"]`, "UA,JP"},
		{"&regions=all", `["all"]`, "UA,TR,PL,IN,JP,US"},
		{"&regions=US,ALL", `["all"]`, "UA,TR,PL,IN,JP,US"},
		{"&regions=DE,FRA", `["DE","FR"]`, ""},
		{"&regions=DE,TR,,", `["DE","TR"]`, "TR"},
	} {
		a := u.get("/catalog/prices?ids="+forge+c.sent).want(200).is("filters.regions", c.filters)
		keys := []string{}
		if c.keys != "" {
			keys = strings.Split(c.keys, ",")
			same(t, c.sent, order(t, a, "regions"), keys...)
		}
		var listed []string
		for _, key := range a.at("regions").([]any) {
			listed = append(listed, key.(string))
		}
		same(t, "regions of "+c.sent, listed, keys...)
		a.is("data.items.0.regionsCount", fmt.Sprint(len(keys)))
	}
	none := u.get("/catalog/prices?regions=DE&ids=" + forge).want(200)
	none.is("data.items.0.regions", "{}").is("data.items.0.cheapest", "null").is("data.items.0.updatedAt", `"2024-05-02T10:00:00.000Z"`).
		is("counts", `{"notFound":0,"requested":1,"resolved":1}`).is("regions", "[]")
	mixed := u.get("/catalog/prices?regions=ua,pl&ids=star-forge,lone-edition," + forge).want(200)
	mixed.is("regions", `["UKR","POL","UA","PL"]`)
	for _, code := range []string{"ZZ", "U", "UKRA", "1", "Україна", "XX"} {
		u.get("/catalog/prices?ids="+forge+"&regions="+code).invalid("regions", `"`+code+`"`, "country")
	}
}

func TestIDs(t *testing.T) {
	u := sharedClient(t)
	forge, farm := starForge(u), idOf(u, "Moon Farm")
	lower := strings.ToLower(forge)
	all := []string{forge, "star-forge", farm, "moonfarm"}
	for name, sent := range map[string]string{
		"commas": strings.Join(all, ","), "spaces": strings.Join(all, "%20"), "plus": strings.Join(all, "+"), "newlines": strings.Join(all, "%0A"),
		"semicolons": strings.Join(all, ";"), "encoded semicolons": strings.Join(all, "%3B"), "mixed": ",;%20" + strings.Join(all, ",%0D%0A;") + ";",
		"given again": strings.Join(all, "&ids="), "repeats": strings.Join(all, ",") + "," + lower + ",STAR-FORGE,MoonFarm",
	} {
		a := u.get("/catalog/prices?ids=" + sent).want(200)
		same(t, name, a.texts("data.items", "id"), all...)
		a.is("counts", `{"notFound":0,"requested":4,"resolved":4}`)
	}
	for name, body := range map[string]string{
		"array": `{"ids":["` + strings.Join(all, `","`) + `"]}`, "string": `{"ids":"` + strings.Join(all, " ") + `"}`,
		"lists in an array": `{"ids":["` + forge + `,star-forge","` + farm + `;moonfarm\n"]}`,
	} {
		same(t, name, u.post(body).want(200).texts("data.items", "id"), all...)
	}
	a := u.get("/catalog/prices?ids=Nope," + lower + ",NOPE,star-forge-old,star-forge,%D0%B6").want(200)
	a.is("counts", `{"notFound":2,"requested":5,"resolved":2}`).is("data.notFound", `["Nope","NOPE","ж"]`)
	same(t, "one game once, at its first place", a.texts("data.items", "id"), forge, "star-forge")
}

func TestPlatformOfIDs(t *testing.T) {
	u := sharedClient(t)
	forge := starForge(u)
	for platform, want := range map[string][2]string{
		"": {forge + " star-forge", "auto"}, "auto": {forge + " star-forge", "auto"}, "AUTO": {forge + " star-forge", "auto"},
		"consolestore": {forge, "consolestore"}, "PCStore": {"star-forge", "pcstore"},
	} {
		for _, a := range []answer{
			u.get("/catalog/prices?ids=" + forge + ",star-forge&platform=" + platform),
			u.post(`{"ids":["` + forge + `","star-forge"],"platform":"` + platform + `"}`),
		} {
			a.want(200).is("filters.platform", `"`+want[1]+`"`)
			same(t, platform, a.texts("data.items", "id"), strings.Fields(want[0])...)
		}
	}
}

func TestIncludes(t *testing.T) {
	u := sharedClient(t)
	forge := starForge(u)
	for sent, filters := range map[string]string{
		"": "[]", "fx": `["fx"]`, "%20URL,image,url": `["url","image"]`, "meta&include=fx,editions": `["meta","fx","editions"]`,
	} {
		u.get("/catalog/prices?ids="+forge+"&include="+sent).want(200).is("filters.include", filters)
	}
	u.post(`{"ids":["`+forge+`"],"include":["meta","image, url"],"regions":["UA","tur"]}`).want(200).is("filters", `{"include":["meta","image","url"],"platform":"auto","regions":["UA","TR"]}`)
	a := u.get("/catalog/prices?include=image,url,meta&regions=TR,UA&ids="+forge).want(200).is("data.items.0.imageUrl", `"https://img.example/sf-cover.png"`)
	const store = `"https://console.example/uk-ua/product/EP0001-PPSA00001_00-STARFORGE0000001"`
	a.is("data.items.0.storeUrl", store).is("data.items.0.links", `{"card":"/api/v1/catalog/games/`+forge+`","store":`+store+`}`)
	a.is("data.items.0.meta", `{"editionName":null,"genres":["Action","Crafting"],"invariantName":"Star Forge","platforms":["PS5"],"publisher":"Anvil Interactive","releaseDate":"2023-09-01"}`)
	bare := u.get("/catalog/prices?include=image,url&ids=" + idOf(u, "Coming Soon")).want(200)
	bare.is("data.items.0.imageUrl", "null").is("data.items.0.storeUrl", "null").is("data.items.0.links.store", "null").is("data.items.0.regions.TR.storeUrl", "null")
}

// TestPricesInAnotherCurrency: per dollar there are 40 hryvnias, 32 lira, 4 zlotys,
// 83.5 rupees and 150 yen.
func TestPricesInAnotherCurrency(t *testing.T) {
	u := sharedClient(t)
	forge := starForge(u)
	lira := func(text string, value int) string {
		return fmt.Sprintf(`{"currency":"TRY","formatted":%q,"value":%d}`, text, value)
	}
	a := u.get("/catalog/prices?regions=all&include=editions&currency=try&ids="+forge).want(200).
		is("filters", `{"currency":"TRY","include":["editions"],"platform":"auto","regions":["all"]}`)
	for at, want := range map[string]string{
		"regions.UA":            lira("₺799,60", 79960), // 99950 × 32 / 40
		"regions.UA.editions.0": lira("₺799,60", 79960),
		"regions.TR":            lira("₺1.749,00", 174900), // the same amount, not the store's text
		"regions.PL":            "null",                    // a text
		"regions.IN":            "null",                    // no price
		"regions.JP":            lira("₺1.702,40", 170240),
		"regions.US":            lira("₺2.239,68", 223968),
		"cheapest":              lira("₺799,60", 79960),
	} {
		a.is("data.items.0."+at+".converted", want)
	}
	u.post(`{"ids":["star-forge"],"currency":"USD"}`).want(200).is("filters.currency", `"USD"`).
		is("data.items.0.regions.UKR.converted", `{"currency":"USD","formatted":"$18.74","value":1874}`).is("data.items.0.regions.UKR.usd", "18.74")
	u.get("/catalog/games/"+forge+"?currency=PLN").want(200).is("data.price.converted", `{"currency":"PLN","formatted":"99,95 zł","value":9995}`)
	u.get("/catalog/pcstore/games/star-forge?currency=EUR").want(200).is("data.price.converted", "null") // there is no such rate
	for _, path := range []string{"/catalog/prices?ids=" + forge, "/catalog/games/" + forge, "/catalog/pcstore/games/star-forge"} {
		if a := u.get(path).want(200).is("filters.currency", "null"); strings.Contains(string(a.body), `"converted"`) {
			t.Errorf("%s converts without being asked: %s", path, a.body)
		}
	}
}

func TestBulkCostsOneRequest(t *testing.T) {
	s := shared.open(t)
	_, token := newKey(t, s.dir)
	u := newUser(t, s.api, token)
	var ids []string
	for i := range 1000 {
		ids = append(ids, fmt.Sprint("game-", i))
	}
	u.post(`{"ids":["`+strings.Join(ids, `","`)+`"]}`).want(200).in("X-RateLimit-Remaining-Day", "43199")
	u.post(`{"ids":["a"]}`).want(200).is("meta.version", `"`+version+`"`).in("X-RateLimit-Remaining-Day", "43198").is("meta.rateLimit.limit", "30")
}
