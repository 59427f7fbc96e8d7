package serve_test

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"gamedex/internal/serve"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/porttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start runs a server on a reserved port until the test ends or stop is called,
// which waits for the end of Run and returns its error.
func start(t *testing.T, c serve.Config) (url string, stop func() error) {
	t.Helper()
	c.Addr = porttest.Addr(t)
	c.Log = slog.New(slog.DiscardHandler)
	s, err := serve.Listen(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	stopped := false
	stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return <-ended
	}
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := stop(); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return "http://" + s.Addr(), stop
}

func hello(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }

func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func TestListenReportsAPortInUse(t *testing.T) {
	c := serve.Config{Addr: porttest.Addr(t), Handler: http.HandlerFunc(hello), Log: slog.New(slog.DiscardHandler)}
	s, err := serve.Listen(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := serve.Listen(c); !errors.Is(err, syscall.EADDRINUSE) || !strings.Contains(err.Error(), c.Addr) {
		t.Errorf("second listener: %v, want one that names %s", err, c.Addr)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := serve.Listen(c)
	if err != nil {
		t.Fatalf("listen again: %v", err)
	}
	again.Close()
}

func TestStopLetsRequestsEnd(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	url, stop := start(t, serve.Config{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-release
		hello(w, r)
	})})
	got := make(chan string, 1)
	go func() { _, body := get(t, url); got <- body }()
	<-entered
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	waitRefused(t, strings.TrimPrefix(url, "http://"))
	close(release)
	if body := <-got; body != "hello" {
		t.Errorf("the request under way got %q", body)
	}
	if err := <-stopped; err != nil {
		t.Errorf("Run: %v", err)
	}
}

// TestStopDrainsFirst checks that a server that stops answers for the time of the
// drain, on known and on new connections, has its clients close them, and logs that it
// drains: otherwise the operator does not know why the process still runs.
func TestStopDrainsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const drain = 10 * time.Second
		log := new(strings.Builder)
		s, pipes := listenOnPipes(t, serve.Config{
			Handler: http.HandlerFunc(hello), Drain: func() time.Duration { return drain }, Log: slog.New(slog.NewTextHandler(log, nil)),
		})
		ctx, cancel := context.WithCancel(t.Context())
		stopped := make(chan error, 1)
		go func() { stopped <- s.Run(ctx) }()
		connect := func() (net.Conn, *bufio.Reader) {
			conn, server := net.Pipe()
			t.Cleanup(func() { conn.Close() })
			pipes.conns <- server
			return conn, bufio.NewReader(conn)
		}
		ask := func(conn net.Conn, from *bufio.Reader) (closes bool) {
			fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
			resp, err := http.ReadResponse(from, nil)
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "hello" {
				t.Fatalf("answer %q, %v", body, err)
			}
			return resp.Close
		}
		known, fromKnown := connect()
		if ask(known, fromKnown) {
			t.Error("a server that does not stop closes its connections")
		}
		cancel()
		synctest.Wait()
		began := time.Now()
		if !ask(known, fromKnown) {
			t.Error("the next answer on a known connection does not close it")
		}
		if _, err := fromKnown.ReadByte(); !errors.Is(err, io.EOF) {
			t.Errorf("the connection stays open: %v", err)
		}
		time.Sleep(drain - time.Second)
		if !ask(connect()) {
			t.Error("an answer on a new connection does not close it")
		}
		if err := <-stopped; err != nil || time.Since(began) != drain {
			t.Errorf("stopped after %v, want %v: %v", time.Since(began), drain, err)
		}
		if !strings.Contains(log.String(), "stopping; requests are answered") || !strings.Contains(log.String(), "drain=10s") {
			t.Errorf("the log is %q, want a line that names the drain", log)
		}
	})
}

func waitRefused(t *testing.T, addr string) {
	t.Helper()
	await.That(t, "new connections to be refused while stopping", func() bool {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
}

func TestStopCancelsLongRequests(t *testing.T) {
	entered, ended := make(chan struct{}), make(chan struct{})
	url, stop := start(t, serve.Config{
		FinishTimeout: 50 * time.Millisecond,
		Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(entered)
			<-r.Context().Done()
			close(ended)
		}),
	})
	failed := make(chan error, 1)
	go func() { _, err := http.Get(url); failed <- err }()
	<-entered
	if err := stop(); err != nil {
		t.Errorf("Run: %v", err)
	}
	if err := <-failed; err == nil {
		t.Error("the request that never ends got an answer")
	}
	<-ended
}

