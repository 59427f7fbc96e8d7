package spelling

import (
	"cmp"
	"strings"

	"gamedex/internal/fold"
)

// Form is a form of a name under which it is found.
type Form struct {
	Text  string // folded, not empty
	Main  int    // how many words come before the subtitle
	Plain bool   // the name as written is this form, but for case
}

// Forms returns the up to three forms of a name: with spaces for punctuation ("spider man"),
// without ("spiderman"), and with words for signs ("ratchet and clank").
func Forms(name string) (forms []Form) {
	main, spaced := beforeSubtitle(name), fold.Fold(name)
	add := func(text, before string) {
		if text != "" {
			forms = append(forms, Form{text, len(strings.Fields(before)), IsPlainForm(name, text)})
		}
	}
	add(spaced, fold.Fold(main))
	if joined := JoinPunctuation(name, spaced); joined != spaced {
		add(joined, joinChunks(main))
	}
	if strings.ContainsAny(name, "&+") {
		add(fold.Fold(signs.Replace(name)), fold.Fold(signs.Replace(main)))
	}
	return forms
}

// Compare orders forms by text; of equal texts, the plain one comes last.
func (f Form) Compare(g Form) int {
	order := cmp.Or(strings.Compare(f.Text, g.Text), cmp.Compare(f.Main, g.Main))
	switch {
	case order != 0 || f.Plain == g.Plain:
		return order
	case g.Plain:
		return -1
	}
	return 1
}

// beforeSubtitle returns the part of a title before a colon or a dash between words.
func beforeSubtitle(text string) string {
	for _, mark := range [...]string{":", " - ", " – ", " — "} {
		text, _, _ = strings.Cut(text, mark)
	}
	return text
}
