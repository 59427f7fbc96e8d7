package dashboard_test

import (
	"crypto/rand"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"gamedex/internal/dashboard"
	"gamedex/internal/quota"
)

func (w *world) saveUsage(keyID string, age int64, route string, outcome quota.Outcome, count int64) {
	w.t.Helper()
	row := quota.UsageRow{KeyID: keyID, Hour: millis()/3_600_000 - age, Route: route, Outcome: outcome, Count: count}
	if err := w.db.Accounts.SaveUsage(w.t.Context(), quota.UsageBatch{Run: rand.Text(), Number: 1, Rows: []quota.UsageRow{row}}); err != nil {
		w.t.Fatal(err)
	}
}

func TestUsageOfAllKeysAndOfOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob := w.addUser(bobEmail, false)
	first, token := w.addKey(bob, "first")
	second, _ := w.addKey(bob, "second")
	strange, _ := w.addKey(w.addUser(annEmail, true), "strange")
	w.saveUsage(first.ID, 100, "/catalog/search", quota.OutcomeOK, 4321)
	w.saveUsage(first.ID, 100, "/catalog/search", quota.OutcomeRefused, 17)
	w.saveUsage(second.ID, 200, "/catalog/prices", quota.OutcomeClientError, 662)
	w.saveUsage(second.ID, 31*24, "/catalog/suggest", quota.OutcomeOK, 5)
	w.saveUsage(strange.ID, 100, "/catalog/platforms", quota.OutcomeOK, 99_999)
	w.requestAPI(token, "/account/me")
	w.requestAPI(token, "/catalog/games/none")
	v := w.signedIn(bobEmail)
	for _, tt := range []struct {
		name, path string
		has, lacks []string // regular expressions
	}{
		{"all", "/usage", []string{
			`Last 24 hours(?s:.*)>Requests: 2; most(?s:.*)Answered: 1<(?s:.*)Refused \(429\): 0<(?s:.*)Errors: 1<(?s:.*)Last 30 days`,
			`Last 30 days(?s:.*)>Requests: 5,002; most(?s:.*)Answered: 4,322<(?s:.*)Refused \(429\): 17<(?s:.*)Errors: 663<`,
			`/catalog/search</code></th><td[^>]*>4,338</td><td[^>]*>17</td><td[^>]*>0</td>.*>87%`,
			`/catalog/prices</code></th><td[^>]*>662</td>`, `/account/me</code></th><td[^>]*>1</td>.*>&lt; 1%`,
			`first</th>.* of 30<(?s:.*)2 of 43,200<(?s:.*)second</th>|second</th>(?s:.*)first</th>.* of 30<(?s:.*)2 of 43,200<`,
		}, []string{"99,999", "/catalog/platforms<", "/catalog/suggest<"}},
		{"one", "/usage?key=" + second.ID, []string{
			`value="` + second.ID + `" selected`, `Last 24 hours(?s:.*)No requests in this period`, `>Requests: 662; most`, `Errors: 662<`, `0 of 43,200<`,
		}, []string{"4,3", "/catalog/search<"}},
		{"on the page of the key", "/keys/" + first.ID, []string{`>Requests: 4,340; most`, `Refused \(429\): 17<`, `2 of 43,200<`}, []string{"662"}},
	} {
		p := v.get(tt.path)
		p.wants(t, http.StatusOK).lacks(t, tt.lacks...)
		for _, want := range tt.has {
			if !regexp.MustCompile(want).MatchString(p.body) {
				t.Errorf("%s: nothing matches %s\n%s", tt.name, want, p.body)
			}
		}
	}
}

func TestUsageWithoutRequests(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	w, bob := v.w, v.w.user(bobEmail)
	v.get("/usage").wants(t, http.StatusOK, "Create your first key")
	key, _ := w.addKey(bob, "quiet")
	for _, path := range []string{"/usage", "/usage?key=" + key.ID, "/keys/" + key.ID} {
		p := v.get(path)
		p.wants(t, http.StatusOK, "No requests yet", "curl -H").lacks(t, `class="chart`)
	}
}

// TestUsedUpByAllKeysTogether checks that the pages say so when the keys of an owner
// have used up what they may use together: a new key shows nothing of it.
func TestUsedUpByAllKeysTogether(t *testing.T) {
	t.Parallel()
	minute := millis()/60_000 + 1 // a state that is ahead stays while the test runs
	for _, tt := range []struct {
		name    string
		spent   quota.Spent
		english string
		russian string
	}{
		{"minute", quota.Spent{Minute: minute, MinuteUsed: 60, DayUsed: 60}, "have together used all 60 requests per minute", "исчерпали свой лимит в минуту: 60"},
		{"day", quota.Spent{Minute: minute, MinuteUsed: 1, DayUsed: 86_400}, "have together used all 86,400 requests per day", "исчерпали свой лимит за сутки: 86\u00a0400"},
		{"neither", quota.Spent{Minute: minute, MinuteUsed: 59, DayUsed: 86_399}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var counter *quota.Memory
			w := newWorld(t, func(_ *world, cfg *dashboard.Config) { counter = cfg.Keys.Counter.(*quota.Memory) })
			bob := w.addUser(bobEmail, false)
			key, _ := w.addKey(bob, "first")
			w.addKey(bob, "second")
			strange, _ := w.addKey(w.addUser(annEmail, true), "strange")
			if err := w.keys.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			counter.Load([]quota.State{{ID: bob.ID, Owner: true, Spent: tt.spent}})
			v, ann := w.signedIn(bobEmail), w.signedIn(annEmail)
			russian := w.signedIn(bobEmail)
			russian.header.Set("Accept-Language", "ru")
			for _, p := range []struct {
				v    *visitor
				path string
				want string
			}{
				{v, "/keys", tt.english}, {v, "/keys/" + key.ID, tt.english}, {v, "/usage", tt.english},
				{ann, "/admin/keys/" + key.ID, tt.english}, {russian, "/keys/" + key.ID, tt.russian}, {ann, "/keys/" + strange.ID, ""},
			} {
				body := p.v.get(p.path).body
				if n := strings.Count(body, `class="notice warn"`); p.want != "" && (n != 1 || !strings.Contains(body, p.want)) || p.want == "" && n != 0 {
					t.Errorf("%s has %d notices, want %q:\n%s", p.path, n, p.want, body)
				}
				if !strings.Contains(body, "0 of 43,200") && p.v != russian {
					t.Errorf("%s does not show what the key has used:\n%s", p.path, body)
				}
			}
		})
	}
}
