package resolve_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// line is a judged line: what a person has, and the titles that are meant, the best first.
type line struct {
	kind, half, text string
	wanted           []string
}

// judged returns the lines of the file, and those about the invented catalog.
func judged(t testing.TB) (lines []line) {
	t.Helper()
	text, err := os.ReadFile("testdata/judged.txt")
	if err != nil {
		t.Fatal(err)
	}
	kind := ""
	for i, row := range strings.Split(string(text), "\n") {
		if name, ok := strings.CutPrefix(row, "["); ok {
			kind = strings.TrimSuffix(name, "]")
			continue
		}
		if row == "" || strings.HasPrefix(row, "#") {
			continue
		}
		fields := strings.Split(row, " | ")
		if len(fields) < 2 || fields[0] != "tune" && fields[0] != "held" || kind == "" {
			t.Fatalf("judged.txt line %d: %q: want tune or held, the text and titles, below a kind", i+1, row)
		}
		lines = append(lines, line{kind, fields[0], fields[1], fields[2:]})
	}
	if len(lines) < 600 {
		t.Fatalf("%d judged lines, want at least 600", len(lines))
	}
	return append(lines, inventedLines()...)
}

// inventedLines returns lines about the invented catalog, made from kinds.
func inventedLines() (lines []line) {
	c, random := invented(), rand.New(rand.NewPCG(37, 2))
	add := func(kind, text string, wanted ...string) {
		lines = append(lines, line{"invented: " + kind, []string{"tune", "held"}[len(lines)%2], text, wanted})
	}
	oneOf := func(list ...string) string { return list[random.IntN(len(list))] }
	unsold := []string{"Deluxe Edition", "Digital Deluxe Edition", "Premium Edition", "Day One Edition", "Collector's Edition", "Launch Edition"}
	for i := range 1500 {
		g := c.games[random.IntN(len(c.games))]
		shop := fmt.Sprintf(oneOf("%s PS4 & PS5", "%s Steam Key GLOBAL", "%s - PS4", "%s (PC)", "%s Digital Code", "%s EU", "%s - PS5 Digital", "%s [PC] Steam Gift ROW"), g.title)
		switch i % 10 {
		case 0:
			add("clean", oneOf(g.title, strings.ToUpper(g.title), strings.ToLower(g.title), g.title+"®"), g.title)
		case 1, 2:
			add("shop words", shop, g.title)
		case 3:
			if e := oneOf(unsold...); !slices.Contains(g.editions, e) {
				add("editions not sold", g.title+oneOf(" ", " - ", ": ")+e, g.title)
			}
		case 4:
			if len(g.editions) > 0 {
				e := oneOf(g.editions...)
				add("editions sold", g.title+oneOf(" ", " - ", ": ")+e, g.title+" - "+e, g.title)
			}
		case 5:
			numerals := strings.NewReplacer(" III", " 3", " II", " 2", " 3", " III", " 2", " II")
			add("sequels", numerals.Replace(g.title), g.title)
		case 6:
			for _, l := range languages {
				if text := g.local[l]; text != "" {
					add(map[string]string{"ru": "russian", "tr": "turkish", "pl": "polish", "ja": "japanese"}[l], text+oneOf("", "", " PS5", " PS4 & PS5"), g.title)
				}
			}
		case 7:
			if g.addOn != "" {
				add("add-ons", g.title+oneOf(" - ", ": ", " ")+g.addOn, g.title+" - "+g.addOn, g.title)
			}
		case 8:
			letters := []rune(g.title)
			at := 1 + random.IntN(len(letters)-3)
			if letters[at] != letters[at+1] && !strings.ContainsRune(" :I0123456789", letters[at]) && !strings.ContainsRune(" :I0123456789", letters[at+1]) {
				letters[at], letters[at+1] = letters[at+1], letters[at]
				add("typing errors", string(letters), g.title)
			}
		case 9:
			add("absent", oneOf(c.absent...)+oneOf("", "", " PS5", " Deluxe Edition"))
		}
	}
	return lines
}
