package consolestore

import (
	"cmp"
	"context"
	"encoding/json"

	"gamedex/internal/catalog"
	"gamedex/internal/sweep"
)

type productVariables struct {
	ProductID string `json:"productId"`
}

// readDetails reads what a product's own page says.
func (s *Store) readDetails(ctx context.Context, region Region, id string) (sweep.Page, error) {
	a, err := s.ask(ctx, region.Locale, "metGetProductById", s.profile.Operations.Product, productVariables{id})
	if err != nil {
		return sweep.Page{}, err
	}
	var p product
	there, err := s.object(a, "productRetrieve", &p)
	switch {
	case err != nil:
		return sweep.Page{}, err
	case !there:
		return s.absent(a, "productRetrieve")
	case p.ID != id:
		return sweep.Page{}, s.another(id, p.ID)
	}
	r := s.reader(region)
	part := r.part(id, 0)
	r.readProduct(&part, &p)
	if p.Concept != nil {
		if isID(p.Concept.ID) {
			part.Shows |= sweep.ShowsFamily
			part.Facts.Family = p.Concept.ID
		}
		r.familyName(&part, p.Concept)
	}
	if t, known := typeOf(p.Classification, p.TopCategory); known {
		// A standard edition is the game, also where it is sold as a bundle: of
		// its PS4 and PS5 versions, say.
		var e edition
		if t == catalog.Bundle && json.Unmarshal(p.Edition, &e) == nil && e.Type == "STANDARD" {
			t = catalog.Game
		}
		part.Shows |= sweep.ShowsType
		part.Facts.Type = t
	}
	r.readProse(&part, &p)
	page := sweep.Page{Interrupted: a.interrupted, Requests: 1}
	if p.Actions != nil {
		told, ok := r.readActions(&part, &p, a.interrupted)
		if !ok {
			return sweep.Page{}, s.foreign(region)
		}
		page.Interrupted = page.Interrupted || !told
	}
	page.Parts = []sweep.Part{part}
	return page, nil
}

// typeOf returns a product's type by its classification, where that is one that
// says something, else by the coarse category.
func typeOf(classification, topCategory string) (catalog.Type, bool) {
	switch classification {
	case "FULL_GAME", "DEMO":
		return catalog.Game, true
	case "GAME_BUNDLE":
		return catalog.Bundle, true
	case "PREMIUM_EDITION":
		return catalog.EditionType, true
	case "SUBSCRIPTION":
		return catalog.Subscription, true
	case "SEASON_PASS":
		return catalog.SeasonPass, true
	case "ADD_ON_PACK", "ITEM", "COSTUME", "CHARACTER", "VEHICLE", "WEAPON", "LEVEL", "MAP", "VIRTUAL_CURRENCY":
		return catalog.DLC, true
	}
	switch topCategory {
	case "GAME", "DEMO":
		return catalog.Game, true
	case "ADD_ON":
		return catalog.DLC, true
	}
	return 0, false
}

// readProse reads what cards show of a product.
func (r *reader) readProse(part *sweep.Part, p *product) {
	if publisher := shown(p.Publisher); publisher != "" {
		part.Shows |= sweep.ShowsPublisher
		part.Prose.Publisher = publisher
	}
	if day := releaseDate(p.ReleaseDate); day != "" {
		part.Shows |= sweep.ShowsReleaseDate
		part.Prose.ReleaseDate = day
	}
	if list := genres(p.AllGenres, p.Genres); list != nil {
		part.Shows |= sweep.ShowsGenres
		part.Prose.Genres = list
	}
	if p.Rating != nil {
		part.Shows |= sweep.ShowsRating
		part.Prose.RatingAge, part.Prose.RatingSystem = p.Rating.ageAndSystem()
	}
	if p.Stars != nil && p.Stars.Total.known {
		part.Shows |= sweep.ShowsPopularity
		// Only the first two digits: ratings come in all the time, and a card
		// whose popularity changes has to be sorted again.
		n, unit := p.Stars.Total.n, int64(1)
		for n/unit >= 100 {
			unit *= 10
		}
		part.Popularity = float64(n / unit * unit)
	}
	if r.texts && p.Descriptions != nil {
		part.Shows |= sweep.ShowsDescription
		texts := make(map[string]string) // the first of each type
		for _, d := range *p.Descriptions {
			texts[d.Type] = cmp.Or(texts[d.Type], plainText(d.Value))
		}
		part.Prose.Description = cmp.Or(texts["LONG"], texts["SHORT"]) // the other types are not about the game
	}
	pics := readPictures(p.Media)
	if r.images && (pics.cover != "" || pics.logo != "" || len(pics.screenshots) > 0) {
		part.Shows |= sweep.ShowsImages
		part.Prose.Cover, part.Prose.Thumbnail = pics.cover, pics.cover
		part.Prose.Logo, part.Prose.Screenshots = pics.logo, pics.screenshots
	}
}
