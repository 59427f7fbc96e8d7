package storesim

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// The addresses of the stores' pages in the profile.
const (
	productURL = "https://www.store.example/{locale}/product/{product}"
	gameURL    = "https://www.pc.example/{locale}/p/{slug}"
)

// address replaces the placeholders of a pattern.
func address(pattern, locale, mark, id string) string {
	return strings.Replace(strings.Replace(pattern, "{locale}", locale, 1), mark, id, 1)
}

// Truth returns every listing as a correct reader of all operations would store
// it today, seen at one time, sorted by key, by the rules of doc/feed.md and
// the contract. Descriptions and pictures are left out. The listings are
// complete as the format requires: a percentage is computed, and the standard
// edition has no name.
func (w *World) Truth(at time.Time) []catalog.Listing {
	return w.TruthKnowing(at, func(_ catalog.Key, p *catalog.Price) *catalog.Price { return p })
}

// TruthKnowing is Truth for a reader that knows more of some prices than the stores show
// today. Prices are compared with other regions as that reader knows them: known returns
// the price of a listing, given what its store shows.
func (w *World) TruthKnowing(at time.Time, known func(catalog.Key, *catalog.Price) *catalog.Price) []catalog.Listing {
	w.mu.RLock()
	defer w.mu.RUnlock()
	var all []catalog.Listing
	for _, m := range w.markets {
		all = w.consoleTruth(all, m, w.day())
		all = w.pcTruth(all, m, w.day())
	}
	observed := catalog.MillisOf(at)
	for i := range all {
		all[i].ObservedAt = observed
		all[i].Price = known(all[i].Key, all[i].Price)
	}
	slices.SortFunc(all, func(a, b catalog.Listing) int { return a.Key.Compare(b.Key) })
	w.judge(all)
	return all
}

func (w *World) consoleTruth(all []catalog.Listing, m *market, day int) []catalog.Listing {
	for game := range w.console {
		for slot := range firstAddOn + w.addOns(game) {
			if w.inStore(game, slot, m, day) {
				p := w.product(game, slot, m, day)
				all = append(all, w.consoleListing(&p))
			}
		}
	}
	return all
}

// consoleListing returns a product as all operations together show it.
func (w *World) consoleListing(p *consoleProduct) catalog.Listing {
	m, page := p.market, w.page(p.game, p.slot, p.day)
	l := catalog.Listing{
		Key: catalog.Key{Platform: catalog.ConsoleStore, Region: m.region, Product: p.id},
		Facts: catalog.Facts{
			Family: w.conceptID(page), FamilyName: w.familyName(page),
			Title: p.name(w, m.language), InvariantName: p.invariant(w),
			Edition: p.edition(w, m.language), Type: p.listingType(w),
			Demo: p.mode == modeDemo || p.mode == modeTrial, Platforms: p.platforms(w),
		},
		Prose: catalog.Prose{
			Publisher: w.publisher(p.game, p.front), ReleaseDate: p.released(w).Format(time.DateOnly),
			Genres:    distinct(w.genres(p.game, m.language)),
			RatingAge: p.ageMark(w), RatingSystem: m.rating,
		},
		Locale: tag(m.locale), Popularity: twoDigits(p.stars(w)), Price: p.truePrice(w),
		StoreURL: address(productURL, m.locale, "{product}", p.id),
	}
	if p.titleID != "" {
		l.Facts.TitleIDs = []string{p.titleID}
	}
	if m.further != "" && !p.addOn() {
		language, _, _ := strings.Cut(m.further, "-")
		l.Facts.Titles = []catalog.LocalTitle{{Locale: tag(m.further), Title: w.title(page, language, false)}}
	}
	return l
}

func (p *consoleProduct) listingType(w *World) catalog.Type {
	switch p.class(w) {
	case "FULL_GAME", "DEMO":
		return catalog.Game
	case "GAME_BUNDLE":
		return catalog.Bundle
	case "PREMIUM_EDITION":
		return catalog.EditionType
	case "SEASON_PASS":
		return catalog.SeasonPass
	}
	return catalog.DLC
}

