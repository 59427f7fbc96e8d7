package registry

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

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

// String returns the settings as they are stored: "limit-day=… limit-minute=…".
func (s Settings) String() string {
	var b strings.Builder
	for _, flag := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&b, "%s=%s ", flag, s[flag])
	}
	return strings.TrimSuffix(b.String(), " ")
}

// ParseSettings reads what String returned. It leaves out what has another form, which
// another version may have written.
func ParseSettings(text string) Settings {
	s := Settings{}
	for _, field := range strings.Fields(text) {
		if flag, hash, ok := strings.Cut(field, "="); ok {
			s[flag] = hash
		}
	}
	return s
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
	byFlag := map[string]map[string][]string{} // flag, hash: names
	byEpoch := map[string][]string{}
	for _, n := range l.Live() {
		if n.Epoch != "" { // otherwise it has read none
			byEpoch[n.Epoch] = append(byEpoch[n.Epoch], n.Name)
		}
		for flag, hash := range n.Settings {
			if byFlag[flag] == nil {
				byFlag[flag] = map[string][]string{}
			}
			byFlag[flag][hash] = append(byFlag[flag][hash], n.Name)
		}
	}
	var found []Disagreement
	for _, flag := range slices.Sorted(maps.Keys(byFlag)) {
		if len(byFlag[flag]) > 1 {
			found = append(found, Disagreement{"--" + flag, sortGroups(byFlag[flag])})
		}
	}
	if len(byEpoch) > 1 {
		found = append(found, Disagreement{"", sortGroups(byEpoch)})
	}
	return found
}

// sortGroups returns the names of nodes by value, most nodes first.
func sortGroups(byValue map[string][]string) [][]string {
	groups := slices.Collect(maps.Values(byValue))
	for _, names := range groups {
		slices.Sort(names)
	}
	slices.SortFunc(groups, func(a, b []string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), slices.Compare(a, b))
	})
	return groups
}
