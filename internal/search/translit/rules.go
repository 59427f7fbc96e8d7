package translit

import "strings"

// The alphabet of keys: b v g d j(ж, дж) s(с, з) k l m n p r t f h c(ч) S(ш, щ).

const (
	russianVowels = "аеиоуыэюяйьъіїє"
	englishVowels = "aeiouy"
	plainVowels   = englishVowels + "w" // the ASCII ones of readings
	voiceless     = "кптсфхцчшщ"
)

// respelled are letters of Latin and Greek words that Russian has as consonants.
var respelled = strings.NewReplacer("au", "av", "eu", "ev")

var cyrillicRules = alphabet{
	plain: keys("бвґджзклмнпрстфхчшщу", "bvgdjsklmnprstfhcSSv"),
	rules: []rule{
		{letters: "дж", sounds: []string{"j"}},
		{letters: "дз", sounds: []string{"s", "ds"}},
		{letters: "ция", sounds: []string{"Sn", "tsia"}, end: true},                                                            // -tion
		{letters: "зия", sounds: []string{"jn", "sia"}, end: true}, {letters: "сия", sounds: []string{"Sn", "sia"}, end: true}, // -sion
		{letters: "тч", sounds: []string{"c"}},
		{letters: "тс", sounds: []string{"ts"}},
		// At the end, voiced and voiceless ones sound alike, and some before voiceless ones.
		{letters: "б", sounds: []string{"b", "p"}, end: true}, {letters: "б", sounds: []string{"b", "p"}, before: voiceless},
		{letters: "в", sounds: []string{"v", "f"}, end: true}, {letters: "в", sounds: []string{"v", "f"}, before: voiceless},
		{letters: "г", sounds: []string{"g", "h", "k"}, end: true},
		{letters: "г", sounds: []string{"g", "h"}},
		{letters: "д", sounds: []string{"d", "t"}, end: true},
		{letters: "к", sounds: []string{"k", "g"}, end: true},
		{letters: "п", sounds: []string{"p", "b"}, end: true},
		{letters: "т", sounds: []string{"t", "d"}, end: true},
		{letters: "ф", sounds: []string{"f"}, start: true},
		{letters: "ф", sounds: []string{"f", "v"}, end: true},
		{letters: "ц", sounds: []string{"ts", "s"}},
	},
	// у before another vowel is an English w: уорлд.
	isVowel: func(before, r, after rune) bool {
		w := r == 'у' && strings.ContainsRune("оаиэ", after) && !strings.ContainsRune(russianVowels, before)
		return !w && strings.ContainsRune(russianVowels, r)
	},
	vowelsOf: func(letters string, _, _ bool) cluster { return cluster{soundOfRussian.Replace(letters)} },
}.indexed()

// soundOfRussian writes vowels in the letters a, e, i, o and u.
var soundOfRussian = strings.NewReplacer("а", "a", "е", "e", "и", "i", "о", "o", "у", "u", "ы", "i", "э", "e",
	"ью", "u", "ю", "u", "я", "a", "й", "i", "ь", "", "ъ", "", "і", "i", "ї", "i", "є", "e")

var (
	plainEnglish  = strings.NewReplacer("y", "i", "w", "u")
	withoutGlides = strings.NewReplacer("ya", "a", "yu", "u", "yo", "e", "ye", "e", "y", "i")
)

// latinConsonants are written in keys as in words.
var latinConsonants = keys("bdfgjklmnprstv", "bdfgjklmnprstv")

