package merge

// ballot counts texts. It is searched in order: few texts stand for one
// product.
type ballot struct {
	texts  []string
	counts []uint32
}

func (b *ballot) reset() { b.texts, b.counts = b.texts[:0], b.counts[:0] }

// cast counts votes for a text; an empty text is no vote.
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

// winner is the text with most votes, and how many. Texts that fold alike are
// one candidate, those that fold to nothing are none; ties go to the smallest
// folded form, and of its spellings to the smallest.
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

// first is the text with most votes as it stands; ties go to the smallest.
func (b *ballot) first() (text string, votes uint32) {
	for i, t := range b.texts {
		if n := b.counts[i]; n > votes || n == votes && t < text {
			text, votes = t, n
		}
	}
	return text, votes
}
