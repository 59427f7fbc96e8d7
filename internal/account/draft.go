package account

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

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
	Permissions Permissions // 0: all
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
		return &FieldError{"permissions", strconv.Itoa(int(d.Permissions)), "a set of read:catalog and read:account"}
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
		d.Permissions = AllPermissions
	}
	return Key{
		ID: id, Hash: HashToken(token), Prefix: token[:shownLen],
		Name: d.Name, UserID: d.UserID, Permissions: d.Permissions,
		CreatedAt: now, ExpiresAt: d.ExpiresAt,
		LimitMinute: d.LimitMinute, LimitDay: d.LimitDay,
	}, token, nil
}
