package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"gamedex/internal/testing/await"
	"gamedex/internal/testing/porttest"
)

const priceAlert = "../../examples/price-alert/"

// messenger stands for Telegram and Discord. Its first answer is a fault.
type messenger struct {
	*httptest.Server
	mu      sync.Mutex
	failed  bool
	texts   []string      // of messages that were taken
	waiting chan struct{} // closed when a message waits for its answer
	hold    string        // messages with this text never get one
}

// newMessenger starts one that takes the text of a message from a field.
func newMessenger(t *testing.T, path, field string, fault func(http.ResponseWriter)) *messenger {
	m := &messenger{waiting: make(chan struct{})}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var sent map[string]string
		if err := json.Unmarshal(body, &sent); err != nil || r.URL.Path != path || sent[field] == "" {
			t.Errorf("%s gets %s: %v", r.URL.Path, body, err)
		}
		m.mu.Lock()
		first, held := !m.failed, m.hold != "" && strings.Contains(sent[field], m.hold)
		m.failed = true
		if !first && !held {
			m.texts = append(m.texts, sent[field])
		}
		m.mu.Unlock()
		switch {
		case first:
			fault(w)
		case held:
			close(m.waiting)
			<-r.Context().Done()
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	t.Cleanup(m.Close)
	return m
}

// count returns how many messages with a text were taken.
func (m *messenger) count(text string) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, sent := range m.texts {
		if strings.Contains(sent, text) {
			n++
		}
	}
	return n
}

func (m *messenger) holds(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hold = text
}

