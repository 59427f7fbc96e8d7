package webhook

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const testSecret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"

func message(url string) *Subscription {
	return &Subscription{ID: "whk_1", URL: url, Secret: testSecret, Message: Message{ID: "msg_1", Body: []byte(`{"type":"ping","data":{}}`)}}
}

func always() error { return nil }

// raw returns a handler that answers with bytes.
func raw(t *testing.T, answer string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, answer)
	}
}

// TestReceivers sends a message to receivers of all kinds.
func TestReceivers(t *testing.T) {
	now := time.Now()
	redirected := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { redirected = true }))
	defer other.Close()
	verifier, err := standardwebhooks.NewWebhook(testSecret)
	Must(t, err)
	tests := map[string]struct {
		receive func(w http.ResponseWriter, r *http.Request)
		want    answer // without err
		err     string
	}{
		"verifies": {func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err == nil {
				err = verifier.Verify(body, r.Header)
			}
			if err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" || r.UserAgent() != "gamedex/test" {
				t.Errorf("%v, %s, %v", err, r.Method, r.Header)
			}
			w.WriteHeader(204)
		}, answer{status: 204}, ""},
		"fails":   {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, answer{status: 500}, ""},
		"is gone": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(410) }, answer{status: 410}, ""},
		"is redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		}, answer{status: 307}, ""},
		"is busy": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "120")
			w.WriteHeader(429)
		}, answer{status: 429, retryAfter: 2 * time.Minute}, ""},
		"is huge": {func(w http.ResponseWriter, _ *http.Request) {
			for range 1000 {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
			t.Error("64 MB were read")
		}, answer{status: 200}, ""},
		"has huge headers": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X", strings.Repeat("x", 1<<20))
		}, answer{}, "server response headers exceeded"},
		"is no HTTP server": {raw(t, strings.Repeat("x", maxAnswer-100)+"\r\n"), answer{}, "malformed HTTP response"},
		"hangs up":          {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, answer{}, "EOF"},
	}
	client := NewClient(Hosts{"127.0.0.1"}, "gamedex/test")
	defer client.Close()
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(tt.receive))
			defer server.Close()
			got := client.post(t.Context(), message(server.URL+"/hook?key=hidden"), now, always)
			if got.status != tt.want.status || got.retryAfter != tt.want.retryAfter || (got.err == nil) != (tt.err == "") {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if got.err != nil && (!strings.Contains(got.err.Error(), tt.err) || strings.Contains(got.err.Error(), "hidden") || len(got.err.Error()) > maxReason+3) {
				t.Errorf("error %q, want a short one with %q and without the URL", got.err, tt.err)
			}
		})
	}
	if redirected {
		t.Error("a redirect was followed")
	}
}

// TestReasons checks that a database and a log take the reason, whatever the certificate of a receiver says, and that it
// has no address of ours.
func TestReasons(t *testing.T) {
	ours := &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3), Port: 4000}
	for _, err := range []error{
		x509.HostnameError{Certificate: &x509.Certificate{DNSNames: []string{"a\x00\xff\x1b[2J\n.example"}}, Host: "shop.example"},
		&net.OpError{Op: "readfrom", Err: &net.OpError{Op: "write", Net: "tcp", Source: ours, Addr: ours, Err: net.ErrClosed}},
		&net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "server misbehaving", Name: "shop.example", Server: "10.1.2.3:53"}},
	} {
		got := reason(fmt.Errorf("post: %w", err)).Error()
		if !utf8.ValidString(got) || strings.ContainsFunc(got, unicode.IsControl) || strings.Contains(got, "10.1.2.3") {
			t.Errorf("%q becomes %q", err, got)
		}
	}
}

