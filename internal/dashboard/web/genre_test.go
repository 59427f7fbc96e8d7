package web

import (
	"strings"
	"testing"

	"gamedex/internal/fold"
)

// TestGenresHaveNames checks that each spelling of a genre leads to its name in each language, that no
// spelling belongs to two genres, and that an unknown genre stays as it is.
func TestGenresHaveNames(t *testing.T) {
	ls, err := loadLanguages()
	if err != nil {
		t.Fatal(err)
	}
	lines, of := 0, map[string]string{}
	for _, line := range strings.Split(genreTable, "\n") {
		columns := strings.Split(line, "|")
		if len(columns) == 1 || line[0] == '#' {
			continue
		}
		lines++
		for _, s := range strings.Split(strings.Join(columns, ","), ",") {
			key := fold.Fold(s)
			if other := of[key]; other != "" && other != columns[0] && key != "" {
				t.Errorf("%q is a spelling of %sand %s", s, other, columns[0])
			}
			of[key] = columns[0]
			for i, l := range ls.all {
				v := &Visit{language: l}
				if got, want := v.Genre(strings.ToUpper(s)), strings.TrimSpace(columns[i]); key != "" && got != want {
					t.Errorf("%s: %q is %q, want %q", l.Code, s, got, want)
				}
			}
		}
	}
	v := &Visit{language: ls.all[1]}
	for stored, want := range map[string]string{"ROLE_PLAYING_GAMES": "Ролевая игра", "role playing games": "Ролевая игра", "Екшн": "Экшен", "パズル": "パズル", "No such": "No such", "": ""} {
		if got := v.Genre(stored); got != want {
			t.Errorf("%q is %q, want %q", stored, got, want)
		}
	}
	if lines < 50 {
		t.Errorf("%d genres", lines)
	}
}
