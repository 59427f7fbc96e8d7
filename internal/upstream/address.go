package upstream

import (
	"fmt"
	"net/netip"
	"syscall"
)

// privateError is a connection that was not made.
type privateError struct{ addr netip.Addr }

func (e *privateError) Error() string {
	return fmt.Sprintf("%s is an address of this machine or of a private network, and the host's privateAddresses is not set", e.addr)
}

// refusePrivate runs before a socket connects, with the address it is
// about to connect to.
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

// private reports whether an address belongs to nobody on the internet: what may
// be reached there is this machine's or its network's.
func private(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if inner, ok := embedded(addr); ok {
		addr = inner
	}
	for _, block := range privateBlocks() {
		if block.Contains(addr) {
			return true
		}
	}
	return !addr.IsValid()
}

func privateBlocks() []netip.Prefix {
	blocks := make([]netip.Prefix, 0, len(privateRanges))
	for _, r := range privateRanges {
		blocks = append(blocks, netip.MustParsePrefix(r))
	}
	return blocks
}

// privateRanges are those of the special-purpose address registries that are
// not reachable from everywhere.
var privateRanges = [...]string{
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/4", "240.0.0.0/4",
	"::/96", "64:ff9b:1::/48", "100::/64", "2001:db8::/32", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
}

// embedded returns the IPv4 address that a translated IPv6 address leads to:
// 64:ff9b::/96 (NAT64) and 2002::/16 (6to4).
func embedded(addr netip.Addr) (netip.Addr, bool) {
	if !addr.Is6() {
		return netip.Addr{}, false
	}
	b := addr.As16()
	switch {
	case netip.PrefixFrom(netip.AddrFrom16([16]byte{0, 0x64, 0xff, 0x9b}), 96).Contains(addr):
		return netip.AddrFrom4([4]byte(b[12:16])), true
	case b[0] == 0x20 && b[1] == 0x02:
		return netip.AddrFrom4([4]byte(b[2:6])), true
	}
	return netip.Addr{}, false
}
