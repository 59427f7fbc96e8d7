package web

import (
	_ "embed"
	"fmt"
	"strings"

	"gamedex/internal/fold"
)

//go:embed genres.txt
var genreTable string

// loadGenres fills in the genre names of each language. Their keys are folded spellings of stores.
func loadGenres(all []*language) error {
	for _, line := range strings.Split(genreTable, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		columns := strings.Split(line, "|")
		if len(columns) != len(all)+1 {
			return fmt.Errorf("genres.txt: %q has %d columns, want %d", line, len(columns), len(all)+1)
		}
		spellings := append(columns[:len(all):len(all)], strings.Split(columns[len(all)], ",")...)
		for i, l := range all {
			if l.genres == nil {
				l.genres = map[string]string{}
			}
			for _, s := range spellings {
				if key := fold.Fold(s); key != "" {
					l.genres[key] = strings.TrimSpace(columns[i])
				}
			}
		}
	}
	return nil
}

// Genre returns the name of a genre in the visitor's language: as the store has it if it is not known.
func (v *Visit) Genre(stored string) string {
	if name := v.language.genres[fold.Fold(stored)]; name != "" {
		return name
	}
	return stored
}
