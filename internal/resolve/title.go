package resolve

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gamedex/internal/catalog"
	"gamedex/internal/fold"
	"gamedex/internal/index"
	"gamedex/internal/search"
	"gamedex/internal/search/spelling"
)

// maxHits is how many cards of a search are considered. Those whose names are the text come
// first.
const maxHits = 8

// title is a title and its readings, which are made when they are first needed.
type title struct {
	item    *Item
	length  int // bytes of the folded text
	made    bool
	list    []reading
	similar []reading // to be searched with typing errors
}

// reading is a title without some of its words.
type reading struct {
	text    string
	devices []string // of the words that were dropped
	year    int      // that was dropped
	certain bool     // false: without words that can name another game
	addOn   bool     // without words that name an add-on
	old     []string // consoles of former generations of the words that were dropped
}

// readings returns the readings of the title but the one as written, the strictest first.
func (t *title) readings() []reading {
	if t.made {
		return t.list
	}
	t.made = true
	year, text := yearIn(t.item.Text)
	words := fold.Words(text)
	if len(words) == 0 || t.length > maxRephrased {
		return nil
	}
	rd := reading{text: text, year: year, certain: true}
	if year != 0 {
		t.list = append(t.list, rd)
	}
	for _, weak := range [...]bool{false, true} {
		if rest, dropped := withoutShop(words, weak); rest != nil {
			words = rest
			rd.text, rd.devices = strings.Join(rest, " "), append(rd.devices, devicesIn(dropped)...)
			rd.addOn, rd.old = rd.addOn || addOns.In(dropped), append(rd.old, oldConsolesIn(dropped)...)
			t.list = append(t.list, rd)
		}
	}
	t.similar = append(t.similar, rd)
	if last := len(words) - 1; year == 0 && last > 0 && spelling.IsYear(words[last]) {
		dated := rd
		dated.text = strings.Join(words[:last], " ")
		dated.year, _ = strconv.Atoi(words[last])
		t.list = append(t.list, dated)
	}
	if rest := withoutEdition(words); rest != nil {
		words = rest
		rd.text = strings.Join(rest, " ")
		t.list, t.similar = append(t.list, rd), append(t.similar, rd)
	}
	original := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(remakes, w) })
	if len(original) > 0 && len(original) < len(words) {
		rd.text, rd.certain = strings.Join(original, " "), false
		t.list = append(t.list, rd)
	}
	return t.list
}

// tied reports whether a match has several cards with the title, so that no other reading
// is tried.
func (t *title) tied(m *Match) bool { return m.Status == Ambiguous && m.Way != Typo }

// The bounds of the folded form of a title, in bytes: how long it is at most to be searched, and to be read in other
// ways. A sign can stand for four words, and then the longest title has 800 words.
const (
	maxWritten   = 800
	maxRephrased = 300
)

// written returns the match of a title as it is written. same reports whether a title is equal.
func (r *Resolver) written(t *title, p catalog.Platform) (m Match, same bool) {
	if t.length > maxWritten {
		return Match{Platform: p}, false
	}
	return r.pick(reading{text: t.item.Text, certain: true}, t.item, p)
}

// rephrased returns the match of a title of which no name is known as it is written; weak has
// likely candidates.
func (r *Resolver) rephrased(t *title, weak Match) Match {
	for _, rd := range t.readings() {
		m, _ := r.pick(rd, t.item, weak.Platform)
		if m.Status == Resolved {
			m.Way = Edition
		}
		if weak = weak.or(m); weak.Status == Resolved || t.tied(&weak) {
			return weak
		}
	}
	return weak
}

// mistyped puts what is found of a title with typing errors into the matches, which have likely
// candidates.
func (r *Resolver) mistyped(t *title, matches []Match) {
	for _, rd := range t.similar {
		if !r.findSimilar(rd.text, matches) {
			continue
		}
		open := false
		for i := range matches {
			m := &matches[i]
			if m.Status != Resolved && r.View.Serves(m.Platform) {
				*m = m.or(r.similar(rd, t.item, m.Platform))
				open = open || m.Status != Resolved
			}
		}
		if !open {
			return
		}
	}
}

