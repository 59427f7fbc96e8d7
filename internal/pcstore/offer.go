package pcstore

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/titles"
	"gamedex/internal/sweep"
)

// typeByOffer has 0 for offers that are not for customers.
var typeByOffer = map[string]catalog.Type{
	"BASE_GAME": catalog.Base, "EDITION": catalog.EditionType, "BUNDLE": catalog.Bundle, "DEMO": catalog.Game,
	"DLC": catalog.DLC, "ADD_ON": catalog.DLC, "DIGITAL_EXTRA": catalog.DLC, "CONSUMABLE": catalog.DLC,
	"UNLOCKABLE": catalog.DLC, "VIRTUAL_CURRENCY": catalog.DLC, "IN_GAME_PURCHASE": catalog.DLC,
	"WALLET": 0, "EXPERIENCE": 0,
}

// kindOf returns the type of an offer for its listing, and whether it is a demo. ok is
// false for offers that are not for customers: test audiences, applications, wallets,
// mystery giveaways.
func (e *element) kindOf() (t catalog.Type, demo, ok bool) {
	t, demo, ok = e.listedAs()
	if t == catalog.EditionType && isTrial(e.Title) {
		return catalog.Game, true, ok
	}
	return t, demo, ok
}

// listedAs is kindOf by type and category alone. Stores list free weekends and some demos
// as editions.
func (e *element) listedAs() (t catalog.Type, demo, ok bool) {
	switch t, known := typeByOffer[e.OfferType]; {
	case known && t == catalog.DLC:
		return e.addOn(), false, true
	case known:
		return t, e.OfferType == "DEMO", t != 0
	}
	// Without a type, and for OTHERS, the category decides.
	switch {
	case e.OfferType == "OTHERS" && (e.Price == nil || e.Price.Total.Original == 0):
		return 0, false, false // a giveaway that is not announced yet, with a code name
	case e.inCategory("games/demo"):
		return catalog.Game, true, true
	case e.inCategory("games/edition/base"):
		return catalog.Base, false, true
	case e.within("addons"), e.within("digitalextras"):
		return e.addOn(), false, true
	case e.inCategory("games/edition"):
		return catalog.EditionType, false, true
	case e.within("bundles"):
		return catalog.Bundle, false, true
	}
	return 0, false, false
}

var seasonPassNames = []string{
	"season pass", "saisonpass", "saison-pass", "passe de saison", "pass saisonnier", "pase de temporada",
	"passe de temporada", "pass stagionale", "przepustka sezonowa", "karnet sezonowy", "sezon bileti", "sezon kartı",
	"сезонний пропуск", "сезонний абонемент", "сезонный пропуск", "сезонный абонемент", "シーズンパス", "시즌 패스", "季票",
}

// addOn returns the type of an add-on. Only the title distinguishes season passes.
func (e *element) addOn() catalog.Type {
	lower := strings.ToLower(e.Title)
	if slices.ContainsFunc(seasonPassNames, func(name string) bool { return strings.Contains(lower, name) }) {
		return catalog.SeasonPass
	}
	return catalog.DLC
}

// listed reports whether customers see the offer now.
func (e *element) listed(now catalog.Millis) bool {
	return (e.Status == "" || e.Status == "ACTIVE") && catalog.Millis(e.ViewableDate) <= now &&
		(e.ExpiryDate == 0 || catalog.Millis(e.ExpiryDate) > now)
}

func (e *element) prePurchase() bool { return word(e.Attributes["isPrepurchase"]) == "true" }

const (
	maxList     = 50   // genres or pictures of one offer
	maxImageURL = 2048 // bytes
)

// part returns the part of an offer, without a region. gameTitle is the title of the game
// itself, or "" if unknown.
func (r *reading) part(e *element, t catalog.Type, demo bool, slug, gameTitle string) sweep.Part {
	p := sweep.Part{
		Listing: catalog.Listing{Locale: r.region.Locale, ObservedAt: r.now},
		Shows: sweep.ShowsTitle | sweep.ShowsFamily | sweep.ShowsType | sweep.ShowsDemo |
			sweep.ShowsPlatforms | sweep.ShowsSlug | sweep.ShowsStoreURL,
	}
	p.Platform, p.Product = catalog.PCStore, e.ID
	listed := t
	if t == catalog.Base && e.prePurchase() {
		// Stores keep the offer from before the release beside the game itself
		// and call both the base; only the latter is the base.
		listed = catalog.Game
	}
	p.Facts = catalog.Facts{
		Family: e.Namespace, Slug: slug, Aliases: e.aliases(slug), Title: e.Title,
		Type: listed, Demo: demo, Platforms: []string{"Windows"},
	}
	p.Shows |= sweep.ShowsEdition
	if t == catalog.EditionType {
		var known bool
		if p.Facts.Edition, known = editionName(e.Title, gameTitle); !known {
			p.Shows &^= sweep.ShowsEdition
			p.Guesses |= sweep.ShowsEdition
		}
	}
	p.StoreURL = fillAddress(r.cfg.Profile.GameURL, r.region.Locale, slug)
	r.prose(&p, e)
	if r.game != nil {
		r.game.complete(&p, r.cfg.Texts)
	}
	return p
}

