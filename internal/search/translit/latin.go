package translit

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

var latinOf = strings.NewReplacer(strings.Fields(`
а a б b в v г g ґ g д d е e ё e є ye ж zh з z и i і i ї yi й y к k л l м m н n о o п p р r с s т t у u ў u ф f х kh ц ts ч ch
ш sh щ shch ы y э e ю yu я ya ђ dj ј j љ lj њ nj ћ c џ dz ә a ғ g қ k ң n ө o ұ u ү u һ h`)...)

var withoutSigns = strings.NewReplacer("ъ", "", "ь", "")

// InLatin returns a text in lower case with its Cyrillic letters in Latin ones, one or more
// for each: "ведьмак" is "vedmak". Letters of other scripts stay.
func InLatin(text string) string {
	return latinOf.Replace(withoutSigns.Replace(strings.ToLower(norm.NFC.String(text))))
}
