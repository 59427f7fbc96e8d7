package merge

import (
	"cmp"
	"slices"
	"strings"

	"gamedex/internal/catalog"
)

// languages keeps the languages of locales: few locales serve all listings. Those that
// name no language have "".
type languages map[string]catalog.Language

func (l languages) of(locale string) catalog.Language {
	if locale == "" {
		return ""
	}
	found, known := l[locale]
	if !known {
		found, _ = catalog.ParseLanguage(locale)
		l[locale] = found
	}
	return found
}

// localTitle is the title that represents a language, and the listing that has it.
type localTitle struct {
	language      catalog.Language
	entry         *catalog.Entry
	title, locale string
	own           bool // the title of the listing, not a further one or the invariant name
}

// localTitles returns one title for each language, sorted by language: that of the first
// listing in it, else the first further title, in the order of rows. English may also be
// the invariant name.
func (c *composer) localTitles(rows []uint32) (list []localTitle) {
	add := func(t localTitle) {
		if t.language != "" && t.title != "" && !slices.ContainsFunc(list, func(o localTitle) bool { return o.language == t.language }) {
			list = append(list, t)
		}
	}
	for _, i := range rows {
		e := &c.entries[i]
		add(localTitle{c.languages.of(e.Locale), e, e.Facts.Title, e.Locale, true})
	}
	for _, i := range rows {
		e := &c.entries[i]
		for _, further := range e.Facts.Titles {
			add(localTitle{c.languages.of(further.Locale), e, further.Title, further.Locale, false})
		}
	}
	if i := slices.IndexFunc(rows, func(i uint32) bool { return c.entries[i].Facts.InvariantName != "" }); i >= 0 {
		e := &c.entries[rows[i]]
		add(localTitle{catalog.English, e, e.Facts.InvariantName, string(catalog.English), false})
	}
	slices.SortFunc(list, func(a, b localTitle) int { return strings.Compare(string(a.language), string(b.language)) })
	return list
}

// addTexts sets the card's texts in each language.
func (c *composer) addTexts(card *catalog.Card, has []catalog.ProseFields) {
	local := c.localTitles(c.preferred)
	card.Texts = make([]catalog.Texts, 0, len(local))
	for _, t := range local {
		text := catalog.Texts{Language: t.language, Title: t.title, EditionName: card.EditionName}
		if edition := c.localEdition(card, t); edition != "" {
			text.EditionName = edition
			text.Title = c.shownTitle(card, t.entry, t.title, t.locale, edition)
		}
		card.Texts = append(card.Texts, text)
	}
	for _, n := range c.preferred {
		e := &c.entries[n]
		if !c.isActive(e.Region) {
			break // so are all that follow
		}
		at, ok := slices.BinarySearchFunc(card.Texts, c.languages.of(e.Locale), byLanguage)
		if ok && card.Texts[at].Description == 0 && int(e.Prose) < len(has) && has[e.Prose]&catalog.HasDescription != 0 {
			card.Texts[at].Description = e.Prose
		}
	}
}

func byLanguage(t catalog.Texts, l catalog.Language) int {
	return strings.Compare(string(t.Language), string(l))
}

// localEdition returns the name of the card's edition beside a title, "" if it is not
// known in that language. What remains of the invariant name does not help there: it is in
// English, if in any language.
func (c *composer) localEdition(card *catalog.Card, t localTitle) string {
	own := ""
	if t.own {
		own = shownEdition(t.entry.Facts.Edition)
	}
	switch {
	case card.EditionName == "" || card.Pinned || card.Class == catalog.DemoClass:
		return card.EditionName // none, the operator's, "Demo"
	case t.language == catalog.English:
		return cmp.Or(c.group.Remainder, own)
	}
	return cmp.Or(own, c.group.Remainder)
}

// offerTexts returns the texts of an offer in each language. It keeps the store's titles.
func (c *composer) offerTexts(o *catalog.Offer) (list []catalog.Texts) {
	for _, t := range c.localTitles(c.prefer(o.Rows)) {
		text := catalog.Texts{Language: t.language, Title: t.title, EditionName: o.Edition}
		if t.own && o.Edition != "" && !o.Pinned {
			text.EditionName = cmp.Or(shownEdition(t.entry.Facts.Edition), o.Edition)
		}
		list = append(list, text)
	}
	return list
}

// ballot counts votes for texts. It searches them in order, because the listings
// of a product have only a few different texts.
type ballot struct {
	texts  []string
	counts []uint32
}

func (b *ballot) reset() { b.texts, b.counts = b.texts[:0], b.counts[:0] }

// cast counts votes for a text; an empty text is not a vote.
func (b *ballot) cast(text string, votes uint32) {
	if text == "" || votes == 0 {
		return
	}
	for i, t := range b.texts {
		if t == text {
			b.counts[i] += votes
			return
		}
	}
	b.texts = append(b.texts, text)
	b.counts = append(b.counts, votes)
}

// winner returns the text with the most votes, and their number. Texts with the
// same folded form are one candidate; texts that fold to nothing are none. Ties
// go to the smallest folded form. The text is the smallest of its spellings.
func (b *ballot) winner(foldText func(string) string) (string, uint32) {
	if len(b.texts) == 1 {
		return b.texts[0], b.counts[0]
	}
	var folded ballot
	for i, t := range b.texts {
		folded.cast(foldText(t), b.counts[i])
	}
	form, votes := folded.first()
	if votes == 0 {
		return "", 0
	}
	spelling := ""
	for _, t := range b.texts {
		if foldText(t) == form && (spelling == "" || t < spelling) {
			spelling = t
		}
	}
	return spelling, votes
}

// first is winner without folding: each text is a candidate.
func (b *ballot) first() (text string, votes uint32) {
	for i, t := range b.texts {
		if n := b.counts[i]; n > votes || n == votes && t < text {
			text, votes = t, n
		}
	}
	return text, votes
}
