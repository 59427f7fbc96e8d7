package pcstore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/sweep"
	"gamedex/internal/upstream"
)

// cursor is the position of a search. Pages overlap by one element: if the next page does
// not begin with Last, the order has shifted since.
type cursor struct {
	Start int // of the next page
	Total int // elements, according to the page before
	Last  string
}

func (c cursor) String() string { return fmt.Sprintf("%d|%d|%s", c.Start, c.Total, c.Last) }

// maxElements is larger than any page. It bounds the memory, because an element may
// become a part in each of 250 countries.
const maxElements = 10_000

// maxStart ends a search that would never end.
const maxStart = 1_000_000

type results struct {
	Elements []json.RawMessage `json:"elements"`
	Paging   struct {
		Count int `json:"count"`
		Total int `json:"total"`
	} `json:"paging"`
}

func (r *reading) search(ctx context.Context, from string) error {
	var at cursor
	if parts := strings.SplitN(from, "|", 3); len(parts) == 3 {
		start, err := strconv.Atoi(parts[0])
		total, err2 := strconv.Atoi(parts[1])
		if err == nil && err2 == nil && 0 < start && start <= maxStart {
			at = cursor{start, total, parts[2]}
		}
	}
	if from != "" && at.Last == "" {
		return fmt.Errorf("cursor %.100q is not START|TOTAL|ID", from)
	}
	found, err := r.searchPage(ctx, at.Start)
	if err != nil {
		return err
	}
	// Invalid elements with an id count as present; if all are invalid, the
	// answer is invalid.
	var elements []element
	var firstErr error
	answerInterrupted := r.page.Interrupted
	for _, raw := range found.Elements {
		e, err := readElement(raw)
		if err != nil {
			r.unread(e.ID, err)
			firstErr = cmp.Or(firstErr, err)
			continue
		}
		e.interrupted = answerInterrupted
		elements = append(elements, e)
	}
	if len(elements) == 0 && firstErr != nil {
		return r.broken(fmt.Errorf("%s: no element of the page can be read: %w", searchOperation, firstErr))
	}
	if err := r.setNext(at, found); err != nil {
		return err
	}
	if at.Start > 0 && len(elements) > 0 && elements[0].ID == at.Last {
		elements = elements[1:] // it was on the page before
	}
	return r.offers(ctx, elements)
}

// searchPage fetches the elements from start on. An empty catalog is an error, because no
// country's store is empty.
func (r *reading) searchPage(ctx context.Context, start int) (results, error) {
	country := r.region.Countries[0].String()
	reply, err := r.ask(ctx, searchOperation, r.cfg.Profile.SearchHash, map[string]any{
		"allowCountries": country, "category": r.cfg.Profile.Category, "count": r.cfg.Profile.PageSize,
		"country": country, "locale": r.region.Locale, "sortBy": "releaseDate", "sortDir": "ASC", // new elements are last and shift nothing
		"start": start, "withPrice": true, "withPromotions": true,
	})
	if err != nil {
		return results{}, err
	}
	var data struct {
		Catalog struct {
			SearchStore *results `json:"searchStore"`
		} `json:"Catalog"`
	}
	if err := json.Unmarshal(reply.Data, &data); err != nil && len(reply.Errors) == 0 {
		return results{}, r.broken(fmt.Errorf("%s: %w", searchOperation, err))
	}
	found := data.Catalog.SearchStore
	if found == nil || found.Elements == nil {
		return results{}, r.noData(searchOperation, reply.Errors)
	}
	if start == 0 && len(found.Elements) == 0 {
		return results{}, r.broken(fmt.Errorf("%s: the store shows no offers in %s", searchOperation, country))
	}
	if n := len(found.Elements); n > maxElements {
		return results{}, r.broken(fmt.Errorf("%s: requested %d elements, the answer has %d", searchOperation, r.cfg.Profile.PageSize, n))
	}
	r.page.Interrupted = interrupted(reply.Errors)
	return *found, nil
}

// setNext sets the next position of the search, and marks the page as interrupted if
// elements may have been missed between two pages.
func (r *reading) setNext(at cursor, found results) error {
	n := len(found.Elements)
	firstID, lastID := "", ""
	if n > 0 {
		first, _ := readElement(found.Elements[0])
		last, _ := readElement(found.Elements[n-1])
		firstID, lastID = first.ID, last.ID
	}
	if at.Start > 0 {
		shifted := firstID != at.Last || found.Paging.Total != at.Total
		if shifted && n > 1 && lastID == at.Last {
			return r.broken(fmt.Errorf("%s: the page at %d is the same as the page before it", searchOperation, at.Start))
		}
		r.page.Interrupted = r.page.Interrupted || shifted
	}
	full := r.cfg.Profile.PageSize
	if c := found.Paging.Count; c >= minPageSize && c < full {
		full = c // the store sends fewer than requested
	}
	if n < full {
		r.page.Interrupted = r.page.Interrupted || at.Start+n < found.Paging.Total
		return nil
	}
	next := cursor{Start: at.Start + n - 1, Total: found.Paging.Total, Last: lastID}
	if next.Start > maxStart {
		return r.broken(fmt.Errorf("%s: no end after %d elements", searchOperation, next.Start))
	}
	if next.Last == "" { // invalid, so nothing matches it and the next page is interrupted
		next.Last = "?"
	}
	r.page.Next = next.String()
	return nil
}

