package account

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"

	"github.com/oklog/ulid/v2"
)

const (
	tokenPrefix = "gdx_"
	alphabet    = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	secretLen   = 30 // 178 random bits
	sumLen      = 6  // 62^6 is more than 2^32, so every checksum fits
	tokenLen    = len(tokenPrefix) + secretLen + sumLen
	shownLen    = len(tokenPrefix) + 4 // of the part that may be shown again
)

// NewToken returns a random token: "gdx_", 30 random characters of 0-9A-Za-z,
// and their checksum of 6 characters. It fails only if rand does.
func NewToken(rand io.Reader) (string, error) {
	var secret [secretLen]byte
	if err := fillFrom(alphabet, secret[:], rand); err != nil {
		return "", fmt.Errorf("generate token: %w", err)
	}
	sum := checksum(string(secret[:]))
	return tokenPrefix + string(secret[:]) + string(sum[:]), nil
}

// fillFrom fills dst with characters of alphabet, each equally likely. It skips
// bytes beyond the last whole multiple of the alphabet's length, because they
// would make the first characters more likely.
func fillFrom(alphabet string, dst []byte, rand io.Reader) error {
	n := len(alphabet)
	var raw [secretLen]byte
	for done := 0; done < len(dst); {
		if _, err := io.ReadFull(rand, raw[:]); err != nil {
			return err
		}
		for _, b := range raw {
			if int(b) < 256/n*n && done < len(dst) {
				dst[done] = alphabet[int(b)%n]
				done++
			}
		}
	}
	return nil
}

// CheckToken reports whether s has the form of a token and the right checksum.
// It detects every single wrong character and every swap of two neighbours.
func CheckToken(s string) bool {
	if len(s) != tokenLen || s[:len(tokenPrefix)] != tokenPrefix {
		return false
	}
	secret := s[len(tokenPrefix) : tokenLen-sumLen]
	sum := checksum(secret)
	return strings.Trim(secret, alphabet) == "" && s[tokenLen-sumLen:] == string(sum[:])
}

// checksum returns the CRC-32 (IEEE) of secret in base 62, padded with '0' on
// the left.
func checksum(secret string) [sumLen]byte {
	crc := crc32.ChecksumIEEE([]byte(secret))
	var sum [sumLen]byte
	for i := sumLen - 1; i >= 0; i-- {
		sum[i] = alphabet[crc%62]
		crc /= 62
	}
	return sum
}

// HashToken returns the SHA-256 of a token of a key or a link, the only form in which it is stored.
func HashToken(s string) [32]byte { return sha256.Sum256([]byte(s)) }

// NewKeyID returns "key_" and a ULID: 48 bits of now, then 80 random bits. Ids of
// different milliseconds sort by time. It fails only if rand
// does.
func NewKeyID(now int64, rand io.Reader) (string, error) { return newID("key", "key_", now, rand) }

// newID returns a prefix and a ULID.
func newID(of, prefix string, now int64, rand io.Reader) (string, error) {
	id, err := ulid.New(uint64(max(now, 0)), rand)
	if err != nil {
		return "", fmt.Errorf("generate %s id: %w", of, err)
	}
	return prefix + id.String(), nil
}

// Purpose is what a one-time link is for.
type Purpose string

// The purposes of links.
const (
	LinkSetup  Purpose = "setup"  // creates the first administrator, while there is no user
	LinkInvite Purpose = "invite" // creates a user with the link's email address
	LinkReset  Purpose = "reset"  // sets a new password for the link's user
)

// Link is a one-time link. The holder of its token may use it once.
type Link struct {
	Hash      [32]byte // SHA-256 of the token
	Purpose   Purpose
	Email     string // LinkInvite: of the new user
	UserID    string // LinkReset: the user whose password is set
	Admin     bool   // LinkInvite: the user will be an administrator
	CreatedBy string // an actor, as in By
	CreatedAt int64
	ExpiresAt int64 // the first millisecond at which it is no longer valid
}

// Lifetime returns how many milliseconds a link with this purpose is valid, or
// 0 if the purpose is unknown. An invitation is valid for longer than the other two,
// which are usually used at once.
func (p Purpose) Lifetime() int64 {
	const day = 24 * 3_600_000
	return map[Purpose]int64{LinkSetup: day, LinkInvite: 7 * day, LinkReset: day}[p]
}

// NewLink returns a link created at by.At by by.Actor, and its token, which
// nothing returns again. The caller sets Email or UserID. NewLink fails if rand
// does, or if the purpose is unknown.
func NewLink(purpose Purpose, by By, rand io.Reader) (Link, string, error) {
	if purpose.Lifetime() == 0 {
		return Link{}, "", &FieldError{"purpose", strconv.Quote(string(purpose)), "setup, invite or reset"}
	}
	token, err := NewLinkToken(rand)
	if err != nil {
		return Link{}, "", err
	}
	return Link{
		Hash: HashToken(token), Purpose: purpose,
		CreatedBy: by.Actor, CreatedAt: by.At, ExpiresAt: by.At + purpose.Lifetime(),
	}, token, nil
}

// Target returns the email address of an invitation or the user of a reset; "" for the
// set-up. At most one link of a purpose is open for a target.
func (l Link) Target() (string, error) {
	target := ""
	switch l.Purpose {
	case LinkSetup:
		return "", nil
	case LinkInvite:
		target = l.Email
	case LinkReset:
		target = l.UserID
	}
	if target == "" {
		return "", fmt.Errorf("link for %q: it has no email address or user", l.Purpose)
	}
	return target, nil
}

// SetTarget sets the field that Target returns.
func (l *Link) SetTarget(target string) {
	switch l.Purpose {
	case LinkInvite:
		l.Email = target
	case LinkReset:
		l.UserID = target
	}
}

// AuditObject returns the name of the link in audit entries.
func (l Link) AuditObject() string { return cmp.Or(l.Email, l.UserID, string(l.Purpose)) }

// Accept returns the user that a link for set-up or an invitation creates from u; users
// is the number of existing users. An invitation decides the email address and whether
// the user is an administrator; a set-up creates an administrator. Accept returns
// ErrLinkGone for a set-up if there is a user.
func (l Link) Accept(u User, users int) (User, error) {
	switch {
	case l.Purpose == LinkInvite:
		u.Email, u.Admin = l.Email, l.Admin
	case users > 0:
		return u, ErrLinkGone
	default:
		u.Admin = true
	}
	return u, nil
}

const (
	linkBytes    = 32
	linkTokenLen = 43
)

// NewLinkToken returns a random token for a link: 256 bits as 43 characters of
// URL-safe base64. It fails only if rand does.
func NewLinkToken(rand io.Reader) (string, error) {
	var raw [linkBytes]byte
	if _, err := io.ReadFull(rand, raw[:]); err != nil {
		return "", fmt.Errorf("generate link token: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(raw[:]), nil
}

// CheckLinkToken reports whether s has the form of a link's token. The link may
// still not exist.
func CheckLinkToken(s string) bool {
	if len(s) != linkTokenLen {
		return false
	}
	// The decoder skips line breaks, but then bytes are missing.
	raw, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return err == nil && len(raw) == linkBytes
}
