// Package fold brings titles into the one form in which they are compared, by
// the merge of listings as well as by search.
//
//	"ASSASSIN’S CREED® IV: Black Flag™" ─► "assassins creed iv black flag"
//	"Ведьмак 3: Дикая охота"            ─► "ведьмак 3 дикая охота"
//	"ﾄﾞﾗｺﾞﾝｸｴｽﾄ Ⅺ"                     ─► "ドラゴンクエスト xi"
//
// A folded text holds only letters, digits and the marks that belong to them,
// in words parted by single spaces. Upper case, accents, stress marks, width,
// ligatures and trademark signs are gone; apostrophes are gone without a gap,
// all other punctuation has become a space. Folding twice changes nothing.
//
// The package refuses to translate: it knows no language, no transliteration
// and no numerals. Letters that are letters of their own stay (й, ї, ґ, the
// voiced kana); only «ё» becomes «е», as Russian itself writes it.
package fold
