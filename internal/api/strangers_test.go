package api_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/api"
	"gamedex/internal/index"
	"gamedex/internal/serve"
	"gamedex/internal/testing/await"
)

// TestStrangersBesideSlowReaders lets owners who work together ask for the largest answers on
// more connections than there is memory for, again and again, and read them slowly. It checks
// that a stranger's bulk prices are always answered, behind the address of the owners as well
// as behind another, and that the memory keeps its bound.
func TestStrangersBesideSlowReaders(t *testing.T) {
	const memory, conns, perConn = 64 << 20, 240, 192 << 10
	view := index.NewView(largeSample(1000, 20).open(t), sampleManifest(t))
	cases := []struct{ owners, networks int }{{4, 4}, {30, 1}, {10, 10}, {30, 30}, {4, 1}}
	if os.Getenv("GAMEDEX_WORLD") != "full" {
		cases = cases[:2]
	}
	for _, tt := range cases {
		t.Run(fmt.Sprintf("%d owners in %d networks", tt.owners, tt.networks), func(t *testing.T) {
			w := newWorld(t, unlimited, func(w *world, c *api.Config) {
				w.live.Swap(view)
				c.Failed, c.AnswerMemory, c.Network = nil, memory, serve.Proxies{netip.MustParsePrefix("127.0.0.1/32")}.Network
			})
			w.client = &http.Client{Transport: &http.Transport{DisableCompression: true}}
			w.server.URL = "http://" + serveFor(t, w.server.Config.Handler)
			_, token := w.newKey(account.Draft{Name: "stranger", UserID: "stranger"})
			w.post(idsBody(1000, ""), bearer(token)).want(200)
			before := heap()
			var slow slowReaders
			ctx, stop := context.WithCancel(t.Context())
			defer slow.Wait()
			defer stop()
			for i := range conns {
				_, token := w.newKey(account.Draft{Name: "slow", UserID: fmt.Sprint("owner", i%tt.owners)})
				slow.Go(func() { slow.attack(ctx, w, token, fmt.Sprint("192.0.2.", i%tt.networks)) })
			}
			await.That(t, "slow readers to fill the memory", func() bool { return slow.lost.Load() > 0 })
			from := "198.51.100.1"
			if tt.networks == 1 {
				from = "192.0.2.0"
			}
			var took []time.Duration
			for i := range 20 {
				for _, ids := range []int{10, 100, 1000} {
					coding := []string{"identity", "gzip", "zstd"}[i%3]
					began := time.Now()
					r := w.post(idsBody(ids, ""), bearer(token), header("X-Forwarded-For", from), header("Accept-Encoding", coding))
					if took = append(took, time.Since(began)); r.status != 200 {
						t.Errorf("%d ids from %s in %s: %d %s", ids, from, coding, r.status, r.body)
					}
				}
			}
			held := heap() - before
			slices.Sort(took)
			t.Logf("a stranger's bulk prices took %v, the slowest %v; %d slow answers began, %d were refused or cut off; %d MiB held",
				took[len(took)/2], took[len(took)-1], slow.began.Load(), slow.lost.Load(), held>>20)
			if held > memory+conns*perConn {
				t.Errorf("%d slow readers hold %d MiB", conns, held>>20)
			}
		})
	}
}

// slowReaders are clients that read as slowly as the rules allow.
type slowReaders struct {
	sync.WaitGroup
	began, lost atomic.Int64 // answers
}

// attack asks for a large answer until ctx ends, each time that it has lost the last one.
func (s *slowReaders) attack(ctx context.Context, w *world, token, from string) {
	body := idsBody(1000, `,"regions":"all"`)
	request := fmt.Sprintf("POST /api/v1/catalog/prices HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: %s\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s",
		from, token, len(body), body)
	for ctx.Err() == nil {
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.server.URL, "http://"))
		if err != nil {
			w.t.Error(err)
			return
		}
		s.readSlowly(ctx, conn, request)
		s.lost.Add(1)
		conn.Close()
	}
}

// readSlowly reads 3 KiB a second of the answer, until it is refused or cut off.
func (s *slowReaders) readSlowly(ctx context.Context, conn net.Conn, request string) {
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	_ = conn.(*net.TCPConn).SetReadBuffer(4096)
	_, _ = io.WriteString(conn, request)
	status := make([]byte, len("HTTP/1.1 200"))
	if _, err := io.ReadFull(conn, status); err != nil || string(status) != "HTTP/1.1 200" {
		return
	}
	s.began.Add(1)
	for tick := time.NewTicker(100 * time.Millisecond); ; <-tick.C {
		if _, err := io.CopyN(io.Discard, conn, 300); err != nil {
			tick.Stop()
			return
		}
	}
}
