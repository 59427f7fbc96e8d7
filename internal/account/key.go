package account

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Key is the stored record of one API key. It never holds the token.
type Key struct {
	ID            string // "key_" and 26 sortable characters
	Hash          [32]byte
	Prefix        string // first characters of the token, for display: "gdx_Ab12"
	Name          string // the label given at creation
	UserID        string // the owner; "": none
	CreatedAt     int64
	ExpiresAt     int64 // 0: never
	LastUsedAt    int64 // 0: not used yet
	RevokedAt     int64 // 0: not revoked
	SuspendedAt   int64 // 0: not suspended
	SuspendReason string
	Permissions   Permissions
	LimitMinute   int // requests a minute; 0: the default
	LimitDay      int // requests a UTC day; 0: the default
}

// Status is the state of a key at one time, as the API calls it.
type Status string

// The states of a key. Only an active key works.
const (
	StatusActive    Status = "active"
	StatusExpired   Status = "expired"
	StatusRevoked   Status = "revoked"
	StatusSuspended Status = "suspended"
)

// Status returns the key's state at now. If several apply, it returns the first
// of revoked, suspended, expired. A key is expired from the millisecond ExpiresAt
// on.
func (k Key) Status(now int64) Status {
	switch {
	case k.RevokedAt != 0:
		return StatusRevoked
	case k.SuspendedAt != 0:
		return StatusSuspended
	case k.ExpiresAt != 0 && now >= k.ExpiresAt:
		return StatusExpired
	}
	return StatusActive
}

// Unrevoked returns the keys that were not revoked.
func Unrevoked(keys []Key) []Key {
	return slices.DeleteFunc(slices.Clone(keys), func(k Key) bool { return k.RevokedAt != 0 })
}

// Revoke returns the key revoked at now. A revoked key does not change.
func (k Key) Revoke(now int64) Key {
	if k.RevokedAt == 0 {
		k.RevokedAt = now
	}
	return k
}

// Suspend returns the key suspended at now. For a suspended key it changes only the
// reason; a revoked key is an error.
func (k Key) Suspend(now int64, reason string) (Key, error) {
	if err := k.checkNotRevoked(); err != nil {
		return k, err
	}
	if k.SuspendedAt == 0 {
		k.SuspendedAt = now
	}
	k.SuspendReason = reason
	return k, nil
}

// Resume returns the key active again. The key of a disabled user stays
// suspended until the user is enabled; a revoked key is an error.
func (k Key) Resume(userDisabled bool) (Key, error) {
	if err := k.checkNotRevoked(); err != nil {
		return k, err
	}
	switch {
	case k.SuspendedAt == 0:
	case userDisabled:
		k.SuspendReason = SuspendedWithUser
	default:
		k.SuspendedAt, k.SuspendReason = 0, ""
	}
	return k, nil
}

func (k Key) checkNotRevoked() error {
	if k.RevokedAt != 0 {
		return fmt.Errorf("key %s is revoked permanently: create a new one", k.ID)
	}
	return nil
}

// DisableWithUser returns an active key suspended because its user is disabled
// at now. Other keys stay as they are.
func (k Key) DisableWithUser(now int64) Key {
	if k.Status(now) == StatusActive {
		k.SuspendedAt, k.SuspendReason = now, SuspendedWithUser
	}
	return k
}

// EnableWithUser undoes DisableWithUser.
func (k Key) EnableWithUser() Key {
	if k.RevokedAt == 0 && k.SuspendReason == SuspendedWithUser {
		k.SuspendedAt, k.SuspendReason = 0, ""
	}
	return k
}

// The bounds of the fields of a key.
const (
	MaxNameLen     = 100     // code points
	MaxReasonLen   = 200     // code points
	MaxLimitMinute = 262_143 // requests; 18 bits, see package quota
	MaxLimitDay    = 4_194_303
)

// FieldError is a field of a request that cannot be accepted.
type FieldError struct {
	Field      string // the field's name: "name", "expires", "limit-minute", …
	Value      string // as given, printable
	Constraint string // what would be accepted, in words
}

// Error returns the field, its value and what would be accepted.
func (e *FieldError) Error() string {
	return fmt.Sprintf("%s %s: must be %s", e.Field, e.Value, e.Constraint)
}

