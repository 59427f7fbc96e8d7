package spelling

import (
	"slices"
	"strings"
)

// The words are folded, and longer phrases come before those that they begin with.
var (
	platforms = phrases("xbox series x", "xbox series s", "nintendo switch 2", "nintendo switch", "xbox series", "xbox one",
		"xbox 360", "playstation 5", "playstation 4", "playstation 3", "playstation 2", "ps vita", "steam deck", "epic games",
		"game pass", "ps 5", "ps 4", "windows 11", "windows 10", "playstation", "xbox", "switch", "steam", "epic", "gog", "ubisoft",
		"ps5", "ps4", "ps3", "ps2", "psn", "vita", "pc", "mac", "windows", "android", "ios", "mobile",
		"пс 5", "пс 4", "пс5", "пс4", "пс3", "пк", "плейстейшен", "плейстейшн", "иксбокс", "свитч", "стим", "консоль")
	editions = phrases("game of the year", "directors cut", "digital", "deluxe", "super", "ultimate", "gold", "premium", "standard",
		"complete", "definitive", "special", "limited", "collectors", "collector", "legendary", "platinum", "royal", "anniversary",
		"enhanced", "goty", "edition", "version", "bundle", "remastered", "remaster", "remake", "hd", "4k", "full", "game",
		"издание", "полное", "делюкс", "ремейк", "ремастер", "игра", "surumu", "edycja")
)

func phrases(texts ...string) (list [][]string) {
	for _, t := range texts {
		list = append(list, strings.Fields(t))
	}
	return list
}

// WithoutPlatforms returns the words of a query without platforms, stores and years of release,
// and the words that it left out. The first word always stays.
func WithoutPlatforms(words []string) (rest, dropped []string) {
	return without(words, platforms, true)
}

// WithoutEditions returns the words of a query without those of an edition or a version, and the
// words that it left out. The first word always stays.
func WithoutEditions(words []string) (rest, dropped []string) { return without(words, editions, false) }

func without(words []string, phrases [][]string, years bool) (rest, dropped []string) {
	for i := 0; i < len(words); {
		n := 0
		for _, p := range phrases {
			if n == 0 && i+len(p) <= len(words) && slices.Equal(words[i:i+len(p)], p) {
				n = len(p)
			}
		}
		if n == 0 && years && IsYear(words[i]) {
			n = 1
		}
		if n == 0 || i == 0 {
			rest = append(rest, words[i])
			i++
			continue
		}
		dropped = append(dropped, words[i:i+n]...)
		i += n
	}
	return rest, dropped
}
