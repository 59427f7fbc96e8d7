package registry

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	// Every is how often a node says that it is there.
	Every = 5 * time.Second
	// LiveFor is how long a node counts after it was seen.
	LiveFor = 3 * Every
	// BehindFor is how long a node may take to serve what is published.
	BehindFor = 10 * time.Second
	// KeptFor is how long the row of a node that was killed is kept.
	KeptFor = 24 * time.Hour
	// MaxSkew is how far a node's clock may be off before it is reported.
	MaxSkew = 2 * time.Second
	// MaxName is the length of the longest name of a node, in bytes.
	MaxName = 100
)

// Node is a process that serves. All times are Unix milliseconds of the database's
// clock.
type Node struct {
	ID       string // differs between processes and between their runs
	Name     string // for people; should be unique
	Version  string
	Roles    []string
	Epoch    string // of the database, as it read it last; "" if it has not
	Seq      int64  // number of the manifest that it serves; 0: none
	Started  int64  // when it was seen first
	Seen     int64  // when it was seen last
	Ahead    int64  // milliseconds that its clock is ahead; negative: behind
	Settings Settings
	// Damaged are the names of the files in the bucket that it cannot use, sorted, because
	// they are missing or damaged. A name has no space and no equals sign.
	Damaged []string
}

// CheckName returns what is wrong with a node's name; "" is not an error.
func CheckName(name string) error {
	if len(name) > MaxName || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) || r == utf8.RuneError }) {
		return fmt.Errorf("%.100q: must be at most %d bytes of printable text", name, MaxName)
	}
	return nil
}

// Has reports whether the node has a role.
func (n Node) Has(role string) bool { return slices.Contains(n.Roles, role) }

// Skewed reports whether the node's clock is too far off.
func (n Node) Skewed() bool { return max(n.Ahead, -n.Ahead) > MaxSkew.Milliseconds() }

// List is the nodes at a time of the database's clock.
type List struct {
	At    int64
	Seq   int64 // number of the newest publication
	Nodes []Node
}

// IsLive reports whether a node of the list counts. A node that was seen in the future
// does so only if the clock may have been set back a little since.
func (l List) IsLive(n Node) bool {
	age := l.At - n.Seen
	return max(age, -age) < LiveFor.Milliseconds()
}

// Live returns the nodes that count.
func (l List) Live() []Node {
	return slices.DeleteFunc(slices.Clone(l.Nodes), func(n Node) bool { return !l.IsLive(n) })
}

// Count returns how many live nodes have a role.
func (l List) Count(role string) (count int) {
	for _, n := range l.Nodes {
		if l.IsLive(n) && n.Has(role) {
			count++
		}
	}
	return count
}

