package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gamedex/internal/testing/await"
)

// The memory that slow readers may take: the program's buffer limit; for each
// reader, what a request of a thousand ids needs besides its answer (ids, rows,
// connection); and garbage that is not collected yet, such as what answers leave that are cut off.
const (
	answerMemory = 256 << 20
	perReader    = 192 << 10
	garbage      = answerMemory
)

// fortyRegions are enough regions for a large answer.
var fortyRegions = strings.Fields("UA TR PL IN US DE JP KZ GB FR ES IT PT NL BE AT CH SE NO DK " +
	"FI CZ SK HU RO BG GR IE CA MX BR AR CL CO PE AU NZ ZA KR TH")

// TestSlowReaders requests the largest answer on many connections that do not
// read it to the end. It checks that the process keeps to its memory bound, that
// the readers of one user take only that user's share, and those of many users give
// way to others, and that all recovers when they are gone.
func TestSlowReaders(t *testing.T) {
	if !fullWorld() {
		t.Skip("opens a thousand connections: set GAMEDEX_WORLD=full")
	}
	t.Parallel()
	s, token, dir := largeServer(t)
	readWhole(t, s, largeRequest(token))
	baseline, running := peakMemory(t, s), int(s.metric("go_goroutines"))
	c := clients(t)
	must(t, dir, "", "user", "create", "slow@example.com")
	var one, several []string
	for range 6 {
		_, ofOne := newKey(t, dir, append(unlimited, "--user", "slow@example.com")...)
		_, ofNobody := newKey(t, dir, unlimited...)
		one, several = append(one, ofOne), append(several, ofNobody)
	}
	for _, readers := range []int{100, 1000} {
		tokens := one
		if readers > 256 {
			tokens = several
		}
		conns, turnedAway := startSlowReaders(t, s, largeRequest(tokens...), readers)
		if turnedAway == 0 || readers-turnedAway < 50 {
			t.Errorf("%d of %d slow readers were turned away", turnedAway, readers)
		}
		for range 20 {
			if status := s.ask(c, token, "GET", "/api/v1/catalog/search?q=game&limit=5", ""); status != http.StatusOK {
				t.Errorf("beside %d slow readers, another user's search: status %d", readers, status)
			}
			status := s.ask(c, token, "POST", "/api/v1/catalog/prices", bulkBody(newStock(1000).slugs(1)))
			if status != http.StatusOK {
				t.Errorf("beside %d slow readers, another user's bulk answer: status %d", readers, status)
			}
		}
		grown, bound := peakMemory(t, s)-baseline, answerMemory+readers*perReader+garbage
		t.Logf("%d slow readers, %d turned away; peak before %d MiB, grown by %d MiB of %d",
			readers, turnedAway, baseline>>20, grown>>20, bound>>20)
		if grown > bound {
			t.Errorf("%d slow readers cost %d MiB, bound %d MiB", readers, grown>>20, bound>>20)
		}
		for _, conn := range conns {
			conn.Close()
		}
		recovers(t, s, token, largeRequest(token), running)
	}
	s.stopInOrder()
}

// ask sends a request and returns the status of its answer.
func (s *server) ask(c *http.Client, token, method, path, body string) int {
	s.t.Helper()
	r, err := s.try(c, method, token, path, body)
	if err != nil {
		s.t.Fatalf("another client: %v", err)
	}
	if r.status == http.StatusServiceUnavailable {
		if code := r.failure(s.t).Error.Code; code != "SERVICE_UNAVAILABLE" || r.header.Get("Retry-After") == "" {
			s.t.Errorf("code %s, headers %v", code, r.header)
		}
	}
	return r.status
}

// largeServer serves a thousand games in forty regions.
func largeServer(t *testing.T) (s *server, token, dir string) {
	t.Helper()
	dir, token, k := largeStock(t)
	s = start(t, dir)
	s.waitForVersion(token, k, 0)
	return s, token, dir
}

