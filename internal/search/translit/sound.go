package translit

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sound is a word as it sounds: consonants with the vowels before each of them and
// after the last.
type Sound struct {
	// Key has the consonants, in an alphabet of this package.
	Key    string
	vowels []cluster
}

// cluster is what stands between two consonants: the ways in which it may sound.
type cluster []string

// The bounds of a reading: how many characters a word may have, and in how many
// ways it is read.
const (
	maxWord  = 24
	maxReads = 12
)

// Cyrillic reports whether a folded word is written in Cyrillic. Digits belong to no
// script, and a word with digits is not read.
func Cyrillic(word string) bool { return only(word, unicode.Cyrillic) }

// Latin reports whether a folded word is written in Latin letters.
func Latin(word string) bool { return only(word, unicode.Latin) }

func only(word string, script *unicode.RangeTable) bool {
	return word != "" && utf8.RuneCountInString(word) <= maxWord &&
		!strings.ContainsFunc(word, func(r rune) bool { return !unicode.Is(script, r) })
}

// Read returns the ways in which a folded word may sound: a Cyrillic one as Russian,
// a Latin one as English.
func Read(word string) []Sound {
	switch {
	case Cyrillic(word):
		return read(word, cyrillicRules)
	case Latin(word):
		if said := irregular[word]; said != "" {
			return append(read(said, cyrillicRules), read(word, englishRules)...)
		}
		sounds := read(word, englishRules)
		if other := respelled.Replace(word); other != word {
			sounds = append(sounds, read(other, englishRules)...)
		}
		return sounds
	}
	return nil
}

// ReadRussian returns the ways in which a Latin word may sound if it is Russian in
// Latin letters.
func ReadRussian(word string) []Sound {
	if !Latin(word) {
		return nil
	}
	return read(word, latinRules)
}

// rule is one way to read some letters. Consonants are what the letters sound as
// if they are not vowels.
type rule struct {
	letters string
	sounds  []string // the first is the usual one; their vowels are English
	start   bool     // only at the beginning of a word
	end     bool     // only at its end
	before  string   // only before one of these letters
	after   string   // only after one of these letters
}

// alphabet is how a language is read.
type alphabet struct {
	rules    []rule        // the first that fits counts
	plain    map[rune]rune // how other consonants sound
	isVowel  func(runes []rune, at int) bool
	vowelsOf func(letters string, start, end bool) cluster // end of a word with vowels before
}

// reading is a word that is being read.
type reading struct {
	key     []byte
	letters string // the vowels since the last consonant
	vowels  []string
}

// read returns the sounds of a word.
func read(word string, a alphabet) []Sound {
	open := []reading{{}}
	runes := []rune(word)
	for at := 0; at < len(runes); {
		if a.isVowel(runes, at) {
			for i := range open {
				open[i].letters += string(runes[at])
			}
			at++
			continue
		}
		r, length := a.ruleAt(runes, at)
		at += length
		var next []reading
		for _, o := range open {
			for _, sound := range r.sounds {
				if len(next) < maxReads {
					next = append(next, o.with(sound))
				}
			}
		}
		open = next
	}
	var sounds []Sound
	for _, o := range open {
		s := Sound{Key: string(o.key)}
		before := ""
		for i, letters := range append(o.vowels, o.letters) {
			s.vowels = append(s.vowels, a.vowelsOf(letters, i == 0, i == len(o.vowels) && before != ""))
			before += letters
		}
		sounds = append(sounds, s)
	}
	return sounds
}

// ruleAt returns the rule for the letters at a position, and how many they are. A
// letter without a rule that is no plain consonant is silent.
func (a alphabet) ruleAt(runes []rune, at int) (rule, int) {
	rest := string(runes[at:])
	for _, r := range a.rules {
		n := utf8.RuneCountInString(r.letters)
		end := at + n
		if !strings.HasPrefix(rest, r.letters) || r.start && at > 0 || r.end && end < len(runes) ||
			r.before != "" && (end == len(runes) || !strings.ContainsRune(r.before, runes[end])) ||
			r.after != "" && (at == 0 || !strings.ContainsRune(r.after, runes[at-1])) {
			continue
		}
		return r, n
	}
	if sound, ok := a.plain[runes[at]]; ok {
		return rule{sounds: []string{string(sound)}}, 1
	}
	return rule{sounds: []string{""}}, 1
}

// with returns the reading with further consonants. A doubled consonant counts once.
func (o reading) with(sound string) reading {
	n := reading{slices.Clone(o.key), o.letters, slices.Clone(o.vowels)}
	for _, c := range []byte(sound) {
		if strings.IndexByte(englishVowels, c) >= 0 {
			n.letters += string(c)
			continue
		}
		if len(n.key) > 0 && n.key[len(n.key)-1] == c && n.letters == "" {
			continue
		}
		n.key = append(n.key, c)
		n.vowels = append(n.vowels, n.letters)
		n.letters = ""
	}
	return n
}
