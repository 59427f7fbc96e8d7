package account

import (
	"iter"
	"net/netip"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

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