// largeStock imports them.
func largeStock(t *testing.T) (dir, token string, k stock) {
	t.Helper()
	dir = t.TempDir()
	k = newStock(1000, fortyRegions...)
	k.offers = true
	k.noise = rand.New(rand.NewPCG(1, 2)) // otherwise a compressed answer would fit in the kernel's buffers
	must(t, dir, k.feed(0), "import", "-")
	_, token = newKey(t, dir, unlimited...)
	return dir, token, k
}

// largeRequest is a request for all fields of the thousand games. Readers use the
// tokens and the codings in turn.
func largeRequest(tokens ...string) func(i int) string {
	codings := []string{"identity", "gzip", "zstd"}
	body := strings.TrimSuffix(bulkBody(newStock(1000).slugs(1)), "}") + `,"include":"url,image,meta,fx"}`
	return func(i int) string {
		return fmt.Sprintf("POST /api/v1/catalog/prices HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nAccept-Encoding: %s\r\n"+
			"Content-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
			tokens[i%len(tokens)], codings[i%len(codings)], len(body), body)
	}
}

// startSlowReaders sends a request on each of n connections with small receive
// windows, and reads only the first bytes of each answer. It returns the
// connections and how many were refused with a 503.
func startSlowReaders(t *testing.T, s *server, request func(int) string, n int) (conns []net.Conn, turnedAway int) {
	t.Helper()
	var refused atomic.Int64
	var reading sync.WaitGroup
	for i := range n {
		conn := s.dial()
		if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write([]byte(request(i))); err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
		reading.Go(func() { // at once: the server cuts off a reader that stops for long
			begin := make([]byte, len("HTTP/1.1 200"))
			_, err := io.ReadFull(conn, begin)
			switch {
			case err == io.EOF, err == nil && strings.HasSuffix(string(begin), "503"): // cut off, or refused
				refused.Add(1)
			case err != nil || !strings.HasSuffix(string(begin), "200"):
				t.Errorf("reader %d: %s, %v", i, begin, err)
			}
		})
	}
	reading.Wait()
	return conns, int(refused.Load())
}

// dial opens a connection that is closed at the end of the test.
func (s *server) dial() net.Conn {
	s.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.api, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(await.Patience))
	return conn
}

// readWhole reads the answer in each coding to its end.
func readWhole(t *testing.T, s *server, request func(int) string) {
	t.Helper()
	for i := range 3 {
		conn := s.dial()
		defer conn.Close()
		if _, err := conn.Write([]byte(request(i))); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%v %v", res, err)
		}
		size := make([]byte, 1<<20)
		total := 0
		for err == nil {
			var n int
			n, err = res.Body.Read(size)
			total += n
		}
		if err.Error() != "EOF" || total < 1<<20 && i == 0 {
			t.Fatalf("the largest answer ends after %d bytes: %v", total, err)
		}
	}
}

// recovers checks that the server is as it was before: all clients are
// answered, the largest answer too, and no request is left hanging.
func recovers(t *testing.T, s *server, token string, request func(int) string, running int) {
	t.Helper()
	s.waitFor(token, "/api/v1/catalog/search?q=game", func(status int, _ string) bool { return status == http.StatusOK })
	readWhole(t, s, request)
	left := 0
	if !await.Progress(func() bool { left = int(s.metric("go_goroutines")); return left <= running+10 }, func() any { return left }) {
		t.Fatalf("%d goroutines are left, %d ran before", left, running)
	}
}

var peakLine = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakMemory returns the peak resident memory of the process. Where the system
// does not report it, ^ returns the current memory as the runtime counts it.
func peakMemory(t *testing.T, s *server) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.Pid))
	found := peakLine.FindSubmatch(status)
	if err == nil && found != nil {
		kib, err := strconv.Atoi(string(found[1]))
		if err != nil {
			t.Fatal(err)
		}
		return kib << 10
	}
	return int(s.metric("go_memstats_sys_bytes"))
}
