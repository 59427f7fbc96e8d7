package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/sqldb"
	"gamedex/internal/testing/apitest"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
	"gamedex/internal/testing/porttest"
)

// proxied is a service behind a proxy, with a thousand games in forty regions.
type proxied struct {
	*server // without the proxy
	dir     string
	k       stock
	key     [2]string // its id and token
	addr    string    // of the proxy
	trusted *x509.CertPool
	client  *http.Client
	front   *server // through the proxy
}

// visitor dials as a client with another address than the proxy.
var visitor = &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}

const (
	visitorAddr = "127.0.0.2"
	forgedAddr  = "203.0.113.9"
	bulkPath    = "/api/v1/catalog/prices"
)

// TestAttacksThroughProxies attacks the service over HTTP/2 through each proxy with its configuration of https.md:
// with answers that are not read, requests that are reset, forged headers, and a kill. Others are served, everything
// is counted and released, and nobody has another address or gets the answer of somebody else.
func TestAttacksThroughProxies(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "haproxy", "nginx", "caddy")
	file, trusted := selfSigned(t, "games.example")
	dir, _, k := largeStock(t)
	must(t, dir, "a long enough password\n", "user", "create", "ann@example.org", "--password-stdin")
	signedIn, resets := 0, 400
	if fullWorld() {
		resets = 2000
	}
	for _, page := range proxiesOfThePage("", "", file) {
		t.Run(page.program, func(t *testing.T) {
			p := &proxied{dir: dir, k: k, trusted: trusted, front: &server{t: t, api: "https://games.example"}}
			p.key[0], p.key[1] = newKey(t, dir, unlimited...)
			service := porttest.Addr(t)
			proxy, _ := startProxyOfThePage(t, page.program, service, porttest.Addr(t), file)
			p.addr = proxy.Addr
			p.client = p.newClient(t)
			serve := func() {
				p.server = start(t, dir, "--addr", service, "--public-url", p.front.api, "--trusted-proxies", "127.0.0.1", "--country-header", "CF-IPCountry")
				p.api = "http://" + service
				p.healthy()
			}
			serve()
			p.askForLongIDs(t)
			goroutines := p.metric("go_goroutines")
			p.readSlowly(t)
			signedIn += p.forge(t)
			p.resetMany(t, resets)
			p.settle(t)
			await.That(t, "goroutines to end", func() bool {
				return p.metric("go_goroutines") < goroutines+60 // a proxy keeps some connections
			})
			p.checkCounts(t)
			checkSignIns(t, dir, signedIn)
			p.restart(t, serve)
		})
	}
}

// dial connects to the proxy over TLS.
func (p *proxied) dial(t *testing.T, protocol string) *tls.Conn {
	t.Helper()
	conn, err := tls.DialWithDialer(visitor, "tcp", p.addr, &tls.Config{RootCAs: p.trusted, ServerName: "games.example", NextProtos: []string{protocol}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if got := conn.ConnectionState().NegotiatedProtocol; got != protocol {
		t.Fatalf("the proxy speaks %q, want %q", got, protocol)
	}
	if err := conn.SetDeadline(time.Now().Add(await.Patience)); err != nil {
		t.Fatal(err)
	}
	return conn
}

func (p *proxied) frames(t *testing.T) *frames {
	t.Helper()
	return newFrames(p.dial(t, "h2"))
}

// newClient returns an ordinary client with HTTP/2.
func (p *proxied) newClient(t *testing.T) *http.Client {
	through := &http.Transport{
		ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: p.trusted},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return visitor.DialContext(ctx, network, p.addr)
		},
	}
	t.Cleanup(through.CloseIdleConnections)
	return &http.Client{Transport: through, Timeout: await.Patience}
}

// fields are those of a request with a method and a path; further ones follow.
func (p *proxied) fields(method, path string, more ...string) []string {
	return append([]string{":method", method, ":scheme", "https", ":authority", "games.example", ":path", path}, more...)
}

// asked are the fields of an API request.
func (p *proxied) asked(method, path string, more ...string) []string {
	return p.fields(method, path, append(more, "authorization", "Bearer "+p.key[1], "accept-encoding", "gzip")...)
}

