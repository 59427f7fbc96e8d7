// Package netguard keeps requests to addresses that other people choose out of this machine and
// its networks.
//
// [RefusePrivate] checks the address to which a socket is about to connect, after the name was
// resolved. So neither a name whose address changes between a check and the connection nor an
// unusual spelling such as 0x7f.1 gets past it.
//
// The package refuses to know who sends a request and why.
package netguard

import (
	"fmt"
	"net/netip"
	"slices"
	"syscall"
)

// PrivateError is the error of a connection to an address that is not public.
type PrivateError struct{ Addr netip.Addr }

// Error names the address.
func (e *PrivateError) Error() string {
	return fmt.Sprintf("%s is an address of this machine or of a private network", e.Addr)
}

// RefusePrivate is a Control of [net.Dialer]: it refuses addresses that are not public with a
// [PrivateError].
func RefusePrivate(network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("connect over %s: %q is not an address", network, address)
	}
	if Private(to.Addr()) {
		return &PrivateError{to.Addr()}
	}
	return nil
}

// Private reports whether an address is not a public internet address: it reaches this
// machine or its network.
func Private(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if addr.Is6() { // a translated address leads to an IPv4 address
		b := addr.As16()
		switch {
		case netip.MustParsePrefix("64:ff9b::/96").Contains(addr): // NAT64
			addr = netip.AddrFrom4([4]byte(b[12:16]))
		case netip.MustParsePrefix("2002::/16").Contains(addr): // 6to4
			addr = netip.AddrFrom4([4]byte(b[2:6]))
		case !netip.MustParsePrefix("2000::/3").Contains(addr): // the only block of global unicast addresses
			return true
		}
	}
	return !addr.IsValid() || slices.ContainsFunc(privateRanges[:], func(block string) bool {
		return netip.MustParsePrefix(block).Contains(addr)
	})
}

// privateRanges are the ranges of the special-purpose address registries that are not
// globally reachable, of IPv6 those in 2000::/3.
var privateRanges = [...]string{
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/4", "240.0.0.0/4",
	"168.63.129.16/32", // not in the registries: in Azure it is the machine's host, which hands out secrets
	"2001::/23", "2001:db8::/32", "3fff::/20",
}