// unread records an offer that cannot be read or listed. Without its id, the page is marked
// as interrupted.
func (r *reading) unread(id string, err error) {
	r.cfg.Log.Warn("cannot list an offer", "region", r.region.Countries[0].String(), "offer", id, "err", err)
	if id == "" {
		r.page.Interrupted = true
		return
	}
	r.page.Present = append(r.page.Present, id)
}

// offers converts the elements of a search into parts, and adds their games as items for
// details.
func (r *reading) offers(ctx context.Context, elements []element) error {
	titles := make(map[string]string) // of games, by namespace
	for i := range elements {
		e := &elements[i]
		home := e.namespaceHome()
		if t, _, _ := e.kindOf(); t == catalog.Base {
			titles[e.Namespace] = e.Title
			home = e.ownHome() // the home of the game is that of its add-ons
		}
		if home != "" {
			r.homes.save(e.Namespace, home, r.now)
		}
	}
	named := make(map[string]bool)
	for i := range elements {
		e := &elements[i]
		slug, err := r.offer(ctx, e, "", titles[e.Namespace])
		if err != nil {
			return err
		}
		if slug != "" && !named[slug] {
			named[slug] = true
			r.page.Items = append(r.page.Items, sweep.Item{Kind: sweep.Details, ID: slug})
		}
	}
	return nil
}

// offer adds an offer's parts to the page and returns its home slug, or "" if it is not
// listed in any of the countries. If the element does not have its home, offer uses home;
// without that, it looks up the home.
func (r *reading) offer(ctx context.Context, e *element, home, gameTitle string) (string, error) {
	t, demo, ok := e.kindOf()
	if !ok || !e.listed(r.now) {
		return "", nil
	}
	// In a partial answer, an offer without a price may be for sale, and one
	// without a mapping may have a page.
	if e.interrupted && (e.Price == nil || e.CatalogNs.Mappings == nil || e.OfferMappings == nil) {
		r.page.Present = append(r.page.Present, e.ID)
		return "", nil
	}
	slug := cmp.Or(e.ownHome(), home)
	if slug == "" {
		found, err := r.lookUpHome(ctx, e)
		if err != nil {
			if _, ok := errors.AsType[*upstream.Error](err); !ok || ctx.Err() != nil {
				return "", err
			}
			// The listing stays unchanged while the platform service cannot be reached.
			r.cfg.Log.Debug("cannot look up the home page of an offer", "offer", e.ID, "err", err)
			r.page.Present = append(r.page.Present, e.ID)
			return "", nil
		}
		slug = found.slug
		if name := cmp.Or(found.refused, e.notSlug()); slug == "" && name != "" {
			r.unread(e.ID, fmt.Errorf("its page %.200q is not a slug", name))
			return "", nil
		}
	}
	if slug == "" {
		r.cfg.Log.Debug("an offer has no home page", "offer", e.ID, "title", e.Title)
		return "", nil
	}
	shown, err := e.priceOf(r.now)
	if err != nil {
		r.unread(e.ID, err)
		return slug, nil
	}
	// Only announced: it cannot be bought here, or not yet, apart from a
	// pre-order that has a price.
	preorder := e.prePurchase() && e.Price != nil && e.Price.Total.Original > 0
	if e.CodeRedemption || catalog.Millis(e.EffectiveDate) > r.now && !preorder {
		shown = nil
	}
	if !r.fillCountries(e, shown, r.part(e, t, demo, slug, gameTitle)) {
		return "", nil
	}
	return slug, nil
}

// fillCountries adds a part with a separate price for every country of the price region
// that lists the offer, and reports whether there was any.
func (r *reading) fillCountries(e *element, shown *catalog.Price, p sweep.Part) bool {
	p.Shows |= sweep.ShowsPrice
	if shown != nil && shown.Currency != r.region.Currency {
		r.cfg.Log.Debug("a price is not in the currency of the profile",
			"region", r.region.Countries[0].String(), "offer", e.ID, "currency", string(shown.Currency))
	}
	any, barred := false, readCountries(e.Attributes.named("blacklist"))
	for _, country := range r.region.Countries {
		if e.Blacklist[country] || barred[country] || len(e.Whitelist) > 0 && !e.Whitelist[country] {
			continue
		}
		one := p
		one.Region = country
		if shown != nil {
			price := *shown
			one.Price = &price
		}
		r.page.Parts = append(r.page.Parts, one)
		any = true
	}
	return any
}
