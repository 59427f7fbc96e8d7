package translit

// How many consonants the keys of the beginnings of words have.
const minBeginning, maxBeginning = 2, 5

// TermKeys returns the keys under which an index has a word: those of its sounds, and of the
// beginnings of these.
func TermKeys(word string) (keys []string) {
	for _, s := range Read(word) {
		keys = append(keys, s.Key)
		for n := minBeginning; n <= min(len(s.Key), maxBeginning); n++ {
			keys = append(keys, beginning(s.Key[:n]))
		}
	}
	return keys
}

// Keys returns the keys that words with these sounds have, and then those of words that begin
// with them.
func Keys(sounds []Sound, begins bool) (keys []string) {
	for _, s := range sounds {
		keys = append(keys, s.Key)
	}
	for _, s := range sounds {
		if begins && len(s.Key) >= minBeginning {
			keys = append(keys, beginning(s.Key[:min(len(s.Key), maxBeginning)]))
		}
	}
	return keys
}

func beginning(consonants string) string { return consonants + "*" }