// prose adds the fields that only cards show. Fields without a value do not count as
// shown, because other operations may have a value.
func (r *reading) prose(p *sweep.Part, e *element) {
	own := &p.Prose
	p.Shows.AddText(sweep.ShowsPublisher, &own.Publisher, strings.TrimSpace(e.Publisher))
	p.Shows.AddText(sweep.ShowsDeveloper, &own.Developer, strings.TrimSpace(e.Developer))
	p.Guesses.AddText(sweep.ShowsPublisher, &own.Publisher, word(e.Attributes["publisherName"]))
	p.Guesses.AddText(sweep.ShowsDeveloper, &own.Developer, word(e.Attributes["developerName"]))
	p.Guesses.AddText(sweep.ShowsPublisher, &own.Publisher, strings.TrimSpace(e.Seller.Name))

	p.Shows.AddText(sweep.ShowsReleaseDate, &own.ReleaseDate, e.PCReleaseDate.date(r.now))
	p.Shows.AddText(sweep.ShowsReleaseDate, &own.ReleaseDate, e.ReleaseDate.date(r.now))
	if !e.prePurchase() { // a pre-purchase is on sale before the release
		p.Guesses.AddText(sweep.ShowsReleaseDate, &own.ReleaseDate, e.EffectiveDate.date(r.now))
	}
	if own.Genres = e.genres(); own.Genres != nil {
		p.Guesses |= sweep.ShowsGenres
	}
	if r.cfg.Texts {
		p.Shows.AddText(sweep.ShowsDescription, &own.Description, e.text())
	}
	if r.cfg.Images && e.pictures(own) {
		p.Shows |= sweep.ShowsImages
	}
}

const placeholderYears = 10

func (m timestamp) date(now catalog.Millis) string {
	t := catalog.Millis(m).Time()
	if m == 0 || t.After(now.Time().AddDate(placeholderYears, 0, 0)) {
		return ""
	}
	return t.Format(time.DateOnly)
}

// genres returns the tags in the group of genres. Names alone are not enough, because
// platforms and past sales are tags too.
func (e *element) genres() []string {
	var names []string
	for _, t := range e.Tags {
		if strings.EqualFold(t.Group, "genre") {
			names = appendName(names, t.Name)
		}
	}
	return names
}

func appendName(names []string, name string) []string {
	name = strings.TrimSpace(name)
	if name == "" || len(names) == maxList || slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// maxText bounds a description, in bytes.
const maxText = 64 << 10

func (e *element) text() string {
	text := strings.TrimSpace(e.Description)
	if text == e.Title {
		return ""
	}
	return cutText(text)
}

func cutText(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxText)], "")
}

// pictures assigns the key images to the fields of p; the first of each type counts.
func (e *element) pictures(p *catalog.Prose) bool {
	found := false
	for _, image := range e.KeyImages {
		scheme, rest, _ := strings.Cut(image.URL, "://")
		if scheme != "https" && scheme != "http" || rest == "" || rest[0] == '/' ||
			len(image.URL) > maxImageURL || strings.ContainsFunc(rest, isSpaceOrControl) {
			continue
		}
		switch image.Type {
		case "OfferImageTall":
			p.Cover, found = cmp.Or(p.Cover, image.URL), true
		case "Thumbnail":
			p.Thumbnail, found = cmp.Or(p.Thumbnail, image.URL), true
		case "ProductLogo", "DieselGameBoxLogo":
			p.Logo, found = cmp.Or(p.Logo, image.URL), true
		case "Screenshot", "featuredMedia", "GalleryImage":
			p.Screenshots, found = appendName(p.Screenshots, image.URL), true
		}
	}
	return found
}

// trialNames are endings of the titles of demos and free weekends, each after a space and
// folded.
var trialNames = foldEndings("demo", "демо", "free weekend", "kostenloses Wochenende", "week-end gratuit",
	"fin de semana gratis", "fim de semana grátis", "fim de semana gratuito", "weekend gratuito", "darmowy weekend",
	"ücretsiz hafta sonu", "бесплатные выходные", "безкоштовні вихідні")

func foldEndings(names ...string) []string {
	for i, name := range names {
		names[i] = " " + titles.Fold(name)
	}
	return names
}

// isTrial reports whether a title ends like that of a demo or of a free weekend.
func isTrial(title string) bool {
	folded := " " + titles.Fold(title)
	return slices.ContainsFunc(trialNames, func(name string) bool { return strings.HasSuffix(folded, name) })
}

// editionWords are folded words that name editions.
var editionWords = []string{
	"edition", "anniversary", "collectors", "complete", "definitive", "deluxe", "digital", "enhanced", "gold", "legendary",
	"limited", "platinum", "premium", "silver", "special", "standard", "super", "supporter", "ultimate",
}

const joiners = " -–—:,|+"

// editionName returns the part of an edition's title after the game's title; both are
// compared folded. known is false if the title does not begin with the game's title, or if
// that is unknown. The name is then a guess: the part after the last dash, or the
// words at the end that name editions.
func editionName(title, gameTitle string) (name string, known bool) {
	if game := titles.FoldGame(gameTitle); game != "" {
		if _, ok := titles.CutPrefix(titles.Fold(title), game); ok {
			return titles.Remainder(title, game), true
		}
	}
	for _, dash := range [...]string{" - ", " – ", " — "} {
		if at := strings.LastIndex(title, dash); at > 0 {
			return titles.Remainder(title, titles.Fold(title[:at])), false
		}
	}
	words := strings.Fields(title)
	first := len(words)
	for first > 0 && slices.Contains(editionWords, titles.Fold(words[first-1])) {
		first--
	}
	return strings.Trim(strings.Join(words[first:], " "), joiners), false
}