// truePrice is what everybody pays; failing that what subscribers do, or the
// zero of a trial; nil if there is no way to get the product.
func (p *consoleProduct) truePrice(w *World) *catalog.Price {
	f := p.face()
	price := &catalog.Price{
		Currency: p.market.currency, Base: f.base, Current: f.current, BaseText: f.baseText, CurrentText: f.currentText,
		DiscountPercent: catalog.NoPercent, DiscountLabel: strings.ReplaceAll(f.label, nbsp, ""), Source: "graphql",
	}
	switch p.mode {
	case modeUnavailable, modeNone, modeUpgrade:
		return nil
	case modeDemo, modeTrial:
		return &catalog.Price{Currency: p.market.currency, DiscountPercent: catalog.NoPercent, Trial: true, Source: "graphql"}
	case modeTrialOnly:
		price.Trial = true
	case modeIncluded:
		price.Subscription = true
	case modeBuy, modePreorder:
		p.trueNumbers(w, price)
	}
	return complete(price)
}

// trueNumbers returns the numbers of a price: none where the store shows words,
// doubtful ones where they contradict their texts, or are those of an experiment. The
// base price is doubtful where the store shows only the sum of two offers.
func (p *consoleProduct) trueNumbers(w *World, price *catalog.Price) {
	if p.percent > 0 {
		price.DiscountEndsAt = p.ends
	}
	switch {
	case p.form == formTesters:
		tested := p.reducedTo(action{}, testersPercent, forTesters)
		price.Current, price.CurrentText, price.DiscountLabel, price.Source = tested.current, tested.currentText, tested.label, catalog.SourceDoubtful
	case p.form == formSum && !p.addOn():
		price.Current, price.CurrentText, price.DiscountLabel, price.DiscountEndsAt = price.Base, price.BaseText, "", 0
		price.Source = catalog.SourceDoubtful
	}
	if p.wordsOnly || p.onlyInLists() && !p.numbersInList(w) {
		price.Base, price.Current, price.Source = money.None, money.None, ""
		if p.addOn() {
			price.DiscountEndsAt = 0 // lists do not show it
		}
	}
	if p.wrong {
		price.Base, price.Current, price.Source = p.shown(price.Base), p.shown(price.Current), catalog.SourceDoubtful
	}
}

// complete computes the percentage where there is a discount.
func complete(p *catalog.Price) *catalog.Price {
	if p.Base.Known() && p.Current.Known() && p.Current < p.Base {
		p.DiscountPercent = money.DiscountPercent(p.Base, p.Current)
	}
	return p
}

func (w *World) pcTruth(all []catalog.Listing, m *market, day int) []catalog.Listing {
	for game := range w.pc {
		for slot := range firstAddOn + w.pcAddOns(game) {
			if !w.pcShown(game, slot, m, day) {
				continue
			}
			o := w.offer(game, slot, m, day)
			all = append(all, w.pcListing(&o, m))
		}
	}
	return all
}

// pcShown reports whether customers of a country see an offer on a day.
func (w *World) pcShown(game, slot int, m *market, day int) bool {
	if !w.pcSold(game, slot, m, day) || w.barred(game, slot, m) {
		return false
	}
	o := w.offer(game, slot, m, day)
	return o.availability != hidden
}

