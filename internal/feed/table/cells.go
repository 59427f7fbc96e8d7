package table

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var (
	digits     = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)
	decimal    = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	whole      = regexp.MustCompile(`^(0|[1-9][0-9]*)\.0+$`) // in a column of floats
	scientific = regexp.MustCompile(`^[0-9]([.,][0-9]+)?[eE]\+[0-9]+$`)
)

// appendCell appends the JSON value of a cell that is not empty. If the cell is
// refused, it returns the reason.
func appendCell(b []byte, k kind, cell string) ([]byte, string) {
	switch k {
	case id:
		if scientific.MatchString(cell) {
			return b, "lost digits in a spreadsheet: give the column the format Text before you enter or paste the ids"
		}
	case list:
		return appendList(b, cell)
	case amount:
		return appendAmount(b, cell)
	case count:
		if n := whole.FindStringSubmatch(cell); n != nil {
			cell = n[1]
		}
		if !digits.MatchString(cell) {
			return b, "is not a whole number"
		}
		return append(b, cell...), ""
	case number:
		if !decimal.MatchString(cell) {
			return b, "is not a number of 0 or more, with a decimal point"
		}
		return append(b, cell...), ""
	case flag:
		return appendFlag(b, cell)
	case timestamp:
		return appendTimestamp(b, cell)
	case end:
		if day, ok := parseDay(cell); ok {
			return appendText(b, day.Add(24*time.Hour-time.Millisecond).Format(time.RFC3339Nano)), ""
		}
		return appendTimestamp(b, cell)
	case date:
		return appendDate(b, cell)
	}
	return appendText(b, unguard(cell)), ""
}

func appendText(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s) // the reader has checked its UTF-8
	return b
}

// appendAmount appends whole hundredths. A decimal number is left to the reader of the
// feed, which refuses it and says what it may mean.
func appendAmount(b []byte, cell string) ([]byte, string) {
	n := whole.FindStringSubmatch(cell)
	switch {
	case n != nil: // hundredths in a column of floats, or whole units
		return b, "must be whole hundredths without a fraction: " + n[1] + " or " + n[1] + "00"
	case decimal.MatchString(cell):
		return append(b, cell...), ""
	}
	return b, "must be whole hundredths, in digits only and without leading zeros: 1999 for a price of 19.99; to write 19.99, name the columns price and fullPrice"
}

// appendFlag appends true or false.
func appendFlag(b []byte, cell string) ([]byte, string) {
	switch strings.ToLower(cell) {
	case "true", "yes", "1", "1.0":
		return append(b, "true"...), ""
	case "false", "no", "0", "0.0":
		return append(b, "false"...), ""
	}
	return b, "is not true or false"
}

// timestampForms are the forms of a day with a time that are not RFC 3339: as spreadsheets
// and pandas write it, with and without a time zone.
var timestampForms = []string{
	"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02T15:04",
	"2.1.2006 15:04:05", "2.1.2006 15:04", "2006/1/2 15:04:05", "2006/1/2 15:04",
}

// parseDay reads a date: YYYY-MM-DD, YYYY/M/D, or with dots, which stand only in dates that
// begin with the day.
func parseDay(cell string) (day time.Time, ok bool) {
	for _, layout := range []string{time.DateOnly, "2.1.2006", "2006/1/2"} {
		if day, err := time.Parse(layout, cell); err == nil && day.Year() > 0 {
			return day, true
		}
	}
	return time.Time{}, false
}

// appendTimestamp appends a time as RFC 3339. Without a zone it is UTC, and a date is its
// beginning.
func appendTimestamp(b []byte, cell string) ([]byte, string) {
	if _, err := time.Parse(time.RFC3339, cell); err == nil {
		return appendText(b, cell), ""
	}
	for _, layout := range timestampForms {
		if t, err := time.Parse(layout, cell); err == nil && t.Year() > 0 {
			return appendText(b, t.Format(time.RFC3339Nano)), ""
		}
	}
	if day, ok := parseDay(cell); ok {
		return appendText(b, day.Format(time.RFC3339Nano)), ""
	}
	return b, "is not a time such as 2026-11-20T03:00:00Z or 2026-11-20 03:00 (UTC)"
}

// appendDate appends a date. A midnight after it is ignored.
func appendDate(b []byte, cell string) ([]byte, string) {
	day, ok := parseDay(strings.TrimSuffix(strings.TrimSuffix(cell, " 00:00:00"), "T00:00:00"))
	if !ok {
		return b, "is not a date (YYYY-MM-DD)"
	}
	return appendText(b, day.Format(time.DateOnly)), ""
}

// appendList appends the entries of a list: a JSON list of texts, or entries with the
// first of the separators that the cell has.
func appendList(b []byte, cell string) ([]byte, string) {
	var entries []string
	if strings.HasPrefix(cell, "[") {
		var ok bool
		if entries, ok = readList(cell); !ok {
			return b, `is not a JSON list of texts such as ["RPG","Action"]; entries may also be separated by |`
		}
	} else {
		separator := "|"
		for _, s := range []string{"|", "\n", ";", ","} {
			if strings.Contains(cell, s) {
				separator = s
				break
			}
		}
		entries = strings.Split(cell, separator)
		for i := range entries {
			entries[i] = strings.TrimSpace(entries[i])
		}
	}
	b = append(b, '[')
	for i, entry := range entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, entry)
	}
	return append(b, ']'), ""
}

// readList reads a JSON list of texts.
func readList(cell string) (entries []string, ok bool) {
	var texts []*string
	if err := json.Unmarshal([]byte(cell), &texts); err != nil || slices.Contains(texts, nil) {
		return nil, false
	}
	for _, text := range texts {
		entries = append(entries, *text)
	}
	return entries, true
}

// Cell returns the cell of a value of a listing: a text, a list of texts, a number or a
// flag.
func Cell(value jsontext.Value) (string, error) {
	var cell string
	switch value.Kind() {
	case '[':
		var entries []string
		if err := json.Unmarshal(value, &entries); err != nil {
			return "", err
		}
		if cell = strings.Join(entries, "|"); slices.ContainsFunc(entries, isNotPlain) {
			cell = strings.ReplaceAll(string(value), ";", `\u003b`) // at which a spreadsheet may split
		}
	case '"':
		text, err := jsontext.AppendUnquote(nil, value)
		if err != nil {
			return "", err
		}
		cell = Guard(string(text))
	default:
		cell = string(value)
	}
	// Package csv reads CR LF in a cell as LF, and CR CR LF as CR LF.
	return strings.ReplaceAll(cell, "\r\n", "\r\r\n"), nil
}

// isNotPlain reports whether an entry would not be read as it is between separators.
func isNotPlain(entry string) bool {
	return Guard(entry) != entry || strings.HasPrefix(entry, "[") || strings.ContainsAny(entry, "|\n;,")
}
