package consolestore

import (
	"cmp"
	"context"
	"encoding/json"

	"gamedex/internal/catalog"
	"gamedex/internal/sweep"
)

func (s *Store) readDetails(ctx context.Context, region Region, id string) (sweep.Page, error) {
	a, err := s.query(ctx, region.Locale, "metGetProductById", s.cfg.Profile.Operations.Product,
		map[string]string{"productId": id})
	if err != nil {
		return sweep.Page{}, err
	}
	var p product
	gone, err := s.object(a, "productRetrieve", &p)
	switch {
	case err != nil:
		return sweep.Page{}, err
	case gone:
		return sweep.Page{Gone: true, Requests: 1}, nil
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
		part.Shows.AddText(sweep.ShowsFamilyName, &part.Facts.FamilyName, shown(p.Concept.InvariantName))
	}
	readType(&part, &p)
	r.readProse(&part, &p)
	page := sweep.Page{Interrupted: a.interrupted, Requests: 1}
	if p.Actions != nil {
		complete, ok := r.readActions(&part, &p, a.interrupted)
		if !ok {
			return sweep.Page{}, s.foreign(region)
		}
		page.Interrupted = page.Interrupted || !complete
	}
	if p.Actions != nil && part.Shows&sweep.ShowsPrice == 0 {
		page.Present = []string{id}
	}
	page.Parts = []sweep.Part{part}
	return page, nil
}

// readType reads the type of a product, if it is known.
func readType(part *sweep.Part, p *product) {
	t, known := typeOf(p.Classification, p.TopCategory)
	if !known {
		return
	}
	// A standard edition is the game, even if it is sold as a bundle: of its PS4 and PS5
	// versions, say.
	var e edition
	if t == catalog.Bundle && json.Unmarshal(p.Edition, &e) == nil && e.Type == "STANDARD" {
		t = catalog.Game
	}
	part.Shows |= sweep.ShowsType
	part.Facts.Type = t
}

// typeOf returns a product's type according to its classification, or according to its
// category if the classification has no type.
func typeOf(classification, topCategory string) (catalog.Type, bool) {
	if t, known := typeByClassification[classification]; known {
		return t, true
	}
	t, known := typeByCategory[topCategory]
	return t, known
}

var typeByClassification = map[string]catalog.Type{
	"FULL_GAME": catalog.Game, "DEMO": catalog.Game, "GAME_BUNDLE": catalog.Bundle, "PREMIUM_EDITION": catalog.EditionType,
	"SUBSCRIPTION": catalog.Subscription, "SEASON_PASS": catalog.SeasonPass,
	"ADD_ON_PACK": catalog.DLC, "ITEM": catalog.DLC, "COSTUME": catalog.DLC, "CHARACTER": catalog.DLC, "VEHICLE": catalog.DLC,
	"WEAPON": catalog.DLC, "LEVEL": catalog.DLC, "MAP": catalog.DLC, "VIRTUAL_CURRENCY": catalog.DLC,
}

var typeByCategory = map[string]catalog.Type{"GAME": catalog.Game, "DEMO": catalog.Game, "ADD_ON": catalog.DLC}

func (p *product) readGenresAndRating(prose *catalog.Prose, set *sweep.Shows) {
	if list := genres(p.AllGenres, p.Genres); list != nil {
		*set |= sweep.ShowsGenres
		prose.Genres = list
	}
	if p.Rating != nil {
		*set |= sweep.ShowsRating
		prose.RatingAge, prose.RatingSystem = p.Rating.ageAndSystem()
	}
}

func (r *reader) readProse(part *sweep.Part, p *product) {
	part.Shows.AddText(sweep.ShowsPublisher, &part.Prose.Publisher, shown(p.Publisher))
	part.Shows.AddText(sweep.ShowsReleaseDate, &part.Prose.ReleaseDate, releaseDate(p.ReleaseDate))
	p.readGenresAndRating(&part.Prose, &part.Shows)
	if p.Stars != nil && p.Stars.Total.known {
		part.Shows |= sweep.ShowsPopularity
		// Keep only the first two digits: new ratings arrive all the time, and
		// a card is sorted again when its popularity changes.
		n, unit := p.Stars.Total.n, int64(1)
		for n/unit >= 100 {
			unit *= 10
		}
		part.Popularity = float64(n / unit * unit)
	}
	if r.cfg.Texts && p.Descriptions != nil {
		part.Shows |= sweep.ShowsDescription
		texts := make(map[string]string) // the first of each type
		for _, d := range *p.Descriptions {
			texts[d.Type] = cmp.Or(texts[d.Type], plainText(d.Value))
		}
		part.Prose.Description = cmp.Or(texts["LONG"], texts["SHORT"]) // the other types are not about the game
	}
	pics := readPictures(p.Media)
	if r.cfg.Images && (pics.cover != "" || pics.logo != "" || len(pics.screenshots) > 0) {
		part.Shows |= sweep.ShowsImages
		part.Prose.Cover, part.Prose.Thumbnail = pics.cover, pics.cover
		part.Prose.Logo, part.Prose.Screenshots = pics.logo, pics.screenshots
	}
}