// askForLongIDs requests the prices of a thousand long ids with a GET.
func (p *proxied) askForLongIDs(t *testing.T) {
	t.Helper()
	var ids []string
	for i := range 1000 {
		ids = append(ids, fmt.Sprintf("EP0000-PPSA%05d_00-UNKNOWN%09d", i, i))
	}
	if r, err := p.front.try(p.client, "GET", p.key[1], bulkPath+"?ids="+strings.Join(ids, ","), ""); err != nil || r.status != http.StatusOK {
		t.Errorf("a GET with 1,000 ids: %d %.200s %v", r.status, r.body, err)
	}
}

// stall requests the prices of all games n times on one connection, and reads as much as arrives without release.
func (p *proxied) stall(t *testing.T, f *frames, n int) (ids []uint32) {
	t.Helper()
	body := bulkBody(p.k.slugs(1))
	for range n {
		id := f.open(false, p.asked("POST", bulkPath, "content-type", "application/json", "content-length", strconv.Itoa(len(body)))...)
		f.body(id, true, body)
		await.That(t, "the first 32 KiB of an answer", func() bool {
			s, all := f.arrived(id)
			if all {
				t.Fatalf("an answer ends with status %s after %d bytes", s.status, len(s.body))
			}
			return len(s.body) > 32<<10
		})
		ids = append(ids, id)
	}
	return ids
}

// finish reads the rest of answers, and returns how many are whole. On a busy machine the service may have cut some off:
// HAProxy 2.6 and Caddy 2.6 then end them like whole ones, but not their gzip.
func (p *proxied) finish(t *testing.T, f *frames, ids []uint32) (whole int) {
	t.Helper()
	for _, id := range ids {
		f.release(id)
		s := f.end(t, id)
		if text, err := apitest.Unpack("gzip", s.body); err == nil && s.whole {
			checkWhole(t, p.k, reply{status: http.StatusOK, body: string(text)}, p.k.games, 0)
			whole++
		}
	}
	return whole
}

// readSlowly does not read large answers. Others are served, on the same connection too. The proxy does not take the
// answers in the client's place, so that the service can judge who is slow.
func (p *proxied) readSlowly(t *testing.T) {
	t.Helper()
	p.settle(t)
	f := p.frames(t)
	slow := p.stall(t, f, 6)
	before, _ := p.answered(t)
	const others = 20
	for range others {
		if s := f.end(t, f.open(true, p.asked("GET", "/api/v1/account/me")...)); s.status != "200" {
			t.Errorf("beside slow answers on the same connection: status %q", s.status)
		}
		ids := p.k.slugs(10)
		r, err := p.front.try(p.client, "POST", p.key[1], bulkPath, bulkBody(ids))
		if err != nil {
			t.Fatal(err)
		}
		checkWhole(t, p.k, r, len(ids), 0)
	}
	if after, _ := p.answered(t); after["200"]-before["200"] > 2*others {
		t.Errorf("%d answers were sent as a whole, want at most %d: the proxy keeps those that are not read", after["200"]-before["200"], 2*others)
	}
	whole := p.finish(t, f, slow)
	p.settle(t)
	if after, _ := p.answered(t); after["200"]-before["200"] != 2*others+whole {
		t.Errorf("%d answers were sent as a whole, and %d have arrived so", after["200"]-before["200"], 2*others+whole)
	}
}

// resetMany begins n requests and resets them: some at once, some after a part of the body, some after a part of the answer.
func (p *proxied) resetMany(t *testing.T, n int) {
	t.Helper()
	f := p.frames(t)
	begin := func() (id uint32) {
		id = f.open(false, p.asked("POST", bulkPath, "content-type", "application/json", "content-length", "1000")...)
		f.body(id, false, `{"ids":["`)
		return id
	}
	id := begin()
	await.That(t, "a request whose body has begun", func() bool { return p.metric("gamedex_http_in_flight") > 0 })
	f.reset(id)
	p.settle(t)
	path := bulkPath + "?regions=all&ids=" + strings.Join(p.k.slugs(4), ",")
	for i := range n {
		if f.isClosed() {
			f.conn.Close()
			f = p.frames(t)
		}
		if i%2 == 0 {
			id := f.open(true, p.asked("GET", path)...)
			if i%50 == 0 {
				await.That(t, "an answer", func() bool { s, all := f.arrived(id); return all || len(s.body) > 0 })
			}
			f.reset(id)
			continue
		}
		f.reset(begin())
	}
	f.conn.Close()
}

