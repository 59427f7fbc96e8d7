package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/mail"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"golang.org/x/text/unicode/norm"
)

// Limits of email addresses and passwords.
const (
	MaxEmailLen    = 254 // bytes
	MinPasswordLen = 10  // code points
	MaxPasswordLen = 200 // code points
)

// User is a person who signs in to the dashboard.
type User struct {
	ID           string // "usr_" and 26 sortable characters
	Email        string // lower case; identifies the user at sign-in, gets no mail
	PasswordHash string // argon2id in PHC form; "": signs in another way
	Admin        bool
	CreatedAt    int64
	SignedInAt   int64 // the last sign-in; 0: never
	DisabledAt   int64 // 0: not disabled
	// Epoch rises to end all sessions of the user: a session of an earlier
	// epoch is invalid.
	Epoch int64
}

// Disabled reports whether the user is disabled: they can neither sign in nor
// use their keys.
func (u User) Disabled() bool { return u.DisabledAt != 0 }

// UserSummary is a line in a list of users.
type UserSummary struct {
	User
	Keys int // not revoked
}

// OwnedKey is a key with its owner's email, or "" if the key has no owner.
type OwnedKey struct {
	Key
	Email string
}

// MaxKeys is the maximum number of keys of a user, without revoked ones.
const MaxKeys = 50

// MaxNewKeys is the maximum number of keys that a user may make in
// [NewKeysWindow], revoked ones included.
const MaxNewKeys = 60

// NewKeysWindow is 24 hours, in milliseconds.
const NewKeysWindow = 24 * hour

// RevokedKept is how long revoked keys are stored, in milliseconds: 90 days.
const RevokedKept = 90 * 24 * hour

// SuspendedWithUser is the suspend reason of keys whose user was disabled. They
// are resumed when the user is enabled.
const SuspendedWithUser = "the user is disabled"

// Session is a stored session of the dashboard.
type Session struct {
	ID        string // hash of the token in the browser
	UserID    string // "": nobody signed in yet
	Body      []byte
	ExpiresAt int64
}

// NewUserID returns "usr_" and 26 characters like those of [NewKeyID]. It fails
// only if rand does.
func NewUserID(now int64, rand io.Reader) (string, error) {
	return newID("user", userIDPrefix, now, rand)
}

const userIDPrefix = "usr_"

// IsUserID reports whether an id is a user's, not a key's.
func IsUserID(id string) bool { return strings.HasPrefix(id, userIDPrefix) }

// ParseEmail returns s in the form in which users have it: lower case, without
// surrounding space. The error is a [FieldError] unless s is a plain ASCII
// address: with letters of other scripts that look like ASCII, one user could
// pass for another.
func ParseEmail(s string) (string, error) {
	email := strings.TrimSpace(s)
	if len(email) > MaxEmailLen {
		return "", &FieldError{"email", shorten(s), "at most 254 bytes long"}
	}
	// net/mail would also accept names, quotes and comments.
	parsed, err := mail.ParseAddress(email)
	local, domain, _ := strings.Cut(email, "@")
	notLocal := func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '@' }
	if err != nil || parsed.Address != email || local == "" || strings.ContainsFunc(local, notLocal) ||
		domain == "" || strings.Trim(domain, alphabet+"-.") != "" {
		return "", &FieldError{"email", shorten(s), "a plain address such as ann@example.com"}
	}
	return strings.ToLower(email), nil
}

// CheckPassword returns a [FieldError] that does not show the password if the
// password is unsuitable for the user with this email address, which may be "".
// It requires a length, but no kinds of characters: those make passwords hard to
// remember, not hard to guess.
func CheckPassword(password, email string) error {
	if err := passwordError(unhashable(password)); err != nil {
		return err
	}
	password = norm.NFC.String(password)
	first, _ := utf8.DecodeRuneInString(password)
	local, _, _ := strings.Cut(email, "@")
	constraint := ""
	switch {
	case utf8.RuneCountInString(password) < MinPasswordLen:
		constraint = passwordLength
	case strings.EqualFold(password, email) || strings.EqualFold(password, local):
		constraint = "something other than the email address"
	case strings.Trim(password, string(first)) == "" || slices.Contains(wellKnown[:], strings.ToLower(password)):
		constraint = "harder to guess: it is one of the most common passwords"
	}
	return passwordError(constraint)
}

