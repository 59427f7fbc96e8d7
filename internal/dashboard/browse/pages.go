package browse

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
	"unicode/utf8"

	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
)

const (
	pageSize = 40 // cards on a page
	// maxPage is the last page whose offset the API accepts.
	maxPage = math.MaxInt32 / pageSize
	// How many games are suggested, from how many cards: many are versions of one game.
	suggestions, suggestedCards = 8, 20
)

type pages struct{ *explore.Explorer }

// New registers the pages with the site.
func New(e *explore.Explorer) {
	p := &pages{e}
	e.Site.HandleCatalog("/browse", p.search)
	e.Site.HandleCatalog("/suggest", p.suggest)
	e.Site.HandleCatalog("/games", func(v *web.Visit) error { return v.MovedPermanently(v.Locale.Browse(nil)) })
	// Former addresses.
	e.Site.Handle("GET /explore", web.Anyone, func(v *web.Visit) error { return v.MovedPermanently(v.Locale.Browse(v.R.URL.Query())) })
	e.Site.Handle("GET /explore/suggest", web.Anyone, func(v *web.Visit) error { return v.MovedPermanently(v.Locale.Suggest() + "?" + v.R.URL.RawQuery) })
}

type listView struct {
	Search      explore.SearchBox
	Market      *web.MarketPicker
	Heading     string // key of the title
	Lead        string // above the tiles; ""
	Tips        string // below the lead; ""
	Clear       string // address without the filters; "" without any
	Near        string // heading of the tiles, if nothing was found: what they have in common
	Tiles       []explore.Tile
	First       string // address of the first page; "" on it
	Prev, Next  string // addresses of the neighbouring pages; "" where there is none
	Page, Pages int    // 0: they are not known
}

func (p *pages) search(v *web.Visit) error {
	live, err := p.Overview()
	if err != nil {
		return err
	}
	box := explore.NewSearchBox(v, p.StoreChoice(v), explore.TypeChoice(v), explore.DeviceChoice(v, live))
	view := listView{Search: box, Market: p.ShowMarket(v, live, nil), Heading: "explore.title"}
	length := utf8.RuneCountInString(view.Search.Text)
	if length == 0 {
		view.Search.Filters = append(view.Search.Filters, orderChoice(v))
	}
	switch {
	case length == 0:
		err = p.browse(v, &view)
	case length < explore.MinQuery:
		view.Lead = v.T("explore.too-short")
	case length > explore.MaxQuery:
		view.Lead = v.T("explore.too-long")
	default:
		err = p.searchCatalog(v, &view)
	}
	if err != nil {
		return err
	}
	view.Market.Keep = view.Search.Query()
	about := web.About{Title: v.T(view.Heading), Description: v.T("public.browse.about"), Hidden: len(view.Market.Keep) > 0 || v.Form("cursor") != "" || !explore.HasListings(live, v.Locale.Country)}
	v.Describe(about, func(l web.Locale) string { return l.Browse(view.Market.Keep) })
	return v.Render(http.StatusOK, "browse", view)
}

// browse shows a page of the whole catalog.
func (p *pages) browse(v *web.Visit, view *listView) error {
	own := view.Search.Query()
	query := maps.Clone(own)
	query.Set("sort", cmp.Or(query.Get("sort"), "popularity"))
	if cursor := v.Form("cursor"); cursor != "" {
		query.Set("cursor", cursor)
		view.First = v.Locale.Browse(own)
	}
	found, err := p.List(v, "browse", query, pageSize)
	if refused, ok := errors.AsType[*explore.RefusedError](err); ok && refused.Details.Field == "cursor" {
		view.Lead = v.T("explore.bad-cursor")
		return nil
	} else if err != nil {
		return err
	}
	view.Lead = v.N("explore.count", found.Total)
	switch filters := view.Search.Query(); {
	case found.Total == 0:
		view.Tips, view.Clear = v.T("explore.no-filter"), v.Locale.Browse(nil)
	case !filters.Has("platform") && !filters.Has("types") && !filters.Has("platforms"):
		view.Lead = v.N("explore.games", found.Total)
	}
	view.Tiles = p.Tiles(v, found.Items)
	if found.NextCursor != "" {
		own.Set("cursor", found.NextCursor)
		view.Next = v.Locale.Browse(own)
	}
	return nil
}

