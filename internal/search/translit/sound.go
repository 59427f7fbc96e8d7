package translit

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sound is a word as it sounds: consonants with the vowels before each of them and
// after the last.
type Sound struct {
	// Key has the consonants, in an alphabet of this package.
	Key      string
	letters  string // the key, with the letters of the vowels
	alphabet *alphabet
	clusters []cluster // the vowels, once they are needed; see vowels
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
		return cyrillicRules.read(word)
	case Latin(word):
		if said := irregular[word]; said != "" {
			return append(cyrillicRules.read(said), englishRules.read(word)...)
		}
		sounds := englishRules.read(word)
		if other := respelled.Replace(word); other != word {
			sounds = append(sounds, englishRules.read(other)...)
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
	return latinRules.read(word)
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
	rules    []rule                                        // the first that fits counts
	plain    map[rune]rune                                 // how other consonants sound
	isVowel  func(before, r, after rune) bool              // no letter at the beginning and the end of a word
	vowelsOf func(letters string, start, end bool) cluster // end of a word with vowels before
	begun    [64][]rule                                    // rules, and then plain, by the first letter modulo 64
}

// indexed returns the alphabet with its rules by their first letters.
func (a alphabet) indexed() *alphabet {
	for letter, sound := range a.plain {
		a.rules = append(a.rules, rule{letters: string(letter), sounds: []string{string(sound)}})
	}
	for _, r := range a.rules {
		first, _ := utf8.DecodeRuneInString(r.letters)
		a.begun[first%64] = append(a.begun[first%64], r)
	}
	return &a
}

// reading is a word that is being read: the consonants of a key, and the letters of vowels,
// which are no consonants of keys. No letter of a word becomes more than two bytes.
type reading struct {
	text [2 * maxWord]byte
	n    int // bytes of text
}

// read returns the sounds of a word.
func (a *alphabet) read(word string) []Sound {
	var memory [2][maxReads]reading
	open, next, last := memory[0][:1], memory[1][:0], rune(0)
	for at := 0; at < len(word); {
		r, size := utf8.DecodeRuneInString(word[at:])
		sounds := []string{word[at : at+size]}
		if after, _ := utf8.DecodeRuneInString(word[at+size:]); !a.isVowel(last, r, after) {
			sounds, size = a.soundsAt(word, at, last)
		}
		at += size
		last, _ = utf8.DecodeLastRuneInString(word[:at])
		if len(sounds) == 1 {
			for i := range open {
				open[i].add(sounds[0])
			}
			continue
		}
		next = next[:0]
		for _, o := range open {
			for _, sound := range sounds[:min(len(sounds), maxReads-len(next))] {
				next = append(next, o)
				next[len(next)-1].add(sound)
			}
		}
		open, next = next, open
	}
	sounds := make([]Sound, len(open))
	for i := range open {
		sounds[i] = open[i].sound(a)
	}
	return sounds
}

// add adds letters to a reading. A doubled consonant counts once.
func (o *reading) add(letters string) {
	for _, c := range []byte(letters) {
		if o.n == 0 || o.text[o.n-1] != c || !isConsonant(c) {
			o.text[o.n] = c
			o.n++
		}
	}
}

func (o *reading) sound(a *alphabet) Sound {
	var memory [2 * len(o.text)]byte
	both := append(memory[:0], o.text[:o.n]...)
	for _, c := range o.text[:o.n] {
		if isConsonant(c) {
			both = append(both, c)
		}
	}
	text := string(both)
	return Sound{Key: text[o.n:], letters: text[:o.n], alphabet: a}
}

// soundsAt returns how the letters of a word at a byte sound, behind another letter, and how
// many bytes they are. A letter without a rule that is no plain consonant is silent.
func (a *alphabet) soundsAt(word string, at int, last rune) ([]string, int) {
	first, size := utf8.DecodeRuneInString(word[at:])
	rules := a.begun[first%64]
	for i := range rules {
		r, end := &rules[i], at+len(rules[i].letters)
		if !strings.HasPrefix(word[at:], r.letters) || r.start && at > 0 || r.end && end < len(word) ||
			r.after != "" && !strings.ContainsRune(r.after, last) {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(word[end:]); r.before == "" || strings.ContainsRune(r.before, next) {
			return r.sounds, len(r.letters)
		}
	}
	return silent, size
}

var silent = []string{""}

// isConsonant reports whether a byte of a reading is a consonant of keys.
func isConsonant(c byte) bool {
	return c < utf8.RuneSelf && strings.IndexByte(plainVowels, c) < 0
}

// vowels returns the vowels before each consonant and after the last.
func (s *Sound) vowels() []cluster {
	if s.clusters != nil {
		return s.clusters
	}
	s.clusters = make([]cluster, 0, len(s.Key)+1)
	start, other := 0, false // there are other vowels before
	for at := range len(s.letters) + 1 {
		if at < len(s.letters) && !isConsonant(s.letters[at]) {
			continue
		}
		letters := s.letters[start:at]
		s.clusters = append(s.clusters, s.alphabet.vowelsOf(letters, start == 0, at == len(s.letters) && other))
		start, other = at+1, other || letters != ""
	}
	return s.clusters
}
