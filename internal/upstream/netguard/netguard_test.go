package netguard_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"

	"gamedex/internal/upstream/netguard"
)

// TestPrivate has the addresses that the tests of package upstream do not have.
func TestPrivate(t *testing.T) {
	for text, want := range map[string]bool{
		"::ffff:127.0.0.1": true, "::ffff:169.254.169.254": true, "fe80::1%lo": true, "64:ff9b::169.254.169.254": true,
		"2001:0:4136:e378:8000:63bf:80ff:fffe": true, "3fff::1": true, "5f00::1": true, "::": true, "::ffff:0:7f00:1": true, "100:0:0:1::1": true, "4000::1": true, "64:ff9b:1::1": true, "64:ff9b::9.9.9.9": false, "0.0.0.0": true,
		"168.63.129.16": true, "64:ff9b::168.63.129.16": true, "2002:a83f:8110::1": true, "168.63.129.17": false, "192.88.99.2": true,
		"100.100.100.200": true, "192.0.0.192": true, "fd00:ec2::254": true, "fd20:ce::254": true, // metadata of other clouds
		"2001:200::1": false, "2a00:1450::1": false, "::ffff:9.9.9.9": false, "9.9.9.9": false,
	} {
		if got := netguard.Private(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: private %v, want %v", text, got, want)
		}
	}
	if !netguard.Private(netip.Addr{}) {
		t.Error("no address is public")
	}
}

// TestRefusePrivate dials this machine, however its address is written.
func TestRefusePrivate(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	dialer := net.Dialer{Control: netguard.RefusePrivate}
	for _, host := range []string{"127.0.0.1", "::ffff:127.0.0.1", "0.0.0.0", "localhost", "127.1", "2130706433", "0x7f000001", "0177.0.0.1"} {
		conn, err := dialer.DialContext(context.Background(), "tcp", net.JoinHostPort(host, port))
		if err == nil {
			conn.Close()
			t.Errorf("%s was connected", host)
			continue
		}
		var lookup *net.DNSError // some resolvers do not know these notations
		if _, refused := errors.AsType[*netguard.PrivateError](err); !refused && !errors.As(err, &lookup) {
			t.Errorf("%s: %v", host, err)
		}
	}
}
