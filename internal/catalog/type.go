package catalog

import "fmt"

// Type is what a listing or a card is. The order of the constants is the
// order in which search and card lists show them; the numbers are stored.
type Type uint8

// The types; Base stands on pcstore listings only: the offer that is the game.
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

// String gives the type's name in the feed and on the wire.
func (t Type) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return ""
}

// ParseType reads a type's name as the feed writes it.
func ParseType(s string) (Type, error) {
	for t, name := range typeNames {
		if name != "" && name == s {
			return Type(t), nil
		}
	}
	return 0, fmt.Errorf("type %q is not one of game, dlc, edition, bundle, season-pass, subscription, base", s)
}

// IsEdition reports whether an offer of this type is one of the editions of its
// PC card.
func (t Type) IsEdition() bool {
	switch t {
	case Base, Game, EditionType, Bundle:
		return true
	}
	return false
}

// Class says which types may merge with each other.
type Class uint8

// The classes. Demos are a class whatever type they say.
const (
	GameClass Class = iota + 1
	AddOnClass
	SubscriptionClass
	DemoClass
)

// ClassOf gives the class of a product of this type.
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
	switch c {
	case GameClass:
		return "games"
	case AddOnClass:
		return "add-ons"
	case SubscriptionClass:
		return "subscriptions"
	case DemoClass:
		return "demos"
	}
	return ""
}
