package registry

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	// Every is how often a node says that it is there.
	Every = 5 * time.Second
	// LiveFor is how long a node counts after it was seen.
	LiveFor = 3 * Every
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
