package merge

import (
	"math"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/override"
	"gamedex/internal/catalog/titles"
	"gamedex/internal/fold"
)

// addNames sets the card's title, its titles in other languages, and the names that
// find it.
func (c *composer) addNames(card *catalog.Card) {
	t := names{card: card, composer: c, known: map[string]struct{}{}, folded: map[string]uint16{}}
	for _, i := range c.preferred {
		if e := &c.entries[i]; e.Facts.Title != "" {
			card.Title = t.shownTitle(t.card, e, e.Facts.Title, e.Locale, t.card.EditionName)
			card.Titles = []string{card.Title}
			t.addName(card.Title, 0)
			t.addName(e.Facts.Title, 0)
			break
		}
	}
	for _, i := range c.preferred {
		e := &c.entries[i]
		t.addShown(e, e.Facts.Title, e.Locale)
		for _, local := range e.Facts.Titles {
			t.addShown(e, local.Title, local.Locale)
		}
	}
	t.addInvariant()
	for _, o := range card.Offers {
		if o.ID == card.Lead {
			continue // its titles in other languages are already added
		}
		for _, i := range o.Rows {
			f := c.entries[i].Facts
			t.addOfferTitle(f.Title)
			for _, local := range f.Titles {
				t.addOfferTitle(local.Title)
			}
		}
	}
}

// names collects a card's titles and names. Of names with the same folded form it
// keeps the first, so titles come before names without a language.
type names struct {
	*composer
	card   *catalog.Card
	known  map[string]struct{} // titles already added, as stores write them
	folded map[string]uint16   // folded names, with the titles that they show
}

// keepsTitles reports whether a card keeps the store's titles, without editions at their
// ends: an add-on, a subscription or a bundle.
func keepsTitles(card *catalog.Card) bool {
	return card.Class == catalog.AddOnClass || card.Class == catalog.SubscriptionClass || card.Type == catalog.Bundle
}

// shownTitle returns a title of a listing as the card shows it: with an edition at its end, in
// the place of the name that the listing has for it.
func (c *composer) shownTitle(card *catalog.Card, e *catalog.Entry, title, locale, edition string) string {
	if edition == "" || keepsTitles(card) {
		return title
	}
	own := e.Facts.Edition
	if own == "" && card.Class != catalog.DemoClass {
		own = c.group.Remainder // the only hint
	}
	// The language is the locale's, else the region's likely one.
	lang, _, _ := strings.Cut(strings.ReplaceAll(locale, "_", "-"), "-")
	if lang == "" {
		if tag, err := language.Parse("und-" + e.Region.String()); err == nil {
			base, _ := tag.Base()
			lang = base.String()
		}
	}
	made := withEdition{title, strings.ToLower(lang), edition, own}
	composed, ok := c.composed[made]
	if !ok {
		if c.composed == nil {
			c.composed = map[withEdition]string{}
		}
		composed = titles.WithEdition(title, made.language, edition, []string{edition, own})
		c.composed[made] = composed
	}
	return composed
}

// withEdition is what a title with an edition is made of.
type withEdition struct{ title, language, edition, own string }

// addShown adds a title in another language, with the names that show it.
func (t *names) addShown(e *catalog.Entry, title, locale string) {
	if _, ok := t.known[title]; ok || title == "" {
		return
	}
	t.known[title] = struct{}{}
	composed := t.shownTitle(t.card, e, title, locale, t.card.EditionName)
	folded := fold.Fold(composed)
	number, ok := t.folded[folded]
	if !ok {
		if len(t.card.Titles) >= math.MaxUint16 {
			return
		}
		number = uint16(len(t.card.Titles))
		if !t.addFoldedName(composed, folded, number) {
			return
		}
		t.card.Titles = append(t.card.Titles, composed)
	}
	if title != composed {
		t.addName(title, number)
	}
}

// addInvariant adds the invariant name as the last title: others come first where they
// match equally well. It is in English, if in any language.
func (t *names) addInvariant() {
	for _, i := range t.preferred {
		if e := &t.entries[i]; len(t.card.Titles) > 0 && e.Facts.InvariantName == t.card.InvariantName {
			t.addShown(e, t.card.InvariantName, "en")
			return
		}
	}
	t.addName(t.card.InvariantName, catalog.NotOwn)
}

// addOfferTitle adds a title of an offer as a name that shows the card's own title.
func (t *names) addOfferTitle(title string) {
	if _, ok := t.known["\x00"+title]; !ok {
		t.known["\x00"+title] = struct{}{}
		t.addName(title, catalog.NotOwn)
	}
}

// addName adds a name unless there is one with the same folded form.
func (t *names) addName(text string, shown uint16) { t.addFoldedName(text, fold.Fold(text), shown) }

func (t *names) addFoldedName(text, folded string, shown uint16) bool {
	if folded == "" {
		return false
	}
	if _, ok := t.folded[folded]; ok {
		return false
	}
	t.folded[folded] = shown
	t.card.Names = append(t.card.Names, catalog.Name{Text: text, Shown: shown})
	return true
}

// ServedBefore returns the products of the console store with which an id was served,
// and whether the id is retired: its products went to other cards after an override or
// a new merge version. It returns none for an id that every card may take.
type ServedBefore func(id string) (products []string, retired bool)

// MergeServed is Merge for a catalog that was served before. A card does not take an
// id whose served listings are mostly in other cards now: it takes the next counter.
// MergeServed returns the ids that were refused for this reason, sorted.
func MergeServed(entries []catalog.Entry, overrides override.Set, before ServedBefore) (groups []Group, refused []string) {
	m := newMerger(entries, overrides, hashGameID)
	m.before = before
	groups = m.merge()
	slices.Sort(m.refused)
	return groups, slices.Compact(m.refused)
}

// refuses reports whether a card may not take an id.
func (m *merger) refuses(c *card, id string) bool {
	if m.before == nil {
		return false
	}
	products, retired := m.before(id)
	if len(products) == 0 {
		return false
	}
	if m.onSale == nil {
		m.onSale = map[string]uint32{}
		for i := range m.products {
			if p := &m.products[i]; p.platform != catalog.PCStore {
				m.onSale[p.id] += p.live
			}
		}
	}
	var all, here uint32
	for _, id := range products {
		all += m.onSale[id]
	}
	for _, n := range c.products {
		if p := &m.products[n]; slices.Contains(products, p.id) {
			here += p.live
		}
	}
	// A retired id stays retired while nothing of it is on sale.
	if all-here <= here && (here > 0 || !retired) {
		return false
	}
	m.refused = append(m.refused, id)
	return true
}
