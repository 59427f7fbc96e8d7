package dashboard_test

import (
	"encoding/json"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func shownRequest(t *testing.T, page string) string {
	t.Helper()
	command := between(t, page, `<code id="command">`, "</code>")
	request := regexp.MustCompile(`/api/v1(/catalog/deals\?[^']*)'`).FindStringSubmatch(html.UnescapeString(command))
	if request == nil {
		t.Fatalf("the page shows no request: %s", command)
	}
	return request[1]
}

// TestDealsAgreeWithTheRequestTheyShow sends the shown request to the API with a key: it
// has as many deals, and those of the page.
func TestDealsAgreeWithTheRequestTheyShow(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	w := v.w
	_, token := w.addKey(w.user(bobEmail), "bob's own")
	totals := map[int]bool{}
	for _, query := range []string{
		"", "regions=IN", "regions=UA&minDiscount=50", "regions=all&types=game&platforms=PS5&sort=saving", "platform=pcstore&low=year", "real=1&sort=ends",
		"regions=PL&maxPrice=49,99&sort=price", "maxUsd=9.99&sort=usd", "endsWithin=90m", "startedWithin=3d", "free=only", "subscription=only", "nearLow=10&maxDiscount=80",
		"types=game&types=dlc", "genres=Action", "publishers=Nobody", "minDiscount=&maxDiscount=&low=&real=",
	} {
		page := v.get("/deals?" + query)
		if page.status != http.StatusOK {
			t.Errorf("%q: status %d", query, page.status)
			continue
		}
		resp := w.requestAPI(token, shownRequest(t, page.body))
		var answer struct {
			Data struct {
				Items []struct{ Title string }
				Total int
			}
		}
		if err := json.Unmarshal([]byte(resp.body), &answer); err != nil || resp.status != http.StatusOK {
			t.Fatalf("%q: status %d, %v", query, resp.status, err)
		}
		text := shownText(page.body)
		for _, item := range answer.Data.Items {
			if !strings.Contains(text, strings.Join(strings.Fields(item.Title), " ")) {
				t.Errorf("%q: the page lacks %q", query, item.Title)
			}
		}
		if want := strconv.Itoa(answer.Data.Total) + " deal"; !strings.Contains(text, want) {
			t.Errorf("%q: the page does not say %q", query, want)
		}
		totals[answer.Data.Total] = true
	}
	if len(totals) < 8 {
		t.Errorf("the filters make little difference: totals %v", totals)
	}
}

func TestDealsPages(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	seen, pages := map[string]bool{}, 0
	for at := "/deals?regions=IN&minDiscount=50&sort=title"; at != ""; pages++ {
		page := v.get(at)
		for _, address := range links(page.body, "/en/games/") {
			if seen[address] {
				t.Errorf("%s is on two pages", address)
			}
			seen[address] = true
		}
		if at = nextPage(page.body); at != "" && (!strings.Contains(at, "minDiscount=50") || !strings.Contains(at, "sort=title") || !strings.HasPrefix(at, "/en/deals/in?")) {
			t.Errorf("the next page has other filters: %s", at)
		}
		if first := strings.Contains(page.body, ">First page<"); first != (pages > 0) {
			t.Errorf("page %d: a link to the first page: %v", pages, first)
		}
		if pages > 30 {
			t.Fatal("the pages never end")
		}
	}
	if pages < 3 || len(seen) < 60 {
		t.Errorf("%d pages with %d deals", pages, len(seen))
	}
}

// TestDealsSayWhatIsWrong checks that what the API refuses is said at its field, which
// keeps the value.
func TestDealsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	for _, tt := range []struct{ query, field, want string }{
		{"nearLow=51", "nearLow", "Enter at most 50."},
		{"maxDiscount=-1", "maxDiscount", "Enter at least 0."},
		{"maxDiscount=many", "maxDiscount", "Enter a whole number."},
		{"maxUsd=cheap", "maxUsd", "such as 19.99"},
		{"regions=PL&maxPrice=1.999", "maxPrice", "such as 19.99"},
		{"maxPrice=20", "maxPrice", "one country only"},
		{"sort=price", "sort", "one country only"},
		{"sort=best", "sort", "no such value"},
		{"endsWithin=soon", "endsWithin", "such as 90m"},
		{"types=toaster", "types", "no such value"},
		{"low=ever", "low", "no such value"},
		{"real=maybe", "real", "no such value"},
	} {
		page := v.get("/deals?" + tt.query)
		wrong := between(t, page.body, `id="`+tt.field+`-wrong">`, "</p>")
		if page.status != http.StatusUnprocessableEntity || !strings.Contains(wrong, tt.want) || !strings.Contains(page.body, `aria-describedby="`+tt.field+`-wrong"`) {
			t.Errorf("%s: status %d, %q", tt.query, page.status, wrong)
		}
		if value := tt.query[strings.LastIndex(tt.query, "=")+1:]; tt.field != "real" && !strings.Contains(page.body, `value="`+value+`"`) {
			t.Errorf("%s: the form does not keep the value", tt.query)
		}
		if len(entriesOf(page.body, "deals")) > 0 {
			t.Errorf("%s: the page shows deals", tt.query)
		}
	}
	v.get("/deals?cursor=AAAA").wants(t, http.StatusUnprocessableEntity, "no longer exists", ">First page<") // a torn cursor
}

