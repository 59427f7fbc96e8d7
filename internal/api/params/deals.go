package params

import (
	"strconv"
	"strings"

	"gamedex/internal/api/selection"
	"gamedex/internal/money"
)

// maxHundredths is the highest amount that clients can send: the largest number that
// every reader of JSON has exactly.
const maxHundredths = 1<<53 - 1

// Hundredths reads an amount in hundredths; it is None if none was sent.
func (q *Query) Hundredths(name string) money.Amount {
	return money.Amount(q.Integer(name, int(money.None), 0, maxHundredths))
}

// Dollars reads an amount in dollars, and returns its cents; None if none was sent.
func (q *Query) Dollars(name string) money.Amount {
	sent, ok := q.firstValue(name)
	if !ok {
		return money.None
	}
	whole, decimals, point := strings.Cut(strings.TrimSpace(sent), ".")
	if !isDigits(whole) || point && (!isDigits(decimals) || len(decimals) > 2) {
		q.setFault(name, textValue(sent), Number)
		return money.None
	}
	cents, err := strconv.ParseInt(whole+(decimals + "00")[:2], 10, 64)
	if err != nil || cents > maxHundredths {
		q.setFault(name, textValue(sent), "max:"+string(money.AppendUSD(nil, maxHundredths)))
	}
	return money.Amount(cents)
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// The milliseconds of durations.
const (
	minute      = 60_000
	hour        = 60 * minute
	day         = 24 * hour
	maxDuration = 3650 * day
)

// Duration reads a whole number of minutes, hours or days, such as 90m, and returns its
// milliseconds; 0 if none was sent.
func (q *Query) Duration(name string) int64 {
	sent, ok := q.firstValue(name)
	if !ok {
		return 0
	}
	ms := parseDuration(strings.ToLower(strings.TrimSpace(sent)))
	if ms == 0 {
		q.setFault(name, textValue(sent), Duration)
	}
	return ms
}

// parseDuration returns 0 for a text that is not a duration between 1 and maxDuration.
func parseDuration(text string) (ms int64) {
	digits := strings.TrimRight(text, "mhd")
	units := map[string]int64{"m": minute, "h": hour, "d": day}
	unit := units[text[len(digits):]]
	n, err := strconv.ParseInt(digits, 10, 64)
	if unit == 0 || !isDigits(digits) || err != nil || n > maxDuration/unit {
		return 0
	}
	return n * unit
}

// OneRegion notes a fault of a parameter that was sent, unless a request names no region
// or one.
func (q *Query) OneRegion(name string, regions selection.Regions) {
	sent, _ := q.firstValue(name)
	if regions.All || len(regions.Codes) > 1 || len(regions.Codes) == 1 && regions.Codes[0] == selection.EuroArea {
		q.setFault(name, textValue(sent), OneRegion)
	}
}
