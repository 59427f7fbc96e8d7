package catalog

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// Platform is a game store. The zero value is not a platform.
type Platform uint8

// The two platforms; their numbers are stored and never change.
const (
	ConsoleStore Platform = 1
	PCStore      Platform = 2
)

// Platforms lists every platform in the order in which answers show them.
func Platforms() []Platform { return []Platform{ConsoleStore, PCStore} }

var platformNames = [...]string{ConsoleStore: "consolestore", PCStore: "pcstore"}

// String returns the platform's identifier in the feed and on the wire.
func (p Platform) String() string {
	if int(p) < len(platformNames) {
		return platformNames[p]
	}
	return ""
}

// ParsePlatform reads a platform identifier in any case.
func ParsePlatform(s string) (Platform, error) {
	for _, p := range Platforms() {
		if strings.EqualFold(s, p.String()) {
			return p, nil
		}
	}
	return 0, fmt.Errorf("platform %q is not one of consolestore, pcstore", s)
}

// MarshalText returns the identifier.
func (p Platform) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what [ParsePlatform] reads.
func (p *Platform) UnmarshalText(text []byte) (err error) {
	*p, err = ParsePlatform(string(text))
	return err
}

// Status is the state of a platform.
type Status uint8

// The states, from good to bad.
const (
	Operational Status = iota + 1
	Degraded
	Outage
)

var statusNames = [...]string{"", Operational: "operational", Degraded: "degraded", Outage: "outage"}

// String returns the state's name on the wire.
func (s Status) String() string {
	return statusNames[s]
}

// ParseStatus reads what String returned.
func ParseStatus(s string) (Status, error) {
	if i := slices.Index(statusNames[:], s); i > 0 {
		return Status(i), nil
	}
	return 0, fmt.Errorf("unknown platform status %q", s)
}

// Freshness is the age of a platform's listings in a region. A zero time is not
// known.
type Freshness struct {
	Platform               Platform
	Region                 Region
	Listings, Doubtful     int // not withdrawn; with a doubtful price
	OldestSeen, MedianSeen Millis
	LastSweep              Millis // end of the last complete sweep of prices
}

// Type is what a listing or a card is. The order of the constants is the
// order in which search and card lists show them; the numbers are stored.
type Type uint8

// The types. Only pcstore listings have Base: the offer that is the game
// itself.
const (
	Game Type = iota + 1
	EditionType
	Bundle
	Subscription
	SeasonPass
	DLC
	Base
)

var typeNames = [...]string{Game: "game", EditionType: "edition", Bundle: "bundle",
	Subscription: "subscription", SeasonPass: "season-pass", DLC: "dlc", Base: "base"}

// String returns the type's name in the feed and on the wire.
func (t Type) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return ""
}

// ParseType reads a type's name as the feed writes it.
func ParseType(s string) (Type, error) {
	if i := slices.Index(typeNames[:], s); i > 0 {
		return Type(i), nil
	}
	return 0, fmt.Errorf("type %q is not one of game, dlc, edition, bundle, season-pass, subscription, base", s)
}

// Class is a group of types that may merge with each other.
type Class uint8

// The classes. Demos are a separate class, whatever their type.
const (
	GameClass Class = iota + 1
	AddOnClass
	SubscriptionClass
	DemoClass
)

// ClassOf returns the class of a product of this type.
func ClassOf(t Type, demo bool) Class {
	switch {
	case demo:
		return DemoClass
	case t == DLC || t == SeasonPass:
		return AddOnClass
	case t == Subscription:
		return SubscriptionClass
	}
	return GameClass
}

// String returns the class in words.
func (c Class) String() string {
	return [...]string{"", GameClass: "games", AddOnClass: "add-ons", SubscriptionClass: "subscriptions", DemoClass: "demos"}[c]
}

// Language is a language in which texts are known, as its BCP 47 code without a
// country: "uk", "pt". Chinese has its script too: "zh-Hans", "zh-Hant". The zero value
// is not a language.
type Language string

// English is the language of invariant names.
const English Language = "en"

// maxTag is the longest tag that ParseLanguage reads, in bytes.
const maxTag = 64

// ParseLanguage reads a BCP 47 tag in any case, surrounding space ignored, such as "uk",
// "pt-BR" or "zh-TW", and returns its language. Tags that name no language ("und", "mul",
// "x-private") or an unknown one are errors.
func ParseLanguage(tag string) (Language, error) {
	text := strings.TrimSpace(tag)
	if len(text) > maxTag || strings.Contains(text, "_") {
		return "", fmt.Errorf("language %.80q is not a language tag (BCP 47)", tag)
	}
	parsed, err := language.All.Parse(text)
	base, _, _ := parsed.Raw()
	code := base.String()
	if err != nil || strings.Contains(noLanguages, " "+code+" ") {
		return "", fmt.Errorf("language %q is not a language tag (BCP 47)", tag)
	}
	if code == "zh" {
		script, _ := parsed.Script() // the likely one of the country, if the tag has none
		return Language(code + "-" + script.String()), nil
	}
	return Language(code), nil
}

// noLanguages are the codes of texts in an unknown language, in several, in one without
// a code, and in none.
const noLanguages = " und mul mis zxx "