// pick returns the match of the cards that have a reading as a name; else that of cards with
// which it may be meant, which is ambiguous and found by Typo. same reports whether names are equal.
func (r *Resolver) pick(rd reading, it *Item, p catalog.Platform) (m Match, same bool) {
	r.hits = r.View.FindWhole(rd.text, p, maxHits, r.hits[:0])
	query := fold.Words(rd.text)
	tierOf := func(h index.Hit) tier {
		t := tierOf(h)
		if t == worstTier && h.Shown != search.NotOwn && goesOnWithNoun(query, h.Title) {
			return withoutNoun
		}
		return t
	}
	best := worstTier
	for _, h := range r.hits {
		best = min(best, tierOf(h))
	}
	if best == worstTier {
		return r.likely(query, p), false
	}
	r.cards = r.cards[:0]
	for _, h := range r.hits {
		if tierOf(h) == best {
			r.cards = append(r.cards, h.Card)
		}
	}
	r.cards = prefer(r.cards, func(c index.Card) bool { return c.EditionName() == "" }) // other names lack it
	devices := it.Devices
	if len(devices) == 0 {
		devices = rd.devices
	}
	year := it.Year
	if year == 0 {
		year = rd.year
	}
	r.cards = prefer(r.cards, func(c index.Card) bool { return isFor(c, devices) })
	r.cards = prefer(r.cards, func(c index.Card) bool { return year != 0 && yearOf(c) == year })
	m = matchOf(p, Alias, r.cards)
	if m.Status == Resolved && best < standsFor {
		switch {
		case spelling.Key(m.Card.Title()) == spelling.Key(rd.text):
			m.Way = Exact
		case m.Card.EditionName() != "" && !r.shows(m.Card, rd.text):
			m = m.doubted() // a name of the game, without the edition
		}
	}
	if m.Status == Resolved && r.doubts(m.Card, rd, best, it, year) {
		m = m.doubted()
	}
	if best >= offerTitle && m.Status == Resolved {
		m.Way = Edition
	}
	return m, best == ownTitle || best == otherTitle
}

// shows reports whether the last search found a card by a title that is the text.
func (r *Resolver) shows(c index.Card, text string) bool {
	return slices.ContainsFunc(r.hits, func(h index.Hit) bool { return h.Card == c && spelling.Key(h.Title) == spelling.Key(text) })
}

// doubts reports whether it is not certain that a card is meant.
func (r *Resolver) doubts(c index.Card, rd reading, best tier, it *Item, year int) bool {
	released := yearOf(c)
	otherYear := year != 0 && released != 0 && max(year-released, released-year) > 1
	return !rd.certain || rd.namesOther(c) || otherYear || it.Devices != nil && isForOthers(c, it.Devices) ||
		best == numerals && hasWord(rd.text, "10", "x") || // X can be a letter
		best == offerTitle && !hasEdition(c, rd.text)
}

// namesOther reports whether words that were dropped say that another product is meant than a card:
// an add-on, or a game for an older console.
func (rd *reading) namesOther(c index.Card) bool {
	return rd.addOn && c.Type() != catalog.DLC || slices.ContainsFunc(rd.old, func(d string) bool { return !has(c.Platforms(), d) })
}

// tier is how well a name fits; less is better.
type tier uint8

const (
	ownTitle    tier = iota // the card's title
	otherTitle              // another name of the card
	numerals                // with other numerals
	standsFor               // with an article or an acronym
	offerTitle              // the title of an offer of the card
	withoutNoun             // an edition's name without "Edition"
	worstTier
)

func tierOf(h index.Hit) tier {
	switch {
	case h.Shown == search.NotOwn && h.Like <= search.Numerals:
		return offerTitle
	case h.Shown == search.NotOwn || h.Like > search.StandsFor:
		return worstTier
	case h.Like == search.StandsFor:
		return standsFor
	case h.Like == search.Numerals:
		return numerals
	case h.Shown == 0:
		return ownTitle
	}
	return otherTitle
}

// prefer returns the cards that pass, or all if none does.
func prefer(cards []index.Card, pass func(index.Card) bool) []index.Card {
	if len(cards) < 2 || !slices.ContainsFunc(cards, pass) {
		return cards
	}
	return slices.DeleteFunc(cards, func(c index.Card) bool { return !pass(c) })
}

// likely returns the cards of the last search whose titles go on with a subtitle or words of an
// edition, or end with the text after a name that is often left out.
func (r *Resolver) likely(query []string, p catalog.Platform) Match {
	m := Match{Platform: p, Way: Typo}
	for _, h := range r.hits {
		if h.Shown != search.NotOwn && mayMean(query, h.Title) {
			m.Status = Ambiguous
			m.addCandidate(h.Card)
		}
	}
	return m
}

