package pcstore

import (
	"slices"
	"strings"

	"gamedex/internal/catalog/titles"
)

// trialNames are endings of the titles of demos and free weekends, each after a space and
// folded.
var trialNames = foldEndings("demo", "демо", "free weekend", "kostenloses Wochenende", "week-end gratuit",
	"fin de semana gratis", "fim de semana grátis", "fim de semana gratuito", "weekend gratuito", "darmowy weekend",
	"ücretsiz hafta sonu", "бесплатные выходные", "безкоштовні вихідні")

func foldEndings(names ...string) []string {
	for i, name := range names {
		names[i] = " " + titles.Fold(name)
	}
	return names
}

// isTrial reports whether a title ends like that of a demo or of a free weekend.
func isTrial(title string) bool {
	folded := " " + titles.Fold(title)
	return slices.ContainsFunc(trialNames, func(name string) bool { return strings.HasSuffix(folded, name) })
}

// editionWords are folded words that name editions.
var editionWords = []string{
	"edition", "anniversary", "collectors", "complete", "definitive", "deluxe", "digital", "enhanced", "gold", "legendary",
	"limited", "platinum", "premium", "silver", "special", "standard", "super", "supporter", "ultimate",
}

const joiners = " -–—:,|+"

// editionName returns the part of an edition's title after the game's title; both are
// compared folded. known is false if the title does not begin with the game's title, or if
// that is unknown. The name is then a guess: the part after the last dash, or the
// words at the end that name editions.
func editionName(title, gameTitle string) (name string, known bool) {
	if game := titles.FoldGame(gameTitle); game != "" {
		if _, ok := titles.CutPrefix(titles.Fold(title), game); ok {
			return titles.Remainder(title, game), true
		}
	}
	for _, dash := range [...]string{" - ", " – ", " — "} {
		if at := strings.LastIndex(title, dash); at > 0 {
			return strings.Trim(title[at+len(dash):], joiners), false
		}
	}
	words := strings.Fields(title)
	first := len(words)
	for first > 0 && slices.Contains(editionWords, titles.Fold(words[first-1])) {
		first--
	}
	return strings.Trim(strings.Join(words[first:], " "), joiners), false
}
