package home

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"gamedex/internal/account"
	"gamedex/internal/api/overview"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/money"
)

// Repository keeps the games that users watch.
type Repository interface {
	Watched(ctx context.Context, userID string) ([]account.Watch, error)
	// Watch wraps account.ErrTooManyWatched.
	Watch(ctx context.Context, userID, game string) error
	Unwatch(ctx context.Context, userID, game string) error
	SaveSeen(ctx context.Context, userID string, seen []account.Watch) error
	// MoveWatches stores the ids that games have now, by former one.
	MoveWatches(ctx context.Context, userID string, moved map[string]string) error
}

// maxWatched is how many watched games have their verdict on the page; of the others it has the titles.
const maxWatched = 30

type watchedGame struct {
	Game    string // platform and id
	Title   string
	Address string
	Price   explore.ShortPrice
	Kind    explore.Kind
	Verdict string // a sentence; "" for none
	Change  string // since the visit before, in a sentence; "" for none
	Cheaper bool
}

// prices returns the prices of games, by platform and id, in the visitor's country or, without one, in the
// active regions. moved has the ids that succeed former ones.
func (p *pages) prices(v *web.Visit, live *overview.Catalog, games []string) (found map[string]watchedPrice, moved map[string]string, err error) {
	ids := map[string][]string{}
	for _, game := range games {
		platform, id, _ := strings.Cut(game, "/")
		ids[platform] = append(ids[platform], id)
	}
	found, moved = map[string]watchedPrice{}, map[string]string{}
	for platform, list := range ids {
		query := url.Values{"ids": list, "platform": {platform}, "regions": {cmp.Or(v.Locale.Country, explore.ActiveCodes(live))},
			"include": {"lows"}, "currency": {string(v.Locale.Currency)}, "lang": {v.Lang()}}
		var answer explore.PricesAnswer
		if err := p.Call(v, "prices", query, &answer); err != nil {
			return nil, nil, err
		}
		for _, item := range answer.Data.Items {
			game := watchedPrice{title: item.Title}
			for key, price := range item.Regions {
				if len(item.Regions) == 1 || item.Cheapest != nil && item.Cheapest.Region == key {
					game.price, price.Cheapest = &price, item.CheapestPrice
				}
			}
			for i := 0; i < len(answer.Regions) && game.price == nil; i++ { // without a rate none is the cheapest
				if price, sold := item.Regions[answer.Regions[i]]; sold {
					game.price = &price
				}
			}
			found[platform+"/"+item.ID] = game
		}
		for former, successors := range answer.Data.Moved {
			if len(successors) == 1 {
				moved[platform+"/"+former] = platform + "/" + successors[0]
			}
		}
	}
	return found, moved, nil
}

// watchedPrice is a title, and the price; nil if the game is not for sale.
type watchedPrice struct {
	title string
	price *explore.RegionPrice
}

// seen returns the price as it is compared on the next visit. A trial and a game of a subscription have none.
func (w watchedPrice) seen(country string) account.SeenPrice {
	if r := w.price; r != nil && r.Current != nil && (*r.Current > 0 || !r.IsTrial && !r.IsSubPlus) {
		return account.SeenPrice{Region: country, Currency: r.Currency, Amount: *r.Current}
	}
	return account.SeenPrice{Region: country, Amount: account.NotSeen}
}

func converter(rates money.Rates) account.Convert {
	return func(amount int64, from, to string) int64 {
		converted := rates.Converter(money.Currency(from), money.Currency(to)).Convert(money.Amount(amount))
		if converted == money.None {
			return account.NotSeen
		}
		_, a := (&explore.Converted{Currency: to, Value: int64(converted)}).Amount()
		return int64(a)
	}
}

// watched returns the games that the visitor watches, under their present ids, and their prices. With a problem of
// the prices the list is whole, too.
func (p *pages) watched(v *web.Visit, live *overview.Catalog) (list []account.Watch, found map[string]watchedPrice, err error) {
	for range 2 { // again if ids have changed
		if list, err = p.repository.Watched(v.Context(), v.User.ID); err != nil || len(list) == 0 {
			return nil, nil, web.DatabaseError(err)
		}
		games := make([]string, len(list))
		for i, w := range list {
			games[i] = w.Game
		}
		var moved map[string]string
		if found, moved, err = p.prices(v, live, games); err != nil || len(moved) == 0 {
			return list, found, err
		}
		if err := p.repository.MoveWatches(v.Context(), v.User.ID, moved); err != nil {
			return nil, nil, web.DatabaseError(err)
		}
	}
	return list, found, nil
}

// addWatched adds the games that the visitor watches: first those that became cheaper, then those with a good
// price. If the API refuses their prices, it adds the titles and returns the problem.
func (p *pages) addWatched(v *web.Visit, live *overview.Catalog, view *homeView) error {
	list, found, err := p.watched(v, live)
	_, view.NoPrices = errors.AsType[*web.Problem](err)
	if err != nil && !view.NoPrices {
		return err
	}
	var changed []account.Watch
	convert := converter(live.Rates)
	for _, w := range list {
		price, ok := found[w.Game]
		if !ok {
			platform, id := cardOf(w.Game)
			price.title = cmp.Or(live.TitleOf(platform, id, catalog.Language(v.Lang())), id)
		} else if seen, differs := w.See(price.seen(v.Locale.Country), v.Now(), convert); differs {
			changed, w = append(changed, seen), seen
		}
		view.Watched = append(view.Watched, watchedGameOf(v, w, price, convert))
	}
	slices.SortStableFunc(view.Watched, func(a, b watchedGame) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.Title, b.Title))
	})
	first := min(len(view.Watched), maxWatched)
	view.Watched, view.MoreWatched = view.Watched[:first], view.Watched[first:]
	if len(changed) > 0 {
		if err := p.repository.SaveSeen(v.Context(), v.User.ID, changed); err != nil { // the next visit is compared with an older one
			p.Site.Log.Warn("the prices that a user saw of watched games were not saved", "user_id", v.User.ID, "error", err)
		}
	}
	return err
}

