package resolve_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/resolve"
	. "gamedex/internal/testing/catalogtest"
)

// TestDevicesDecide checks that two cards with one title are ambiguous, and that devices decide
// between them, sent or in the title.
func TestDevicesDecide(t *testing.T) {
	r, checked := &resolve.Resolver{View: world()}, 0
	find := func(text string, devices ...string) resolve.Match {
		return r.Resolve(resolve.Item{Text: text, Platform: catalog.ConsoleStore, Devices: devices}, nil)[0]
	}
	for _, g := range invented().games {
		if !g.apart {
			continue
		}
		checked++
		for _, m := range []resolve.Match{find(g.title), find(g.title + " PS4 & PS5"), find(g.title, "Switch"), find(g.title, "PS4", "PS5")} {
			if m.Status != resolve.Ambiguous || len(m.Candidates()) != 2 {
				t.Fatalf("%s is %v with %d candidates, want it ambiguous with two", g.title, m.Status, len(m.Candidates()))
			}
		}
		for _, m := range []resolve.Match{find(g.title, "ps5"), find(g.title + " - PS5"), find(g.title+" (PS4)", "PS5")} {
			if m.Status != resolve.Resolved || m.Card.Platforms().At(0) != "PS5" {
				t.Fatalf("%s for PS5 is %v", g.title, m.Status)
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d games are sold apart", checked)
	}
}

// TestDevices checks which devices a text names: those of cards, and those that titles have.
func TestDevices(t *testing.T) {
	r := &resolve.Resolver{View: world()}
	for text, want := range map[string]string{
		"PS5": "PS5", " ps5 ": "ps5", "for PlayStation 5": "PS5", "PlayStation®5": "PS5", "playstation5": "PS5", "PS 4 and PS5": "PS4,PS5", "ПС 5": "PS5",
		"PS3": "PS3", "PlayStation 3": "PS3", "PS Vita": "PS Vita", "windows": "windows", "PC": "Windows", "for Windows 11": "Windows", "ПК": "Windows",
		"Xbox Series X|S": "Xbox Series X|S", "Nintendo Switch": "Nintendo Switch", "Switch": "Switch",
		"Toaster": "", "PS55": "", "Toaster PS5": "", "": "", "™": "", "for": "", "key": "", "Deluxe Edition": "",
	} {
		if got := strings.Join(r.Devices(text), ","); got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}

// TestYearsDecide checks what a year says about cards: of two with one title it decides, and one
// of another year is not certain. Doubt is never resolved.
func TestYearsDecide(t *testing.T) {
	var lines Listings
	console := func(product, family, title, year string, options ...Option) {
		lines.Apply(Console("US", product, append(options, Family(family), FamilyName(title), Name(title), Title(title), Locale("en-US"), Platforms("PS5"),
			Prose(catalog.Prose{ReleaseDate: year + "-05-06"}))...))
	}
	console("UP0001-PPSA00001_00-AAAAAAAAAAAAAAAA", "1", "Doom Patrol", "1993")
	console("UP0001-PPSA00002_00-BBBBBBBBBBBBBBBB", "2", "Doom Patrol", "2016")
	console("UP0001-PPSA00003_00-CCCCCCCCCCCCCCCC", "3", "Dead Station", "2008")
	console("UP0001-PPSA00004_00-DDDDDDDDDDDDDDDD", "4", "Mighty Robot X", "1995")
	r := &resolve.Resolver{View: viewOf(&lines)}
	for _, c := range []struct {
		item resolve.Item
		want resolve.Status
		year string
	}{
		{resolve.Item{Text: "Doom Patrol"}, resolve.Ambiguous, ""},
		{resolve.Item{Text: "Doom Patrol", Year: 2016}, resolve.Resolved, "2016"},
		{resolve.Item{Text: "Doom Patrol (1993) PS5"}, resolve.Resolved, "1993"},
		{resolve.Item{Text: "Doom Patrol 2016"}, resolve.Resolved, "2016"},
		{resolve.Item{Text: "Doom Patrol", Year: 2005}, resolve.Ambiguous, ""},
		{resolve.Item{Text: "Dead Station", Year: 2009}, resolve.Resolved, "2008"},
		{resolve.Item{Text: "Dead Station", Year: 2023}, resolve.Ambiguous, ""},
		{resolve.Item{Text: "Dead Station Remake"}, resolve.Ambiguous, ""},
		{resolve.Item{Text: "Dead Station", Devices: []string{"PS4"}}, resolve.Ambiguous, ""},
		{resolve.Item{Text: "Dead Station", Devices: []string{"Windows"}}, resolve.Resolved, "2008"},
		{resolve.Item{Text: "Mighty Robot 10"}, resolve.Ambiguous, ""},
		{resolve.Item{Text: "Dead Station 2"}, resolve.NotFound, ""},
		{resolve.Item{Text: "Dead Station II Deluxe Edition PS5"}, resolve.NotFound, ""},
	} {
		m := r.Resolve(c.item, nil)[0]
		if m.Status != c.want || c.want == resolve.Resolved && m.Card.ReleaseDate()[:4] != c.year || (c.want == resolve.Ambiguous) != (len(m.Candidates()) > 0) {
			t.Errorf("%+v is %v (%v), want %v %s", c.item, m.Status, m.Card, c.want, c.year)
		}
	}
}

// TestDoubt checks texts that name a product which is not sold, beside a game that is: an add-on, a
// version for an older console, an edition without its noun, links.
func TestDoubt(t *testing.T) {
	r := &resolve.Resolver{View: world()}
	for _, c := range []struct {
		text  string
		want  resolve.Status
		title string // of the card or the first candidate
	}{
		{"Elden Ring DLC", resolve.Ambiguous, "ELDEN RING"},
		{"Eldn Ring DLC", resolve.Ambiguous, "ELDEN RING"},
		{"Cyberpunk 2077 (DLC) PS5", resolve.Ambiguous, "Cyberpunk 2077"},
		{"Resident Evil 4 Add-On", resolve.Ambiguous, "Resident Evil 4"},
		{"Bloodborne The Old Hunters DLC", resolve.Resolved, "Bloodborne – The Old Hunters"},
		{"Hades gift card", resolve.NotFound, ""},
		{"Resident Evil 4 PS3", resolve.Ambiguous, "Resident Evil 4"},
		{"God of War - PlayStation 3", resolve.Ambiguous, "God of War"},
		{"Dead Space Xbox 360", resolve.Ambiguous, "Dead Space"},
		{"Prey PS Vita", resolve.Ambiguous, "Prey"},
		{"Dead Space Xbox Series X", resolve.Resolved, "Dead Space"},
		{"ELDEN RING - Deluxe", resolve.Resolved, "ELDEN RING - Deluxe Edition"},
		{"ELDEN RING Deluxe PS5", resolve.Resolved, "ELDEN RING - Deluxe Edition"},
		{"Alan Wake 2 Deluxe", resolve.Resolved, "Alan Wake 2 - Deluxe Edition"},
		{"Cyberpunk 2077 Ultimate", resolve.Resolved, "Cyberpunk 2077 - Ultimate Edition"},
		{"Bloodborne Game of the Year", resolve.Resolved, "Bloodborne - Game of the Year Edition"},
		{"Bloodborne Deluxe", resolve.Resolved, "Bloodborne"},
	} {
		m := r.Resolve(resolve.Item{Text: c.text, Platform: catalog.ConsoleStore}, nil)[0]
		checkMatch(t, c.text, m, c.want, c.title)
	}
	for link, want := range map[string]resolve.Status{
		"pc.example/en/p/hades?x=https://a.b/c": resolve.Resolved, "https://PC.example:443/p/hades/#a": resolve.Resolved,
		"//pc.example/p/hades": resolve.Resolved, "pc.example:443/p/hades": resolve.Resolved, "https://pc.example/p/%68ades": resolve.Resolved,
		"https://pc.example/hades/p/some-unknown-game": resolve.Ambiguous, "https://a.b/?https://pc.example/p/hades": resolve.NotFound,
	} {
		checkMatch(t, link, r.Resolve(resolve.Item{Text: link, Platform: catalog.PCStore}, nil)[0], want, "Hades")
	}
}

func checkMatch(t *testing.T, text string, m resolve.Match, want resolve.Status, title string) {
	t.Helper()
	cards := m.Candidates()
	if m.Status == resolve.Resolved {
		cards = []index.Card{m.Card}
	}
	if m.Status != want || want != resolve.NotFound && (len(cards) == 0 || cards[0].Title() != title) {
		t.Errorf("%s is %v with %d cards, want %v %s", text, m.Status, len(cards), want, title)
		for _, c := range cards {
			t.Log(c.Title())
		}
	}
}

// TestSoundsAreBounded checks that a request searches only so often by sound, and searches as ever
// for everything else afterwards.
func TestSoundsAreBounded(t *testing.T) {
	r, random := &resolve.Resolver{View: world()}, rand.New(rand.NewPCG(37, 4))
	find := func(r *resolve.Resolver, text string) resolve.Status {
		return r.Resolve(resolve.Item{Text: text, Platform: catalog.PCStore}, nil)[0].Status
	}
	check := func(r *resolve.Resolver, bySound resolve.Status) {
		t.Helper()
		for text, want := range map[string]resolve.Status{"элден ринг": bySound, "Cyberpnuk 2077": resolve.Resolved, "Cyberpunk 2077 PC": resolve.Resolved} {
			if got := find(r, text); got != want {
				t.Errorf("%s after %d searches by sound is %v, want %v", text, r.BySound(), got, want)
			}
		}
	}
	check(r, resolve.Ambiguous)
	letters := []rune("абвгдежзиклмнопрст")
	for i := range 1000 {
		text := make([]rune, 78)
		for j := range text {
			if text[j] = letters[random.IntN(len(letters))]; i%2 > 0 && j%20 == 19 {
				text[j] = ' '
			}
		}
		if s := find(r, string(text)); s != resolve.NotFound || r.BySound() > min(2*i+2, resolve.MaxBySound) {
			t.Fatalf("item %d, %q, is %v, after %d searches by sound", i, string(text), s, r.BySound())
		}
	}
	if r.BySound() != resolve.MaxBySound {
		t.Errorf("%d searches by sound, want %d", r.BySound(), resolve.MaxBySound)
	}
	check(r, resolve.NotFound)
	check(&resolve.Resolver{View: world()}, resolve.Ambiguous)
}

// TestPlatformRestricts checks that the match in a store does not depend on the other store,
// except for typing errors and names that only the other one knows.
func TestPlatformRestricts(t *testing.T) {
	r := &resolve.Resolver{View: world()}
	for _, l := range judged(t) {
		for _, m := range r.Resolve(resolve.Item{Text: l.text}, nil) {
			alone := r.Resolve(resolve.Item{Text: l.text, Platform: m.Platform}, nil)[0]
			exact := m.Status == resolve.Resolved && (m.Way == resolve.Exact || m.Way == resolve.Edition)
			if exact && alone.Status == resolve.Resolved && alone.Card != m.Card || alone.Status == resolve.Ambiguous && m.Status == resolve.Ambiguous && !slices.Equal(alone.Candidates()[:1], m.Candidates()[:1]) {
				t.Errorf("%q in %s: %v %v with the other store, %v %v alone", l.text, m.Platform, m.Status, m.Way, alone.Status, alone.Way)
			}
		}
	}
}
