package pcstore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/upstream"
)

// ownHome returns the game's home slug in the element, or "". The address of a new offer
// in the shop (urlSlug) is never the home: it is a number or a code name.
func (e *element) ownHome() string {
	if slug := e.namespaceHome(); slug != "" {
		return slug
	}
	for _, path := range [...]string{e.ProductSlug, e.Attributes.named("productSlug")} {
		// Old addresses: "forge/home", "forge/the-second-fire", "bundles/two-forges".
		path = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(path), "p/"), "bundles/")
		segment, _, _ := strings.Cut(path, "/")
		if slug := catalog.Slug(segment); slug != "" {
			return slug
		}
	}
	return homeAmong(e.OfferMappings)
}

func (e *element) namespaceHome() string { return homeAmong(e.CatalogNs.Mappings) }

func homeAmong(pages []page) string {
	for _, p := range pages {
		if slug := catalog.Slug(p.Slug); p.Type == homePage && slug != "" {
			return slug
		}
	}
	return ""
}

// aliases returns the offer's own pages other than home.
func (e *element) aliases(home string) []string {
	var own []string
	for _, p := range e.OfferMappings {
		if slug := catalog.Slug(p.Slug); slug != home {
			own = appendName(own, slug)
		}
	}
	return own
}

// notSlug returns a page that the element names and that is not a slug, or "".
func (e *element) notSlug() string {
	names := []string{e.ProductSlug, e.Attributes.named("productSlug")}
	for _, p := range slices.Concat(e.CatalogNs.Mappings, e.OfferMappings) {
		names = append(names, p.Slug)
	}
	for _, name := range names {
		if name = word(name); name != "" && catalog.Slug(name) == "" {
			return name
		}
	}
	return ""
}

type homes struct {
	mu    sync.Mutex
	known map[string]home
}

type home struct {
	slug    string // "": there is none
	refused string // the store's name of it, if that is not a slug
	until   catalog.Millis
}

// How long an answer is valid, and how many are cached.
const (
	homeFor   = catalog.Millis(24 * time.Hour / time.Millisecond)
	noHomeFor = catalog.Millis(time.Hour / time.Millisecond)
	maxHomes  = 50_000
)

// save caches the name of the home page of a namespace, "" if there is none.
func (h *homes) save(namespace, name string, now catalog.Millis) home {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.known) >= maxHomes {
		clear(h.known) // answers still needed are cached again
	}
	found := home{slug: catalog.Slug(name), until: now + homeFor}
	if found.slug == "" {
		found.refused, found.until = strings.TrimSpace(name), now+noHomeFor
	}
	h.known[namespace] = found
	return found
}

// lookUpHome finds the home of an element without one: from the cache of its namespace, or
// from the platform service by the offer's own pages.
func (r *reading) lookUpHome(ctx context.Context, e *element) (home, error) {
	r.homes.mu.Lock()
	known, ok := r.homes.known[e.Namespace]
	r.homes.mu.Unlock()
	if ok && r.now < known.until {
		return known, nil
	}
	pages := e.aliases("")
	if slug := catalog.Slug(e.URLSlug); len(slug) != 32 || strings.Trim(slug, "0123456789abcdef") != "" { // not only an id
		pages = appendName(pages, slug)
	}
	for _, own := range pages[:min(len(pages), 2)] {
		var m mapping
		if err := r.get(ctx, "mappings", own, &m); absent(err) {
			continue
		} else if err != nil {
			return home{}, err
		}
		if m.SandboxID != e.Namespace &&
			!slices.ContainsFunc(m.Modules.PageOffers, func(o pageOffer) bool { return o.OfferID == e.ID }) {
			continue // a code name may be the slug of another game
		}
		product, err := r.product(ctx, m.ProductID)
		if err != nil {
			return home{}, err
		}
		if name := product.Mapping.Slug; name != "" {
			return r.homes.save(e.Namespace, name, r.now), nil
		}
	}
	return r.homes.save(e.Namespace, "", r.now), nil
}

// absent reports whether err means that the store answered "not found".
func absent(err error) bool {
	failed, ok := errors.AsType[*upstream.Error](err)
	return ok && failed.Kind == upstream.NotFound
}