// wellKnown are the most common stolen passwords of sufficient length.
var wellKnown = [...]string{
	"1234567890", "0123456789", "0987654321", "9876543210", "12345678910",
	"123456789a", "a123456789", "1234512345", "123123123123", "1122334455",
	"password12", "password123", "password1234", "passw0rd123", "welcome123",
	"qwertyuiop", "qwerty12345", "qwerty123456", "1q2w3e4r5t", "q1w2e3r4t5",
	"1qaz2wsx3edc", "abcdefghij", "iloveyou123", "changeme123",
	"administrator", "йцукенгшщз",
}

const passwordLength = "10 to 200 characters long"

// passwordError returns the error for a violated constraint, nil for "".
func passwordError(constraint string) error {
	if constraint == "" {
		return nil
	}
	return &FieldError{"password", "(not shown)", constraint}
}

// unhashable returns the constraint that makes it impossible to hash a password, or "".
func unhashable(password string) string {
	switch {
	case utf8.RuneCountInString(password) > MaxPasswordLen:
		return passwordLength
	case !utf8.ValidString(password):
		return "valid UTF-8"
	case strings.ContainsFunc(password, unicode.IsControl):
		return "text without control characters and line breaks"
	}
	return ""
}

// distinct is an alphabet of characters that people do not confuse: without 0
// and o, without 1, i and l, without capitals.
const distinct = "23456789abcdefghjkmnpqrstuvwxyz"

// NewPassword returns a random password of 99 bits that is easy to dictate: four
// groups of five characters joined by '-'. It fails only if rand does.
func NewPassword(rand io.Reader) (string, error) {
	var c [20]byte
	if err := fillFrom(distinct, c[:], rand); err != nil {
		return "", fmt.Errorf("generate password: %w", err)
	}
	return fmt.Sprintf("%s-%s-%s-%s", c[:5], c[5:10], c[10:15], c[15:]), nil
}

// SetPassword returns the user with another password, in PHC form. It ends all
// sessions.
func (u User) SetPassword(phc string) User {
	u.PasswordHash = phc
	return u.EndSessions()
}

// EndSessions returns the user in a new epoch. A request under way may store
// its session again after it was deleted; the epoch ends that session too.
func (u User) EndSessions() User {
	u.Epoch++
	return u
}

// SetAdmin returns the user with or without the rights of an administrator. It
// fails with ErrLastAdmin if otherAdmins, the administrators besides the user
// who are not disabled, is 0 and none would be left.
func (u User) SetAdmin(admin bool, otherAdmins int) (User, error) {
	if !admin {
		if err := u.CheckSpared(otherAdmins); err != nil {
			return u, err
		}
	}
	u.Admin = admin
	return u, nil
}

// Disable returns the user disabled at now, which ends all sessions. It fails
// as SetAdmin does. A disabled user does not change.
func (u User) Disable(now int64, otherAdmins int) (User, error) {
	if u.Disabled() {
		return u, nil
	}
	if err := u.CheckSpared(otherAdmins); err != nil {
		return u, err
	}
	u.DisabledAt = now
	return u.EndSessions(), nil
}

// Enable undoes Disable.
func (u User) Enable() User {
	u.DisabledAt = 0
	return u
}

// CheckSpared returns ErrLastAdmin if the user is the only administrator who is
// not disabled.
func (u User) CheckSpared(otherAdmins int) error {
	if u.Admin && !u.Disabled() && otherAdmins == 0 {
		return ErrLastAdmin
	}
	return nil
}

