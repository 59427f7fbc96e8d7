package netguard_test

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"gamedex/internal/upstream/netguard"
)

// TestRebinding asks a name server that answers with a public address first, then with addresses of this machine:
// each connection is checked, whatever the name had before.
func TestRebinding(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	connected := make(chan struct{}, 100)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conn.Close()
			connected <- struct{}{}
		}
	}()
	public, local := [4]byte{9, 9, 9, 9}, [4]byte{127, 0, 0, 1}
	answers := [][][4]byte{{public}, {local}, {public, local}, {local, public}, {local, local}}
	var lookups atomic.Int32
	server := nameServer(t, func() [][4]byte { return answers[int(lookups.Add(1)-1)%len(answers)] })
	isPublic := errors.New("public")
	dialer := net.Dialer{
		Resolver: &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "udp", server)
		}},
		Control: func(network, address string, c syscall.RawConn) error {
			if err := netguard.RefusePrivate(network, address, c); err != nil {
				return err
			}
			return isPublic // no test connects to the internet
		},
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	publics, privates := 0, 0
	for range 4 * len(answers) {
		_, err := dialer.DialContext(t.Context(), "tcp4", net.JoinHostPort("rebind.example", port))
		_, private := errors.AsType[*netguard.PrivateError](err)
		switch {
		case private:
			privates++
		case errors.Is(err, isPublic):
			publics++
		default:
			t.Errorf("dial: %v", err)
		}
	}
	if publics == 0 || privates == 0 || len(connected) > 0 {
		t.Errorf("%d dials found a public address first and %d one of this machine; %d were connected to it", publics, privates, len(connected))
	}
}

// nameServer starts a DNS server over UDP that answers every question for an address with the next list. It returns its
// address.
func nameServer(t *testing.T, next func() [][4]byte) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		buffer := make([]byte, 1232)
		for {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buffer[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			reply := dnsmessage.Message{Header: dnsmessage.Header{ID: m.ID, Response: true, Authoritative: true}, Questions: m.Questions}
			if q.Type == dnsmessage.TypeA {
				for _, address := range next() {
					reply.Answers = append(reply.Answers, dnsmessage.Resource{
						Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}, Body: &dnsmessage.AResource{A: address},
					})
				}
			}
			packed, err := reply.Pack()
			if err == nil {
				_, err = conn.WriteTo(packed, from)
			}
			if err != nil {
				return
			}
		}
	}()
	return conn.LocalAddr().String()
}
