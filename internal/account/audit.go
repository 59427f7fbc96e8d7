package account

import (
	"iter"
	"net/netip"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// By records who makes a change, when and from where. The repository adds the action and
// the object.
type By struct {
	At     int64  // Unix milliseconds
	Actor  string // "cli:<operating system user>" for commands, else a user id
	From   string // address; "" for commands
	Detail string // plain text or JSON; never a token
}

// Entry returns the audit entry of an action on an object.
func (by By) Entry(action Action, object string) AuditEntry {
	return AuditEntry{At: by.At, Actor: by.Actor, Action: action, Object: object, Detail: by.Detail, From: by.From}
}

// AuditEntry is one entry of the audit log of keys and users. A change and its
// entry are stored in the same transaction. Later, only addresses are shortened
// and texts that name a deleted user are replaced.
type AuditEntry struct {
	ID     int64 // rises with every entry
	At     int64
	Actor  string
	Action Action
	Object string // the id of the changed key, user or webhook, a platform, or "overrides"
	Detail string
	From   string
}

// Action is the kind of a change.
type Action string

// The actions.
const (
	KeyCreate  Action = "key.create"
	KeyRename  Action = "key.rename"
	KeyRevoke  Action = "key.revoke"
	KeySuspend Action = "key.suspend"
	KeyResume  Action = "key.resume"
	KeyLimits  Action = "key.limits"

	UserCreate   Action = "user.create"
	UserSignIn   Action = "user.sign-in"
	UserPassword Action = "user.password"     // set or changed; ends all sessions
	UserIdentity Action = "user.identity"     // an identity of a provider was linked to the user
	UserSignOut  Action = "user.sign-out-all" // everywhere
	UserAdmin    Action = "user.admin"        // made an administrator
	UserNoAdmin  Action = "user.no-admin"
	UserDisable  Action = "user.disable"
	UserEnable   Action = "user.enable"
	UserDelete   Action = "user.delete"

	LinkCreate Action = "link.create"
	LinkRevoke Action = "link.revoke"

	PlatformSet Action = "platform.set"

	WebhookOff    Action = "webhook.off" // by an administrator
	WebhookDelete Action = "webhook.delete"

	OverridesImport Action = "overrides.import"
	ProfileRegister Action = "profile.register"
)

// AuditQuery selects entries; an empty field selects all.
type AuditQuery struct {
	Actor  string
	Action Action
	Object string
	Before int64 // only entries with a lower ID; 0: all
	Limit  int   // the maximum number of entries, newest first
}

// ShortenAddress returns the network of an address, with or without a port:
// "192.0.2.0" of IPv4, "2001:db8:1::" of IPv6. It returns "" for a text that is
// not an address.
func ShortenAddress(origin string) string {
	addr, err := netip.ParseAddr(origin)
	if err != nil {
		withPort, err := netip.ParseAddrPort(origin)
		if err != nil {
			return ""
		}
		addr = withPort.Addr()
	}
	addr = addr.Unmap().WithZone("")
	bits := 48
	if addr.Is4() {
		bits = 24
	}
	network, err := addr.Prefix(bits)
	if err != nil {
		return ""
	}
	return network.Addr().String()
}

// ReplaceEmail returns text with replacement instead of an email address, in any case.
// It does not replace the address within a longer one.
func ReplaceEmail(text, email, replacement string) string {
	size := utf8.RuneCountInString(email)
	runes := []rune(text)
	var b strings.Builder
	found := false
	for i := 0; i < len(runes); {
		end := i + size
		if size == 0 || end > len(runes) || !strings.EqualFold(string(runes[i:end]), email) ||
			addressBefore(runes[:i]) || continuesAddress(slices.All(runes[end:])) {
			b.WriteRune(runes[i])
			i++
			continue
		}
		b.WriteString(replacement)
		i, found = end, true
	}
	if !found {
		return text // unchanged
	}
	return b.String()
}

// addressBefore reports whether before ends in the middle of an address. The last
// letter of a JSON escape does not count: details may be JSON.
func addressBefore(before []rune) bool {
	n := len(before)
	escaped := n >= 2 && before[n-2] == '\\' || n >= 6 && before[n-6] == '\\' && before[n-5] == 'u'
	return !escaped && continuesAddress(slices.Backward(before))
}

// continuesAddress reports whether a letter or digit follows, after any of the
// characters that join them: a dot may end a sentence as well.
func continuesAddress(rest iter.Seq2[int, rune]) bool {
	for _, r := range rest {
		if !strings.ContainsRune("._+-", r) {
			return unicode.IsLetter(r) || unicode.IsDigit(r)
		}
	}
	return false
}
