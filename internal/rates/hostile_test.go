package rates_test

import (
	"compress/gzip"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gamedex/internal/upstream"
)

// enough is how many bytes of an endless answer are sent until the test fails: far more than a provider reads
// and the system keeps for a connection.
const enough = 256 << 20

// endless writes a part of an answer until the client closes the connection.
func endless(t *testing.T, w io.Writer, part string) {
	for sent := 0; sent < enough; sent += len(part) {
		if _, err := io.WriteString(w, part); err != nil {
			return
		}
	}
	t.Errorf("%d bytes of %.20q were sent", enough, part)
}

// TestHostileProviders checks answers that never end or grow without end, and redirects to other places, for every
// provider: each is an error, after one request, and nothing else is read.
func TestHostileProviders(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another server was asked") }))
	defer elsewhere.Close()
	_, port, err := net.SplitHostPort(elsewhere.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	spaces := strings.Repeat(" ", 1<<20)
	raw := func(begin, part string) func(*testing.T, http.ResponseWriter) {
		return func(t *testing.T, w http.ResponseWriter) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, begin)
			endless(t, conn, part)
		}
	}
	answers := map[string]func(*testing.T, http.ResponseWriter){
		"an endless body": func(t *testing.T, w http.ResponseWriter) { endless(t, w, spaces) },
		"an endless body of a page that is not found": func(t *testing.T, w http.ResponseWriter) {
			w.WriteHeader(http.StatusNotFound)
			endless(t, w, spaces)
		},
		"an endless body of a known length": func(t *testing.T, w http.ResponseWriter) {
			w.Header().Set("Content-Length", "10000000000")
			endless(t, w, spaces)
		},
		"an endless bomb": func(t *testing.T, w http.ResponseWriter) {
			w.Header().Set("Content-Encoding", "gzip")
			var bomb strings.Builder // a file of many is one, too
			packer := gzip.NewWriter(&bomb)
			_, _ = io.WriteString(packer, spaces)
			_ = packer.Close()
			endless(t, w, bomb.String())
		},
		"an endless header of gzip": func(t *testing.T, w http.ResponseWriter) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, "\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\xff") // with a name, which ends with NUL
			endless(t, w, strings.Repeat("x", 1<<16))
		},
		"endless headers":         raw("HTTP/1.1 200 OK\r\n", strings.Repeat("X-More: x\r\n", 1<<12)),
		"an endless header":       raw("HTTP/1.1 200 OK\r\nX-More: ", strings.Repeat("x", 1<<16)),
		"an endless first line":   raw("HTTP/1.1 200 ", strings.Repeat("x", 1<<16)),
		"endless answers to wait": raw("", strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 1<<10)),
	}
	for _, location := range []string{
		"http://169.254.169.254/latest/meta-data/", "//169.254.169.254/", "http://[::ffff:169.254.169.254]/", "http://metadata.internal/", "file:///etc/passwd", "gopher://127.0.0.1/", "ftp:///x",
		elsewhere.URL + "/", "//127.0.0.1:" + port, "http://localhost:" + port, "http://HOST@127.0.0.1:" + port, "http://x:y@HOST/end", "http://HOST.evil.example/", "http://HOST%2f@127.0.0.1:" + port,
		`/\127.0.0.1:` + port, "http:///127.0.0.1:" + port, "javascript:x", "http://2130706433:" + port, "http://0x7f.1:" + port, "http://HOST:1/", "%zz", "",
	} {
		answers["a redirect to "+strings.ReplaceAll(location, port, "PORT")] = func(_ *testing.T, w http.ResponseWriter) {
			w.Header()["Location"] = []string{strings.ReplaceAll(location, "HOST", w.Header().Get("X-Host"))}
			w.WriteHeader(http.StatusFound)
		}
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			asked := 0
			s := &site{Server: httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked++
				w.Header().Set("X-Host", r.Host)
				w.Header().Set("Content-Type", "application/json")
				answer(t, w)
			}))}
			defer s.Close()
			for provider, p := range providers(t, s, quiet) {
				asked = 0
				_, err := p.Fetch(t.Context())
				if e, ok := errors.AsType[*upstream.Error](err); !ok || strings.Contains(err.Error(), key) {
					t.Errorf("%s: %v, want an error of the request", provider, err)
				} else if asked != 1 && !strings.HasPrefix(name, `a redirect to /\`) || e.Host == "" {
					t.Errorf("%s: %d requests (%v)", provider, asked, err)
				}
			}
		})
	}
}