// TestPriceAlert runs examples/price-alert as its page says, with Telegram and Discord. The
// service is restarted and killed under it, an id moves, and the program is killed in the middle
// of an alert.
func TestPriceAlert(t *testing.T) {
	t.Parallel()
	needPrograms(t, "python3")
	folder, addr := t.TempDir(), porttest.Addr(t)
	demo := sharedDemo.another(t, "--addr", addr)
	s, dir, u := demo.server, demo.dir, demo.user(t)
	setPrices(t, dir, "ELDEN RING", 125_900)
	setPrices(t, dir, "XCOM 2", 13_900)
	telegram := newMessenger(t, "/bot123:abc/sendMessage", "text", func(w http.ResponseWriter) {
		w.Header().Set("Retry-After", "1")
		http.Error(w, `{"ok":false,"description":"Too Many Requests"}`, http.StatusTooManyRequests)
	})
	discord := newMessenger(t, "/webhook", "content", func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) })
	begin := func(block int, change ...string) *sampleRun {
		t.Helper()
		blocks := regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(read(t, priceAlert+"README.md"), -1)
		text := strings.NewReplacer(append(change, "gdx_…", u.token, "../../clients/python", absolute(t, pythonClient), "python3 price_alert.py", "exec python3 price_alert.py")...).Replace(blocks[block][1])
		file := filepath.Join(folder, "commands.sh")
		writeFile(t, file, text)
		r := newSampleRun([]string{"sh", "-eu", file}, nil, "GAMEDEX_KEY="+u.token, "GAMEDEX_API="+s.api+"/api/v1", pythonPath(t), noBytecode,
			"TELEGRAM_API="+telegram.URL, "TELEGRAM_TOKEN=123:abc", "TELEGRAM_CHAT=456", "DISCORD_WEBHOOK="+discord.URL+"/webhook")
		r.begin(t)
		return r
	}
	writeFile(t, filepath.Join(folder, "price_alert.py"), read(t, priceAlert+"price_alert.py"))

	r := begin(0, "--file games.txt", "--file games.txt --every 1 --platform consolestore 'Celeste | 99999'")
	alerted := func(text string, want int) {
		t.Helper()
		for name, count := range map[string]func(string) int{"telegram": telegram.count, "discord": discord.count, "terminal": func(text string) int {
			return strings.Count(strings.ReplaceAll(r.prints(), "\u00a0", " "), text)
		}} {
			if !await.Progress(func() bool { return r.ended() || count(text) >= want }, await.Nothing) || count(text) != want {
				t.Fatalf("%s: %d alerts with %q, want %d\n%s%s", name, count(text), text, want, &r.stdout, &r.stderr)
			}
		}
	}
	alerted("ELDEN RING:", 1)
	alerted("XCOM 2:", 1)
	alerted("Celeste:", 1)

	// The service is killed, then stopped, and an id moves.
	for i, end := range []func(){s.kill, func() { s.stop() }} {
		before := strings.Count(r.warns(), "again in")
		end()
		await.That(t, "the program to miss the service", func() bool { return r.ended() || strings.Count(r.warns(), "again in") > before })
		s = start(t, dir, "--addr", addr)
		setPrices(t, dir, "ELDEN RING", 100_000-i)
		alerted("ELDEN RING:", 2+i)
	}
	old, successor := moveCeleste(t, dir, u)
	state := filepath.Join(folder, "price-alert.json")
	await.That(t, "the program to follow "+old, func() bool {
		return r.ended() || strings.Contains(read(t, state), successor) && !strings.Contains(read(t, state), old)
	})

	// It is killed while Telegram takes an alert, and goes on where it was.
	telegram.holds("XCOM 2:")
	setPrices(t, dir, "XCOM 2", 9_900)
	await.That(t, "an alert to be under way", func() bool {
		select {
		case <-telegram.waiting:
			return true
		default:
			return r.ended()
		}
	})
	r.kill()
	<-r.exited
	if !json.Valid([]byte(read(t, state))) {
		t.Fatalf("the state is\n%s", read(t, state))
	}
	telegram.holds("")
	printed := r.prints()
	r = begin(1, "'Elden Ring | 30' 'XCOM 2'", "--platform consolestore 'Elden Ring | 1300' 'XCOM 2 | 500' 'Celeste | 99999'", "--currency EUR", "")
	r.succeeds(t)
	if strings.Count(printed, "XCOM 2:") != 2 || r.prints() != "" {
		t.Errorf("the terminal had\n%sand after the kill\n%s", printed, r.prints())
	}
	for text, want := range map[string]int{"ELDEN RING:": 3, "XCOM 2:": 2, "Celeste:": 1} {
		if telegram.count(text) != want || discord.count(text) != want {
			t.Errorf("%s: %d alerts in Telegram, %d in Discord, want %d", text, telegram.count(text), discord.count(text), want)
		}
	}

	for _, country := range []string{"US", "UA"} { // fewer cents than kopecks
		r = begin(1, "--country UA", "--country "+country, "--currency EUR ", "", "'Elden Ring | 30' 'XCOM 2'", "'Celeste | 99999'")
		r.succeeds(t)
		if strings.Count(r.prints(), "Celeste:") != 1 {
			t.Errorf("the first look at %s prints\n%s%s", country, r.prints(), r.warns())
		}
	}

	r = begin(1, "--country UA", "--country NZ", "'Elden Ring | 30' 'XCOM 2'", "'Celeste | 99999' Qwertzuiop Fortnte")
	r.succeeds(t)
	for _, want := range []string{"Celeste: no price in NZ; --country chooses another\n", "Qwertzuiop: not found; only games of active regions are served,", "), the most similar title: check that it is meant\n"} {
		if strings.Count(r.warns(), want) != 1 {
			t.Errorf("without a price or a game it says\n%s", r.warns())
		}
	}
}

// setPrices sets what a console game of the demo costs in Ukraine now, in hundredths of a
// hryvnia.
func setPrices(t *testing.T, dir, name string, current int) {
	t.Helper()
	changeListings(t, dir, name, func(listing map[string]any) {
		listing["price"] = map[string]any{"currency": "UAH", "base": 200_000, "current": current, "source": "graphql"}
	}, "--region", "UA")
}
