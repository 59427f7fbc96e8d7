package money

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"gamedex/internal/fold"
)

// Words are the texts for a zero: free for everybody, a trial of the product,
// or part of a subscription.
type Words struct{ Free, Trial, Included string }

// RegionWords returns the words for a region (upper-case alpha-2) whose store shows none:
// English, unless the contract names others.
func RegionWords(region string) Words {
	switch region {
	case "UA":
		return Words{"Безкоштовно", "Пробна версія", "У складі підписки"}
	case "TR":
		return Words{"Ücretsiz", "Deneme sürümü", "Abonelikle"}
	case "PL":
		return Words{"Za darmo", "Wersja próbna", "W abonamencie"}
	}
	return Words{"Free", "Trial", "Included"}
}

// freeWords are the words of stores for free.
var freeWords = []string{
	"Free", "Gratis", "Gratuit", "Gratuito", "Grátis", "Kostenlos", "Bezpłatne", "Bezpłatnie", "Za darmo", "Zdarma", "Zadarmo",
	"Bezplatné", "Besplatno", "Brezplačno", "Ilmainen", "Maksuton", "Ingyenes", "Ücretsiz", "Безкоштовно", "Бесплатно", "Безплатно",
	"Δωρεάν", "مجاني", "مجانًا", "مجانا", "חינם", "無料", "免費", "免费", "무료", "ฟรี", "Miễn phí",
}

// IsFree reports whether a text is one of the words of stores for free, in any case.
func IsFree(text string) bool {
	return slices.ContainsFunc(freeWords, func(word string) bool { return strings.EqualFold(word, text) })
}

// zeroWords are the words for a trial that longer words begin with: "Democracy".
var zeroWords = []string{"Trial", "Demo", "Демо", "Prueba", "Prova", "Essai", "Experimente", "Experimentar"}

// zeroStems are the beginnings of words for free, for a trial and for a subscription.
var zeroStems = []string{
	// free
	"Ilmai", "Besplatn", "Brezplačn", "Bezplatn", "Безкоштовн", "Бесплатн", "Безплатн", "Gratuit", "Kostenlos", "Kostenfrei", "Darmow", "Tasuta", "Nemokam", "Bezmaksas",
	// trial
	"Demovers", "Демоверс", "Пробн", "Deneme", "Próbn", "Testversion", "Probeversion", "Proefversie", "Avaliação",
	"Kokeilu", "Prøve", "Provversion", "Zkušebn", "Skúšobn", "Próbaverzió", "Preizkus", "Probn", "Δοκιμ",
	"تجرب", "تجريب", "ניסיון", "体験版", "トライアル", "체험", "試玩", "试玩", "体验", "體驗", "ทดลอง", "Dùng thử", "Chơi thử",
	// subscription
	"Inclu", "Subscri", "Member", "Підписк", "Підписц", "Передплат", "Включ", "Подписк", "Abonel", "Abonam", "Üyelik", "Dahil",
	"Abonn", "Enthalten", "Suscripci", "Abbonament", "Assinatura", "Inbegrepen", "Inkluder", "Ingår", "Prenumer", "Sisälty", "Tilaus", "Zahrnut",
	"Předplat", "Predplat", "Előfizet", "W zestawie", "W cenie", "Vključen", "Naročnin", "Uključen", "Pretplat", "Абонамент", "Περιλαμβάν", "Συνδρομ",
	"مضمن", "مشمول", "اشتراك", "כלול", "מנוי", "含まれ", "サブスク", "加入者", "포함", "구독", "包含", "订阅", "訂閱", "会员", "會員", "รวม", "สมาชิก", "Bao gồm",
	"Đăng ký", "Playstation Plus", "PS Plus", "EA Play", "Ubisoft+", "Game Pass",
}

// foldedZeroWords has the words that SaysZero looks for, with a space at each end where a
// word of the text must begin or end.
var foldedZeroWords = sync.OnceValue(func() (list []string) {
	add := func(words []string, end string) {
		for _, word := range words {
			word = fold.Fold(word)
			if first, _ := utf8.DecodeRuneInString(word); unicode.In(first, spacedScripts...) {
				word = " " + word + end
			}
			list = append(list, word)
		}
	}
	add(freeWords, " ")
	add(zeroWords, " ")
	add(zeroStems, "")
	return list
})

// spacedScripts are those in which words are apart. In others a word is found anywhere.
var spacedScripts = []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek}

// SaysZero reports whether a text has a word that stores show in place of zero: free, a
// trial, or part of a subscription.
func SaysZero(text string) bool {
	text = " " + fold.Fold(text) + " "
	return slices.ContainsFunc(foldedZeroWords(), func(word string) bool { return strings.Contains(text, word) })
}