var englishRules = alphabet{
	plain: latinConsonants,
	rules: []rule{
		{letters: "tch", sounds: []string{"c"}},
		{letters: "tion", sounds: []string{"Sen", "Son"}},
		{letters: "sion", sounds: []string{"Sen", "Son", "jen", "jon"}},
		{letters: "ture", sounds: []string{"cer", "cur", "tur"}},
		{letters: "sure", sounds: []string{"jer", "jur", "Sur"}, after: englishVowels},
		{letters: "cial", sounds: []string{"Sal"}}, {letters: "tial", sounds: []string{"Sal"}},
		{letters: "stl", sounds: []string{"sl", "stl"}},
		{letters: "l", sounds: []string{"l", ""}, after: "a", before: "kfm"}, // walk, half, calm
		{letters: "kh", sounds: []string{"h", "k"}},
		{letters: "zh", sounds: []string{"j", "s"}},
		{letters: "sch", sounds: []string{"S", "sk"}},
		{letters: "ght", sounds: []string{"t"}},
		{letters: "ck", sounds: []string{"k"}},
		{letters: "ch", sounds: []string{"c", "k", "h"}},
		{letters: "sh", sounds: []string{"S", "s"}, before: "i"}, // as Japanese is written in Russian
		{letters: "sh", sounds: []string{"S"}, end: true},
		{letters: "sh", sounds: []string{"S"}, start: true},
		{letters: "sh", sounds: []string{"S", "sh"}},
		{letters: "ph", sounds: []string{"f", "ph"}},
		{letters: "gh", sounds: []string{"g"}, start: true},
		{letters: "gh", sounds: []string{"", "f", "g"}},
		{letters: "th", sounds: []string{"t", "s", "f"}},
		{letters: "wh", sounds: []string{"v", "h"}},
		{letters: "kn", sounds: []string{"n"}, start: true},
		{letters: "wr", sounds: []string{"r", "vr"}, start: true},
		{letters: "ps", sounds: []string{"ps", "s"}, start: true},
		{letters: "x", sounds: []string{"ks", "s"}, start: true},
		{letters: "x", sounds: []string{"ks"}},
		{letters: "qu", sounds: []string{"kv", "k"}},
		{letters: "q", sounds: []string{"k"}},
		{letters: "sc", sounds: []string{"s", "sk"}, before: "eiy"},
		{letters: "cc", sounds: []string{"ks", "k"}, before: "eiy"},
		{letters: "c", sounds: []string{"s", "k", "ts"}, before: "y"},
		{letters: "c", sounds: []string{"s", "ts"}, before: "ei"},
		{letters: "c", sounds: []string{"k"}},
		{letters: "dg", sounds: []string{"j"}, before: "eiy"},
		{letters: "gg", sounds: []string{"g", "j"}, before: "eiy"},
		{letters: "gn", sounds: []string{"n", "gn"}, start: true}, {letters: "gn", sounds: []string{"n", "gn"}, end: true},
		{letters: "gu", sounds: []string{"g"}, before: "eiy"},
		{letters: "g", sounds: []string{"j", "g"}, before: "eiy"},
		{letters: "zz", sounds: []string{"s", "ts"}},
		{letters: "z", sounds: []string{"s", "ts"}},
		{letters: "mb", sounds: []string{"m", "mb"}, end: true},
		{letters: "w", sounds: []string{"v", ""}, after: englishVowels, before: englishVowels},
		{letters: "w", sounds: []string{"v"}, before: englishVowels},
		{letters: "h", sounds: []string{"h", ""}},
		{letters: "s", sounds: []string{"s", ""}, end: true},
	},
	isVowel:  isEnglishVowel,
	vowelsOf: soundOfEnglish,
}.indexed()

// isEnglishVowel reports whether a letter is part of the vowels; w is, except before
// one.
func isEnglishVowel(before, r, after rune) bool {
	if r == 'w' {
		return strings.ContainsRune(englishVowels, before) && !strings.ContainsRune(englishVowels, after)
	}
	return strings.ContainsRune(englishVowels, r)
}

// englishClusters are the ways in which English vowels sound in Russian.
var englishClusters = map[string]cluster{
	"a": {"a", "e", "ei", "o"}, "e": {"e", "i"}, "i": {"i", "ai", "e"}, "o": {"o", "a", "ou", "u"}, "u": {"u", "a", "iu", "i", "e"},
	"y":  {"i", "ai"},
	"ea": {"i", "e", "ei", "ea"}, "ee": {"i"}, "ei": {"ei", "i", "ai"}, "ey": {"i", "ei", "ai"}, "ie": {"i", "ai", "e", "ie"},
	"ai": {"ei", "ai", "e"}, "ay": {"ei", "ai", "e", "i"}, "oa": {"ou", "o", "oa"}, "oo": {"u", "o", "a"}, "ou": {"au", "u", "ou", "a", "o", "e"},
	"ow": {"ou", "au", "o"}, "au": {"au", "o", "a"}, "aw": {"o", "au", "a"}, "ew": {"u", "iu", "eu"}, "eu": {"eu", "u", "iu", "e"},
	"ue": {"u", "iu", "", "ue"}, "oi": {"oi"}, "oy": {"oi"}, "ia": {"ia", "aia", "a", "iia"}, "io": {"io", "aio", "o", "iio"},
	"iou": {"iu", "i", "u"}, "eo": {"eo", "io", "i"}, "ya": {"a", "ia"}, "yo": {"io", "o", "e"}, "yu": {"u", "iu"}, "ye": {"e", "ie"},
	"yi": {"aii", "ai", "ii", "aiai"}, "ua": {"ua", "a"}, "ui": {"ui", "i", "u"}, "uie": {"ai", "ui"},
}