func (p *pages) searchCatalog(v *web.Visit, view *listView) error {
	page, err := strconv.Atoi(v.Form("page"))
	if err != nil {
		page = 1
	}
	page = min(max(page, 1), maxPage)
	query := view.Search.Query()
	query.Set("offset", strconv.Itoa((page-1)*pageSize))
	found, err := p.List(v, "search", query, pageSize)
	if err != nil {
		return err
	}
	total := found.Total
	view.Heading = "explore.results"
	view.Lead = v.N("explore.found", total, view.Search.Text)
	if total == 0 {
		view.Tips = v.T("explore.none")
		return p.addNearest(v, view)
	}
	view.addPages(v, page, total)
	if page > view.Pages && view.Pages > 0 {
		view.Tips = v.T("explore.beyond", v.Number(page))
	}
	view.Tiles = p.Tiles(v, found.Results)
	return nil
}

// nearest is how many games the page shows if a search found nothing.
const nearest = 12

// addNearest adds what comes nearest to a search that found nothing: its results without the filters, titles that
// begin like its text, or popular games.
func (p *pages) addNearest(v *web.Visit, view *listView) error {
	search := url.Values{"q": {view.Search.Text}}
	if len(view.Search.Query()) > len(search) {
		view.Clear = v.Locale.Browse(search)
		found, err := p.List(v, "search", search, nearest)
		if err != nil || found.Total > 0 {
			view.Near, view.Tiles = v.N("explore.unfiltered", found.Total), p.Tiles(v, found.Results)
			return err
		}
	}
	text := []rune(view.Search.Text)
	for _, n := range []int{len(text) * 3 / 4, (len(text) + 1) / 2} {
		if n < explore.MinQuery {
			break
		}
		found, err := p.List(v, "search", url.Values{"q": {string(text[:n])}}, nearest)
		if err != nil || found.Total > 0 {
			view.Near, view.Tiles = v.T("explore.near"), p.Tiles(v, found.Results)
			return err
		}
	}
	found, err := p.List(v, "browse", url.Values{"sort": {"popularity"}, "types": {"game"}}, nearest)
	view.Near, view.Tiles = v.T("public.popular"), p.Tiles(v, found.Items)
	return err
}

func (view *listView) addPages(v *web.Visit, page, total int) {
	pages := (total + pageSize - 1) / pageSize
	if pages > 1 || page > pages {
		view.Page, view.Pages = page, pages
	}
	address := func(n int) string {
		q := view.Search.Query()
		q.Set("page", strconv.Itoa(n))
		return v.Locale.Browse(q)
	}
	if page > 1 {
		view.Prev = address(min(page-1, pages)) // the last page, from beyond it
	}
	if page < min(pages, maxPage) {
		view.Next = address(page + 1)
	}
}

func orderChoice(v *web.Visit) explore.Choice {
	return explore.NewChoice(v, "sort", "explore.order", explore.Named(v, "", "explore.order.popularity",
		"title", "explore.order.title", "released", "explore.order.released", "added", "explore.order.added")...)
}

// suggest answers the script of the search box with JSON. If the API refuses, the
// list is empty: the search itself explains why.
func (p *pages) suggest(v *web.Visit) error {
	list, status := []explore.Suggestion{}, http.StatusOK
	if n := utf8.RuneCountInString(explore.SearchText(v)); n >= explore.MinQuery && n <= explore.MaxQuery {
		box := explore.NewSearchBox(v, p.StoreChoice(v))
		found, err := p.List(v, "suggest", box.Query(), suggestedCards)
		if problem, ok := errors.AsType[*web.Problem](err); ok {
			status = problem.Status
		} else if err != nil {
			return err
		}
		list = p.Suggestions(v, found.Suggestions[:min(len(found.Suggestions), suggestions)])
	}
	body, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("write suggestions: %w", err)
	}
	return v.Send(status, web.JSON, body)
}
