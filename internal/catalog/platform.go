package catalog

import (
	"fmt"
	"slices"
	"strings"
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