// cardOf returns the platform, 0 if there is no such one, and the id of a watched game.
func cardOf(game string) (catalog.Platform, string) {
	name, id, _ := strings.Cut(game, "/")
	platform, _ := catalog.ParsePlatform(name)
	return platform, id
}

func rank(g watchedGame) int {
	switch {
	case g.Cheaper:
		return 0
	case g.Kind == explore.Good:
		return 1
	}
	return 2
}

func watchedGameOf(v *web.Visit, w account.Watch, p watchedPrice, convert account.Convert) watchedGame {
	platform, id := cardOf(w.Game)
	d := explore.Judge(p.price, v.Now())
	g := watchedGame{Game: w.Game, Title: p.title, Address: v.Locale.Game(platform, id, p.title, nil), Price: explore.ShortPriceOf(v, p.price), Kind: d.Kind, Verdict: d.Sentence(v)}
	g.Price.Verdict = explore.Badge{} // the sentence says more
	seen := p.seen(v.Locale.Country)
	prior := w.Before(seen, convert)
	if seen.Amount == account.NotSeen || prior == account.NotSeen {
		return g
	}
	if own := string(v.Locale.Currency); seen.Region == "" && convert(prior, seen.Currency, own) != account.NotSeen { // as the price is shown
		prior, seen.Amount, seen.Currency = convert(prior, seen.Currency, own), convert(seen.Amount, seen.Currency, own), own
	}
	key := "watch.dearer"
	switch {
	case prior == seen.Amount:
		return g
	case prior > seen.Amount:
		key, g.Cheaper = "watch.cheaper", true
	}
	g.Change = v.T(key, v.Day(w.PriorAt), v.Amount(money.Currency(seen.Currency), money.Amount(prior)))
	return g
}

type watchView struct {
	watchedGame
	Watching bool
	Action   string
}

// find returns a game by platform and id: its platform and present id, as the catalog spells them, and its title. It
// fails with a problem if there is no such card.
func (p *pages) find(v *web.Visit, sent string) (game, title string, err error) {
	live, err := p.Overview()
	if err != nil {
		return "", "", err
	}
	platform, id := cardOf(sent)
	if platform == 0 || id == "" || strings.ContainsAny(id, ",;") {
		return "", "", web.NotFound()
	}
	game = platform.String() + "/" + id
	for range 2 { // again if the id has changed
		found, moved, err := p.prices(v, live, []string{game})
		if _, refused := errors.AsType[*explore.RefusedError](err); refused {
			return "", "", web.NotFound()
		} else if err != nil {
			return "", "", err
		}
		for key, price := range found { // the id may have been sent in another form
			return key, price.title, nil
		}
		if len(moved) == 0 {
			break
		}
		for _, successor := range moved {
			game = successor
		}
	}
	return "", "", web.NotFound()
}

// asked returns the game of the form, its title, and whether the visitor watches it. A watched game that is
// not found, as it is gone or its price cannot be read now, has its id for a title. It fails with a problem if there
// is no such game.
func (p *pages) asked(v *web.Visit) (game, title string, watching bool, err error) {
	list, err := p.repository.Watched(v.Context(), v.User.ID)
	if err != nil {
		return "", "", false, web.DatabaseError(err)
	}
	watches := func(game string) bool {
		return slices.ContainsFunc(list, func(w account.Watch) bool { return w.Game == game })
	}
	sent := v.Form("game")
	game, title, err = p.find(v, sent)
	if err != nil && watches(sent) {
		return sent, sent[strings.Index(sent, "/")+1:], true, nil
	}
	return game, title, watches(game) || watches(sent), err
}

// watchPage asks whether the visitor wants to watch a game, or no longer.
func (p *pages) watchPage(v *web.Visit) error {
	game, title, watching, err := p.asked(v)
	if err != nil {
		return err
	}
	shown := watchedGameOf(v, account.Watch{Game: game, Prior: account.NotSeen}, watchedPrice{title: title}, nil)
	return v.Render(http.StatusOK, "watch", watchView{shown, watching, v.Locale.Watch(game)})
}

// watch starts or stops watching a game. A game that is no longer in the catalog can be removed, too.
func (p *pages) watch(v *web.Visit) error {
	game, title, watching, err := p.asked(v)
	if err != nil {
		return err
	}
	if v.Form("watch") == "0" {
		if !watching {
			return v.Redirect(v.Home())
		}
		for _, id := range []string{game, v.Form("game")} { // which it is until the home page is opened
			if err := p.repository.Unwatch(v.Context(), v.User.ID, id); err != nil {
				return web.DatabaseError(err)
			}
		}
		return v.Done(v.Home(), "watch.removed", title)
	}
	err = p.repository.Watch(v.Context(), v.User.ID, game)
	if errors.Is(err, account.ErrTooManyWatched) {
		return v.Refused(v.Home(), "watch.too-many", v.Number(account.MaxWatched))
	} else if err != nil {
		return web.DatabaseError(err)
	}
	return v.Done(v.Home(), "watch.added", title)
}
