package serve_test

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/serve"
)

// The proxies that the tests trust are two networks of IPv4 and one of IPv6.
// Clients have addresses that are reserved for documentation.
const proxies = "10.0.0.0/8, 192.168.1.1 fd00::/8"

func trusting(t *testing.T, s string) serve.Proxies {
	t.Helper()
	p, err := serve.ParseProxies(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestParseProxies(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"empty", "", nil},
		{"separators only", " ,\t,\n", nil},
		{"address", "10.1.2.3", []string{"10.1.2.3/32"}},
		{"IPv6 address", "fd00::1", []string{"fd00::1/128"}},
		{"network", "10.0.0.0/8", []string{"10.0.0.0/8"}},
		{"separators mixed", ",10.0.0.1,10.0.0.2 10.0.0.3\t,\n10.0.0.4,", []string{
			"10.0.0.1/32", "10.0.0.2/32", "10.0.0.3/32", "10.0.0.4/32"}},
		{"bits behind the mask", "10.1.2.3/8 fd12::3/8", []string{"10.0.0.0/8", "fd00::/8"}},
		{"mapped address", "::ffff:10.1.2.3", []string{"10.1.2.3/32"}},
		{"mapped network", "::ffff:10.1.2.3/104", []string{"10.0.0.0/8"}},
		{"half of all addresses", "128.0.0.0/1", []string{"128.0.0.0/1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, network := range trusting(t, tt.text) {
				got = append(got, network.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseProxiesRefuses(t *testing.T) {
	const malformed, everyone = "must be an address or a network", "every client"
	tests := []struct{ name, text, word, reason string }{
		{"a name", "10.0.0.1,proxy.example", "proxy.example", malformed},
		{"a port", "10.0.0.1:80", "10.0.0.1:80", malformed},
		{"brackets", "[::1]", "[::1]", malformed},
		{"another separator", "10.0.0.1;10.0.0.2", "10.0.0.1;10.0.0.2", malformed},
		{"too many bits", "10.0.0.0/33", "10.0.0.0/33", malformed},
		{"negative bits", "10.0.0.0/-1", "10.0.0.0/-1", malformed},
		{"no bits", "10.0.0.0/", "10.0.0.0/", malformed},
		{"half an address", "10.0.0/8", "10.0.0/8", malformed},
		{"zone", "fe80::1%eth0", "fe80::1%eth0", malformed},
		{"zone in a network", "fe80::1%eth0/64", "fe80::1%eth0/64", malformed},
		{"mapped network wider than IPv4", "::ffff:10.0.0.0/64", "::ffff:10.0.0.0/64", malformed},
		{"not UTF-8", "\xff", `\xff`, malformed},
		{"all of IPv4", "10.0.0.1 0.0.0.0/0", "0.0.0.0/0", everyone},
		{"all of IPv4 in disguise", "10.0.0.1/0", "10.0.0.1/0", everyone},
		{"all of IPv4, mapped", "::ffff:0.0.0.0/96", "::ffff:0.0.0.0/96", everyone},
		{"all of IPv6", "::/0", "::/0", everyone},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := serve.ParseProxies(tt.text)
			if err == nil {
				t.Fatalf("accepted as %v", got)
			}
			want := fmt.Sprintf(`trusted-proxies "%s": `, tt.word)
			if text := err.Error(); !strings.HasPrefix(text, want) || !strings.Contains(text, tt.reason) {
				t.Errorf("got %s\nwant it to begin with %s and to contain %q", text, want, tt.reason)
			}
		})
	}
}

func TestClient(t *testing.T) {
	hops := func(n int, leftmost string) string {
		return leftmost + strings.Repeat(", 10.0.0.2", n-1)
	}
	tests := []struct {
		name, peer string
		forwarded  []string // the lines of X-Forwarded-For
		want       string   // "": the zero Addr
	}{
		{"no proxy", "192.0.2.1:5000", nil, "192.0.2.1"},
		{"IPv6", "[2001:db8::1]:5000", nil, "2001:db8::1"},
		{"no proxy, forged", "192.0.2.1:5000", []string{"198.51.100.9"}, "192.0.2.1"},
		{"one proxy", "10.0.0.1:5000", []string{"192.0.2.1"}, "192.0.2.1"},
		{"one proxy, forged", "10.0.0.1:5000", []string{"198.51.100.9, 192.0.2.1"}, "192.0.2.1"},
		{"forged as a proxy", "10.0.0.1:5000", []string{"10.0.0.7, 192.0.2.1"}, "192.0.2.1"},
		{"forged as ourselves", "10.0.0.1:5000", []string{"127.0.0.1,::1,192.0.2.1"}, "192.0.2.1"},
		{"proxies in a row", "10.0.0.1:5000", []string{"198.51.100.9, 192.0.2.1, fd00::7, 192.168.1.1"}, "192.0.2.1"},
		{"lines count as one list", "10.0.0.1:5000", []string{"198.51.100.9", "192.0.2.1, 10.0.0.3", "10.0.0.2"}, "192.0.2.1"},
		{"a neighbour is not a proxy", "10.0.0.1:5000", []string{"192.0.2.1, 192.168.1.2"}, "192.168.1.2"},
		{"request of a proxy itself", "10.0.0.1:5000", nil, "10.0.0.1"},
		{"all are proxies", "10.0.0.1:5000", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		{"spaces and tabs", "10.0.0.1:5000", []string{" \t192.0.2.1\t ,\t10.0.0.2 "}, "192.0.2.1"},

		{"entry with port", "10.0.0.1:5000", []string{"192.0.2.1:5678"}, "192.0.2.1"},
		{"IPv6 entry with port", "10.0.0.1:5000", []string{"[2001:db8::1]:80"}, "2001:db8::1"},
		{"IPv6 entry in brackets", "10.0.0.1:5000", []string{"[2001:db8::1]"}, "2001:db8::1"},
		{"proxies with ports", "10.0.0.1:5000", []string{"192.0.2.1:1, [fd00::1]:2, 10.0.0.2:3"}, "192.0.2.1"},
		{"mapped entry", "10.0.0.1:5000", []string{"::ffff:192.0.2.1"}, "192.0.2.1"},
		{"mapped entry of a proxy", "10.0.0.1:5000", []string{"192.0.2.1, [::ffff:10.0.0.2]:80"}, "192.0.2.1"},
		{"mapped peer", "[::ffff:192.0.2.1]:5000", []string{"198.51.100.9"}, "192.0.2.1"},
		{"mapped peer is a proxy", "[::ffff:10.0.0.1]:5000", []string{"192.0.2.1"}, "192.0.2.1"},
		{"zone of a peer", "[fe80::1%eth0]:5000", nil, "fe80::1"},
		{"zone of a proxy", "[fd00::1%eth0]:5000", []string{"fe80::1%eth1"}, "fe80::1"},

		{"garbage", "10.0.0.1:5000", []string{"unknown"}, "10.0.0.1"},
		{"garbage from the client", "10.0.0.1:5000", []string{"<script>, 192.0.2.1"}, "192.0.2.1"},
		{"garbage ends the walk", "10.0.0.1:5000", []string{"198.51.100.9, unknown, 10.0.0.2"}, "10.0.0.2"},
		{"garbage in a separate line", "10.0.0.1:5000", []string{"198.51.100.9", "_hidden", "10.0.0.2"}, "10.0.0.2"},
		{"socket as an entry", "10.0.0.1:5000", []string{"198.51.100.9, unix:"}, "10.0.0.1"},
		{"empty", "10.0.0.1:5000", []string{""}, "10.0.0.1"},
		{"empty entry ends the walk", "10.0.0.1:5000", []string{"198.51.100.9, , 10.0.0.2"}, "10.0.0.2"},
		{"empty line ends the walk", "10.0.0.1:5000", []string{"198.51.100.9", ""}, "10.0.0.1"},
		{"commas", "10.0.0.1:5000", []string{",,,"}, "10.0.0.1"},
		{"half an address", "10.0.0.1:5000", []string{"198.51.100"}, "10.0.0.1"},
		{"port too high", "10.0.0.1:5000", []string{"198.51.100.9:65536"}, "10.0.0.1"},
		{"bracket left open", "10.0.0.1:5000", []string{"[2001:db8::1"}, "10.0.0.1"},
		{"bracket never opened", "10.0.0.1:5000", []string{"2001:db8::1]"}, "10.0.0.1"},

		{"50 entries", "10.0.0.1:5000", []string{hops(50, "192.0.2.1")}, "192.0.2.1"},
		{"51 entries", "10.0.0.1:5000", []string{hops(51, "192.0.2.1")}, "10.0.0.2"},
		{"51 entries in lines", "10.0.0.1:5000", []string{hops(26, "192.0.2.1"), hops(25, "10.0.0.2")}, "10.0.0.2"},

		{"peer without port", "192.0.2.1", nil, "192.0.2.1"},
		{"peer is a socket", "@", []string{"192.0.2.1"}, ""},
		{"peer is a name", "localhost:5000", []string{"192.0.2.1"}, ""},
		{"no peer", "", []string{"192.0.2.1"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &http.Request{RemoteAddr: tt.peer, Header: http.Header{"X-Forwarded-For": tt.forwarded}}
			var want netip.Addr
			if tt.want != "" {
				want = netip.MustParseAddr(tt.want)
			}
			if got := trusting(t, proxies).Client(r); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestHTTPS(t *testing.T) {
	const proxy, stranger = "10.0.0.1:5000", "192.0.2.1:5000"
	tests := []struct {
		name, peer string
		tls        bool
		protos     []string // the lines of X-Forwarded-Proto
		want       bool
	}{
		{"plain", stranger, false, nil, false},
		{"our own TLS", stranger, true, nil, true},
		{"our own TLS, whatever the header", proxy, true, []string{"http"}, true},
		{"claimed by a stranger", stranger, false, []string{"https"}, false},
		{"claimed by a proxy", proxy, false, []string{"https"}, true},
		{"said loudly", proxy, false, []string{" HTTPS\t"}, true},
		{"denied by a proxy", proxy, false, []string{"http"}, false},
		{"a proxy that sends no header", proxy, false, nil, false},
		{"the last value counts", proxy, false, []string{"http, https"}, true},
		{"forged before it", proxy, false, []string{"https,http"}, false},
		{"the last line counts", proxy, false, []string{"http", "https"}, true},
		{"forged in a line before", proxy, false, []string{"https", "http"}, false},
		{"empty", proxy, false, []string{"https", ""}, false},
		{"another word", proxy, false, []string{"https2"}, false},
		{"peer unknown", "@", false, []string{"https"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &http.Request{RemoteAddr: tt.peer, Header: http.Header{"X-Forwarded-Proto": tt.protos}}
			if tt.tls {
				r.TLS = new(tls.ConnectionState)
			}
			if got := trusting(t, proxies).HTTPS(r); got != tt.want {
				t.Errorf("got %t, want %t", got, tt.want)
			}
		})
	}
}

// said draws what a client may put into an X-Forwarded-* header.
func said() *rapid.Generator[[]string] {
	entry := rapid.OneOf(
		rapid.SampledFrom([]string{"10.0.0.1", "192.168.1.1", "[fd00::1]:80", "127.0.0.1", "198.51.100.9", "https", ""}),
		rapid.String(),
	)
	line := rapid.Map(rapid.SliceOfN(entry, 0, 60), func(s []string) string { return strings.Join(s, ", ") })
	return rapid.SliceOfN(line, 0, 4)
}

// TestForwardedHeadersOfUntrustedClients checks that the headers are ignored if
// the peer is not a trusted proxy.
func TestForwardedHeadersOfUntrustedClients(t *testing.T) {
	trusted := trusting(t, proxies)
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom([]serve.Proxies{nil, {}, trusted}).Draw(t, "proxies")
		peers := []string{"192.0.2.1"}
		if len(p) == 0 {
			peers = append(peers, "10.0.0.1", "127.0.0.1", "::1")
		}
		peer := netip.MustParseAddr(rapid.SampledFrom(peers).Draw(t, "peer"))
		r := &http.Request{RemoteAddr: netip.AddrPortFrom(peer, 5000).String(), Header: http.Header{}}
		for _, name := range []string{"X-Forwarded-For", "X-Forwarded-Proto", "Forwarded", "X-Real-Ip"} {
			r.Header[name] = said().Draw(t, name)
		}
		if got := p.Client(r); got != peer || p.HTTPS(r) {
			t.Fatalf("got %v, https %t; want %v by http", got, p.HTTPS(r), peer)
		}
	})
}

// TestForgedThroughProxies checks that a client cannot hide its address behind
// proxies that append the address of their peer to the last header line or to a
// new one.
func TestForgedThroughProxies(t *testing.T) {
	p := trusting(t, proxies)
	rapid.Check(t, func(t *rapid.T) {
		client := netip.MustParseAddr(rapid.SampledFrom([]string{"192.0.2.1", "2001:db8::1"}).Draw(t, "client"))
		path := append([]string{client.String()},
			rapid.SliceOfN(rapid.SampledFrom([]string{"10.0.0.1", "192.168.1.1", "fd00::1"}), 1, 49).Draw(t, "path")...)
		lines := said().Draw(t, "forged")
		for _, caller := range path[:len(path)-1] {
			if len(lines) == 0 || rapid.Bool().Draw(t, "own line") {
				lines = append(lines, caller)
				continue
			}
			lines = append(slices.Clone(lines[:len(lines)-1]), lines[len(lines)-1]+", "+caller)
		}
		peer := netip.AddrPortFrom(netip.MustParseAddr(path[len(path)-1]), 5000)
		r := &http.Request{RemoteAddr: peer.String(), Header: http.Header{"X-Forwarded-For": lines}}
		if got := p.Client(r); got != client {
			t.Fatalf("got %v, want %v, of %q", got, client, lines)
		}
	})
}

func FuzzClient(f *testing.F) {
	f.Add(proxies, "10.0.0.1:5000", "198.51.100.9, 192.0.2.1\n[fd00::1]:80", "http\nhttps")
	f.Add("fe80::/10", "[fe80::1%eth0]:1", "::ffff:192.0.2.1%x, unknown,,[::1]", "")
	f.Add("::ffff:10.0.0.0/104", "@", ",", ",")
	f.Fuzz(func(t *testing.T, trusted, peer, forwarded, protos string) {
		p, err := serve.ParseProxies(trusted)
		if err != nil {
			p = nil
		}
		for _, network := range p {
			if network.Bits() < 1 || network != network.Masked() || network.Addr().Is4In6() {
				t.Errorf("%q: networks %v", trusted, network)
			}
		}
		r := &http.Request{RemoteAddr: peer, Header: http.Header{
			"X-Forwarded-For": strings.Split(forwarded, "\n"), "X-Forwarded-Proto": strings.Split(protos, "\n"),
		}}
		direct, client := serve.Proxies(nil).Client(r), p.Client(r)
		if client.Zone() != "" || client.Is4In6() || client.IsValid() != direct.IsValid() {
			t.Errorf("got %v of peer %v", client, direct)
		}
		believed := slices.ContainsFunc(p, func(n netip.Prefix) bool { return n.Contains(direct) })
		if !believed && (client != direct || p.HTTPS(r)) {
			t.Errorf("got %v, https %t of the untrusted peer %v", client, p.HTTPS(r), direct)
		}
	})
}

func TestPassedOn(t *testing.T) {
	for _, tt := range []struct {
		host, header string
		want         bool
	}{
		{"127.0.0.1:8080", "", false}, {"[::1]:8080", "", false}, {"[::1]", "", false}, {"LOCALHOST", "", false}, {"localhost:8080", "", false},
		{"games.example", "", true}, {"192.0.2.1:8080", "", true}, {"localhost.example", "", true}, {"", "", true}, {"[::1", "", true},
		{"127.0.0.1:8080", "X-Forwarded-For", true}, {"127.0.0.1:8080", "X-Forwarded-Proto", true}, {"localhost", "Forwarded", true}, {"localhost", "Via", true},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = tt.host
		if tt.header != "" {
			r.Header.Set(tt.header, "")
		}
		if got := serve.PassedOn(r); got != tt.want {
			t.Errorf("host %q, header %q: %t", tt.host, tt.header, got)
		}
	}
}

// TestHeader reads a header that a proxy sets beside the client's own.
func TestHeader(t *testing.T) {
	r := &http.Request{RemoteAddr: "10.0.0.1:80", Header: http.Header{"Cf-Ipcountry": {"UA", "PL, TR "}}}
	for _, tt := range []struct{ proxies, name, want string }{
		{"10.0.0.1", "CF-IPCountry", "TR"}, {"10.0.0.1", "cf-ipcountry", "TR"}, {"10.0.0.2", "CF-IPCountry", ""}, {"", "CF-IPCountry", ""}, {"10.0.0.1", "X-Country", ""}, {"10.0.0.1", "", ""},
	} {
		if got := trusting(t, tt.proxies).Header(r, tt.name); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}