// soundOfEnglish returns the ways in which vowels sound. An e alone may be silent but
// at the start of a word, and is no i at the end of one with other vowels.
func soundOfEnglish(letters string, start, end bool) cluster {
	switch {
	case letters == "e" && end:
		return cluster{"e", ""}
	case letters == "e" && !start:
		return innerE
	}
	if c, ok := shortClusters[letters]; ok {
		return c
	}
	return soundsOf(letters)
}

var innerE = append(soundsOf("e"), "")

// shortClusters are the sounds of no letters, those of englishClusters, and any two letters.
var shortClusters = func() map[string]cluster {
	sounds := map[string]cluster{"": {""}}
	for letters := range englishClusters {
		sounds[letters] = soundsOf(letters)
	}
	for i := range len(plainVowels) * len(plainVowels) {
		letters := string([]byte{plainVowels[i/len(plainVowels)], plainVowels[i%len(plainVowels)]})
		sounds[letters] = soundsOf(letters)
	}
	return sounds
}()

// soundsOf returns vowels as they are written, and other ways in which they sound.
func soundsOf(letters string) cluster {
	others, ok := englishClusters[letters]
	if !ok {
		others = combined(letters)
	}
	return append(cluster{plainEnglish.Replace(letters)}, others...)
}

// combined returns the sounds of the parts of a long cluster, put together.
func combined(letters string) cluster {
	whole := cluster{""}
	for _, r := range letters[:min(len(letters), 3)] {
		var next cluster
		for _, before := range whole {
			for _, sound := range englishClusters[string(r)] {
				next = append(next, before+sound)
			}
		}
		whole = next
	}
	return whole
}

var latinRules = alphabet{
	plain: latinConsonants,
	rules: []rule{
		{letters: "shch", sounds: []string{"S"}}, {letters: "sch", sounds: []string{"S"}},
		{letters: "sh", sounds: []string{"S", "sh"}}, {letters: "zh", sounds: []string{"j"}},
		{letters: "kh", sounds: []string{"h"}}, {letters: "ch", sounds: []string{"c"}},
		{letters: "dzh", sounds: []string{"j"}}, {letters: "ts", sounds: []string{"ts", "s"}}, {letters: "tz", sounds: []string{"ts"}},
		{letters: "c", sounds: []string{"ts", "k", "s"}}, {letters: "x", sounds: []string{"ks", "h"}},
		{letters: "w", sounds: []string{"v", "S"}}, {letters: "q", sounds: []string{"k"}},
		{letters: "h", sounds: []string{"h", "g"}}, {letters: "j", sounds: []string{"j", ""}}, {letters: "z", sounds: []string{"s", "ts"}},
	},
	isVowel: func(_, r, _ rune) bool { return strings.ContainsRune(englishVowels, r) },
	vowelsOf: func(letters string, _, _ bool) cluster {
		plain := strings.ReplaceAll(letters, "y", "i")
		short := withoutGlides.Replace(letters)
		return cluster{plain, short, strings.TrimSuffix(plain, "i"), plain + "i"}
	},
}.indexed()

// irregular are English words that their letters do not give, as Russian speakers
// write them.
var irregular = map[string]string{
	"one": "ван", "two": "ту", "eye": "ай", "eight": "эйт", "island": "айленд", "who": "ху", "of": "оф", "knight": "найт",
	"through": "сру", "enough": "инаф", "war": "вар", "wars": "варс", "sword": "сорд", "world": "ворлд", "colonel": "кернел",
	"high": "хай", "might": "майт", "rogue": "роуг", "league": "лиг", "siege": "сидж", "heroes": "хироус", "queen": "квин",
}
