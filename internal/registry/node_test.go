package registry

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const at = 1_800_000_000_000

// listed returns a list of nodes that were seen so many milliseconds ago.
func listed(nodes ...Node) List {
	l := List{At: at, Nodes: nodes}
	for i := range l.Nodes {
		n := &l.Nodes[i]
		n.ID, n.Seen, n.Version = n.Name, at-n.Seen, "1.2.3"
	}
	return l
}

func settings(pairs ...string) Settings {
	s := Settings{}
	for i := 0; i < len(pairs); i += 2 {
		s.Set(pairs[i], pairs[i+1])
	}
	return s
}

func TestLive(t *testing.T) {
	for name, tt := range map[string]struct {
		ago  int64
		want bool
	}{
		"now":                    {0, true},
		"just so":                {14_999, true},
		"too long ago":           {15_000, false},
		"a little in the future": {-14_999, true},
		"far in the future":      {-15_000, false},
	} {
		l := listed(Node{Name: "a", Roles: []string{"api", "build"}, Seen: tt.ago})
		if got := l.IsLive(l.Nodes[0]); got != tt.want {
			t.Errorf("%s: live is %v", name, got)
		}
		count := map[bool]int{true: 1}[tt.want]
		if got := l.Count("build"); got != count || l.Count("collect") != 0 || len(l.Live()) != count {
			t.Errorf("%s: %d builders of %d nodes, %d collectors", name, got, len(l.Live()), l.Count("collect"))
		}
	}
}