// TestVerdictsOfDeals finds every verdict among the deals of the sample catalog, and
// discounts with and without an end.
func TestVerdictsOfDeals(t *testing.T) {
	t.Parallel()
	v := explorer(t, tireless)
	var all strings.Builder
	for at := "/deals?regions=all&subscription=any"; at != ""; {
		page := v.get(at)
		all.WriteString(shownText(strings.Join(entriesOf(page.body, "deals"), "\n")))
		at = nextPage(page.body)
	}
	hasAll(t, all.String(), "A good price: real discount", "(the store says", "Not the best price: no real discount", "No verdict: ", "lowest ever seen here", "lowest in 12 months",
		"good price ", "was cheaper ", "no verdict yet ", " days left", "no known end date", "also in ")
	const end = "The discount ends on " // the page says how many days are left
	if feed := v.get("/en/deals/ua.atom").body; !strings.Contains(feed, end) || strings.Contains(all.String(), end) {
		t.Errorf("%q is not only in the feed", end)
	}
}

// TestChosenFiltersAreLinks checks that each filter, and each part of a list, is a link to the page
// without it, which keeps the others.
func TestChosenFiltersAreLinks(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	chip := regexp.MustCompile(`<li><a class="badge" href="([^"]*)"><span class="hidden-text">Remove filter: </span>(.*?) <span`)
	for path, want := range map[string][]string{
		"/en/deals/ua?sort=usd": nil,
		"/en/deals/ua?minDiscount=50&types=game,dlc&real=1&genres=Action%3BNo+such&sort=usd": {
			"Discount from: 50% /en/deals/ua?genres=Action%3BNo+such&real=1&sort=usd&types=game%2Cdlc",
			"Type: Games /en/deals/ua?genres=Action%3BNo+such&minDiscount=50&real=1&sort=usd&types=dlc",
			"Type: Add-ons /en/deals/ua?genres=Action%3BNo+such&minDiscount=50&real=1&sort=usd&types=game",
			"Genre: Action /en/deals/ua?genres=No+such&minDiscount=50&real=1&sort=usd&types=game%2Cdlc",
			"Genre: No such /en/deals/ua?genres=Action&minDiscount=50&real=1&sort=usd&types=game%2Cdlc",
			"Only real discounts /en/deals/ua?genres=Action%3BNo+such&minDiscount=50&sort=usd&types=game%2Cdlc",
		},
		"/en/deals/tr?nearLow=99&currency=EUR":             {"Above its low by up to (%): 99 /en/deals/tr?currency=EUR"}, // refused, and can be removed
		"/en/browse?platform=pcstore&types=dlc&sort=title": {"Store: PC Store /en/browse?sort=title&types=dlc", "Type: Add-ons /en/browse?platform=pcstore&sort=title"},
		"/en/browse?q=the&platforms=PS5&country=TR":        {"Device: PS5 /en/browse?country=TR&q=the"},
	} {
		var got []string
		for _, found := range chip.FindAllStringSubmatch(v.get(path).body, -1) {
			got = append(got, html.UnescapeString(found[2]+" "+found[1]))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the chips are\n%s\nwant\n%s", path, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	for path, want := range map[string]string{"/en/deals/main": "Deals: Ukraine, Turkey + 2", "/ru/deals/main": "Скидки: Украина, Турция + 2"} {
		hasAll(t, shownText(v.get(path).body), want)
	}
}

// TestDealsOfTheMarket checks that the visitor's country is the default, and that the
// address wins.
func TestDealsOfTheMarket(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	v.market = "country=TR&currency=EUR"
	for path, want := range map[string]string{"/en/deals": "in Turkey", "/en/deals?regions=IN": "in India"} {
		for _, deal := range entriesOf(v.get(path).body, "deals") {
			if text := shownText(deal); !strings.Contains(text, want) || !strings.Contains(text, "€") && !strings.Contains(text, "Free") {
				t.Errorf("%s: %s", path, text)
			}
		}
	}
	hasAll(t, shownRequest(t, v.get("/en/deals").body), "regions=TR")
}

// TestClearingTheFilters checks that the link that clears the filters is there only with a filter.
func TestClearingTheFilters(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	visitor := passerby(t)
	for path, want := range map[string]bool{
		"/deals": false, "/deals?regions=main": false, "/deals?minDiscount=&free=&sort=usd": false, "/deals?minDiscount=50": true, "/deals?genres=Open+world": true,
		"/en/deals/main": false, "/en/deals/ua": false, "/en/deals/ua?sort=usd": false, "/en/deals/all": true, "/en/deals/ua?low=year": true,
	} {
		who := v
		if strings.HasPrefix(path, "/en") {
			who = visitor
		}
		if p := who.get(path); p.status != http.StatusOK || strings.Contains(p.body, "Clear all filters") != want {
			t.Errorf("%s: status %d, want the link: %v", path, p.status, want)
		}
	}
	v.market = "country=TR&currency=EUR"
	if strings.Contains(v.get("/en/deals").body, "Clear all filters") {
		t.Error("the visitor's country counts as a filter")
	}
}
