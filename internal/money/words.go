package money

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
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

// zeroStems are the beginnings of the words for a trial and for a subscription, and of the
// words for free that are inflected. Where words are written together they are found anywhere.
var zeroStems = []string{
	// free
	"Ilmai", "Besplatn", "Brezplačn", "Bezplatn", "Безкоштовн", "Бесплатн", "Безплатн", "Gratuit", "Kostenfrei", "Darmow", "Tasuta", "Nemokam", "Bezmaksas",
	// trial
	"Trial", "Demo", "Пробн", "Deneme", "Próbn", "Prueba", "Prova", "Essai", "Testversion", "Probeversion", "Proefversie", "Avaliação",
	"Experiment", "Kokeilu", "Prøve", "Provversion", "Zkušebn", "Skúšobn", "Próbaverzió", "Preizkus", "Probn", "Δοκιμ", "Демо",
	"تجرب", "تجريب", "ניסיון", "体験版", "トライアル", "체험", "試玩", "试玩", "体验", "體驗", "ทดลอง", "Dùng thử", "Chơi thử",
	// subscription
	"Inclu", "Subscri", "Member", "Підписк", "Підписц", "Передплат", "Включ", "Подписк", "Abonel", "Abonam", "Üyelik", "Dahil", "Abonnement",
	"Abonn", "Enthalten", "Suscripci", "Abbonament", "Assinatura", "Inbegrepen", "Inkluder", "Ingår", "Prenumer", "Sisälty", "Tilaus", "Zahrnut",
	"Předplat", "Predplat", "Előfizet", "W zestawie", "W cenie", "Vključen", "Naročnin", "Uključen", "Pretplat", "Абонамент", "Περιλαμβάν", "Συνδρομ",
	"مضمن", "مشمول", "اشتراك", "כלול", "מנוי", "含まれ", "サブスク", "加入者", "포함", "구독", "包含", "订阅", "訂閱", "会员", "會員", "รวม", "สมาชิก", "Bao gồm",
	"Đăng ký", "Playstation Plus", "PS Plus", "EA Play", "Ubisoft+", "Game Pass",
}

var foldedZeroWords = sync.OnceValue(func() []string {
	var list []string
	for _, words := range [][]string{freeWords, zeroStems} {
		for _, word := range words {
			list = append(list, foldWord(word))
		}
	}
	return list
})

// SaysZero reports whether a text has a word that stores show in place of zero: free, a
// trial, or part of a subscription.
func SaysZero(text string) bool {
	text = foldWord(text)
	return slices.ContainsFunc(foldedZeroWords(), func(word string) bool { return hasWord(text, word) })
}

// hasWord reports whether a word of the text begins with a beginning.
func hasWord(text, beginning string) bool {
	for at := 0; ; at += len(beginning) {
		i := strings.Index(text[at:], beginning)
		if i < 0 {
			return false
		}
		at += i
		if before, _ := utf8.DecodeLastRuneInString(text[:at]); !unicode.In(before, spacedScripts...) {
			return true
		}
	}
}

// spacedScripts have letters before which no word begins.
var spacedScripts = []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek}

// foldWord returns a text in lower case without accents.
func foldWord(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(text))
}
