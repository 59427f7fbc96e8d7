package enginetest

import (
	"context"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// Proxy is a network in front of a server that can be broken.
type Proxy struct {
	Addr string
	Port int

	proxy *toxiproxy.Proxy
}

// Faults of a network, for [Proxy.Break]. Others are written in the same way: see the
// toxics of toxiproxy. "upstream" is the way to the server.
const (
	LostRequests = `{"type":"timeout","stream":"upstream","attributes":{"timeout":0}}`      // nothing arrives, and nothing reports it
	LostAnswers  = `{"type":"timeout","stream":"downstream","attributes":{"timeout":0}}`    // requests arrive, their answers do not
	CutRequests  = `{"type":"limit_data","stream":"upstream","attributes":{"bytes":0}}`     // nothing arrives, the connection ends
	CutAnswers   = `{"type":"limit_data","stream":"downstream","attributes":{"bytes":0}}`   // a request arrives, the connection ends
	Reset        = `{"type":"reset_peer","stream":"downstream","attributes":{"timeout":0}}` // the connection is reset
	Slow         = `{"type":"latency","stream":"downstream","attributes":{"latency":400}}`  // answers take 400 ms
)

// NewProxy starts a proxy in front of a server, whose address it is given, until the
// test ends.
func NewProxy(t testing.TB, server string) *Proxy {
	t.Helper()
	p := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()), "network", "127.0.0.1:0", server)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	_, number, err := net.SplitHostPort(p.Listen)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	return &Proxy{p.Listen, port, p}
}

// Break lets connections, also those that are open, have faults until [Proxy.Heal].
func (p *Proxy) Break(t testing.TB, faults ...string) {
	t.Helper()
	for _, fault := range faults {
		if _, err := p.proxy.Toxics.AddToxicJson(strings.NewReader(fault)); err != nil {
			t.Fatal(err)
		}
	}
}

// Heal ends all faults. Connections from which data were lost end.
func (p *Proxy) Heal() { p.proxy.Toxics.ResetToxics(context.Background()) }