// TestSilentReceivers has receivers that answer nothing, and slowly: the exchange ends with its context.
func TestSilentReceivers(t *testing.T) {
	for name, answers := range map[string]bool{"silent": false, "slow": true} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			client := NewClient(Hosts{"127.0.0.1"}, "gamedex/test")
			defer client.Close()
			transport := client.http.Transport
			client.http.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
				resp, err := transport.RoundTrip(r)
				cancel() // the body never ends
				return resp, err
			})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if answers {
					_, _ = w.Write([]byte("o"))
					_ = http.NewResponseController(w).Flush()
				} else {
					cancel()
				}
				<-r.Context().Done()
			}))
			defer server.Close()
			got := client.post(ctx, message(server.URL), time.Now(), always)
			if got.delivered() != answers || (got.err == nil) != answers { // a status is enough
				t.Errorf("%+v", got)
			}
		})
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestPrivateReceivers checks that no notation of a private address, and no name that leads to one, is connected.
func TestPrivateReceivers(t *testing.T) {
	asked := false
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	Must(t, err)
	client := NewClient(Hosts{"allowed.example"}, "gamedex/test")
	defer client.Close()
	for _, host := range []string{"127.0.0.1", "localhost", "LOCALHOST", "localhost.", "0.0.0.0", "127.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001",
		"[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "%31%32%37.0.0.1"} {
		got := client.post(t.Context(), message("http://"+host+":"+port), time.Now(), always)
		if got.err == nil || got.status != 0 || strings.ContainsAny(got.err.Error(), "0123456789[") {
			t.Errorf("%s: %+v, want an error without addresses", host, got)
		}
	}
	if asked {
		t.Error("a private address was connected")
	}
	refused := func(url string) bool { return CheckURL(url, Hosts{"127.0.0.1", "hooks.lan"}) != nil }
	for url, want := range map[string]bool{
		"https://shop.example/hook": false, "https://shop.example:8443/hook?a=b": false, "http://shop.example/": true, "https://[2606:4700::1111]/": false,
		"http://127.0.0.1:8000/": false, "https://127.0.0.1/": false, "http://HOOKS.lan/": false, "http://127.0.0.2/": true, "https://127.0.0.2/": true,
		"https://[::1]/": true, "https://[::ffff:10.0.0.1]/": true, "https://ann:secret@shop.example/": true, "https://shop.example/#x": true, "ftp://shop.example/": true,
		"shop.example": true, "": true, "https://": true, "https:///x": true, "https://крамниця.example/": true, "https://shop.example/" + strings.Repeat("x", MaxURLLen): true,
		"https://shop.example:0/": true, "https://shop.example:65536/": true, "https://shop.example:/": true, "https://shop.example:65535/": false,
		"https://shop.example\n/": true, "https://169.254.169.254/latest": true,
	} {
		if refused(url) != want {
			t.Errorf("%q: refused %v, want %v", url, !want, want)
		}
	}
}

// TestStoppedProcess checks that a message is not sent after the process that checked its lease was stopped for a while.
func TestStoppedProcess(t *testing.T) {
	received := make(chan int, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		received <- len(body)
	}))
	defer server.Close()
	client := NewClient(Hosts{"127.0.0.1"}, "gamedex/test")
	defer client.Close()
	stopped := errors.New("stopped")
	got := client.post(t.Context(), message(server.URL), time.Now(), func() error { return stopped })
	if !errors.Is(got.err, stopped) {
		t.Errorf("%+v", got)
	}
	server.CloseClientConnections()
	select {
	case n := <-received:
		if n > 0 {
			t.Errorf("%d bytes were sent", n)
		}
	default:
	}
}

// TestDelays checks the times between tries, with jitter, and what the receiver can demand.
func TestDelays(t *testing.T) {
	got := ""
	for failures := 1; ; failures++ {
		wait, ok := delay(failures, 0, 0.5)
		if !ok {
			break
		}
		got += fmt.Sprint(wait, " ")
		low, _ := delay(failures, 0, 0)
		high, _ := delay(failures, 0, 0.999999)
		if low < wait*89/100 || low > wait*91/100 || high < wait*109/100 || high > wait*111/100 {
			t.Errorf("after %d failures: %v to %v", failures, low, high)
		}
		if later, _ := delay(failures, 1000*time.Hour, 0.5); later != max(wait, 24*time.Hour) {
			t.Errorf("the receiver demands 1000 h: %v", later)
		}
	}
	if want := "5s 1m0s 10m0s 1h0m0s 6h0m0s 24h0m0s "; got != want {
		t.Errorf("delays %s, want %s", got, want)
	}
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{"": 0, "x": 0, "-5": 0, "7": 7 * time.Second, "99999999999999": 24 * time.Hour,
		"Wed, 01 Jul 2026 12:00:30 GMT": 30 * time.Second, "Wed, 01 Jul 2026 11:00:30 GMT": 0} {
		if got := retryAfter(text, now); got != want {
			t.Errorf("Retry-After %q: %v, want %v", text, got, want)
		}
	}
}
