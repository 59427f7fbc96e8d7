package catalog

import (
	"fmt"
	"strings"
)

// Platform is a game store. The zero value is no platform.
type Platform uint8

// The two platforms; their numbers are stored and never change.
const (
	ConsoleStore Platform = 1
	PCStore      Platform = 2
)

// Platforms lists every platform in the order in which answers show them.
func Platforms() []Platform { return []Platform{ConsoleStore, PCStore} }

// String gives the platform's identifier in the feed and on the wire.
func (p Platform) String() string {
	switch p {
	case ConsoleStore:
		return "consolestore"
	case PCStore:
		return "pcstore"
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
