package upstream

import (
	"fmt"
	"net/netip"
	"slices"
	"syscall"
)

type privateError struct{ addr netip.Addr }

func (e *privateError) Error() string {
	return fmt.Sprintf("%s is an address of this machine or of a private network; set privateAddresses of the host to allow it", e.addr)
}

// refusePrivate refuses private addresses. It runs before a socket connects, with the
// address to which it will connect.
func refusePrivate(network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("connect over %s: %q is not an address", network, address)
	}
	if private(to.Addr()) {
		return &privateError{to.Addr()}
	}
	return nil
}

// private reports whether an address is not a public internet address: it reaches this
// machine or its network.
func private(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if addr.Is6() { // a translated address leads to an IPv4 address
		b := addr.As16()
		switch {
		case netip.MustParsePrefix("64:ff9b::/96").Contains(addr): // NAT64
			addr = netip.AddrFrom4([4]byte(b[12:16]))
		case netip.MustParsePrefix("2002::/16").Contains(addr): // 6to4
			addr = netip.AddrFrom4([4]byte(b[2:6]))
		}
	}
	return !addr.IsValid() || slices.ContainsFunc(privateRanges[:], func(block string) bool {
		return netip.MustParsePrefix(block).Contains(addr)
	})
}

// privateRanges are the ranges of the special-purpose address registries that are not
// globally reachable.
var privateRanges = [...]string{
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/4", "240.0.0.0/4",
	"::/96", "64:ff9b:1::/48", "100::/64", "2001:db8::/32", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
}
