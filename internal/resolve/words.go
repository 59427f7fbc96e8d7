package resolve

import (
	"slices"
	"strings"

	"gamedex/internal/fold"
	"gamedex/internal/search/spelling"
)

// The words are folded.
var (
	// shopPhrases are what shops add to a title: devices, stores, kinds of keys, regions.
	shopPhrases = spelling.NewPhrases(spelling.Devices, []string{"xbox series x s", "xbox live", "playstation network", "playstation store", "playstation5", "playstation4", "switch 2",
		"epic games store", "gog com", "ubisoft connect", "uplay", "ea app", "ea play app", "rockstar games launcher", "battle net",
		"microsoft store", "linux", "cd key", "cdkey", "digital download", "digital code", "digital game", "digital version", "download code",
		"eu uk", "eu", "emea", "north america", "latam", "us key", "key us", "code us", "psn us", "usa", "us version", "eu version",
		"uk version", "pc version", "ps5 version", "ps4 version", "uk key", "key uk", "standard edition", "preorder", "pre order", "brand new",
		"new sealed", "full game", "video game", "videogame", "dlc", "add on", "ключ", "аккаунт", "купить", "цифровая версия", "цифровой код",
		"klucz cd", "klucz", "wersja cyfrowa", "na pc", "na ps5", "na ps4", "anahtar", "ダウンロード版", "パッケージ版", "通常版"})
	// weakPhrases are other words of shops. Titles have them, too, so that they are dropped later.
	weakPhrases = spelling.NewPhrases([]string{"switch", "epic", "origin", "rockstar", "mac", "key", "keys", "gift", "account", "konto", "digital", "download", "code", "codes",
		"cheap", "buy", "global", "worldwide", "row", "europe", "turkey", "argentina", "sealed", "подарок", "игра", "диск", "kod", "gra", "oyunu", "oyun",
		"dijital", "hesap", "コード"})
	// joiners stand between shop words, or before one.
	joiners = strings.Fields("and for or on и или для на ve i oraz dla için の")
	// editionWords are dropped with a noun of an edition among them, and loneEditions also without.
	editionWords = spelling.NewPhrases(spelling.EditionNames, []string{"day one", "cross gen", "silver", "launch", "founders", "founder", "steelbook",
		"exclusive", "extended", "base", "the", "цифровое", "золотое", "специальное", "cyfrowa", "kompletna", "ostateczna", "dijital", "デラックス",
		"デジタルデラックス", "スペシャル", "コンプリート", "アルティメット", "ゴールド"})
	editionNouns = spelling.NewPhrases([]string{"edition", "bundle", "version", "edicion", "издание", "версия", "видання", "edycja", "wersja", "surumu", "エディション", "版"})
	loneEditions = spelling.NewPhrases([]string{"game of the year", "goty", "digital deluxe", "super deluxe", "premium deluxe", "deluxe", "ultimate", "premium", "directors cut", "day one"})
	// remakes are words of which it is not certain whether another game is meant.
	remakes = strings.Fields("remake remaster remastered hd ремейк ремастер")
)

// withoutShop returns the words of a title without those of shops, weak ones included or not;
// nil if it has none, or nothing else.
func withoutShop(words []string, weak bool) (rest, dropped []string) {
	isShop := make([]bool, len(words))
	for i := 0; i < len(words); {
		n := shopPhrases.Prefix(words[i:])
		// What goes on as the name of an edition is part of it: "Digital Deluxe Edition".
		if weak && n == 0 && weakPhrases.Prefix(words[i:]) == 1 && (i+1 == len(words) || !isEdition(words[i+1:i+2])) {
			n = 1
		}
		for j := range n {
			isShop[i+j] = true
		}
		i += max(1, n)
	}
	for i := len(words) - 2; i >= 0; i-- { // "PS4 and PS5", "for PC"
		isShop[i] = isShop[i] || isShop[i+1] && slices.Contains(joiners, words[i])
	}
	for i, w := range words {
		if isShop[i] {
			dropped = append(dropped, w)
		} else {
			rest = append(rest, w)
		}
	}
	if len(rest) == 0 || len(dropped) == 0 {
		return nil, nil
	}
	return rest, dropped
}

