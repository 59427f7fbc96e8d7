package serve

import (
	"fmt"
	"iter"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"unicode"
)

// maxHops is how many entries of X-Forwarded-For are looked at. Nobody stands
// behind that many proxies, and a client must not buy work with a long header.
const maxHops = 50

// Proxies are the networks whose X-Forwarded-* headers are believed, as
// [ParseProxies] returns them; nil believes nobody. Safe for all goroutines.
//
// A proxy of theirs must append the address it was called from to
// X-Forwarded-For, or replace the header. One that passes on what it was sent
// lets every client choose its address, and so can whoever is in one of the
// networks: name no more than the proxies.
type Proxies []netip.Prefix

// ParseProxies reads addresses and networks ("10.0.0.0/8") between commas,
// spaces or both; text without any is none. Bits behind the mask are ignored,
// and IPv4 written as IPv6 ("::ffff:10.0.0.1") is IPv4. Errors name the word.
// A network of all addresses is an error.
func ParseProxies(s string) (Proxies, error) {
	var all Proxies
	words := strings.FieldsFunc(s, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	for _, word := range words {
		network, ok := parseNetwork(word)
		if !ok {
			return nil, fmt.Errorf("trusted-proxies %q: must be an address or a network, "+
				"like 10.0.0.1, 10.0.0.0/8 or fd00::/8, without a zone", word)
		}
		if network.Bits() == 0 {
			return nil, fmt.Errorf("trusted-proxies %q: would let every client choose "+
				"the address it is known by: name the networks of your own proxies", word)
		}
		all = append(all, network)
	}
	return all, nil
}

func parseNetwork(word string) (netip.Prefix, bool) {
	network, err := netip.ParsePrefix(word)
	if err != nil {
		addr, err := netip.ParseAddr(word)
		if err != nil || addr.Zone() != "" {
			return netip.Prefix{}, false
		}
		network = netip.PrefixFrom(addr, addr.BitLen())
	}
	if network.Addr().Is4In6() {
		// Fewer than 96 bits would be no network of IPv4; the result is invalid.
		network = netip.PrefixFrom(network.Addr().Unmap(), network.Bits()-96)
	}
	return network.Masked(), network.IsValid()
}

// Client returns the address of who asks: the peer's, or, while that is a
// trusted proxy, the rightmost entry of X-Forwarded-For that is not. Where
// nobody further left can be known (the header ends, an entry is empty or no
// address, or 50 were read) it is the last trusted address.
//
// The result has no zone, and is never IPv4 written as IPv6. It is the zero
// Addr if the peer has no address: a Unix socket, or a request made by hand.
// What a client sends itself cannot change the result; see [Proxies].
func (p Proxies) Client(r *http.Request) netip.Addr {
	client := peer(r)
	hops := 0
	for entry := range fromRight(r.Header["X-Forwarded-For"]) {
		if hops == maxHops || !p.trust(client) {
			break
		}
		hop := parseHop(entry)
		if !hop.IsValid() {
			break // nobody whom we trust vouches for what stands further left
		}
		client = hop
		hops++
	}
	return client
}

// HTTPS reports whether the client came by HTTPS: to us, or else to a trusted
// proxy, of which the last value of X-Forwarded-Proto is the word.
func (p Proxies) HTTPS(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	if !p.trust(peer(r)) {
		return false
	}
	for proto := range fromRight(r.Header["X-Forwarded-Proto"]) {
		return strings.EqualFold(proto, "https")
	}
	return false
}

// trust reports whether addr, without zone and unmapped, is one of a proxy.
func (p Proxies) trust(addr netip.Addr) bool {
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Contains(addr) })
}

// peer is who opened the connection. It is read as a hop is, because handlers
// are also called with a RemoteAddr that has no port.
func peer(r *http.Request) netip.Addr { return parseHop(r.RemoteAddr) }

// parseHop reads an address, with or without brackets and a port. Garbage
// gives the zero Addr.
func parseHop(s string) netip.Addr {
	addr, err := netip.ParseAddr(s)
	if err != nil && strings.HasSuffix(s, "]") {
		s += ":0" // "[::1]" is an address whose port was left out
	}
	if err != nil {
		withPort, _ := netip.ParseAddrPort(s)
		addr = withPort.Addr()
	}
	return addr.Unmap().WithZone("")
}

// fromRight yields the entries of a list header, the last one first. Its lines
// count as one list, in their order. Empty entries are yielded too: a proxy
// that did not know an address has said so.
func fromRight(lines []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, line := range slices.Backward(lines) {
			for more := true; more; {
				comma := strings.LastIndexByte(line, ',')
				if !yield(strings.Trim(line[comma+1:], " \t")) {
					return
				}
				if more = comma >= 0; more {
					line = line[:comma]
				}
			}
		}
	}
}
