package translit

import (
	"cmp"
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

// Distance is how far two words are apart by sound.
type Distance struct {
	Vowels  int // how many vowels differ
	Unusual int // 1 if some consonants are not read in the usual way
}

// none is the distance of words that do not sound alike.
var none = Distance{maxWord, 1}

func (d Distance) isBelow(e Distance) bool {
	return cmp.Or(cmp.Compare(d.Vowels, e.Vowels), cmp.Compare(d.Unusual, e.Unusual)) < 0
}

// differing returns how many of two lists of vowels differ.
func differing(a, b []cluster) (n int) {
	for i := range a {
		if !slices.ContainsFunc(a[i], func(s string) bool { return slices.Contains(b[i], s) }) {
			n++
		}
	}
	return n
}

// nearest returns the smallest distance of two words' sounds, of which compare returns by
// how many vowels they differ, and whether they are alike.
func nearest(a, b []Sound, compare func(s, t Sound) (vowels int, ok bool)) (Distance, bool) {
	least := none
	for _, s := range a {
		for _, t := range b {
			vowels, ok := compare(s, t)
			d := Distance{Vowels: vowels}
			if s.Key != a[0].Key || t.Key != b[0].Key {
				d.Unusual = 1
			}
			if ok && d.isBelow(least) {
				least = d
			}
		}
	}
	return least, least != none
}

// Alike returns the smallest distance of two words' sounds, and whether it is small
// enough for words of their length: at most a third of the vowels, or one, differ.
func Alike(a, b []Sound) (Distance, bool) {
	return nearest(a, b, func(s, t Sound) (int, bool) {
		if s.Key != t.Key {
			return 0, false
		}
		n := differing(s.vowels, t.vowels)
		return n, n <= max(1, len(s.vowels)/3) && len(s.Key) > n
	})
}

// IsUsual reports whether two words sound alike if both are read in the usual way.
func IsUsual(a, b []Sound) bool {
	if len(a) == 0 || len(b) == 0 || a[0].Key != b[0].Key {
		return false
	}
	for i, c := range a[0].vowels {
		usual := b[0].vowels[i][:min(2, len(b[0].vowels[i]))] // as written, and the first that is listed
		silent := i == len(a[0].Key) && c[0] == "" && slices.Contains(b[0].vowels[i], "")
		if !slices.Contains(usual, c[0]) && !silent {
			return false
		}
	}
	return true
}

// Begins returns the smallest distance of the sounds of a word's beginning and of whole
// words, and whether it is small enough: at most a third of the consonants. The vowels
// that the beginning ends with may go on in the word.
func Begins(beginning, whole []Sound) (Distance, bool) {
	return nearest(beginning, whole, func(s, t Sound) (int, bool) {
		if !strings.HasPrefix(t.Key, s.Key) {
			return 0, false
		}
		last := len(s.Key)
		n := differing(s.vowels[:last], t.vowels[:last])
		if !s.vowels[last].begins(t.vowels[last]) {
			n++
		}
		return n, n <= len(s.Key)/3
	})
}

// OneConsonant reports whether two words with three consonants or more would have the
// same ones if one was missing, added or another.
func OneConsonant(a, b []Sound) bool {
	const least = 3
	near := func(s, t string) bool {
		if len(s) > len(t) {
			s, t = t, s
		}
		at := 0
		for at < len(s) && s[at] == t[at] {
			at++
		}
		return len(s) >= least && (len(s) == len(t) && s[min(at+1, len(s)):] == t[min(at+1, len(t)):] || len(s)+1 == len(t) && s[at:] == t[at+1:])
	}
	return slices.ContainsFunc(a, func(s Sound) bool {
		return slices.ContainsFunc(b, func(t Sound) bool { return near(s.Key, t.Key) })
	})
}

// begins reports whether a way in which c sounds is the beginning of one of d.
func (c cluster) begins(d cluster) bool {
	return slices.ContainsFunc(c, func(s string) bool {
		return slices.ContainsFunc(d, func(t string) bool { return strings.HasPrefix(t, s) })
	})
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
	rules    []rule // the first that fits counts
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
// letter without a rule is silent.
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
