package catalog

import (
	"fmt"
	"slices"
)

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