// SharedNames returns the names that several live nodes have, sorted. A node that starts again
// after it was killed shares no name with its former run.
func (l List) SharedNames() (names []string) {
	live := l.Live()
	for i, a := range live {
		for _, b := range live[:i] {
			if a.Name == b.Name && a.Started <= b.Seen && b.Started <= a.Seen {
				names = append(names, a.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Damaged returns the names of the files in the bucket that live nodes cannot use, sorted.
func (l List) Damaged() (names []string) {
	for _, n := range l.Live() {
		names = append(names, n.Damaged...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Sort sorts the nodes: live ones first, then by name, then by start.
func (l List) Sort() {
	slices.SortFunc(l.Nodes, func(a, b Node) int {
		switch live := l.IsLive(a); {
		case live == l.IsLive(b):
		case live:
			return -1
		default:
			return 1
		}
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Started, b.Started), strings.Compare(a.ID, b.ID))
	})
}

// Ahead returns how many milliseconds a clock is ahead of another one that showed other
// (Unix milliseconds) at some time between before and after: the least that is
// possible, so that a slow answer does not look like a wrong clock.
func Ahead(before time.Time, other int64, after time.Time) int64 {
	least, most := before.UnixMilli()-other, after.UnixMilli()-other
	switch {
	case least > 0:
		return least
	case most < 0:
		return most
	}
	return 0
}

// Settings are hashes of the settings that should be the same on all nodes, by the name
// of their flag. A node leaves out what its roles do not use.
type Settings map[string]string

// hashLen is the length of a hash in a Settings: 64 bits tell values apart that nobody
// chose to collide.
const hashLen = 16

// Set adds the value of a setting.
func (s Settings) Set(flag, value string) {
	sum := sha256.Sum256([]byte(value))
	s[flag] = hex.EncodeToString(sum[:])[:hashLen]
}

// String returns the settings as text: "limit-day=… limit-minute=…".
func (s Settings) String() string {
	var b strings.Builder
	for _, flag := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&b, "%s=%s ", flag, s[flag])
	}
	return strings.TrimSuffix(b.String(), " ")
}

// SettingsText returns the settings and the names of damaged files of a node as the database
// stores them. An older version of the program leaves out the names.
func (n Node) SettingsText() string {
	return strings.Join(append([]string{n.Settings.String()}, n.Damaged...), " ")
}

// ParseSettings reads what SettingsText returned.
func ParseSettings(text string) (s Settings, damaged []string) {
	s = Settings{}
	for _, field := range strings.Fields(text) {
		if flag, hash, ok := strings.Cut(field, "="); ok {
			s[flag] = hash
		} else {
			damaged = append(damaged, field)
		}
	}
	return s, damaged
}

// Disagreement is something that has different values on live nodes.
type Disagreement struct {
	Flag   string     // of the setting, with its dashes; "" if it is the epoch of the database
	Groups [][]string // names of the nodes with the same value, most nodes first
}

// maxNamed is how many nodes of a group are named in a text.
const maxNamed = 3

// Named returns the first few names and how many more there are: "a, b, c, 2 more".
func Named(names []string) string {
	more := ""
	if n := len(names) - maxNamed; n > 0 {
		names, more = names[:maxNamed], fmt.Sprintf(", %d more", n)
	}
	return strings.Join(names, ", ") + more
}

// String returns the setting, if it is one, with its groups: "--limit-day: api-1, api-2 / api-3".
func (d Disagreement) String() string {
	groups := make([]string, len(d.Groups))
	for i, names := range d.Groups {
		groups[i] = Named(names)
	}
	text := strings.Join(groups, " / ")
	if d.Flag != "" {
		text = d.Flag + ": " + text
	}
	return text
}

// Disagreements returns the settings about which the live nodes of the list disagree, by
// flag, and then the epoch of the database, if they read different ones.
func (l List) Disagreements() []Disagreement {
	byFlag := map[string]map[string][]string{} // flag, "" for the epoch, and hash: names
	add := func(flag, value, name string) {
		if byFlag[flag] == nil {
			byFlag[flag] = map[string][]string{}
		}
		byFlag[flag][value] = append(byFlag[flag][value], name)
	}
	for _, n := range l.Live() {
		if n.Epoch != "" { // otherwise it has read none
			add("", n.Epoch, n.Name)
		}
		for flag, hash := range n.Settings {
			add("--"+flag, hash, n.Name)
		}
	}
	var found []Disagreement
	for flag, byValue := range byFlag {
		if len(byValue) < 2 {
			continue
		}
		groups := slices.Collect(maps.Values(byValue))
		for _, names := range groups {
			slices.Sort(names)
		}
		slices.SortFunc(groups, func(a, b []string) int {
			return cmp.Or(cmp.Compare(len(b), len(a)), slices.Compare(a, b))
		})
		found = append(found, Disagreement{flag, groups})
	}
	slices.SortFunc(found, func(a, b Disagreement) int {
		if a.Flag == "" || b.Flag == "" { // the epoch is the last
			return strings.Compare(b.Flag, a.Flag)
		}
		return strings.Compare(a.Flag, b.Flag)
	})
	return found
}

// Warnings returns what an operator should correct: clocks that are off, settings that
// should be the same, names that should differ, and that no process makes snapshots.
func (l List) Warnings() (list []string) {
	live := l.Live()
	if len(live) > 0 && l.Count("build") == 0 {
		list = append(list, "no process makes snapshots, so new prices are not served: start one with the role build (serve --roles build)")
	}
	for _, n := range live {
		if n.Skewed() {
			list = append(list, fmt.Sprintf("the clock of %s differs from the database's by %s; synchronize it (NTP)", n.Name, clockText(n.Ahead)))
		}
		for _, name := range n.Damaged {
			list = append(list, n.Name+" "+AboutDamage(name))
		}
	}
	return append(list, l.conflicts()...)
}

// AboutDamage returns what to say of a node that cannot use a file of the bucket, after its name.
func AboutDamage(file string) string {
	return "cannot use " + file + " in the bucket, which is missing or damaged; a process with the role build publishes it again within seconds: start one if none runs, else look at its log"
}

// conflicts returns what should be the same on all live nodes, but is not, and the names
// that several have.
func (l List) conflicts() (list []string) {
	for _, d := range l.Disagreements() {
		if d.Flag != "" {
			list = append(list, "nodes have different values of "+d.String())
			continue
		}
		list = append(list, "nodes read different epochs of the database: "+d.String()+
			"; after a failover or a restore this lasts a few seconds; if it lasts longer, the nodes reach different servers, or their database roles have different privileges")
	}
	for _, name := range l.SharedNames() {
		list = append(list, fmt.Sprintf("several nodes are named %s; give each its own --node-name", name))
	}
	return list
}

// clockText returns how far a clock is ahead: "+2.4s".
func clockText(ahead int64) string { return fmt.Sprintf("%+.1fs", float64(ahead)/1000) }

func timestamp(millis int64) string { return time.UnixMilli(millis).UTC().Format(time.RFC3339) }

// WriteTable writes the nodes as a table, and then the warnings.
func (l List) WriteTable(w io.Writer) error {
	if len(l.Nodes) == 0 {
		_, err := fmt.Fprintln(w, "no process serves from this database")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tROLES\tVERSION\tMANIFEST\tSTARTED\tSEEN\tCLOCK\tSTATE")
	for _, n := range l.Nodes {
		age, state := time.Duration(max(l.At-n.Seen, 0))*time.Millisecond, "gone"
		if l.IsLive(n) {
			state = "live"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\t%s ago\t%s\t%s\n", n.Name, strings.Join(n.Roles, ","), n.Version, n.Seq,
			timestamp(n.Started), age.Round(time.Second), clockText(n.Ahead), state)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, warning := range l.Warnings() {
		if _, err := fmt.Fprintln(w, warning); err != nil {
			return err
		}
	}
	return nil
}

type nodeShown struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Roles      []string `json:"roles"`
	Version    string   `json:"version"`
	Epoch      string   `json:"epoch,omitempty"`
	Manifest   int64    `json:"manifest"`
	StartedAt  string   `json:"startedAt"`
	SeenAt     string   `json:"seenAt"`
	ClockAhead float64  `json:"clockAheadSeconds"`
	Live       bool     `json:"live"`
	Damaged    []string `json:"damaged,omitempty"`
}

type listShown struct {
	Nodes    []nodeShown `json:"nodes"`
	Warnings []string    `json:"warnings"`
}

// Shown returns the nodes and the warnings as a value to be written as JSON.
func (l List) Shown() any {
	shown := listShown{Nodes: make([]nodeShown, len(l.Nodes)), Warnings: append([]string{}, l.Warnings()...)}
	for i, n := range l.Nodes {
		shown.Nodes[i] = nodeShown{ID: n.ID, Name: n.Name, Roles: n.Roles, Version: n.Version, Epoch: n.Epoch, Manifest: n.Seq,
			StartedAt: timestamp(n.Started), SeenAt: timestamp(n.Seen), ClockAhead: float64(n.Ahead) / 1000, Live: l.IsLive(n), Damaged: n.Damaged}
	}
	return shown
}
