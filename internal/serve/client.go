package serve

import (
	"fmt"
	"iter"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// maxHops is how many entries of X-Forwarded-For are read. No client is behind
// that many proxies, and a long header must not cause much work.
const maxHops = 50

// Proxies are the networks whose X-Forwarded-* headers are trusted, as returned by
// [ParseProxies]; nil trusts none. It is safe for concurrent use.
//
// A proxy must append the address of its peer to X-Forwarded-For, or replace the
// header. If it passes the header on, every client can choose its address. So can
// every client in one of the networks: name only the proxies.
type Proxies []netip.Prefix

// ParseProxies parses addresses and networks ("10.0.0.0/8") separated by commas or
// spaces. It ignores bits beyond the mask, and treats IPv4 written as IPv6
// ("::ffff:10.0.0.1") as IPv4. A network of all addresses is an error.
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
		// Fewer than 96 bits would not be a network of IPv4; the result is invalid.
		network = netip.PrefixFrom(network.Addr().Unmap(), network.Bits()-96)
	}
	return network.Masked(), network.IsValid()
}

// Client returns the address of the client: the peer's, or, if the peer is a
// trusted proxy, the rightmost entry of X-Forwarded-For that is not one. If there
// is none (the header ends, an entry is not an address, or 50 were read), it
// returns the last trusted address.
//
// The result has no zone, and is never IPv4 written as IPv6. It is the zero Addr
// if the peer has no address, like a Unix socket. Clients cannot change the
// result; see [Proxies].
func (p Proxies) Client(r *http.Request) netip.Addr {
	client := peer(r)
	hops := 0
	for entry := range fromRight(r.Header["X-Forwarded-For"]) {
		if hops == maxHops || !p.trust(client) {
			break
		}
		hop := parseHop(entry)
		if !hop.IsValid() {
			break // entries further left are not trusted
		}
		client = hop
		hops++
	}
	return client
}

// Network returns the network of [Proxies.Client]: an IPv4 address, or the /64 of an IPv6
// address. It is the zero Prefix if only the address of a proxy is known.
func (p Proxies) Network(r *http.Request) (of netip.Prefix) {
	if client := p.Client(r); !p.trust(client) {
		of = network(client)
	}
	return of
}

// HTTPS reports whether the client used HTTPS: directly, or to a trusted proxy
// according to the last value of X-Forwarded-Proto.
func (p Proxies) HTTPS(r *http.Request) bool {
	return r.TLS != nil || strings.EqualFold(p.Header(r, "X-Forwarded-Proto"), "https")
}

// Header returns the last value of a header that the proxies set; "" if the peer is not one of them.
func (p Proxies) Header(r *http.Request, name string) string {
	if p.trust(peer(r)) {
		for value := range fromRight(r.Header.Values(name)) {
			return value
		}
	}
	return ""
}

// PassedOn reports whether a proxy on this machine has passed a request on for a client that may be
// elsewhere: the request says so in a header, or the client asked for another host.
func PassedOn(r *http.Request) bool {
	headers := []string{"X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Real-Ip", "Forwarded", "Via"}
	return slices.ContainsFunc(headers, func(name string) bool { return len(r.Header[name]) > 0 }) ||
		!IsLoopback((&url.URL{Host: r.Host}).Hostname())
}

// IsLoopback reports whether a host, without a port, is this machine under a name that no other
// machine can have.
func IsLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// trust reports whether addr, without zone and unmapped, is that of a proxy.
func (p Proxies) trust(addr netip.Addr) bool {
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Contains(addr) })
}

// peer returns the address of the connection's other side. RemoteAddr may lack a
// port, like a hop.
func peer(r *http.Request) netip.Addr { return parseHop(r.RemoteAddr) }

// parseHop parses an address, with or without brackets and a port. It returns the
// zero Addr if s is not an address.
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

// fromRight yields the entries of a list header, the last one first. Several
// lines form one list, in their order. It yields empty entries too: they
// represent an address that a proxy did not know.
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
