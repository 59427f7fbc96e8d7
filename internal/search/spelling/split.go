package spelling

import "unicode/utf8"

// EachSplit calls visit with each way to split the rest of a word behind some parts into
// more parts. Each but the last, given with what is behind it, must be one that isPart takes.
// The memory of before is used for the parts.
func EachSplit(before []string, rest string, more int, isPart func(part, rest string) bool, visit func(parts []string)) {
	if more == 1 {
		visit(append(before, rest))
		return
	}
	for at := range rest {
		if isPart(rest[:at], rest[at:]) {
			EachSplit(append(before, rest[:at]), rest[at:], more-1, isPart, visit)
		}
	}
}

// MayBeWords reports whether a word is long enough for some parts that may be words.
func MayBeWords(word string, parts int) bool {
	return utf8.RuneCountInString(word) >= 2*parts || HasDigit(word) || HasSpaceless(word)
}

// MayBeWord reports whether a part of a word may be a word: a single letter of a script with
// spaces may not.
func MayBeWord(part string) bool {
	return utf8.RuneCountInString(part) > 1 || HasDigit(part) || HasSpaceless(part)
}
