package table

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

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