func TestAhead(t *testing.T) {
	for name, tt := range map[string]struct{ before, after, want int64 }{
		"the same":            {0, 0, 0},
		"ahead":               {2500, 2501, 2500},
		"behind":              {-2501, -2500, -2500},
		"a slow answer":       {-3000, 3000, 0},
		"ahead or slow":       {100, 9000, 100},
		"set back in between": {50, -50, 50},
	} {
		got := Ahead(time.UnixMilli(at+tt.before), at, time.UnixMilli(at+tt.after))
		if got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
	for ahead, want := range map[int64]bool{2000: false, 2001: true, -2000: false, -2001: true} {
		if got := (Node{Ahead: ahead}).Skewed(); got != want {
			t.Errorf("%d ms ahead: skewed is %v", ahead, got)
		}
	}
}

func TestDisagreements(t *testing.T) {
	same := settings("limit-day", "1", "limit-minute", "30", "pc-name", "PC")
	other := settings("limit-day", "2", "limit-minute", "30", "pc-name", "pc")
	l := listed(
		Node{Name: "d", Settings: other, Epoch: "2"}, Node{Name: "c", Settings: same, Epoch: "1"}, Node{Name: "b", Settings: same},
		Node{Name: "a", Settings: same}, Node{Name: "e", Settings: same}, Node{Name: "f", Settings: same},
		Node{Name: "builder", Settings: settings("active-regions", "UA")}, // has no limits
		Node{Name: "gone", Seen: 20_000, Settings: settings("limit-minute", "60")},
	)
	var got []string
	for _, d := range l.Disagreements() {
		got = append(got, d.String())
	}
	want := []string{"--limit-day: a, b, c, 2 more / d", "--pc-name: a, b, c, 2 more / d", "c / d"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSharedNames(t *testing.T) {
	l := listed(
		Node{Name: "b", Seen: 1000, Started: at - 60_000}, Node{Name: "b", Started: at - 30_000}, Node{Name: "b", Seen: 2000, Started: at - 10_000},
		Node{Name: "a", Seen: 4000, Started: at - 90_000}, Node{Name: "a", Seen: 4000, Started: at - 4000}, // started when the other was seen
		Node{Name: "killed", Seen: 9000, Started: at - 90_000}, Node{Name: "killed", Started: at - 8999},
		Node{Name: "gone", Seen: 20_000, Started: at - 90_000}, Node{Name: "gone", Started: at - 30_000},
		Node{Name: "alone"},
	)
	if diff := cmp.Diff([]string{"a", "b"}, l.SharedNames()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSettingsAreStoredAsText(t *testing.T) {
	s := settings("pc-name", "a b=c", "limit-day", "")
	names := []string{"blob/00ff", "manifest/00000000000000000007"}
	text := Node{Settings: s, Damaged: names}.SettingsText()
	got, damaged := ParseSettings(text)
	if diff := cmp.Diff(s, got); diff != "" || !slices.Equal(damaged, names) {
		t.Errorf("damaged %q; settings (-want +got):\n%s", damaged, diff)
	}
	if !strings.HasPrefix(s.String(), "limit-day=") || strings.ContainsAny(s.String(), "\n") {
		t.Errorf("the text is %q", s)
	}
	want := Settings{"a": "b", "e": ""}
	if got, _ := ParseSettings(" a=b  c e= "); !maps.Equal(want, got) {
		t.Errorf("of another form: %v, want %v", got, want)
	}
}

func TestCheckName(t *testing.T) {
	for name, good := range map[string]bool{
		"": true, "api-1": true, "узел 1": true, strings.Repeat("x", MaxName): true,
		strings.Repeat("x", MaxName+1): false, "a\nb": false, "a\x00": false, "a\xff": false,
	} {
		if err := CheckName(name); (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestShown(t *testing.T) {
	l := listed(
		Node{Name: "gone", Roles: []string{"collect"}, Seen: 90_000, Started: at - 7_200_000},
		Node{Name: "b", Roles: []string{"api", "build"}, Seq: 12, Seen: 1200, Started: at - 3_600_000, Ahead: -2345, Settings: settings("limit-day", "1")},
		Node{Name: "a", Roles: []string{"api"}, Seq: 13, Seen: 3600, Started: at - 60_000, Settings: settings("limit-day", "2"), Damaged: []string{"blob/00ff"}},
	)
	l.Sort()
	var table strings.Builder
	if err := l.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	const want = `NAME  ROLES      VERSION  MANIFEST  STARTED               SEEN       CLOCK  STATE
a     api        1.2.3    13        2027-01-15T07:59:00Z  4s ago     +0.0s  live
b     api,build  1.2.3    12        2027-01-15T07:00:00Z  1s ago     -2.3s  live
gone  collect    1.2.3    0         2027-01-15T06:00:00Z  1m30s ago  +0.0s  gone
a cannot use blob/00ff in the bucket, which is missing or damaged; a process with the role build publishes it again within seconds: start one if none runs, else look at its log
the clock of b differs from the database's by -2.3s; synchronize it (NTP)
nodes have different values of --limit-day: a / b
`
	if diff := cmp.Diff(want, table.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	text, err := json.Marshal(l.Shown())
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		`{"nodes":[{"id":"a","name":"a","roles":["api"],"version":"1.2.3","manifest":13,"startedAt":"2027-01-15T07:59:00Z","seenAt":"2027-01-15T07:59:56Z","clockAheadSeconds":0,"live":true,"damaged":["blob/00ff"]}`,
		`"clockAheadSeconds":-2.345,"live":true`, `"manifest":0,`, `"live":false}],"warnings":["a cannot use blob/00ff`, `"the clock of b`,
	} {
		if !strings.Contains(string(text), part) {
			t.Errorf("%s lacks %s", text, part)
		}
	}
	l = listed(Node{Name: "a", Roles: []string{"api", "collect"}}, Node{Name: "gone", Roles: []string{"build"}, Seen: 90_000})
	if list := l.Warnings(); len(list) != 1 || !strings.HasPrefix(list[0], "no process makes snapshots") {
		t.Errorf("without a builder: %q", list)
	}
	l = listed(Node{Name: "a", Roles: []string{"build"}, Started: at - 9000}, Node{Name: "a", Started: at - 5000})
	const same = "several nodes are named a; give each its own --node-name"
	table.Reset()
	if err := l.WriteTable(&table); err != nil || !strings.HasSuffix(table.String(), "live\n"+same+"\n") {
		t.Errorf("of the same name: %v\n%s", err, table.String())
	}
	if text, err := json.Marshal(l.Shown()); err != nil || !strings.Contains(string(text), `"warnings":["`+same+`"]`) {
		t.Errorf("of the same name: %s %v", text, err)
	}
	var none strings.Builder
	if err := (List{At: at}).WriteTable(&none); err != nil || none.String() != "no process serves from this database\n" {
		t.Errorf("%q, %v", none.String(), err)
	}
	if text, _ := json.Marshal(List{At: at}.Shown()); string(text) != `{"nodes":[],"warnings":[]}` {
		t.Errorf("without nodes: %s", text)
	}
}
