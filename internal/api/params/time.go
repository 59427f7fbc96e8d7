package params

import (
	"strings"
	"time"

	"gamedex/internal/catalog"
)

// ParseTime reads an RFC 3339 time, or a date, which stands for its start in UTC. ok is
// false if none was sent.
func ParseTime(sent List) (at catalog.Millis, ok bool, fault *Fault) {
	first, fault := sent.First()
	text := strings.ToUpper(strings.TrimSpace(first))
	if fault != nil || text == "" {
		return 0, false, fault
	}
	parsed, err := time.Parse(time.RFC3339, text)
	if err != nil {
		parsed, err = time.Parse(time.DateOnly, text)
	}
	if err != nil || parsed.Year() < 1 { // years that no answer can show
		return 0, false, sent.invalidFirst(Date)
	}
	return catalog.MillisOf(parsed), true, nil
}