func TestHeaderLimit(t *testing.T) {
	url, _ := start(t, serve.Config{Handler: http.HandlerFunc(hello)})
	tests := []struct {
		name string
		size int // of request line and headers together, about
		want int
	}{
		{"30 KiB pass", 30 << 10, 200},
		{"just under 160 KiB passes", 160<<10 - 200, 200},
		{"over 160 KiB is refused", 161 << 10, 431},
		{"1 MiB is refused", 1 << 20, 431},
	}
	for _, tt := range tests {
		t.Run(tt.name+", in the line", func(t *testing.T) {
			if got, _ := get(t, url+"/?q="+strings.Repeat("x", tt.size-100)); got != tt.want {
				t.Errorf("status %d, want %d", got, tt.want)
			}
		})
		t.Run(tt.name+", in a header", func(t *testing.T) {
			req, err := http.NewRequest("GET", url, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("X-Long", strings.Repeat("x", tt.size-150))
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != tt.want {
				t.Errorf("status %d, want %d", resp.StatusCode, tt.want)
			}
		})
	}
}

// bigAnswer writes 64 MiB at once, more than any socket buffer takes, and
// reports the error.
func bigAnswer(result chan<- error) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		_, err := w.Write(make([]byte, 64<<20))
		result <- err
	}
}

// TestNextRequestOfAStalledReader covers an answer that begins right after
// another one: net/http removes the deadline after each answer.
func TestNextRequestOfAStalledReader(t *testing.T) {
	onPipe(t, func(t *testing.T, connect func(http.HandlerFunc) net.Conn) {
		result := make(chan error, 1)
		big := bigAnswer(result)
		conn := connect(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/big" {
				big(w, r)
			}
		})
		ask(t, conn, bufio.NewReader(conn))
		fmt.Fprint(conn, "GET /big HTTP/1.1\r\nHost: x\r\n\r\n")
		if err := <-result; err == nil {
			t.Error("64 MiB went to a client that read nothing")
		}
	})
}

// TestASlowReaderMayTakeManyWriteTimeouts, but not more than the time for the whole
// answer.
func TestASlowReaderMayTakeManyWriteTimeouts(t *testing.T) {
	if _, err := slowReader(t, 10); err != nil {
		t.Errorf("an answer that is read to its end within 5 min: %v", err)
	}
	if took, err := slowReader(t, 1000); err == nil || took != 5*time.Minute {
		t.Errorf("an answer that would take hours ends after %v: %v", took, err)
	}
}

// slowReader sends a request, reads 64 KiB of the answer just in time, some times,
// then the rest. It returns how long the answer took and its error.
func slowReader(t *testing.T, times int) (took time.Duration, err error) {
	onPipe(t, func(t *testing.T, connect func(http.HandlerFunc) net.Conn) {
		result := make(chan error, 1)
		conn := connect(bigAnswer(result))
		fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		began, left := time.Now(), make(chan struct{})
		go func() {
			defer close(left)
			for range times {
				if _, err := io.CopyN(io.Discard, conn, 64<<10); err != nil {
					return
				}
				time.Sleep(writeTimeout * 9 / 10)
			}
			_, _ = io.Copy(io.Discard, conn)
		}()
		err = <-result
		took = time.Since(began)
		conn.Close()
		<-left
	})
	return took, err
}

// writeTimeout is that of the servers of onPipe.
const writeTimeout = 30 * time.Second

// onPipe runs a test on a simulated clock. It may connect once, to a server with a handler,
// on a pipe without a buffer.
func onPipe(t *testing.T, test func(t *testing.T, connect func(http.HandlerFunc) net.Conn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		test(t, func(handler http.HandlerFunc) net.Conn {
			s, pipes := listenOnPipes(t, serve.Config{WriteTimeout: writeTimeout, Handler: handler})
			ctx, cancel := context.WithCancel(t.Context())
			stopped := make(chan error, 1)
			go func() { stopped <- s.Run(ctx) }()
			conn, server := net.Pipe()
			pipes.conns <- server
			t.Cleanup(func() {
				conn.Close()
				cancel()
				if err := <-stopped; err != nil {
					t.Error(err)
				}
			})
			return conn
		})
	})
}

// ask sends a request whose answer is read at once.
func ask(t *testing.T, conn net.Conn, from *bufio.Reader) (body string) {
	t.Helper()
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	resp, err := http.ReadResponse(from, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestKernelHoldsLittle checks how much of an answer the kernel takes for a client
// that reads nothing.
func TestKernelHoldsLittle(t *testing.T) {
	taken := make(chan int, 1)
	url, _ := start(t, serve.Config{WriteTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n, _ := w.Write(make([]byte, 64<<20))
		taken <- n
	})})
	conn := dialFrom(t, "", url)
	if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if n := <-taken; n > 512<<10 {
		t.Errorf("%d KiB", n>>10)
	}
}

// listenOnPipes returns a server whose connections are pipes of the test.
func listenOnPipes(t *testing.T, c serve.Config) (*serve.Server, *pipeListener) {
	t.Helper()
	c.Addr, c.Log = "127.0.0.1:0", cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	s, err := serve.Listen(c)
	if err != nil {
		t.Fatal(err)
	}
	pipes := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	if err := s.ReplaceListener(pipes); err != nil {
		t.Fatal(err)
	}
	return s, pipes
}

