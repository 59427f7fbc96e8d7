package pack

import (
	"maps"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/snapshot"
)

// texts numbers the strings of a blob and keeps the hash of each, so that hashes
// of records do not depend on the numbers.
type texts struct {
	table  *snapshot.StringsWriter
	hashes []uint64
}

func newTexts() *texts {
	return &texts{table: snapshot.NewStringsWriter(), hashes: []uint64{digest(0).addText("").sum()}}
}

// resumeTexts continues the strings of an opened blob.
func resumeTexts(s snapshot.Strings) *texts {
	return &texts{table: snapshot.ResumeStrings(s), hashes: hashTexts(s)}
}

func hashTexts(s snapshot.Strings) []uint64 {
	hashes := make([]uint64, s.Len())
	for i := range hashes {
		hashes[i] = digest(0).addText(s.At(uint32(i))).sum()
	}
	return hashes
}

func (t *texts) numberText(s string) uint32 {
	if s == "" {
		return 0
	}
	n := t.table.Number(s)
	if int(n) == len(t.hashes) {
		t.hashes = append(t.hashes, digest(0).addText(s).sum())
	}
	return n
}

// lists writes lists of numbers, each distinct list once: its length, then its
// numbers. Offset 0 is the empty list.
type lists struct {
	offsets map[string]uint32
	data    []byte
}

func newLists() *lists {
	return &lists{offsets: map[string]uint32{}, data: make([]byte, 4)}
}

// placeList returns where the list begins, counted in numbers.
func (l *lists) placeList(numbers []uint32) uint32 {
	if len(numbers) == 0 {
		return 0
	}
	at := uint32(len(l.data) / 4)
	l.data = snapshot.AppendU32(snapshot.AppendU32(l.data, uint32(len(numbers))), numbers...)
	list := l.data[4*at:]
	if earlier, ok := l.offsets[string(list)]; ok {
		l.data = l.data[:4*at]
		return earlier
	}
	l.offsets[string(list)] = at
	return at
}

// local are the texts of cards and offers by language.
type local struct {
	languages map[catalog.Language]uint32 // string numbers
	cards     localRecords
	offers    localRecords
}

// localRecords are the records of cards, or of offers, in their order.
type localRecords struct {
	data  []byte
	first []uint32 // owner → number of its first record
}

// localText is a record without its languages.
type localText struct{ title, edition, description uint32 }

// packTexts appends the texts of a card, whose record is r, and of its offers.
func (k *catalogPacker) packTexts(r []byte, c *catalog.Card) {
	own := localText{layout.U32(r, layout.CardTitle), layout.U32(r, layout.CardEdition), layout.U32(r, layout.CardDescription)}
	k.packLocal(&k.local.cards, own, c.Texts)
	for i := range c.Offers {
		o := &c.Offers[i]
		k.packLocal(&k.local.offers, localText{k.texts.numberText(o.Title), k.texts.numberText(o.Edition), 0}, o.Texts)
	}
}

// packLocal appends the records of an owner that has its own texts: one for each
// distinct set of texts, also for the languages in which nothing differs. In those a
// search shows the owner's title, in others the one that matched.
func (k *catalogPacker) packLocal(to *localRecords, own localText, texts []catalog.Texts) {
	to.first = append(to.first, uint32(len(to.data)/layout.LocalSize))
	differing := func(text string, own uint32) uint32 {
		if n := k.texts.numberText(text); n != own {
			return n
		}
		return 0
	}
	in := map[localText][]uint32{} // the languages of each
	var order []localText
	for i := range texts {
		t := &texts[i]
		text := localText{differing(t.Title, own.title), differing(t.EditionName, own.edition), differing(k.prose(t.Description).Description, own.description)}
		if in[text] == nil {
			order = append(order, text)
		}
		in[text] = append(in[text], k.numberLanguage(t.Language))
	}
	for _, text := range order {
		to.data = snapshot.AppendU32(to.data, text.title, text.edition, text.description, k.lists.placeList(in[text]))
	}
}

func (k *catalogPacker) numberLanguage(l catalog.Language) uint32 {
	n, known := k.local.languages[l]
	if !known {
		n = k.texts.numberText(string(l))
		k.local.languages[l] = n
	}
	return n
}

// addTexts adds texts by language to the hash of a card.
func (k *catalogPacker) addTexts(d digest, texts []catalog.Texts) digest {
	d = d.addNumber(uint64(len(texts)))
	for i := range texts {
		t := &texts[i]
		d = d.addText(string(t.Language)).addText(t.Title).addText(t.EditionName).addText(k.prose(t.Description).Description)
	}
	return d
}

// addTextsTo adds the sections of texts by language.
func (k *catalogPacker) addTextsTo(w *snapshot.Writer) {
	var languages, first []byte
	for _, l := range slices.Sorted(maps.Keys(k.local.languages)) {
		languages = snapshot.AppendU32(languages, k.local.languages[l])
	}
	first = snapshot.AppendU32(first, k.local.cards.first...)
	cards := uint32(len(k.local.cards.data) / layout.LocalSize)
	for _, n := range k.local.offers.first {
		first = snapshot.AppendU32(first, cards+n)
	}
	data := slices.Concat(k.local.cards.data, k.local.offers.data)
	w.Add(layout.SectionLanguages, languages)
	w.Add(layout.SectionLocal, data)
	w.Add(layout.SectionLocalFirst, snapshot.AppendU32(first, uint32(len(data)/layout.LocalSize)))
}
