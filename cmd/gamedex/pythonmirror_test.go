package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/testing/await"
)

// TestPythonClientUnderFaults runs the mirror of doc/mirror.md with three ids in a request, behind a proxy
// with faults. Prices change, an id moves, and the service and the mirror are killed and come back. Each
// time the mirror must become what the whole answer shows.
func TestPythonClientUnderFaults(t *testing.T) {
	t.Parallel()
	needPrograms(t, "python3")
	demo := sharedDemo.another(t)
	m := &pythonMirror{t: t, u: demo.user(t), file: filepath.Join(t.TempDir(), "mirror.json")}
	celeste := m.u.get("/catalog/search?q=celeste&platform=consolestore").text("data.results.0.id")
	m.ids = []string{celeste, "HMNNWKJ1", "Elden-Ring", "no-game"}
	for _, item := range m.u.get("/catalog/browse?sort=popularity&types=game&limit=12").at("data.items").([]any) {
		if id := item.(map[string]any)["id"].(string); !slices.Contains(m.ids, id) && id != "elden-ring" {
			m.ids = append(m.ids, id)
		}
	}
	all := len(m.ids) - 1 // without no-game
	faults := &faultyFront{to: demo.api, seen: map[string]int{}}
	front := httptest.NewServer(faults)
	t.Cleanup(front.Close)

	program, _ := mirrorProgram(t)
	folder := filepath.Dir(m.file)
	writeFile(t, filepath.Join(folder, "mirror.py"), strings.Replace(program, "\n", "\ngamedex.BULK = 3\n", 1))
	writeFile(t, filepath.Join(folder, "run.sh"), "exec python3 mirror.py "+strings.Join(m.ids, " "))
	begin := func() {
		m.run = newSampleRun([]string{"sh", filepath.Join(folder, "run.sh")}, nil,
			"GAMEDEX_API="+front.URL, "GAMEDEX_KEY="+m.u.token, "EVERY=0.2", pythonPath(t), noBytecode)
		m.run.begin(t)
	}
	s := demo.server
	restart := func(price int) {
		setPrices(t, demo.dir, "ELDEN RING", price)
		s = start(t, demo.dir)
		m.u = newUser(t, s.api, m.u.token)
		m.shows(price)
		faults.move(s.api)
	}

	begin()
	m.follows("everything, after the faults", all)
	if !faults.passed(m.run.key()) || strings.Count(m.run.warns(), "again in") < faultsOfAFront {
		t.Errorf("it met no faults: %s", m.run.warns())
	}
	setPrices(t, demo.dir, "ELDEN RING", 123_400)
	m.shows(123_400)
	m.follows("a price", all)

	demo.kill()
	warned := strings.Count(m.run.warns(), "again in")
	await.That(t, "the mirror to miss the service", func() bool { return m.run.ended() || strings.Count(m.run.warns(), "again in") > warned })
	restart(123_500)
	m.follows("a price after a kill of the service", all)

	old, successor := moveCeleste(t, demo.dir, m.u)
	m.ids[0] = successor
	m.follows("an id that moved", all)
	await.That(t, "the mirror to print the id", func() bool { return m.run.ended() || strings.Contains(m.run.prints(), "changed: "+successor+" ") })
	if old != celeste || !strings.Contains(m.run.prints(), "changed: "+successor+" ") {
		t.Errorf("%s became %s, and the mirror prints\n%s", old, successor, m.run.prints())
	}

	m.run.kill()
	<-m.run.exited
	s.stop()
	faults.forget()
	restart(123_600)
	begin()
	m.follows("a price after a kill of the mirror", all)
	reads := func() int { return strings.Count("\n"+m.run.prints(), "\nchanged: ") }
	await.That(t, "the mirror to print what it has stored", func() bool { return m.run.ended() || reads() > 0 })
	if n := reads(); n != 1 || !faults.passed(m.run.key()) {
		t.Errorf("after its kill it reads %d games, want 1\n%s%s", n, m.run.prints(), m.run.warns())
	}
}

// pythonMirror is a mirror that runs.
type pythonMirror struct {
	t    *testing.T
	u    *apiUser
	run  *sampleRun
	file string
	ids  []string // that the mirror has now
}

// shows waits until the service shows a price of Elden Ring in Ukraine, in hundredths.
func (m *pythonMirror) shows(price int) {
	m.t.Helper()
	m.u.eventually("/catalog/prices?regions=UA&ids=HMNNWKJ1", valueIs("data.items.0.regions.UA.current", strconv.Itoa(price)))
}

// follows waits until the mirror has what the service shows: a number of games.
func (m *pythonMirror) follows(what string, games int) {
	m.t.Helper()
	d, shownGames := "", 0
	if !await.Progress(func() bool {
		whole := m.u.get("/catalog/prices?regions=all&ids=" + strings.Join(m.ids, ",")).want(http.StatusOK)
		var stored struct{ Items map[string]any }
		shown := decoded[struct {
			Data struct{ Items []map[string]any }
		}](m.t, string(whole.body))
		want := map[string]any{}
		for _, item := range shown.Data.Items {
			id := item["id"].(string)
			if sent, ok := item["requestedIds"].([]any); ok {
				id = sent[0].(string)
			}
			want[id] = item
		}
		text, err := os.ReadFile(m.file)
		if err == nil {
			err = json.Unmarshal(text, &stored)
		}
		if err != nil && !os.IsNotExist(err) {
			m.t.Fatal(err)
		}
		d, shownGames = cmp.Diff(withoutVolatile(want), withoutVolatile(stored.Items)), len(want)
		return m.run.ended() || d == ""
	}, await.Nothing) || m.run.ended() || shownGames != games {
		m.t.Fatalf("%s, %d games, want %d (-service +mirror):\n%s\n%s%s", what, shownGames, games, d, m.run.prints(), m.run.warns())
	}
}