var answeredWithKey = regexp.MustCompile(`(?m)^gamedex_http_requests_total\{code="([^"]+)",route="/api/v1/(?:catalog|account)/[^"]+"\} (\d+)$`)

// answered returns how many API requests have ended since the start, by their outcome, and in all.
func (p *proxied) answered(t *testing.T) (by map[string]int, all int) {
	t.Helper()
	by = map[string]int{}
	_, metrics := fetch(t, "GET", p.ops+"/metrics")
	for _, found := range answeredWithKey.FindAllStringSubmatch(metrics, -1) {
		n, err := strconv.Atoi(found[2])
		if err != nil {
			t.Fatal(err)
		}
		by[found[1]] += n
		all += n
	}
	return by, all
}

// settle waits until the service answers nothing.
func (p *proxied) settle(t *testing.T) {
	t.Helper()
	await.That(t, "the requests to end", func() bool { return p.metric("gamedex_http_in_flight") == 0 })
}

// checkCounts checks that the memory for answers is free again, and that each request that has arrived is counted.
func (p *proxied) checkCounts(t *testing.T) {
	t.Helper()
	r, err := p.front.try(p.client, "POST", p.key[1], bulkPath, bulkBody(p.k.slugs(1)))
	if err != nil {
		t.Fatal(err)
	}
	checkWhole(t, p.k, r, p.k.games, 0)
	p.settle(t)
	by, all := p.answered(t)
	t.Logf("requests with the key by outcome: %v", by)
	if by["aborted"] == 0 {
		t.Error("no reset has reached the service")
	}
	waitStored(t, p.dir, p.key[0], all)
	if n := stored(t, p.dir, p.key[0]); n != all {
		t.Errorf("%d requests are counted, and %d have arrived", n, all)
	}
}

// restart kills the service while two keys are used on one connection, and starts it again. Each answer belongs to its
// request, and requests fail only while the service does not run.
func (p *proxied) restart(t *testing.T, serve func()) {
	t.Helper()
	keys := [2][2]string{p.key, {}}
	keys[1][0], keys[1][1] = newKey(t, p.dir, unlimited...)
	ask := func(i int) error {
		key, id := keys[i%2], slug(i%p.k.games)
		method, path, body, want := "GET", "/api/v1/account/me", "", fmt.Sprintf(`"keyId":"%s"`, key[0])
		if i%4 > 1 {
			method, path, body, want = "POST", bulkPath, bulkBody([]string{id}), fmt.Sprintf(`"id":"%s"`, id)
		}
		r, err := p.front.try(p.client, method, key[1], path, body)
		if err == nil && r.status != http.StatusOK {
			err = fmt.Errorf("status %d: %.200s", r.status, r.body)
		}
		if err == nil && !strings.Contains(r.body, want) {
			t.Errorf("%s %s: no %s in %.500s", method, path, want, r.body)
		}
		return err
	}
	var phase, answered atomic.Int64 // phase is odd while the service may not run
	end := make(chan struct{})
	var asking sync.WaitGroup
	defer asking.Wait()
	defer close(end)
	for i := range 8 {
		asking.Go(func() {
			pace := time.NewTicker(5 * time.Millisecond)
			defer pace.Stop()
			for ; ; i += 9 {
				select {
				case <-end:
					return
				case <-pace.C:
				}
				began := phase.Load()
				if err := ask(i); err == nil {
					answered.Add(1)
				} else if began%2 == 0 && phase.Load() == began {
					t.Errorf("request %d: %v", i, err)
					return
				}
			}
		})
	}
	more := func(n int64) {
		t.Helper()
		want := answered.Load() + n
		if !await.Progress(func() bool { return answered.Load() >= want || t.Failed() }, func() any { return answered.Load() }) {
			t.Fatalf("%d answers, want %d", answered.Load(), want)
		}
	}
	more(200)
	phase.Add(1)
	p.kill()
	serve()
	phase.Add(1)
	more(400)
}

