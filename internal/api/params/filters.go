package params

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"gamedex/internal/api/selection"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/lists"
	"gamedex/internal/money"
)

// maxEntries is the most entries of a list parameter that filters cards.
const maxEntries = 100

// cardTypes are the types that cards have.
var cardTypes = [...]catalog.Type{catalog.Game, catalog.EditionType, catalog.Bundle, catalog.Subscription, catalog.SeasonPass, catalog.DLC}

// Cards reads the filters of cards, from types to publishers. The platform, which comes
// first in the tables, is an argument.
func (q *Query) Cards(p catalog.Platform) lists.Filter {
	f := lists.Filter{Platform: p}
	names := make([]string, len(cardTypes))
	for i, t := range cardTypes {
		names[i] = t.String()
	}
	for _, i := range q.Enums("types", names) {
		f.Types = append(f.Types, cardTypes[i])
	}
	f.Devices, f.Genres, f.Publishers = q.texts("platforms"), q.texts("genres"), q.texts("publishers")
	return f
}

// texts reads a list of texts, separated by semicolons. They may contain commas, and those
// separate entries too, see [lists.Filter].
func (q *Query) texts(name string) (list []string) {
	sent, n := q.List(name, String), 0
	for _, text := range sent.Texts {
		for entry := range strings.SplitSeq(text, ";") {
			if entry = strings.TrimSpace(entry); entry != "" {
				list = append(list, entry)
				n += 1 + strings.Count(entry, ",")
			}
		}
	}
	q.listFault(sent, n)
	return list
}

// Enums reads a list of names, and returns their indexes in names, each once.
func (q *Query) Enums(name string, names []string) (list []int) {
	sent := q.List(name, String)
	q.listFault(sent, 0)
	for _, text := range sent.Texts {
		for entry := range strings.FieldsFuncSeq(text, separates) {
			i := indexOf(names, entry)
			switch {
			case i < 0:
				q.setFault(name, textValue(text), "enum:"+strings.Join(names, ","))
			case !slices.Contains(list, i):
				list = append(list, i)
			}
		}
	}
	return list
}

// listFault notes what is wrong with a list of n entries as a whole.
func (q *Query) listFault(sent List, n int) {
	switch {
	case q.fault != nil:
	case sent.Fault != nil:
		q.fault = sent.Fault
	case n > maxEntries:
		q.fault = sent.Invalid("maxLength:" + strconv.Itoa(maxEntries))
	}
}

// indexOf returns the index of a name, in any case; -1 if it is not in names.
func indexOf(names []string, name string) int {
	return slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// Enum reads a name, and returns its index in names; absent if none was sent.
func (q *Query) Enum(name string, absent int, names []string) int {
	sent, ok := q.firstValue(name)
	if !ok {
		return absent
	}
	i := indexOf(names, strings.TrimSpace(sent))
	if i < 0 {
		q.setFault(name, textValue(sent), "enum:"+strings.Join(names, ","))
	}
	return max(i, 0)
}

// Regions reads codes, see [ParseRegions].
func (q *Query) Regions(name string) selection.Regions {
	return read(q, name, ParseRegions)
}

// Time reads a time or a date, see [ParseTime]; it is 0 if none was sent.
func (q *Query) Time(name string) catalog.Millis {
	if at := read(q, name, ParseTime); at != nil {
		return *at
	}
	return 0
}

// Date reads a date, and returns its number in [index.Columns]; 0 if none was sent.
func (q *Query) Date(name string) int32 {
	sent, ok := q.firstValue(name)
	if !ok {
		return 0
	}
	date, err := time.Parse(time.DateOnly, strings.TrimSpace(sent))
	if err != nil || date.Year() < 1 {
		q.setFault(name, textValue(sent), Date)
		return 0
	}
	return index.DateNumber(date)
}

// Cursor reads the cursor of a list, see [lists.ParseCursor]; nil if none was sent.
func (q *Query) Cursor(name, list string) *lists.Position {
	sent, ok := q.firstValue(name)
	if !ok {
		return nil
	}
	position, err := lists.ParseCursor(strings.TrimSpace(sent), list)
	if err != nil {
		q.setFault(name, textValue(sent), Cursor)
	}
	return &position
}

// Canonical returns the values of parameters in one text: two queries with the same values
// have the same text, whatever the order and case in which they were sent.
func (q *Query) Canonical(names ...string) string {
	var text strings.Builder
	for _, name := range names {
		for _, p := range q.pairs {
			if p.name == name {
				text.WriteString(name + "=" + strings.ToLower(strings.TrimSpace(p.text)) + "\x00")
			}
		}
	}
	return text.String()
}

// maxHundredths is the highest amount that clients can send: the largest number that
// every reader of JSON has exactly.
const maxHundredths = 1<<53 - 1

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
