// Package fold converts titles to the form in which the merge of listings and search
// compare them.
//
//	"ASSASSIN’S CREED® IV: Black Flag™" ─► "assassins creed iv black flag"
//	"Ведьмак 3: Дикая охота"            ─► "ведьмак 3 дикая охота"
//	"ﾄﾞﾗｺﾞﾝｸｴｽﾄ Ⅺ"                     ─► "ドラゴンクエスト xi"
//
// A folded text has only letters, digits and the marks that belong to them, in words
// separated by single spaces. Folding removes upper case, accents, stress marks, width
// variants, ligatures and trademark signs. It removes apostrophes without a gap and
// replaces all other punctuation with a space. Folding twice changes nothing.
//
// The package refuses to translate, to transliterate and to interpret numerals.
// Separate letters of an alphabet stay (й, ї, ґ, the voiced kana); only «ё» becomes
// «е», as is usual in Russian.
package fold
