package webhooks

import (
	"cmp"
	"net/url"
	"strings"

	"gamedex/internal/account"
	"gamedex/internal/api/selection"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/money"
	"gamedex/internal/webhook"
)

// View is a webhook as lists show it. It has only the host of the URL, which may have a secret.
type View struct {
	ID, Host          string
	KeyID, KeyName    string
	Watches           string // a sentence
	State             State
	Last, LastFailure webhook.Try // At is 0 if there is none
}

// State is whether a webhook sends messages. Times are Unix milliseconds.
type State struct {
	Word, Badge string // key, and class of the badge
	On          bool   // it is not turned off
	OffAt       int64
	OffReason   string         // why: a key, or English
	KeyStatus   account.Status // of a key that does not work; ""
	NextTry     int64          // after tries that failed; 0: none
}

// offReasons are the keys of the reasons that are always the same.
var offReasons = map[string]string{
	webhook.OffByOwner: "webhooks.off.owner", webhook.OffByAdmin: "webhooks.off.admin", webhook.OffGone: "webhooks.off.gone",
}

// Reason returns why the webhook is off, in the visitor's language if the reason is always the same.
func (s State) Reason(v *web.Visit) string {
	if key, ok := offReasons[s.OffReason]; ok {
		return v.T(key)
	}
	return s.OffReason
}

// Translated reports whether Reason is in the visitor's language; else it is English.
func (s State) Translated() bool { return offReasons[s.OffReason] != "" }

func stateOf(v *web.Visit, s *webhook.Subscription, k account.Key) State {
	state := State{Word: "webhooks.state.on", Badge: "good", On: s.OffAt == 0}
	switch status := k.Status(v.Now()); {
	case !state.On:
		state.Word, state.Badge, state.OffAt, state.OffReason = "webhooks.state.off", "bad", s.OffAt, s.OffReason
	case status != account.StatusActive:
		state.Word, state.Badge, state.KeyStatus = "webhooks.state.key", "warn", status
	case s.Message.Failures > 0:
		state.Word, state.Badge, state.NextTry = "webhooks.state.waiting", "warn", s.Message.NextTry
	}
	return state
}

// View returns what lists show of a webhook of a key.
func (p *Pages) View(v *web.Visit, l *webhook.Listed, k account.Key) View {
	return View{ID: l.ID, Host: l.Host(), KeyID: l.KeyID, KeyName: k.Name, State: stateOf(v, &l.Subscription, k),
		Watches: p.watches(v, &l.Filter, l.GameCount, l.FirstGame), Last: l.Last, LastFailure: l.LastFailure}
}

func (p *Pages) viewOf(v *web.Visit, h owned) View {
	return p.View(v, h.Listed(), h.key)
}

const maxPlaces = 3

// watches says what a webhook watches: "2 games in Ukraine and Turkey, when a price drops".
func (p *Pages) watches(v *web.Visit, f *webhook.Filter, games int, first string) string {
	if f.Deals != "" {
		return v.T("webhooks.watches-deals", places(v, f.Regions, maxPlaces))
	}
	when := v.T("webhooks.when.change")
	switch f.When {
	case webhook.WhenDrop:
		when = v.T("webhooks.when.drop")
	case webhook.WhenDeal:
		when = v.T("webhooks.when.deal")
	case webhook.WhenBelow:
		when = v.T("webhooks.when.below-amount", p.amount(v, f, first))
	}
	return v.T("webhooks.watches", v.N("webhooks.games", games), places(v, f.Regions, maxPlaces), when)
}

// amount returns the amount of a filter in the currency of the price of a game in its region.
func (p *Pages) amount(v *web.Visit, f *webhook.Filter, game string) string {
	var currency money.Currency
	if live := p.explorer.Catalog(); live != nil && len(f.Regions.Codes) == 1 {
		if platform, id, ok := webhook.ParseGameID(game); ok {
			currency = live.CurrencyOf(platform, id, f.Regions.Codes[0])
		}
	}
	if currency == "" {
		return v.Decimal(float64(f.Amount)/100, 2)
	}
	return v.Amount(currency, money.Amount(f.Amount))
}

// places names at most most regions, and says how many more there are.
func places(v *web.Visit, r selection.Regions, most int) string {
	switch {
	case r.All:
		return v.T("webhooks.all-countries")
	case len(r.Codes) == 0:
		return v.T("webhooks.main-countries")
	}
	var names []string
	for _, code := range r.Codes {
		if code == selection.EuroArea {
			names = append(names, v.T("webhooks.euro-area"))
		} else {
			names = append(names, explore.CountryInText(v, code.String()))
		}
	}
	last := len(names) - 1
	switch {
	case len(names) > most:
		return strings.Join(names[:most-1], ", ") + " + " + v.Number(len(names)-most+1)
	case last == 0:
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " " + v.T("webhooks.and") + " " + names[last]
}

// deals returns the filters of a webhook of deals, and the address of the page of these deals; "" for games.
func deals(v *web.Visit, f *webhook.Filter) (filters, address string) {
	query, err := url.ParseQuery(strings.TrimPrefix(f.Deals, "?"))
	if f.Deals == "" || err != nil {
		return "", ""
	}
	regions := cmp.Or(query.Get("regions"), web.MainRegions)
	delete(query, "regions")
	filters, _ = url.QueryUnescape(query.Encode())
	return cmp.Or(strings.ReplaceAll(filters, "&", ", "), v.T("webhooks.all-deals")), v.Locale.Deals(regions, query)
}

func (p *Pages) game(v *web.Visit, name string) game {
	platform, id, ok := webhook.ParseGameID(name)
	live := p.explorer.Catalog()
	if !ok || live == nil {
		return game{ID: name}
	}
	title := live.TitleOf(platform, id, catalog.Language(v.Lang()))
	return game{id, title, v.Locale.Game(platform, id, title, nil)}
}
