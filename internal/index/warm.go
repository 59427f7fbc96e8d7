package index

import "gamedex/internal/snapshot"

// A card's record, its texts, its rows and their texts lie far apart, and each
// leads to the next: whoever reads a thousand cards one by one waits for main
// memory ten times a card. Read in step, card beside card, the processor fetches
// many of those places at once. What is here reads and forgets; the sums it
// returns have no meaning, but keep the reads from being left out.

// WarmStep is how many cards are worth warming at once: what they need fits the
// first caches of a processor, and none fetches more places at a time.
const WarmStep = 32

// WarmIDs reads what Lookup will read for up to WarmStep ids.
func (s *Snapshot) WarmIDs(ids []string) (sum uint64) {
	var hashes, found [WarmStep]uint32
	n := min(len(ids), WarmStep)
	for i, id := range ids[:n] {
		hashes[i] = hashOf(id)
		sum += s.ids.home(hashes[i])
	}
	cards := found[:0]
	for _, hash := range hashes[:n] {
		at := s.ids.find(hash)
		if card, ok := at.next(); ok {
			cards = append(cards, card)
		}
	}
	for _, card := range cards {
		sum += uint64(s.records[int(card)*cardSize+cardKind])
	}
	for i, card := range cards {
		cards[i] = u32(s.records, int(card)*cardSize+cardID)
	}
	return sum + warmTexts(s.strings, cards)
}

// home is the slot at which the walk of a hash begins.
func (s slots) home(hash uint32) uint64 {
	table := snapshot.U64s(s)
	return table.At(int(hash) & (table.Len() - 1))
}

// WarmCards reads what answers about up to WarmStep cards begin with: title
// and prices in the regions given.
func (s *Snapshot) WarmCards(cards []Card, regions []uint8) (sum uint64) {
	var titles, products [WarmStep]uint32
	var rows [WarmStep]Rows
	cards = cards[:min(len(cards), WarmStep)]
	for i, c := range cards {
		titles[i] = u32(c.record(), cardTitle)
		sum += uint64(s.cardRows.At(int(2 * c.n)))
	}
	sum += warmTexts(s.strings, titles[:len(cards)])
	for i, c := range cards {
		rows[i] = c.Rows()
	}
	for _, no := range regions {
		for i := range cards {
			if r := &rows[i]; r.size > 0 {
				sum += uint64(s.rows[rowSize*(int(r.first)+min(int(no), int(r.size)-1))])
			}
		}
	}
	for i := range cards {
		if rows[i].size > 0 {
			products[i] = u32(s.rows, int(rows[i].first)*rowSize+rowProduct)
		}
	}
	return sum + warmTexts(s.words, products[:len(cards)])
}

// warmTexts reads where texts stand, then the first byte of each.
func warmTexts(table snapshot.Strings, numbers []uint32) (sum uint64) {
	var texts [WarmStep]string
	for i, n := range numbers {
		texts[i] = table.At(n)
	}
	for _, text := range texts[:len(numbers)] {
		if text != "" {
			sum += uint64(text[0]) + uint64(text[len(text)-1])
		}
	}
	return sum
}
