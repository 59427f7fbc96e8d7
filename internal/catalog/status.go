package catalog

import "fmt"

// Status is what a platform's state is called on the wire.
type Status uint8

// The states, from good to bad.
const (
	Operational Status = iota + 1
	Degraded
	Outage
)

// String gives the state's name on the wire.
func (s Status) String() string {
	switch s {
	case Operational:
		return "operational"
	case Degraded:
		return "degraded"
	case Outage:
		return "outage"
	}
	return ""
}

// ParseStatus reads what String gave.
func ParseStatus(s string) (Status, error) {
	for status := Operational; status <= Outage; status++ {
		if status.String() == s {
			return status, nil
		}
	}
	return 0, fmt.Errorf("unknown platform status %q", s)
}
