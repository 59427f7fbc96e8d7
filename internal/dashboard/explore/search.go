package explore

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
)

const (
	explorePage = 40 // cards on a page
	// maxExplorePage is the last page whose offset the API accepts.
	maxExplorePage = math.MaxInt32 / explorePage
	suggestions    = 8
	catalogWait    = time.Minute // until a catalog may be there

	minQuery, maxQuery = 2, 200 // characters, as the API requires
)

// exploreView is what explore.html shows.
type exploreView struct {
	Search      searchBox
	Market      marketPicker
	Heading     string // key of the title
	Lead        string // above the tiles; ""
	Tips        string // below the lead; ""
	Tiles       []tile
	First       string // address of the first page; "" on it
	Prev, Next  string // addresses of the neighbouring pages; "" where there is none
	Page, Pages int    // 0: they are not known
}

// searchBox is the form on every page of the explorer.
type searchBox struct {
	Query   string
	Store   choice
	Filters []choice // on the search page only
	Max     int      // length of the query
}

func (p *Pages) search(v *web.Visit) error {
	live := p.live.View()
	if live == nil {
		return &web.Problem{Status: http.StatusServiceUnavailable, Message: "explore.unavailable", RetryAfter: catalogWait}
	}
	view := exploreView{Search: p.searchBox(v), Market: p.marketPicker(v, live), Heading: "explore.title"}
	length := utf8.RuneCountInString(view.Search.Query)
	view.Search.Filters = []choice{typeChoice(v), deviceChoice(v, live)}
	if length == 0 {
		view.Search.Filters = append(view.Search.Filters, orderChoice(v))
	}
	var err error
	switch {
	case length == 0:
		err = p.browse(v, live, &view)
	case length < minQuery:
		view.Lead = v.T("explore.too-short")
	case length > maxQuery:
		view.Lead = v.T("explore.too-long")
	default:
		err = p.searchCatalog(v, live, &view)
	}
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, "explore", view)
}

func (p *Pages) searchBox(v *web.Visit) searchBox {
	return searchBox{Query: searchText(v), Max: maxQuery, Store: p.storeChoice(v)}
}

// searchText returns the text to search for, as the API accepts it.
func searchText(v *web.Visit) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(v.Form("q"), " ")), " ")
}

// searchQuery returns the visitor's search as parameters, which the API and this
// page share.
func (b *searchBox) searchQuery() url.Values {
	q := url.Values{}
	if b.Query != "" {
		q.Set("q", b.Query)
	}
	b.Store.set(q)
	for _, c := range b.Filters {
		c.set(q)
	}
	return q
}

// browse shows a page of the whole catalog.
func (p *Pages) browse(v *web.Visit, live *index.View, view *exploreView) error {
	own := view.Search.searchQuery()
	query := maps.Clone(own)
	query.Set("sort", cmp.Or(query.Get("sort"), "popularity"))
	query.Set("limit", strconv.Itoa(explorePage))
	query.Set("lang", v.Lang())
	if cursor := v.Form("cursor"); cursor != "" {
		query.Set("cursor", cursor)
		view.First = exploreAddress(own)
	}
	var found browseAnswer
	_, err := p.callAPI(v, "browse", query, &found)
	if refused, ok := errors.AsType[*refusedError](err); ok && refused.field == "cursor" {
		view.Lead = v.T("explore.bad-cursor")
		return nil
	} else if err != nil {
		return err
	}
	view.Lead = v.N("explore.count", found.Data.Total)
	if found.Data.Total == 0 {
		view.Tips = v.T("explore.no-filter")
	}
	if view.Tiles, err = p.tilesOf(v, live, found.Data.Items); err != nil {
		return err
	}
	if found.Data.NextCursor != "" {
		own.Set("cursor", found.Data.NextCursor)
		view.Next = exploreAddress(own)
	}
	return nil
}

func exploreAddress(q url.Values) string {
	if len(q) == 0 {
		return "/explore"
	}
	return "/explore?" + q.Encode()
}

// searchCatalog shows a page of what a search finds.
func (p *Pages) searchCatalog(v *web.Visit, live *index.View, view *exploreView) error {
	page, err := strconv.Atoi(v.Form("page"))
	if err != nil {
		page = 1
	}
	page = min(max(page, 1), maxExplorePage)
	query := view.Search.searchQuery()
	query.Set("limit", strconv.Itoa(explorePage))
	query.Set("offset", strconv.Itoa((page-1)*explorePage))
	query.Set("lang", v.Lang())
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
	view.addPages(page, total)
	if page > view.Pages && view.Pages > 0 {
		view.Tips = v.T("explore.beyond", v.Number(page))
	}
	view.Tiles, err = p.tilesOf(v, live, found.Data.Results)
	return err
}

// addPages adds the links to the pages of a search.
func (view *exploreView) addPages(page, total int) {
	pages := (total + explorePage - 1) / explorePage
	if pages > 1 || page > pages {
		view.Page, view.Pages = page, pages
	}
	address := func(n int) string {
		q := view.Search.searchQuery()
		q.Set("page", strconv.Itoa(n))
		return exploreAddress(q)
	}
	if page > 1 {
		view.Prev = address(min(page-1, pages)) // the last page, from beyond it
	}
	if page < min(pages, maxExplorePage) {
		view.Next = address(page + 1)
	}
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
		box := p.searchBox(v)
		query := box.searchQuery()
		query.Set("limit", strconv.Itoa(suggestions))
		query.Set("lang", v.Lang())
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
	return writeJSON(v, status, body)
}
