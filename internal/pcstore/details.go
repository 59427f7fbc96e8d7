package pcstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/sweep"
	"gamedex/internal/upstream"
)

const maxOffers = 50

// mapping is the platform service's answer about a slug.
type mapping struct {
	ProductID string `json:"productId"`
	SandboxID string `json:"sandboxId"`
	Modules   struct {
		PageOffers []pageOffer `json:"pageOffers"`
	} `json:"modules"`
}

type pageOffer struct {
	OfferID   string `json:"offerId"`
	SandboxID string `json:"sandboxId"`
	Store     string `json:"store"`
}

// product is the platform service's answer about a game. The zero value has no data.
type product struct {
	Title            string   `json:"title"`
	Developers       []string `json:"developers"`
	Publishers       []string `json:"publishers"`
	ShortDescription string   `json:"shortDescription"`
	Mapping          struct {
		Slug string `json:"slug"`
	} `json:"mapping"`
	Tags struct {
		Genres []tag `json:"genres"`
	} `json:"tags"`
}

func (r *reading) product(ctx context.Context, id string) (product, error) {
	var p product
	if !isID(id) {
		return p, nil
	}
	if err := r.get(ctx, "products", id, &p); err != nil && !absent(err) {
		return product{}, err
	}
	p.Title = strings.TrimSpace(p.Title)
	return p, nil
}

var idForm = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}$`)

func isID(s string) bool { return idForm.MatchString(s) }

func (r *reading) details(ctx context.Context, slug string) error {
	if slug != catalog.Slug(slug) || slug == "" {
		return upstream.NewError(upstream.Refused, r.cfg.Profile.Platform, fmt.Errorf("%.60q is not a slug", slug))
	}
	var m mapping
	if err := r.get(ctx, "mappings", slug, &m); absent(err) {
		r.page.Gone = true
		return nil
	} else if err != nil {
		return err
	}
	if m.SandboxID == "" && m.ProductID == "" {
		return upstream.NewError(upstream.Broken, r.cfg.Profile.Platform, fmt.Errorf("mappings/%s: the answer names no game", slug))
	}
	game, err := r.product(ctx, m.ProductID)
	if err != nil {
		return err
	}
	elements, err := r.pageOffers(ctx, m.Modules.PageOffers)
	if err != nil {
		return err
	}
	r.game = &game
	for i := range elements {
		if t, _, _ := elements[i].kindOf(); t == catalog.Base && game.Title == "" {
			game.Title = elements[i].Title
		}
	}
	for i := range elements {
		if _, err := r.offer(ctx, &elements[i], slug, game.Title); err != nil {
			return err
		}
	}
	return nil
}

// pageOffers fetches every offer of a page. It omits those that the store does not sell
// here. It returns an error if others failed and none could be read.
func (r *reading) pageOffers(ctx context.Context, offers []pageOffer) ([]element, error) {
	var elements []element
	var failed error
	asked := make(map[string]bool)
	for _, o := range offers {
		if asked[o.OfferID] || o.Store != "" && !strings.EqualFold(o.Store, r.cfg.Profile.Store) {
			continue
		}
		if !isID(o.OfferID) || !isID(o.SandboxID) || len(asked) == maxOffers {
			r.page.Interrupted = true
			continue
		}
		asked[o.OfferID] = true
		e, err := r.fetchOffer(ctx, o)
		switch {
		case errors.Is(err, errGarbage):
			r.unread(o.OfferID, err)
			failed = err
		case err != nil:
			return nil, err
		case e != nil:
			elements = append(elements, *e)
		}
	}
	if failed != nil && len(elements) == 0 {
		return nil, r.broken(fmt.Errorf("%s: %w", offerOperation, failed))
	}
	return elements, nil
}

// fetchOffer fetches one offer; nil if the store does not sell it here. For an invalid
// answer it returns errGarbage.
func (r *reading) fetchOffer(ctx context.Context, o pageOffer) (*element, error) {
	reply, err := r.ask(ctx, offerOperation, r.cfg.Profile.OfferHash, map[string]any{
		"offerId": o.OfferID, "sandboxId": o.SandboxID,
		"country": r.region.Countries[0].String(), "locale": r.region.Locale,
	})
	if absent(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var data struct {
		Catalog struct {
			Offer json.RawMessage `json:"catalogOffer"`
		} `json:"Catalog"`
	}
	if err := json.Unmarshal(reply.Data, &data); err != nil && len(reply.Errors) == 0 {
		return nil, fmt.Errorf("%w: %w", errGarbage, err)
	}
	if raw := data.Catalog.Offer; len(raw) == 0 || string(raw) == "null" {
		for _, f := range reply.Errors {
			switch {
			case isError(f, invalidCountry):
				return nil, r.noData(offerOperation, reply.Errors)
			case !isError(f, notFound):
				return nil, fmt.Errorf("%w: %s", errGarbage, f.Message)
			}
		}
		return nil, nil // not sold here
	}
	e, err := readElement(data.Catalog.Offer)
	if err != nil {
		return nil, err
	}
	e.interrupted = interrupted(reply.Errors)
	r.page.Interrupted = r.page.Interrupted || e.interrupted
	return &e, nil
}

// complete adds the fields that the game's page shows more reliably than the offer, and
// turns the guesses of the part into shown fields.
func (g *product) complete(p *sweep.Part, texts bool) {
	known := func(to *string, names []string, field sweep.Shows) {
		var given []string
		for _, name := range names {
			given = appendName(given, name)
		}
		if len(given) > 0 && p.Shows&field == 0 {
			*to = strings.Join(given, ", ")
			p.Shows |= field
		}
	}
	known(&p.Prose.Publisher, g.Publishers, sweep.ShowsPublisher)
	known(&p.Prose.Developer, g.Developers, sweep.ShowsDeveloper)
	if texts && p.Facts.Type == catalog.Base {
		known(&p.Prose.Description, []string{cutText(g.ShortDescription)}, sweep.ShowsDescription)
	}
	var genres []string
	for _, t := range g.Tags.Genres {
		genres = appendName(genres, t.Name)
	}
	if genres != nil {
		p.Prose.Genres = genres
		p.Shows |= sweep.ShowsGenres
	}
	p.Shows |= p.Guesses
	p.Guesses = 0
}