// pipeListener accepts connections that the test makes.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return new(net.TCPAddr) }

func TestAnIdleConnectionAnswersAfterTheWriteTimeout(t *testing.T) {
	onPipe(t, func(t *testing.T, connect func(http.HandlerFunc) net.Conn) {
		conn := connect(hello)
		from := bufio.NewReader(conn)
		// Caddy keeps its connections for two minutes, longer than nginx and HAProxy.
		for i, idle := range []time.Duration{0, 2 * writeTimeout, 2*time.Minute + time.Second} {
			time.Sleep(idle)
			if body := ask(t, conn, from); body != "hello" {
				t.Errorf("request %d: %q", i+1, body)
			}
		}
	})
}

func TestAnswerAfterTheWriteTimeout(t *testing.T) {
	onPipe(t, func(t *testing.T, connect func(http.HandlerFunc) net.Conn) {
		conn := connect(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(3 * writeTimeout)
			hello(w, r)
		})
		if body := ask(t, conn, bufio.NewReader(conn)); body != "hello" {
			t.Errorf("the answer is %q", body)
		}
	})
}

// dialFrom connects from an address of this machine, so that tests can have several
// networks; "" is any.
func dialFrom(t *testing.T, from, url string) net.Conn {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := dialer.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(await.Patience))
	return conn
}

// answers reports whether a request on the connection is answered.
func answers(conn net.Conn) bool {
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	return err == nil && res.StatusCode == http.StatusOK
}

// TestConnectionsAreLimited fills all places with requests in progress: the next
// client waits until one of them has ended.
func TestConnectionsAreLimited(t *testing.T) {
	began, end := make(chan struct{}), make(chan struct{})
	url, _ := start(t, serve.Config{MaxConns: 2, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			began <- struct{}{}
			<-end
		}
	})})
	for _, from := range []string{"127.0.0.1", "127.0.0.2"} {
		fmt.Fprint(dialFrom(t, from, url), "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
		<-began
	}
	third := dialFrom(t, "127.0.0.3", url)
	fmt.Fprint(third, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	third.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if n, err := third.Read(make([]byte, 1)); err == nil {
		t.Fatalf("the third connection was answered beside two requests (%d bytes)", n)
	}
	close(end)
	third.SetReadDeadline(time.Now().Add(await.Patience))
	if _, err := http.ReadResponse(bufio.NewReader(third), nil); err != nil {
		t.Errorf("after the requests ended: %v", err)
	}
}

// TestIdleConnectionsMakeRoom opens far more idle connections than there are places:
// clients of other networks are answered, and a request in progress is not cut off.
func TestIdleConnectionsMakeRoom(t *testing.T) {
	began, end := make(chan struct{}), make(chan struct{})
	url, _ := start(t, serve.Config{MaxConns: 40, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			close(began)
			<-end
		}
	})})
	busy := dialFrom(t, "127.0.0.1", url)
	fmt.Fprint(busy, "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
	<-began
	for i := range 200 {
		conn := dialFrom(t, "127.0.0.1", url)
		if i%2 == 0 {
			fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n") // and then no more
		}
	}
	for i := range 39 {
		if from := fmt.Sprintf("127.0.1.%d", i+1); !answers(dialFrom(t, from, url)) {
			t.Errorf("client %d, at %s, is not answered", i, from)
		}
	}
	for i := range 100 { // every place is taken by an idle client now
		if from := fmt.Sprintf("127.0.2.%d", i+1); !answers(dialFrom(t, from, url)) {
			t.Errorf("client %d, at %s, is not answered", i, from)
		}
	}
	close(end)
	if res, err := http.ReadResponse(bufio.NewReader(busy), nil); err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("the request that was in progress: %v", err)
	}
}

// TestProxiesKeepTheirConnections checks that the cap of a network is not for
// trusted proxies, and that it is for others.
func TestProxiesKeepTheirConnections(t *testing.T) {
	end := make(chan struct{})
	url, _ := start(t, serve.Config{MaxConns: 40, Proxies: trusting(t, "127.0.0.1"), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-end
	})})
	send := func(from string) net.Conn {
		conn := dialFrom(t, from, url)
		fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		return conn
	}
	var proxied []net.Conn
	for range 36 {
		proxied = append(proxied, send("127.0.0.1"))
	}
	outcomes := make(chan error, 4)
	for range 4 {
		conn := send("127.0.0.2")
		go func() {
			_, err := conn.Read(make([]byte, 1))
			outcomes <- err
		}()
	}
	for i := range 4 { // two are refused; the others are answered when requests end
		if i == 2 {
			close(end)
		}
		if err := <-outcomes; (err != nil) != (i < 2) {
			t.Errorf("connection %d of 4 of one network: %v, want two refusals", i, err)
		}
	}
	for i, conn := range proxied {
		if res, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || res.StatusCode != http.StatusOK {
			t.Errorf("request %d of the proxy: %v", i, err)
		}
	}
}