// checkSignIns checks from where the audit log says that the visitor has signed in.
func checkSignIns(t *testing.T, dir string, atLeast int) {
	t.Helper()
	withDB(t, dir, func(ctx context.Context, db *sqldb.DB) error {
		entries, err := db.Accounts.SearchAudit(ctx, account.AuditQuery{Action: account.UserSignIn, Limit: 1000})
		if len(entries) < atLeast {
			t.Errorf("the audit log has %d sign-ins, want %d", len(entries), atLeast)
		}
		if i := slices.IndexFunc(entries, func(e account.AuditEntry) bool { return e.From != visitorAddr }); i >= 0 {
			t.Errorf("the audit log has %+v", entries[i])
		}
		return err
	})
}

// forge signs in with forged addresses, and with requests that a proxy and the service could divide differently: a part
// of one would reach the service as a request of the proxy. It returns how many sign-ins it has seen succeed.
func (p *proxied) forge(t *testing.T) (signedIn int) {
	t.Helper()
	const form = "email=ann%40example.org&password=a+long+enough+password"
	const head = "Host: games.example\r\nOrigin: https://games.example\r\nContent-Type: application/x-www-form-urlencoded\r\n" +
		"X-Forwarded-Proto: https\r\nX-Forwarded-For: " + forgedAddr + "\r\nX_Forwarded_For: " + forgedAddr + "\r\nForwarded: for=" + forgedAddr + "\r\n"
	size := "Content-Length: " + strconv.Itoa(len(form))
	hidden := "POST /signin HTTP/1.1\r\n" + head + size + "\r\n\r\n" + form
	all := strconv.Itoa(len("0\r\n\r\n" + hidden))
	const last = "GET /api/v1/health HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n\r\n"
	for i, headers := range []string{
		"Connection: X-Forwarded-For, X-Forwarded-Proto\r\n" + size,
		"Transfer-Encoding: chunked\r\nContent-Length: " + all,
		"Transfer-Encoding: xchunked\r\nContent-Length: 5",
		"Transfer-Encoding : chunked\r\nContent-Length: " + all,
		"Transfer-Encoding:\vchunked\r\nContent-Length: 5",
		"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\nContent-Length: " + all,
		"Content-Length: 5\r\nContent-Length: " + all,
		"Content-Length: 5, " + all,
		"Content-Length: +5",
		"X: y\nContent-Length: 5",
	} {
		body := "0\r\n\r\n" + hidden
		if i == 0 {
			body = form
		}
		conn := p.dial(t, "http/1.1")
		fmt.Fprint(conn, "POST /signin HTTP/1.1\r\n"+head+headers+"\r\n\r\n"+body+last)
		answers, _ := io.ReadAll(conn) // until an error, or the end of the last answer
		conn.Close()
		n := strings.Count(string(answers), "HTTP/1.1 303")
		if i == 0 && n != 1 {
			t.Errorf("a sign-in over HTTP/1.1: %s", answers)
		}
		signedIn += n
	}
	forged := p.fields("POST", "/signin", "origin", "https://games.example", "content-type", "application/x-www-form-urlencoded",
		"x-forwarded-for", forgedAddr, "x-forwarded-for", "127.0.0.1, "+forgedAddr, "x_forwarded_for", forgedAddr, "forwarded", "for="+forgedAddr,
		"x-real-ip", forgedAddr, "x-forwarded-proto", "http", "cf-ipcountry", "TR")
	for i, tt := range []struct {
		body   string
		fields []string
	}{
		{form, nil},
		{form, []string{"connection", "x-forwarded-for, x-forwarded-proto"}},
		{form, []string{"x-forwarded-for ", forgedAddr}},
		{form, []string{"x", "y\r\nX-Forwarded-For: " + forgedAddr}},
		{form, []string{"x: y\r\nx-forwarded-for", forgedAddr}},
		{"0\r\n\r\n" + hidden, []string{"transfer-encoding", "chunked"}},
		{"0\r\n\r\n" + hidden, []string{"content-length", "5", "transfer-encoding", "chunked"}},
		{form + hidden, []string{"content-length", strconv.Itoa(len(form))}},
		{form + hidden, []string{"content-length", strconv.Itoa(len(form)), "content-length", strconv.Itoa(len(form + hidden))}},
	} {
		f := p.frames(t)
		id := f.open(false, append(slices.Clone(forged), tt.fields...)...)
		f.body(id, true, tt.body)
		s := f.end(t, id)
		f.conn.Close()
		if s.status == "303" {
			signedIn++
		} else if i == 0 {
			t.Errorf("a sign-in over HTTP/2: %q %s", s.status, s.body)
		}
	}
	return signedIn
}
