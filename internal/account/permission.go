package account

import (
	"fmt"
	"slices"
	"strings"
)

// Permissions is a set of permissions. The zero value allows nothing.
type Permissions uint8

// The permissions a key can hold; each is a set of one.
const (
	ReadCatalog Permissions = 1 << iota // "read:catalog": everything under /catalog
	ReadAccount                         // "read:account": everything under /account

	AllPermissions = ReadCatalog | ReadAccount
)

// Has reports whether p contains every permission of q.
func (p Permissions) Has(q Permissions) bool { return p&q == q }

var permissionNames = [...]string{"read:catalog", "read:account"} // in the order of their bits

// List returns the names in p, always in the same order; never nil.
func (p Permissions) List() []string {
	names := make([]string, 0, len(permissionNames))
	for i, name := range permissionNames {
		if p.Has(1 << i) {
			names = append(names, name)
		}
	}
	return names
}

// String returns the names in p joined by commas: what [ParsePermissions] reads.
func (p Permissions) String() string { return strings.Join(p.List(), ",") }

// ParsePermissions reads names separated by commas. Space around a name and
// repeated names do not matter; the empty string is the empty set.
func ParsePermissions(s string) (p Permissions, err error) {
	if strings.TrimSpace(s) == "" {
		return 0, nil
	}
	for name := range strings.SplitSeq(s, ",") {
		name = strings.TrimSpace(name)
		i := slices.Index(permissionNames[:], name)
		if i < 0 {
			return 0, &FieldError{Field: "permissions", Value: fmt.Sprintf("%q", name), Constraint: "read:catalog or read:account"}
		}
		p |= 1 << i
	}
	return p, nil
}
