package search_test

import (
	"testing"

	"gamedex/internal/search"
)

// FuzzQuery searches a fixed index for any text and compares with the oracle.
func FuzzQuery(f *testing.F) {
	docs := titled(
		"The Witcher 3: Wild Hunt | Ведьмак 3: Дикая Охота", "S.T.A.L.K.E.R. 2", "Final Fantasy VII",
		"ファイナルファンタジー7 | FINAL FANTASY 7", "Overwatch® 2", "Spider-Man", "Cyberpunk 2077", "!!!",
		"StarCraft II", "Mount & Blade+", "40,000 IL-2", "Final Fantasy VIII",
	)
	for i := range docs {
		docs[i].Group = uint8(i % 3)
	}
	x, naive := index(f, docs), newOracle(docs)
	for _, text := range []string{
		"", "  ", "!?", "w", "witcher 3", "wicther", "ведьмак", "видьмак", "stalker", "s t a l k e r", "final fantasy 7",
		"ファンタジー", "overwatc", "overwacth", "cybrepu", "spiderman", "a\x00b", "\xff\xfe", "ﬁnal ＦＡＮＴＡＳＹ Ⅶ", "٢٠٧٧",
		"star craft 2", "starcraft2", "mount and blade plus", "mount&blade", "40000", "il2", "40 000", "finalfantasy vii",
	} {
		f.Add(text, uint8(0), 10, 0, true)
		f.Add(text, uint8(0b101), 1, 1, false)
	}
	f.Fuzz(func(t *testing.T, text string, groups uint8, limit, offset int, typos bool) {
		if len(text) > 1000 {
			return // the oracle is slow
		}
		q := search.Query{Text: text, Groups: groups, Limit: limit, Offset: offset, Typos: typos}
		naive.compare(t, x, q)
	})
}