// Draft is the request for a new key.
type Draft struct {
	Name        string
	UserID      string      // "": no owner
	Permissions Permissions // 0: DefaultPermissions
	ExpiresAt   int64       // 0: never
	LimitMinute int         // 0: the default
	LimitDay    int         // 0: the default
}

// Check returns a [FieldError] for the first field that cannot be accepted at
// now, or nil.
func (d Draft) Check(now int64) error {
	if err := checkLine("name", d.Name, MaxNameLen); err != nil {
		return err
	}
	if strings.TrimSpace(d.Name) == "" {
		return &FieldError{"name", shorten(d.Name), "more than white space"}
	}
	if d.Permissions&^AllPermissions != 0 {
		return &FieldError{"permissions", strconv.Itoa(int(d.Permissions)), "a set of " + AllPermissions.String()}
	}
	if d.ExpiresAt != 0 && d.ExpiresAt <= now {
		return &FieldError{"expires", time.UnixMilli(d.ExpiresAt).UTC().Format(time.RFC3339), "in the future"}
	}
	if err := checkLimit("limit-minute", d.LimitMinute, MaxLimitMinute); err != nil {
		return err
	}
	return checkLimit("limit-day", d.LimitDay, MaxLimitDay)
}

// CheckReason returns a [FieldError] if a reason cannot be given for the suspension of
// a key, or nil. Its owner and its clients see it.
func CheckReason(reason string) error {
	if reason == SuspendedWithUser {
		return &FieldError{"reason", shorten(reason), "another one: enabling the user would resume the key"}
	}
	return checkLine("reason", reason, MaxReasonLen)
}

// checkLine refuses a text that is not one line of 1 to most characters.
func checkLine(field, s string, most int) error {
	if n := utf8.RuneCountInString(s); n < 1 || n > most {
		return &FieldError{field, shorten(s), fmt.Sprintf("1 to %d characters long", most)}
	}
	if !utf8.ValidString(s) {
		return &FieldError{field, shorten(s), "valid UTF-8"}
	}
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) }) {
		return &FieldError{field, shorten(s), "text without control characters and line breaks"}
	}
	return nil
}

// shorten quotes s for an error message, and cuts long text.
func shorten(s string) string {
	if runes := []rune(s); len(runes) > MaxNameLen {
		return strconv.Quote(string(runes[:MaxNameLen])) + "…"
	}
	return strconv.Quote(s)
}

func checkLimit(field string, n, highest int) error {
	if n < 0 || n > highest {
		return &FieldError{field, strconv.Itoa(n), fmt.Sprintf("1 to %d, or 0 for the default", highest)}
	}
	return nil
}

// Issue checks the draft and returns its key and token. Nothing returns the
// token again.
func (d Draft) Issue(now int64, rand io.Reader) (Key, string, error) {
	if err := d.Check(now); err != nil {
		return Key{}, "", err
	}
	id, err := NewKeyID(now, rand)
	if err != nil {
		return Key{}, "", err
	}
	token, err := NewToken(rand)
	if err != nil {
		return Key{}, "", err
	}
	if d.Permissions == 0 {
		d.Permissions = DefaultPermissions
	}
	return Key{
		ID: id, Hash: HashToken(token), Prefix: token[:shownLen],
		Name: d.Name, UserID: d.UserID, Permissions: d.Permissions,
		CreatedAt: now, ExpiresAt: d.ExpiresAt,
		LimitMinute: d.LimitMinute, LimitDay: d.LimitDay,
	}, token, nil
}

// Permissions is a set of permissions. The zero value allows nothing.
type Permissions uint8

// The permissions a key can hold; each is a set of one.
const (
	ReadCatalog   Permissions = 1 << iota // "read:catalog": everything under /catalog
	ReadAccount                           // "read:account": reading under /account
	WriteWebhooks                         // "write:webhooks": everything under /account/webhooks

	// DefaultPermissions are those of a key for which none were named.
	DefaultPermissions = ReadCatalog | ReadAccount
	AllPermissions     = DefaultPermissions | WriteWebhooks
)

// Has reports whether p contains every permission of q.
func (p Permissions) Has(q Permissions) bool { return p&q == q }

var permissionNames = [...]string{"read:catalog", "read:account", "write:webhooks"} // in the order of their bits

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
			return 0, &FieldError{Field: "permissions", Value: fmt.Sprintf("%q", name), Constraint: "read:catalog, read:account or write:webhooks"}
		}
		p |= 1 << i
	}
	return p, nil
}