// pcListing returns an offer as search and details together show it, in the
// request language of its price region.
func (w *World) pcListing(o *offer, m *market) catalog.Listing {
	language, slug := o.market.language, w.home(o.game)
	l := catalog.Listing{
		Key: catalog.Key{Platform: catalog.PCStore, Region: m.region, Product: o.id},
		Facts: catalog.Facts{
			Family: w.namespace(o.game), Slug: slug, Title: o.title(w, language),
			Edition: o.edition(w, language), Type: o.listingType(w), Demo: o.slot == offerDemo, Platforms: []string{"Windows"},
		},
		Prose:    catalog.Prose{Publisher: w.publisher(o.game, ""), Developer: w.developer(o.game)},
		Locale:   o.market.pcLocale,
		StoreURL: address(gameURL, o.market.pcLocale, "{slug}", slug),
		Price:    o.truePrice(w),
	}
	if own := o.ownPage(w); own != "" {
		l.Facts.Aliases = []string{own}
	}
	if o.availability != announced {
		l.Prose.ReleaseDate = o.released(w).Format(time.DateOnly)
	}
	if o.slot == offerBase || o.slot == offerUltimate { // the game's page names genres
		l.Prose.Genres = distinct(w.genres(o.game, language))
	}
	return l
}

func (o *offer) listingType(w *World) catalog.Type {
	switch {
	case o.slot == offerBase && o.availability == preorder: // not yet the game
		return catalog.Game
	case o.slot == offerBase:
		return catalog.Base
	case o.slot == offerDeluxe || o.slot == offerUltimate:
		return catalog.EditionType
	case o.slot == offerBundle:
		return catalog.Bundle
	case o.slot == offerDemo:
		return catalog.Game
	case strings.HasPrefix(o.addOnName(w), "Season Pass"):
		return catalog.SeasonPass
	}
	return catalog.DLC
}

func (o *offer) truePrice(w *World) *catalog.Price {
	if o.availability == announced || o.availability == redeemed {
		return nil
	}
	p := &catalog.Price{Currency: o.market.currency, DiscountPercent: catalog.NoPercent, DiscountEndsAt: o.end(w), Source: "graphql"}
	p.Base, p.Current = o.priceNow()
	base, current := o.texts()
	if base > 0 {
		p.BaseText = o.market.pcText(base)
	}
	if current > 0 {
		p.CurrentText = o.market.pcText(current)
	}
	if o.wrong && o.availability != free && o.availability != giveaway {
		p.Source = catalog.SourceDoubtful
	}
	return complete(p)
}

// doubtfulFrom is the factor from the median of at least three other regions at
// which a price is doubtful.
const doubtfulFrom, judges = 20, 3

// judge marks the prices that differ greatly from those of the same product
// elsewhere. Zeros, trials and subscribers' prices are neither judged nor
// compared with.
func (w *World) judge(all []catalog.Listing) {
	rates := w.Rates()
	byProduct := make(map[catalog.Key][]int)
	value := make([]int64, len(all)) // in US cents; 0: none
	for i := range all {
		p := all[i].Price
		if p == nil || p.Trial || p.Subscription {
			continue
		}
		if cents, ok := rates.USD(p.Currency).Cents(p.Current); ok && cents > 0 {
			value[i] = cents
			k := catalog.Key{Platform: all[i].Platform, Product: all[i].Product}
			byProduct[k] = append(byProduct[k], i)
		}
	}
	for _, group := range byProduct {
		for _, i := range group {
			if far(value, group, i) {
				all[i].Price.Source = catalog.SourceDoubtful
			}
		}
	}
}

// far compares a value with the median of the others in its group.
func far(value []int64, group []int, i int) bool {
	var others []int64
	for _, j := range group {
		if j != i {
			others = append(others, value[j])
		}
	}
	if len(others) < judges {
		return false
	}
	slices.Sort(others)
	n := len(others)
	twice := others[(n-1)/2] + others[n/2] // of the median
	return 2*value[i] > doubtfulFrom*twice || doubtfulFrom*2*value[i] < twice
}

// twoDigits returns a count as the connector stores it, which seldom changes.
func twoDigits(n int) float64 {
	text := []byte(strconv.Itoa(n))
	for i := 2; i < len(text); i++ {
		text[i] = '0'
	}
	cut, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		panic(err) // digits are a number
	}
	return cut
}