// mayMean reports whether a title that has the words of a query goes on with a subtitle or
// words of an edition, or has a name before them that is often left out ("Marvel's", "The Elder
// Scrolls IV:").
func mayMean(query []string, title string) bool {
	words := fold.Words(title)
	n := len(query)
	if n == 0 || n >= len(words) {
		return false
	}
	if spelling.Key(strings.Join(words[:n], " ")) == spelling.Key(strings.Join(query, " ")) {
		rest := words[n:]
		return isEdition(rest) || endsPart(title, n) || slices.Contains(remakes, query[n-1]) && numbersOf(strings.Join(rest, " ")) == nil
	}
	before := len(words) - n
	return slices.Equal(words[before:], query) && (endsPart(title, before) || strings.HasSuffix(words[before-1], "s") && before <= 2)
}

// endsPart reports whether a part of a title ends after its first n words: before a colon or a dash.
func endsPart(title string, n int) bool {
	for _, mark := range [...]string{":", " - ", " – ", " — ", "：", "～"} {
		if before, _, found := strings.Cut(title, mark); found && len(fold.Words(before)) == n {
			return true
		}
	}
	return false
}

// maxSimilar is how many bytes of a title are compared with typing errors: searches for absurd
// ones take long.
const maxSimilar = 160

// findSimilar searches the stores of the matches for a text with typing errors, once for all. It
// reports whether there are any hits.
func (r *Resolver) findSimilar(text string, matches []Match) bool {
	if len(text) > maxSimilar {
		return false
	}
	sounds := isCyrillic(text) && r.bySound < MaxBySound
	p := matches[0].Platform
	if len(matches) > 1 {
		p = 0
	}
	r.hits = r.View.FindSimilar(text, p, len(matches)*maxHits, sounds, r.hits[:0])
	if sounds && len(r.hits) == 0 {
		r.bySound++
	}
	return len(r.hits) > 0
}

// similar returns the match of a reading with typing errors among the hits of the last search.
func (r *Resolver) similar(rd reading, it *Item, p catalog.Platform) Match {
	cyrillic := isCyrillic(rd.text)
	m := Match{Platform: p, Way: Typo}
	key := spelling.Key(rd.text)
	query := []rune(key)
	allowed := min(2, len(query)/8)
	within := 0 // cards whose titles are within the allowed errors
	for _, h := range r.hits {
		name := spelling.Key(h.Title)
		if h.Card.Platform() != p || !sameNumbers(key, name) {
			continue
		}
		switch d := spelling.Edits(query, []rune(name), allowed+1); {
		case d <= allowed:
			within++
			m.addCandidate(h.Card)
		case d == allowed+1, cyrillic && len(strings.Fields(key)) == len(strings.Fields(name)):
			m.addCandidate(h.Card)
		}
	}
	if m.count == 0 {
		return m
	}
	m.Status = Ambiguous
	if within == 1 && m.count == 1 && !r.doubts(m.candidates[0], rd, otherTitle, it, cmp.Or(it.Year, rd.year)) {
		m.Status, m.Card, m.count = Resolved, m.candidates[0], 0
	}
	return m
}

func isCyrillic(text string) bool {
	return strings.ContainsFunc(text, func(c rune) bool { return unicode.Is(unicode.Cyrillic, c) })
}

// isFor reports whether a card is for all of some devices.
func isFor(c index.Card, devices []string) bool {
	return len(devices) > 0 && !slices.ContainsFunc(devices, func(d string) bool { return !has(c.Platforms(), d) })
}

// isForOthers reports whether a card is for none of some devices, but for another of a maker of
// them, as PS4 is of that of PS5.
func isForOthers(c index.Card, devices []string) bool {
	related := false
	list := c.Platforms()
	for _, d := range devices {
		if has(list, d) {
			return false
		}
		for i := range list.Len() {
			related = related || strings.EqualFold(strings.TrimRight(list.At(i), "0123456789"), strings.TrimRight(d, "0123456789"))
		}
	}
	return related
}

func has(list index.List, text string) bool {
	for i := range list.Len() {
		if strings.EqualFold(list.At(i), text) {
			return true
		}
	}
	return false
}

// yearOf returns the year of a card's release; 0 if it is not known.
func yearOf(c index.Card) int {
	date := c.ReleaseDate()
	year, _ := strconv.Atoi(date[:min(4, len(date))])
	return year
}

func hasWord(text string, any ...string) bool {
	return slices.ContainsFunc(fold.Words(text), func(w string) bool { return slices.Contains(any, w) })
}

// hasEdition reports whether an offer of a card that is an edition has the title.
func hasEdition(c index.Card, title string) bool {
	key, offers := spelling.Key(title), c.Offers()
	for i := range offers.Len() {
		if o := offers.At(i); o.IsEdition() && spelling.Key(o.Title()) == key {
			return true
		}
	}
	return false
}
