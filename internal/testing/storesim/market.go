package storesim

import (
	"strconv"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// market is a region as the two stores serve it.
type market struct {
	traits
	region   catalog.Region
	currency money.Currency
	locale   string // of the console store: "uk-ua"
	pcLocale string
	group    *market // the first of its price region
}

// traits are what distinguishes a region, apart from its currency.
type traits struct {
	language string
	front    string // the prefix of product ids of this storefront
	level    int64  // prices in percent of those in the United States
	ahead    int    // minutes by which its midnight is ahead of UTC's
	style    textStyle
	words    words
	rating   string
	ages     [3]string
	further  string // a second locale that the console store serves there
}

// textStyle is how the console store writes a price.
type textStyle struct {
	before, after, point, group string
	whole                       bool // no decimals are shown, and prices have none
}

// words are the texts that a store shows in place of a price.
type words struct{ free, trial, included, unavailable string }

const nbsp = "\u00a0"

// newMarket returns a region as the table has it, or an English-speaking one
// that pays in the region's currency.
func newMarket(r catalog.Region) *market {
	m := &market{region: r}
	m.currency, _ = money.RegionCurrency(r.String())
	if usdRates[m.currency] == "" {
		m.currency = money.USD
	}
	var known bool
	if m.traits, known = knownMarkets[r.String()]; !known {
		style := textStyle{before: string(m.currency) + nbsp, point: ".", group: ","}
		m.traits = traits{"en", "EP", 100, 120, style, english, "PEGI", pegi, ""}
	}
	m.locale, m.pcLocale = m.language+"-"+r.Lower(), m.language
	if known && m.language == "en" {
		m.pcLocale = "en-" + r.String()
	}
	return m
}

var (
	pegi    = [3]string{"7", "12", "18"}
	english = words{"Free", "Game Trial", "Included", "Unavailable"}
)

// knownMarkets must not be changed.
var knownMarkets = map[string]traits{
	"UA": {"uk", "EP", 85, 120, textStyle{after: nbsp + "грн", point: ",", group: nbsp},
		words{"Безкоштовно", "Пробна версія", "Включено", "Недоступно"}, "PEGI", pegi, "ru-ua"},
	"TR": {"tr", "EP", 60, 180, textStyle{after: " TL", point: ",", group: "."},
		words{"Ücretsiz", "Oyun Denemesi", "Dahil", "Kullanılamıyor"}, "PEGI", pegi, ""},
	"PL": {"pl", "EP", 105, 60, textStyle{after: nbsp + "zł", point: ",", group: nbsp},
		words{"Bezpłatnie", "Wersja próbna", "W zestawie", "Niedostępne"}, "PEGI", pegi, ""},
	"IN": {"en", "EP", 70, 330, textStyle{before: "Rs" + nbsp, point: ".", group: ",", whole: true},
		english, "PEGI", pegi, ""},
	"US": {"en", "UP", 100, -300, textStyle{before: "$", point: ".", group: ","},
		english, "ESRB", [3]string{"EVERYONE", "TEEN", "MATURE"}, ""},
	"DE": {"de", "EP", 108, 60, textStyle{before: "€", point: ",", group: "."},
		words{"Kostenlos", "Probeversion", "Inklusive", "Nicht verfügbar"}, "USK", [3]string{"6", "12", "18"}, ""},
	"FR": {"fr", "EP", 108, 60, textStyle{before: "€", point: ",", group: nbsp},
		words{"Gratuit", "Essai de jeu", "Inclus", "Indisponible"}, "PEGI", pegi, ""},
	"JP": {"ja", "JP", 95, 540, textStyle{before: "¥", group: ",", whole: true},
		words{"無料", "ゲームトライアル", "含まれる", "利用できません"}, "CERO", [3]string{"A", "B", "D"}, ""},
	"KR": {"ko", "HP", 95, 540, textStyle{after: "원", group: ",", whole: true},
		words{"무료", "게임 체험판", "포함됨", "이용할 수 없음"}, "GRAC", [3]string{"ALL", "12", "18"}, ""},
	"HK": {"en", "HP", 100, 480, textStyle{before: "HK$", point: ".", group: ","},
		english, "CGSRR", [3]string{"6", "12", "18"}, ""},
}

// tag returns a locale in BCP 47 form: "uk-UA" for "uk-ua".
func tag(locale string) string {
	language, region, _ := strings.Cut(locale, "-")
	return language + "-" + strings.ToUpper(region)
}

// text formats an amount as the console store does.
func (s *textStyle) text(a money.Amount) string {
	b := append(make([]byte, 0, 32), s.before...)
	digits := strconv.FormatInt(int64(a/100), 10)
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b = append(b, s.group...)
		}
		b = append(b, digits[i])
	}
	if cents := a % 100; !s.whole {
		b = append(b, s.point...)
		b = append(b, byte('0'+cents/10), byte('0'+cents%10))
	}
	return string(append(b, s.after...))
}

// pcText formats an amount as the PC store does in the language of its answers;
// a free offer is a bare zero.
func (m *market) pcText(a money.Amount) string {
	if a == 0 {
		return "0"
	}
	style, sign := m.group.style, pcSigns[m.currency]
	if sign == "" {
		sign = string(m.currency) + nbsp
	}
	style.whole = m.currency.Digits() == 0
	style.before, style.after = sign, ""
	if style.point == "," {
		style.before, style.after = "", nbsp+strings.TrimSpace(sign)
	}
	if style.point == "" {
		style.point = "."
	}
	return style.text(a)
}

// pcSigns must not be changed.
var pcSigns = map[money.Currency]string{
	"USD": "$", "EUR": "€", "TRY": "₺", "UAH": "₴", "PLN": "zł", "INR": "₹", "JPY": "¥", "KRW": "₩", "HKD": "HK$",
}

// list converts a price in US cents to this region: in steps of less than ten
// cents, a little below the round number.
func (m *market) list(cents int64, rate float64) money.Amount {
	local := int64(float64(cents)*rate) * m.level / 100
	step := int64(1)
	for float64(step*10) <= rate*9 {
		step *= 10
	}
	unit := int64(1)
	if m.style.whole {
		step, unit = max(step, 100), 100
	}
	local = max((local+step/2)/step*step, unit)
	if step > unit && local > step {
		local -= unit
	}
	return money.Amount(local)
}

// reduced returns a price reduced by percent.
func (m *market) reduced(a money.Amount, percent int) money.Amount {
	r := a * money.Amount(100-percent) / 100
	if m.style.whole {
		r -= r % 100
	}
	return r
}