// CheckNewKey returns an error if the user may not have another key. They have keys
// that are not revoked, and made recent of them in the last [NewKeysWindow].
// The error wraps ErrNotFound if the user is disabled, and otherwise
// ErrTooManyKeys or ErrTooManyNewKeys.
func (u User) CheckNewKey(keys, recent int) error {
	switch {
	case u.Disabled():
		return fmt.Errorf("user %s is disabled: %w", u.ID, ErrNotFound)
	case keys >= MaxKeys:
		return fmt.Errorf("user %s has %d: %w", u.ID, keys, ErrTooManyKeys)
	case recent >= MaxNewKeys:
		return fmt.Errorf("user %s made %d in 24 hours: %w", u.ID, recent, ErrTooManyNewKeys)
	}
	return nil
}

// ErrBusy means that a password was not checked, because too many others were
// being hashed for as long as it could wait.
var ErrBusy = errors.New("too many passwords are being checked; try again in a few seconds")

// turnTimeout is how long a password waits for its turn. It is short enough for a
// person who waits for the answer.
const turnTimeout = 3 * time.Second

// noHash has the usual parameters, but no known password.
const noHash = "$argon2id$v=19$m=19456,t=2,p=1" +
	"$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// hashParams returns the parameters, which are the same on every machine: the
// set with the least memory among those that OWASP recommends, 19 MiB, so that
// several hashes at once fit a small server. One lane, because different hashes
// run in parallel.
func hashParams() argon2id.Params {
	return argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}
}

// Passwords hashes and checks passwords with argon2id, a limited number at once,
// each with 19 MiB. It is safe for concurrent use. Create it with
// [NewPasswords].
//
// It normalizes letters that Unicode can encode in two ways, like й and é, so
// that the keyboard does not matter.
type Passwords struct {
	turns chan struct{} // holds one for each hash in progress
}

// NewPasswords returns a Passwords that computes at most atOnce hashes at once,
// and at least one.
func NewPasswords(atOnce int) *Passwords {
	return &Passwords{turns: make(chan struct{}, max(atOnce, 1))}
}

// Hash returns the password's hash in PHC form, with a salt from the operating
// system. The error is a [FieldError] for a password that [Passwords.Check]
// would never accept, a wrapped ErrBusy after three seconds without a turn, or
// that of ctx. Hash does not check the strength of the password: see [CheckPassword].
func (p *Passwords) Hash(ctx context.Context, password string) (string, error) {
	if err := passwordError(unhashable(password)); err != nil {
		return "", err
	}
	if err := p.takeTurn(ctx); err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	defer func() { <-p.turns }()
	params := hashParams()
	phc, err := argon2id.CreateHash(norm.NFC.String(password), &params)
	if err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	return phc, nil
}

// Check reports whether phc is a hash of the password. If phc is empty or has
// other parameters than those of Hash, Check returns false after the same time as
// for a wrong password, so that the time does not reveal whether an account has
// a password. It never computes a hash with other parameters.
//
// Check returns false at once for a password that [Passwords.Hash] refuses. The
// other errors are those of Hash, and do not depend on the password.
func (p *Passwords) Check(ctx context.Context, password, phc string) (bool, error) {
	if unhashable(password) != "" {
		return false, nil
	}
	// If the parameters ever change, the former ones must be accepted as well.
	params, _, _, err := argon2id.DecodeHash(phc)
	usable := err == nil && *params == hashParams()
	if !usable {
		phc = noHash
	}
	if err := p.takeTurn(ctx); err != nil {
		return false, fmt.Errorf("check password: %w", err)
	}
	defer func() { <-p.turns }()
	same, err := argon2id.ComparePasswordAndHash(norm.NFC.String(password), phc)
	if err != nil {
		return false, fmt.Errorf("check password: %w", err)
	}
	return same && usable, nil
}

// takeTurn waits until fewer hashes than allowed are in progress.
func (p *Passwords) takeTurn(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, turnTimeout)
	defer cancel()
	select {
	case p.turns <- struct{}{}:
		return nil
	case <-waiting.Done():
		return cmp.Or(ctx.Err(), ErrBusy)
	}
}
