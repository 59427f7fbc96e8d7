package dashboard

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
)

const (
	shownEntries = 40 // of editions, add-ons, offers
	// Characters of a description: at once, and in all.
	shortDescription, longDescription = 500, 6000
	// shownJSON bounds the bytes of the JSON in a page, as a page writes it.
	shownJSON = 12 << 10
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

// fact is a name (key) and a value.
type fact struct{ Name, Value string }

// entryList is a table of other cards or offers.
type entryList struct {
	Heading string // key
	Rows    []lineRow
	Left    int // not shown
}

// lineRow is an edition, an add-on or an offer.
type lineRow struct {
	Address string // ""; it has no page
	Title   string
	Type    string // key
	Devices string
	Price   priceTag
	Here    bool // the card that is shown
}

// codeView is the request that gives the prices, and its answer.
type codeView struct {
	Command string
	JSON    string
	Size    int // bytes in all, if not all of it is shown; 0: all is
}

func (d *Dashboard) consoleCard(v *web.Visit) error {
	return d.card(v, catalog.ConsoleStore, v.R.PathValue("id"), "games/")
}

func (d *Dashboard) pcCard(v *web.Visit) error {
	return d.card(v, catalog.PCStore, v.R.PathValue("slug"), "pcstore/games/")
}

// card shows a card with all its prices.
func (d *Dashboard) card(v *web.Visit, platform catalog.Platform, id, path string) error {
	var card cardAnswer
	if _, err := d.ask(v, path+url.PathEscape(id), nil, &card); err != nil {
		if g := asGone(err); g != nil {
			return d.cardGone(v, platform, g)
		}
		return err
	}
	c := &card.Data
	id = cmp.Or(c.ID, c.Slug)
	query := url.Values{"ids": {id}, "platform": {platform.String()}, "regions": {"all"}, "include": {"url"}}
	var prices pricesAnswer
	raw, err := d.ask(v, "prices", query, &prices)
	if err != nil {
		return err
	}
	if v.Form("answer") == "json" {
		return d.sendJSON(v, raw)
	}
	view := d.cardView(v, platform, id, c)
	view.Prices = regionPrices(v, &prices)
	if view.Code, err = d.code(v, query, raw); err != nil {
		return err
	}
	if live := d.cfg.Live.View(); live != nil {
		if found, ok := live.Lookup(platform, id); ok {
			if view.Changes, err = d.history(v, live, found, view.Prices.Rows); err != nil {
				return err
			}
		}
	}
	return v.Render(http.StatusOK, "card", view)
}

// sendJSON answers with what the API answered, for who wants all of it.
func (d *Dashboard) sendJSON(v *web.Visit, body []byte) error {
	h := v.W.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = v.W.Write(body) // a browser that left needs no answer
	return nil
}

// cardView is a card without its prices.
func (d *Dashboard) cardView(v *web.Visit, platform catalog.Platform, id string, c *gameCard) cardView {
	view := cardView{
		Search: d.searchBox(v), Address: cardAddress(platform.String(), id), Title: c.Title,
		Platform: d.site.PlatformName(platform), Type: typeKey(c.Type), Facts: c.facts(),
		Cover: coverOf(d.site.ImageSource(cmp.Or(c.Images.Cover, c.Thumbnail)), c.Title), Store: webAddress(c.StoreURL),
	}
	view.Short, view.Long = fold(plainText(c.Description), shortDescription, longDescription)
	if platform == catalog.PCStore {
		view.addList("card.offers", d.entries(c.Offers, false))
		return view
	}
	if editions := d.entries(c.Variants, true); len(editions) > 0 {
		here := d.entries([]cardLine{{ID: id, Title: c.Title, Type: c.Type, Price: c.Price}}, true)
		here[0].Here = true
		view.addList("card.editions", append(here, editions...))
	}
	related := "card.add-ons"
	if c.Type == catalog.DLC.String() || c.Type == catalog.SeasonPass.String() || c.Type == catalog.Subscription.String() {
		related = "card.related"
	}
	view.addList(related, d.entries(c.Related, true))
	return view
}

// facts are those that the card has.
func (c *gameCard) facts() []fact {
	all := []fact{
		{"card.edition", c.Details.EditionName},
		{"card.publisher", c.Publisher},
		{"card.developer", c.Developer},
		{"card.released", c.ReleaseDate},
		{"card.genres", strings.Join(c.Genres, ", ")},
		{"card.rating", strings.TrimSpace(c.Rating.System + " " + c.Rating.Age)},
		{"card.devices", strings.Join(c.Details.Platforms, ", ")},
	}
	var known []fact
	for _, f := range all {
		if f.Value != "" {
			known = append(known, f)
		}
	}
	return known
}

// entries makes rows; paged says whether they have pages of their own.
func (d *Dashboard) entries(list []cardLine, paged bool) []lineRow {
	live := d.cfg.Live.View()
	rows := make([]lineRow, len(list))
	for i, e := range list {
		rows[i] = lineRow{Title: e.Title, Type: typeKey(e.Type)}
		if live != nil {
			rows[i].Price = tagOf(live, e.Price)
		}
		if paged {
			rows[i].Address = cardAddress(catalog.ConsoleStore.String(), e.ID)
			rows[i].Devices = devicesOf(live, e.ID)
		}
	}
	return rows
}

// devicesOf are the consoles of a card.
func devicesOf(live *index.View, id string) string {
	if live == nil {
		return ""
	}
	c, ok := live.Lookup(catalog.ConsoleStore, id)
	if !ok {
		return ""
	}
	return devices(c)
}

// addList adds a table that is not empty, cut to a bearable length.
func (view *cardView) addList(heading string, rows []lineRow) {
	if len(rows) == 0 {
		return
	}
	shown := rows[:min(len(rows), shownEntries)]
	view.Lists = append(view.Lists, entryList{Heading: heading, Rows: shown, Left: len(rows) - len(shown)})
}

// code shows a request as a command, and what it was answered.
func (d *Dashboard) code(v *web.Visit, query url.Values, raw []byte) (codeView, error) {
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, raw, "", "  "); err != nil {
		return codeView{}, fmt.Errorf("indent what the catalog answered: %w", err)
	}
	view := codeView{Command: d.site.Curl(v.T("card.your-key"), catalogPath+"prices?"+query.Encode())}
	var whole bool
	if view.JSON, whole = cutLines(pretty.String(), shownJSON); !whole {
		view.Size = len(raw)
	}
	return view, nil
}

// cutLines keeps the first lines of a text, as many as take at most that many
// bytes in a page, where quotes take five.
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
