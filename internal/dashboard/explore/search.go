package explore

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
)

const (
	explorePage = 20 // results on a page
	// maxExplorePage is the last page whose offset the API accepts.
	maxExplorePage = math.MaxInt32 / explorePage
	popularCards   = 12 // shown before anything is searched
	suggestions    = 8
	catalogWait    = time.Minute // until a catalog may be there

	minQuery, maxQuery = 2, 200 // characters, as the API requires
)

// exploreView is what explore.html shows.
type exploreView struct {
	Search      searchBox
	Heading     string // key of the title
	Lead        string // above the tiles; ""
	Tips        string // below the lead; ""
	Tiles       []tile
	Prev, Next  string // addresses of the neighbouring pages; "" where there is none
	Page, Pages int    // 0: there are no pages
}

// searchBox is the form on every page of the explorer.
type searchBox struct {
	Query     string
	Platforms []option
	Max       int // length of the query
}

// option is an option of a select element.
type option struct {
	Value, Name string
	Chosen      bool
}

func (p *Pages) search(v *web.Visit) error {
	live := p.live.View()
	if live == nil {
		return &web.Problem{Status: http.StatusServiceUnavailable, Message: "explore.unavailable", RetryAfter: catalogWait}
	}
	view := exploreView{Search: p.searchBox(v), Heading: "explore.title"}
	switch length := utf8.RuneCountInString(view.Search.Query); {
	case length == 0:
		view.Lead, view.Tips = v.T("explore.hint"), v.T("explore.popular")
		view.Tiles = p.popularTiles(live, chosenPlatform(v), v.Now())
	case length < minQuery:
		view.Lead = v.T("explore.too-short")
	case length > maxQuery:
		view.Lead = v.T("explore.too-long")
	default:
		if err := p.searchCatalog(v, live, &view); err != nil {
			return err
		}
	}
	return v.Render(http.StatusOK, "explore", view)
}

func (p *Pages) searchBox(v *web.Visit) searchBox {
	chosen := chosenPlatform(v)
	box := searchBox{Query: searchText(v), Max: maxQuery, Platforms: []option{{Value: "", Name: v.T("explore.all"), Chosen: chosen == 0}}}
	for _, platform := range catalog.Platforms() {
		box.Platforms = append(box.Platforms, option{platform.String(), p.site.PlatformName(platform), platform == chosen})
	}
	return box
}

// searchText returns the text to search for, as the API accepts it.
func searchText(v *web.Visit) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(v.Form("q"), " ")), " ")
}

func chosenPlatform(v *web.Visit) catalog.Platform {
	for _, p := range catalog.Platforms() {
		if p.String() == v.Form("platform") {
			return p
		}
	}
	return 0
}

// searchQuery returns the visitor's search as parameters, which the API and this
// page share.
func searchQuery(v *web.Visit) url.Values {
	q := url.Values{"q": {searchText(v)}}
	if p := chosenPlatform(v); p != 0 {
		q.Set("platform", p.String())
	}
	return q
}

func (p *Pages) searchCatalog(v *web.Visit, live *index.View, view *exploreView) error {
	page, err := strconv.Atoi(v.Form("page"))
	if err != nil {
		page = 1
	}
	page = min(max(page, 1), maxExplorePage)
	query := searchQuery(v)
	query.Set("limit", strconv.Itoa(explorePage))
	query.Set("offset", strconv.Itoa((page-1)*explorePage))
	var found searchAnswer
	if _, err := p.callAPI(v, "search", query, &found); err != nil {
		return err
	}
	total := found.Data.Total
	view.Heading = "explore.results"
	view.Lead = v.N("explore.found", total, view.Search.Query)
	if total == 0 {
		view.Tips = v.T("explore.none")
		return nil
	}
	for _, r := range found.Data.Results {
		view.Tiles = append(view.Tiles, tile{
			Address: cardAddress(r.Platform, r.ID), Title: r.Title, Type: typeKey(r.Type), Place: p.placeOf(live, r.Platform, r.ID),
			Cover: coverOf(p.site.ImageSource(r.Thumbnail), r.Title), Price: priceTagOf(live, r.Price), Priced: true,
			Regions: strings.ToUpper(strings.Join(r.Regions, " · ")),
		})
	}
	pages := (total + explorePage - 1) / explorePage
	if pages > 1 || page > pages {
		view.Page, view.Pages = page, pages
	}
	address := func(n int) string {
		q := searchQuery(v)
		q.Set("page", strconv.Itoa(n))
		return "/explore?" + q.Encode()
	}
	if page > 1 {
		view.Prev = address(min(page-1, pages)) // the last page, from beyond it
	}
	if page < min(pages, maxExplorePage) {
		view.Next = address(page + 1)
	}
	if page > pages {
		view.Tips = v.T("explore.beyond", v.Number(page))
	}
	return nil
}

// suggest answers the script of the search box with JSON. If the API refuses, the
// list is empty: the search itself explains why.
func (p *Pages) suggest(v *web.Visit) error {
	type suggestion struct {
		Title    string `json:"title"`
		Platform string `json:"platform"`
		Address  string `json:"address"`
	}
	list := []suggestion{}
	status := http.StatusOK
	if n := utf8.RuneCountInString(searchText(v)); n >= minQuery && n <= maxQuery {
		query := searchQuery(v)
		query.Set("limit", strconv.Itoa(suggestions))
		var found suggestAnswer
		_, err := p.callAPI(v, "suggest", query, &found)
		if p, ok := errors.AsType[*web.Problem](err); ok {
			status = p.Status
		} else if err != nil {
			return err
		}
		live := p.live.View()
		for _, s := range found.Data.Suggestions {
			list = append(list, suggestion{s.Title, p.placeOf(live, s.Platform, s.ID), cardAddress(s.Platform, s.ID)})
		}
	}
	body, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("write suggestions: %w", err)
	}
	h := v.W.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	v.W.WriteHeader(status)
	_, _ = v.W.Write(body) // fails only if the browser left
	return nil
}
