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
		path = strings.TrimPrefix(strings.TrimPrefix(path, "p/"), "bundles/")
		segment, _, _ := strings.Cut(path, "/")
		if slug := readSlug(segment); slug != "" {
			return slug
		}
	}
	return homeAmong(e.OfferMappings)
}

func (e *element) namespaceHome() string { return homeAmong(e.CatalogNs.Mappings) }

func homeAmong(pages []page) string {
	for _, p := range pages {
		if slug := readSlug(p.Slug); p.Type == homePage && slug != "" {
			return slug
		}
	}
	return ""
}

// aliases returns the offer's own pages other than home.
func (e *element) aliases(home string) []string {
	var own []string
	for _, p := range e.OfferMappings {
		if slug := readSlug(p.Slug); slug != home {
			own = appendName(own, slug)
		}
	}
	return own
}

const maxSlug = 128

// readSlug returns a slug in lower case, or "" if s is not a slug ("[]").
func readSlug(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if s == "" || len(s) > maxSlug || s[0] == '-' {
		return ""
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return ""
		}
	}
	return s
}

type homes struct {
	mu    sync.Mutex
	known map[string]home
}

type home struct {
	slug  string // "": there is none
	until catalog.Millis
}

// How long an answer is valid, and how many are cached.
const (
	homeFor   = catalog.Millis(24 * time.Hour / time.Millisecond)
	noHomeFor = catalog.Millis(time.Hour / time.Millisecond)
	maxHomes  = 50_000
)

func (h *homes) save(namespace, slug string, now catalog.Millis) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.known) >= maxHomes {
		clear(h.known) // answers still needed are cached again
	}
	until := now + homeFor
	if slug == "" {
		until = now + noHomeFor
	}
	h.known[namespace] = home{slug, until}
}

// lookUpHome finds the home slug of an element without one: from the cache of its
// namespace, or from the platform service by the offer's own pages. If there is no home,
// it returns "" without an error.
func (r *reading) lookUpHome(ctx context.Context, e *element) (string, error) {
	r.homes.mu.Lock()
	known, ok := r.homes.known[e.Namespace]
	r.homes.mu.Unlock()
	if ok && r.now < known.until {
		return known.slug, nil
	}
	pages := e.aliases("")
	if slug := readSlug(e.URLSlug); len(slug) != 32 || strings.Trim(slug, "0123456789abcdef") != "" { // not only an id
		pages = appendName(pages, slug)
	}
	for _, own := range pages[:min(len(pages), 2)] {
		var m mapping
		if err := r.get(ctx, "mappings", own, &m); absent(err) {
			continue
		} else if err != nil {
			return "", err
		}
		if m.SandboxID != e.Namespace &&
			!slices.ContainsFunc(m.Modules.PageOffers, func(o pageOffer) bool { return o.OfferID == e.ID }) {
			continue // a code name may be the slug of another game
		}
		product, err := r.product(ctx, m.ProductID)
		if err != nil {
			return "", err
		}
		if slug := readSlug(product.Mapping.Slug); slug != "" {
			r.homes.save(e.Namespace, slug, r.now)
			return slug, nil
		}
	}
	r.homes.save(e.Namespace, "", r.now)
	return "", nil
}

// absent reports whether err means that the store answered "not found".
func absent(err error) bool {
	failed, ok := errors.AsType[*upstream.Error](err)
	return ok && failed.Kind == upstream.NotFound
}
