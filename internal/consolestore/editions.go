package consolestore

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/sweep"
)

// reader converts the entities of one answer into parts.
type reader struct {
	*Store
	region Region
	prices priceReader
	locale string // of the region's titles, as BCP 47 writes it
	at     catalog.Millis
}

func (s *Store) reader(region Region) *reader {
	return &reader{
		Store: s, region: region, prices: priceReader{currency: region.Currency},
		locale: canonical(region.Locale), at: catalog.MillisOf(s.cfg.Now()),
	}
}

// part returns a new part of a product. It always shows the link to the product page.
func (r *reader) part(id string, shows sweep.Shows) sweep.Part {
	part := sweep.Part{Shows: shows}
	part.Key = catalog.Key{Platform: catalog.ConsoleStore, Region: r.region.Region, Product: id}
	part.ObservedAt = r.at
	if shows != sweep.ShowsTitles {
		part.Shows |= sweep.ShowsStoreURL
		part.StoreURL = strings.NewReplacer("{locale}", r.region.Locale, "{product}", url.PathEscape(id)).Replace(r.cfg.Profile.ProductURL)
	}
	return part
}

func (s *Store) readEditions(ctx context.Context, region Region, id string) (sweep.Page, error) {
	a, err := s.query(ctx, region.Locale, "conceptRetrieveForUpsellWithCtas", s.cfg.Profile.Operations.Concept,
		map[string]string{"conceptId": id})
	if err != nil {
		return sweep.Page{}, err
	}
	var game concept
	gone, err := s.object(a, "conceptRetrieve", &game)
	switch {
	case err != nil:
		return sweep.Page{}, err
	case gone:
		return sweep.Page{Gone: true, Requests: 1}, nil
	case game.ID != id:
		return sweep.Page{}, s.another(id, game.ID)
	}
	r := s.reader(region)
	products, whole := decodeEach[product](game.Products)
	page := sweep.Page{Interrupted: a.interrupted || !whole && !a.gone, Requests: 1}
	for i := range products {
		r.readEdition(&page, &game, &products[i], a.interrupted)
	}
	if r.prices.elsewhere() {
		return sweep.Page{}, s.foreign(region)
	}
	return page, nil
}

// readEdition adds one product of a game. In a partial answer a product
// without actions is one whose actions could not be read.
func (r *reader) readEdition(page *sweep.Page, game *concept, p *product, partial bool) {
	if !isID(p.ID) {
		page.Interrupted = true
		return
	}
	part := r.part(p.ID, sweep.ShowsFamily)
	part.Facts.Family = game.ID
	part.Shows.AddText(sweep.ShowsFamilyName, &part.Facts.FamilyName, shown(game.InvariantName))
	r.readProduct(&part, p)
	page.Items = append(page.Items, sweep.Item{Kind: sweep.Details, ID: p.ID})
	present, ok := r.readActions(&part, p, partial)
	if !ok {
		page.Interrupted = true
		return // the store sold it in another region's currency
	}
	page.Interrupted = page.Interrupted || !present
	if part.Shows&sweep.ShowsPrice == 0 {
		page.Present = append(page.Present, p.ID)
	}
	r.guess(&part, p)
	page.Parts = append(page.Parts, part)
}

// readActions reads the price of a product, and whether it is a demo, from its
// actions. present is false if they are missing; ok is true if they are for this region.
// Without a price in the actions, part does not show one.
func (r *reader) readActions(part *sweep.Part, p *product, partial bool) (present, ok bool) {
	actions, whole := decodeEach[action](p.Actions)
	if p.Actions == nil || !whole || partial && len(actions) == 0 {
		return false, true
	}
	o, ok := r.prices.offer(actions)
	if !ok {
		return true, false
	}
	showPrice(part, &o)
	setDemo(part, o.demo || p.TopCategory == "DEMO")
	return true, true
}

// showPrice adds the price of an offer to a part, if it has one.
func showPrice(part *sweep.Part, o *offer) {
	switch {
	case o.silent:
	case o.guess:
		part.Guesses |= sweep.ShowsPrice
		part.Price = o.price
	default:
		part.Shows |= sweep.ShowsPrice
		part.Price = o.price
	}
}

// setDemo records whether the product is a demo. The price of zero of a demo is that of a
// trial.
func setDemo(part *sweep.Part, demo bool) {
	part.Shows |= sweep.ShowsDemo
	part.Facts.Demo = demo
	if demo && part.Price != nil && part.Price.Current == 0 {
		part.Price.Trial = true
	}
}

// readProduct reads the fields that all operations have in common, if present.
func (r *reader) readProduct(part *sweep.Part, p *product) {
	f := &part.Facts
	if title := clipRunes(shown(p.Name), maxTitle); title != "" {
		part.Shows |= sweep.ShowsTitle
		f.Title, part.Locale = title, r.locale
	}
	part.Shows.AddText(sweep.ShowsInvariantName, &f.InvariantName, shown(p.InvariantName))
	if id := strings.TrimSuffix(shown(p.TitleID), "_00"); id != "" {
		part.Shows |= sweep.ShowsTitleIDs
		f.TitleIDs = []string{id}
	}
	if p.Platforms != nil {
		part.Shows |= sweep.ShowsPlatforms
		f.Platforms = names(*p.Platforms)
	}
	readEdition(part, p.Edition)
}

// readEdition reads the edition. A standard edition has a name in some
// languages ("Edycja Standardowa"), but the same type in all. Without the type, the
// name may be that of a standard edition, so it is a guess.
func readEdition(part *sweep.Part, raw json.RawMessage) {
	var e edition
	switch {
	case raw == nil || json.Unmarshal(raw, &e) != nil:
		return
	case isNull(raw) || e.Type != "":
		part.Shows |= sweep.ShowsEdition
	default:
		part.Guesses |= sweep.ShowsEdition
	}
	if e.Type != "STANDARD" {
		part.Facts.Edition = shown(e.Name)
	}
}

// names returns the entries that are not empty.
func names(list []string) []string {
	var kept []string
	for _, s := range list {
		if s = shown(s); s != "" && len(kept) < maxList {
			kept = append(kept, s)
		}
	}
	return kept
}

// guess adds fields that details show more reliably, until the details are read.
func (r *reader) guess(part *sweep.Part, p *product) {
	if part.Shows&sweep.ShowsType == 0 {
		part.Guesses |= sweep.ShowsType
		part.Facts.Type = catalog.Game
		var e edition
		if json.Unmarshal(p.Edition, &e) == nil && e.Type == "PREMIUM" {
			part.Facts.Type = catalog.EditionType
		}
	}
	p.readGenresAndRating(&part.Prose, &part.Guesses)
	r.guessCover(part, p.Media)
}

func (r *reader) guessCover(part *sweep.Part, media ...json.RawMessage) {
	if !r.cfg.Images {
		return
	}
	if cover := readPictures(media...).cover; cover != "" {
		part.Guesses |= sweep.ShowsImages
		part.Prose.Cover, part.Prose.Thumbnail = cover, cover
	}
}
