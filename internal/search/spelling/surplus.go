package spelling

// What people add to the title of a game that they search for.
var (
	platforms = NewPhrases(Devices, []string{"playstation 2", "game pass", "switch", "epic", "ubisoft", "ps2", "vita", "mac", "android",
		"ios", "mobile", "пс3", "плейстейшен", "плейстейшн", "иксбокс", "свитч", "консоль"})
	editions = NewPhrases(EditionNames, []string{"edition", "version", "bundle", "remastered", "remaster", "remake", "hd", "4k", "game",
		"ремейк", "ремастер", "игра", "surumu", "edycja"})
)

// WithoutPlatforms returns the words of a query without platforms, stores and years of release,
// and the words that it left out. The first word always stays.
func WithoutPlatforms(words []string) (rest, dropped []string) {
	return without(words, platforms, true)
}

// WithoutEditions returns the words of a query without those of an edition or a version, and the
// words that it left out. The first word always stays.
func WithoutEditions(words []string) (rest, dropped []string) { return without(words, editions, false) }

func without(words []string, phrases Phrases, years bool) (rest, dropped []string) {
	for i := 0; i < len(words); {
		n := phrases.Prefix(words[i:])
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
