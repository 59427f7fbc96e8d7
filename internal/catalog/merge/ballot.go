package merge

// ballot counts votes for texts. It searches them in order, because the listings
// of a product have only a few different texts.
type ballot struct {
	texts  []string
	counts []uint32
}

func (b *ballot) reset() { b.texts, b.counts = b.texts[:0], b.counts[:0] }

// cast counts votes for a text; an empty text is not a vote.
func (b *ballot) cast(text string, votes uint32) {
	if text == "" || votes == 0 {
		return
	}
	for i, t := range b.texts {
		if t == text {
			b.counts[i] += votes
			return
		}
	}
	b.texts = append(b.texts, text)
	b.counts = append(b.counts, votes)
}

// winner returns the text with the most votes, and their number. Texts with the
// same folded form are one candidate; texts that fold to nothing are none. Ties
// go to the smallest folded form. The text is the smallest of its spellings.
func (b *ballot) winner(foldText func(string) string) (string, uint32) {
	if len(b.texts) == 1 {
		return b.texts[0], b.counts[0]
	}
	var folded ballot
	for i, t := range b.texts {
		folded.cast(foldText(t), b.counts[i])
	}
	form, votes := folded.first()
	if votes == 0 {
		return "", 0
	}
	spelling := ""
	for _, t := range b.texts {
		if foldText(t) == form && (spelling == "" || t < spelling) {
			spelling = t
		}
	}
	return spelling, votes
}

// first is winner without folding: each text is a candidate.
func (b *ballot) first() (text string, votes uint32) {
	for i, t := range b.texts {
		if n := b.counts[i]; n > votes || n == votes && t < text {
			text, votes = t, n
		}
	}
	return text, votes
}
