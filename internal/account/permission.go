package account

import (
	"fmt"
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

// List returns the names in p, always in the same order; never nil.
func (p Permissions) List() []string {
	names := make([]string, 0, 2)
	if p.Has(ReadCatalog) {
		names = append(names, "read:catalog")
	}
	if p.Has(ReadAccount) {
		names = append(names, "read:account")
	}
	return names
}

// String returns the names in p joined by commas: what [ParsePermissions] reads.
func (p Permissions) String() string { return strings.Join(p.List(), ",") }

// ParsePermissions reads names separated by commas. Space around a name and
// repeated names do not matter; the empty string is the empty set.
func ParsePermissions(s string) (Permissions, error) {
	if strings.TrimSpace(s) == "" {
		return 0, nil
	}
	var p Permissions
	for name := range strings.SplitSeq(s, ",") {
		one, err := parsePermission(strings.TrimSpace(name))
		if err != nil {
			return 0, err
		}
		p |= one
	}
	return p, nil
}

func parsePermission(name string) (Permissions, error) {
	switch name {
	case "read:catalog":
		return ReadCatalog, nil
	case "read:account":
		return ReadAccount, nil
	}
	return 0, &FieldError{Field: "permissions", Value: fmt.Sprintf("%q", name), Constraint: "read:catalog or read:account"}
}
