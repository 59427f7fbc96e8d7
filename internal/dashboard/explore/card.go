package explore

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
)

const (
	shownEntries = 40 // of editions, add-ons, offers
	// Characters of a description that are shown at once, and in total.
	shortDescription, longDescription = 500, 6000
	shownJSON                         = 12 << 10 // bytes of JSON in a page, escaped
)

// cardView is what card.html shows.
type cardView struct {
	Search   searchBox
	Address  string
	Title    string
	Platform string
	Type     string // key
	Cover    cover
	Facts    []fact
	Short    []string // paragraphs of the description
	Long     []string // the rest of them
	Store    string   // address; ""
	Prices   pricesView
	Lists    []entryList
	Changes  changesView
	Code     codeView
}

// fact is a message key and a value.
type fact struct{ Name, Value string }

// entryList is a table of other cards or offers.
type entryList struct {
	Heading string // key
	Rows    []lineRow
	Left    int // not shown
}

// lineRow is an edition, an add-on or an offer.
type lineRow struct {
	Address string // of its page; ""
	Title   string
	Type    string // key
	Devices string
	Price   priceTag
	Here    bool // the card of this page
}

// codeView is the API request that returns the prices, and its response.
type codeView struct {
	Command string
	JSON    string
	Size    int // of the response in bytes; 0: JSON is complete
}

func (p *Pages) card(v *web.Visit, platform catalog.Platform, id, path string) error {
	var card struct {
		Data gameCard `json:"data"`
	}
	if _, err := p.callAPI(v, path+url.PathEscape(id), nil, &card); err != nil {
		if g, ok := errors.AsType[*cardGoneError](err); ok {
			return p.cardGone(v, platform, g)
		}
		return err
	}
	c := &card.Data
	id = cmp.Or(c.ID, c.Slug)
	query := url.Values{"ids": {id}, "platform": {platform.String()}, "regions": {"all"}, "include": {"url"}}
	var prices pricesAnswer
	raw, err := p.callAPI(v, "prices", query, &prices)
	if err != nil {
		return err
	}
	if v.Form("answer") == "json" {
		h := v.W.Header()
		h.Set("Content-Type", "application/json; charset=utf-8")
		h.Set("Content-Length", strconv.Itoa(len(raw)))
		_, _ = v.W.Write(raw) // fails only if the browser left
		return nil
	}
	view := p.cardView(v, platform, id, c)
	view.Prices = regionPrices(v, &prices)
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, raw, "", "  "); err != nil {
		return fmt.Errorf("indent the API's response: %w", err)
	}
	whole := false
	view.Code.Command = p.site.Curl(v.T("card.your-key"), catalogPath+"prices?"+query.Encode())
	if view.Code.JSON, whole = cutLines(pretty.String(), shownJSON); !whole {
		view.Code.Size = len(raw)
	}
	if live := p.live.View(); live != nil {
		if found, ok := live.Lookup(platform, id); ok {
			if view.Changes, err = p.history(v, live, found, view.Prices.Rows); err != nil {
				return err
			}
		}
	}
	return v.Render(http.StatusOK, "card", view)
}

func (p *Pages) cardView(v *web.Visit, platform catalog.Platform, id string, c *gameCard) cardView {
	view := cardView{
		Search: p.searchBox(v), Address: cardAddress(platform.String(), id), Title: c.Title,
		Platform: p.site.PlatformName(platform), Type: typeKey(c.Type),
		Cover: coverOf(p.site.ImageSource(cmp.Or(c.Images.Cover, c.Thumbnail)), c.Title), Store: webAddress(c.StoreURL),
	}
	for _, f := range []fact{
		{"card.edition", c.Details.EditionName},
		{"card.publisher", c.Publisher},
		{"card.developer", c.Developer},
		{"card.released", c.ReleaseDate},
		{"card.genres", strings.Join(c.Genres, ", ")},
		{"card.rating", strings.TrimSpace(c.Rating.System + " " + c.Rating.Age)},
		{"card.devices", strings.Join(c.Details.Platforms, ", ")},
	} {
		if f.Value != "" {
			view.Facts = append(view.Facts, f)
		}
	}
	view.Short, view.Long = fold(plainText(c.Description), shortDescription, longDescription)
	if platform == catalog.PCStore {
		view.addList("card.offers", p.lineRows(c.Offers, false))
		return view
	}
	if editions := p.lineRows(c.Variants, true); len(editions) > 0 {
		here := p.lineRows([]cardLine{{ID: id, Title: c.Title, Type: c.Type, Price: c.Price}}, true)
		here[0].Here = true
		view.addList("card.editions", append(here, editions...))
	}
	related := "card.add-ons"
	if c.Type == catalog.DLC.String() || c.Type == catalog.SeasonPass.String() || c.Type == catalog.Subscription.String() {
		related = "card.related"
	}
	view.addList(related, p.lineRows(c.Related, true))
	return view
}

// lineRows returns the rows of a table. With linked, rows lead to their own pages.
func (p *Pages) lineRows(list []cardLine, linked bool) []lineRow {
	live := p.live.View()
	rows := make([]lineRow, len(list))
	for i, e := range list {
		rows[i] = lineRow{Title: e.Title, Type: typeKey(e.Type)}
		if live != nil {
			rows[i].Price = priceTagOf(live, e.Price)
		}
		if !linked {
			continue
		}
		rows[i].Address = cardAddress(catalog.ConsoleStore.String(), e.ID)
		if live != nil {
			if c, ok := live.Lookup(catalog.ConsoleStore, e.ID); ok {
				rows[i].Devices = devices(c)
			}
		}
	}
	return rows
}

func (view *cardView) addList(heading string, rows []lineRow) {
	if len(rows) == 0 {
		return
	}
	shown := rows[:min(len(rows), shownEntries)]
	view.Lists = append(view.Lists, entryList{Heading: heading, Rows: shown, Left: len(rows) - len(shown)})
}

// cutLines returns the first lines of a text that fit into a number of bytes when
// they are escaped for a page, and reports whether that is the whole text.
func cutLines(text string, most int) (cut string, whole bool) {
	size, line := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '"', '\'', '&':
			size += len("&#34;")
		case '<', '>':
			size += len("&lt;")
		case '\n':
			size, line = size+1, i+1
		default:
			size++
		}
		if size > most {
			return text[:line], false
		}
	}
	return text, true
}
