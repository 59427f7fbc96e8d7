package translit

import "strings"

// maxLetters is how many letters an acronym has at most.
const maxLetters = 5

// latinLetters are the letters that a Cyrillic one of an acronym may stand for.
var latinLetters = map[rune]string{
	'а': "a", 'б': "b", 'в': "vw", 'г': "g", 'д': "d", 'е': "e", 'з': "z", 'и': "i", 'к': "kc", 'л': "l", 'м': "m",
	'н': "n", 'о': "o", 'п': "p", 'р': "r", 'с': "sc", 'т': "t", 'у': "uw", 'ф': "f", 'х': "hx", 'э': "e", 'ю': "u",
}

// Letters returns what a short Cyrillic word may be letter by letter in Latin, as
// acronyms and numerals are: гта is gta, х is x. Digits stay.
func Letters(word string) []string {
	runes := []rune(word)
	if len(runes) > maxLetters {
		return nil
	}
	spelled, changed := []string{""}, false
	for _, r := range runes {
		letters, ok := latinLetters[r]
		changed = changed || ok
		if !ok {
			if r < '0' || r > '9' {
				return nil
			}
			letters = string(r)
		}
		var next []string
		for _, before := range spelled {
			for _, l := range strings.Split(letters, "") {
				next = append(next, before+l)
			}
		}
		spelled = next
	}
	if !changed {
		return nil
	}
	return spelled
}
