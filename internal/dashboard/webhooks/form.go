package webhooks

import (
	"cmp"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gamedex/internal/account"
	"gamedex/internal/api/overview"
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/money"
	"gamedex/internal/webhook"
)

// form is the form for a new webhook, as it was entered. Its fields have the names of the API's parameters.
type form struct {
	Once      string // tells forms that are sent twice
	Keys      []explore.Option
	URL       string
	Games     string // ids and links, one a line
	Countries explore.Options
	Chosen    bool   // some of them
	Main      string // those that count if none is chosen
	When      string
	Amount    string            // in units of the currency: 19.99
	Wrong     map[string]string // what is wrong, by field, in the words of the API
}

// madeForm is the name of the session's value with the form that the last webhook was created with.
const madeForm = "webhook-form"

// maxOnce is the most bytes of form.Once, which the session stores; those of [rand.Text] are fewer.
const maxOnce = 64

func (p *Pages) newForm(v *web.Visit, keys []account.Key) error {
	return p.showForm(v, http.StatusOK, keys, form{Once: rand.Text(), When: string(webhook.WhenDrop)})
}

// showForm shows the form. Without a key that may have webhooks, the list says how to create one.
func (p *Pages) showForm(v *web.Visit, status int, keys []account.Key, f form) error {
	keys = usable(v, keys)
	if len(keys) == 0 {
		return v.Redirect("/webhooks")
	}
	live, err := p.explorer.Overview()
	if err != nil {
		return err
	}
	for _, k := range keys {
		f.Keys = append(f.Keys, explore.Option{Value: k.ID, Name: k.Name, Chosen: k.ID == v.Form("key")})
	}
	f.Countries, f.Main = countries(v, live), explore.MainCountries(v, live)
	f.Chosen = slices.ContainsFunc(f.Countries, func(o explore.Option) bool { return o.Chosen })
	return v.Render(status, "webhook-new", f)
}

// countries returns all countries with their currencies, and which are chosen.
func countries(v *web.Visit, live *overview.Catalog) explore.Options {
	options := explore.CountryOptions(v, live, "")
	for i := range options {
		o := &options[i]
		o.Chosen = slices.Contains(v.R.Form["regions"], o.Value)
		if c, ok := money.RegionCurrency(o.Value); ok {
			o.Name += " · " + string(c)
		}
	}
	return options
}

type request struct {
	URL     string   `json:"url"`
	IDs     []string `json:"ids"`
	Regions string   `json:"regions,omitempty"`
	When    string   `json:"when"`
	Amount  int64    `json:"amount,omitzero"`
}

type createdView struct {
	View
	Secret   string
	NotFound []string // what no game has as its id
}

// create creates a webhook and shows its secret, which no address and no session holds.
func (p *Pages) create(v *web.Visit, keys []account.Key) error {
	once := v.Form("once")
	f := form{Once: once[:min(len(once), maxOnce)], URL: v.Form("url"), Games: v.Form("ids"), When: v.Form("when"), Amount: v.Form("amount"), Wrong: map[string]string{}}
	if f.Once != "" && f.Once == v.SessionValue(madeForm) {
		return v.Refused("/webhooks", "webhooks.made-before")
	}
	key := slices.IndexFunc(keys, func(k account.Key) bool { return k.ID == v.Form("key") })
	rq := request{URL: f.URL, Regions: strings.Join(v.R.Form["regions"], ","), When: f.When}
	if f.Amount != "" {
		hundredths, ok := explore.Hundredths(f.Amount)
		if rq.Amount, _ = strconv.ParseInt(hundredths, 10, 64); !ok {
			f.Wrong["amount"] = v.T("deals.wrong.number")
		}
	}
	if key < 0 {
		f.Wrong["key"] = v.T("webhooks.choose-key")
	}
	if len(f.Wrong) > 0 {
		return p.showForm(v, http.StatusUnprocessableEntity, keys, f)
	}
	var err error
	if rq.IDs, err = p.ids(v, f.Games); err != nil {
		return err
	}
	var made struct {
		ID       string   `json:"id"`
		Secret   string   `json:"secret"`
		NotFound []string `json:"notFound"`
	}
	err = p.call(v, keys[key], http.MethodPost, "", rq, &made)
	if refused, ok := errors.AsType[*explore.RefusedError](err); ok {
		f.Wrong[fieldOf(refused)] = refused.Message
		return p.showForm(v, http.StatusUnprocessableEntity, keys, f)
	}
	if err != nil {
		return err
	}
	v.SetSessionValue(madeForm, f.Once)
	s, err := p.Repository.Find(v.Context(), made.ID)
	if err != nil {
		return web.DatabaseError(err)
	}
	return v.Render(http.StatusOK, "webhook-created", createdView{p.viewOf(v, owned{s, keys[key]}), made.Secret, made.NotFound})
}

// fieldOf returns the field of the form that the API refuses. Problems without a field are those of the number of
// games, and of the key.
func fieldOf(refused *explore.RefusedError) string {
	if refused.Code == "TOO_MANY_IDS" {
		return "ids"
	}
	return cmp.Or(refused.Details.Field, "key")
}

// ownGame returns the id of a game in the address of its page here, "" if a text is another one.
func (p *Pages) ownGame(text string) string {
	path, ok := strings.CutPrefix(text, p.explorer.Site.PublicURL+"/")
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(path, "/") // such as en/games/pcstore/elden-ring/elden-ring
	if !ok || len(parts) < 4 || parts[1] != "games" {
		return ""
	}
	id, err := url.PathUnescape(parts[3])
	if err != nil {
		return ""
	}
	return id
}

// maxLinks is how many links the API resolves in one request.
const maxLinks = 1000

// ids returns the ids in the lines of a text. Links are resolved by the API; one that is not certain to mean a game
// stays as it is, and the API says that no game has it as its id.
func (p *Pages) ids(v *web.Visit, text string) ([]string, error) {
	var ids []string
	var links []int // numbers of ids
	var items []any
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if id := p.ownGame(line); id != "" {
			line = id
		} else if strings.Contains(line, "://") && len(links) < maxLinks {
			links, items = append(links, len(ids)), append(items, map[string]string{"id": line})
		}
		ids = append(ids, line)
	}
	if len(links) == 0 {
		return ids, nil
	}
	var found struct {
		Items []struct {
			Matches []struct {
				Status string `json:"status"`
				ID     string `json:"id"`
			} `json:"matches"`
		} `json:"items"`
	}
	if err := p.send(v, p.explorer.Person(v.User.ID), http.MethodPost, explore.APIPath+"resolve", map[string]any{"items": items}, &found); err != nil {
		return nil, err
	}
	for i, item := range found.Items {
		for _, match := range item.Matches {
			if match.Status == "resolved" {
				ids[links[i]] = match.ID
			}
		}
	}
	return ids, nil
}