// withoutEdition returns the words of a title without the name of an edition at the end; nil if
// there is none.
func withoutEdition(words []string) []string {
	end, named := len(words), false
	for end > 1 {
		n := 0
		for k := 1; k <= min(4, end-1) && n == 0; k++ {
			tail := words[end-k:]
			switch {
			case editionNouns.Prefix(tail) == k:
				n, named = k, true
			case editionWords.Prefix(tail) == k:
				n = k
			}
		}
		if n == 0 {
			break
		}
		end -= n
	}
	if named && end < len(words) {
		return words[:end]
	}
	for k := min(4, len(words)-1); k > 0; k-- {
		if loneEditions.Prefix(words[len(words)-k:]) == k {
			return words[:len(words)-k]
		}
	}
	return nil
}

// isEdition reports whether all words belong to names of editions or remakes.
func isEdition(words []string) bool {
	for i := 0; i < len(words); {
		n := max(editionWords.Prefix(words[i:]), editionNouns.Prefix(words[i:]))
		if n == 0 && !slices.Contains(remakes, words[i]) {
			return false
		}
		i += max(1, n)
	}
	return true
}

// yearIn returns the year in round brackets in a title, and the title without it; 0 if there is
// none.
func yearIn(title string) (year int, rest string) {
	before, after, found := strings.Cut(title, "(")
	inside, after, closed := strings.Cut(after, ")")
	if !found || !closed || !spelling.IsYear(inside) || fold.Fold(before) == "" {
		return 0, title
	}
	for _, digit := range inside {
		year = 10*year + int(digit-'0')
	}
	return year, before + " " + after
}

// addOns are words of shops that say that an add-on is sold, not the game.
var addOns = spelling.NewPhrases([]string{"dlc", "add on"})

// oldConsolesIn returns the consoles of former generations among words that were dropped, as
// cards name them.
func oldConsolesIn(dropped []string) (devices []string) {
	for device, table := range oldConsoles {
		if table.In(dropped) {
			devices = append(devices, device)
		}
	}
	return devices
}

var oldConsoles = map[string]spelling.Phrases{
	"PS3": spelling.NewPhrases([]string{"ps3", "playstation 3"}), "PS Vita": spelling.NewPhrases([]string{"ps vita"}), "Xbox 360": spelling.NewPhrases([]string{"xbox 360"}),
}

// goesOnWithNoun reports whether a title is the name of an edition that a query has but for the
// noun at its end: "… Deluxe" for "… Deluxe Edition".
func goesOnWithNoun(query []string, title string) bool {
	words := fold.Words(title)
	n := len(query)
	return n < len(words) && editionNouns.Prefix(words[n:]) == len(words)-n &&
		spelling.Key(strings.Join(words[:n], " ")) == spelling.Key(strings.Join(query, " ")) && withoutEdition(query) != nil
}

// deviceNames are words of devices whose names need no change, and computers those of Windows.
var (
	deviceNames = spelling.NewPhrases(strings.Fields("xbox switch nintendo playstation mac linux"), []string{"steam deck"})
	computers   = spelling.NewPhrases(strings.Fields("pc windows пк"))
)

// Devices returns the devices that a text names, as cards name them: PS5 for "for PlayStation 5"; none
// if it names none. A device of no card, such as a console of another maker, is as in the text.
func (r *Resolver) Devices(text string) []string {
	text = strings.TrimSpace(text)
	if _, known := r.View.Columns().Devices.Find(text); known {
		return []string{text}
	}
	rest, words := withoutShop(append([]string{"title"}, fold.Words(text)...), true)
	if len(rest) != 1 {
		return nil
	}
	switch named := append(devicesIn(words), oldConsolesIn(words)...); {
	case named != nil:
		return named
	case computers.In(words):
		return []string{"Windows"}
	case deviceNames.In(words):
		return []string{text}
	}
	return nil
}

// devicesIn returns the consoles among words that were dropped, as cards name them.
func devicesIn(dropped []string) (devices []string) {
	all := " " + strings.Join(dropped, " ")
	for _, number := range [...]string{"4", "5"} {
		for _, name := range [...]string{" ps", " ps ", " playstation", " playstation ", " пс", " пс "} {
			if strings.Contains(all, name+number) {
				devices = append(devices, "PS"+number)
				break
			}
		}
	}
	return devices
}

// sameNumbers reports whether two titles, as [spelling.Key] writes them, have the same numbers
// in the same order.
func sameNumbers(a, b string) bool {
	return slices.Equal(numbersOf(a), numbersOf(b))
}

func numbersOf(key string) (numbers []string) {
	for word := range strings.FieldsSeq(key) {
		if spelling.HasDigit(word) || spelling.AlternateNumeral(word) != "" && word != "i" {
			numbers = append(numbers, word)
		}
	}
	return numbers
}
