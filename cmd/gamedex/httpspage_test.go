package main

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gamedex/internal/testing/enginetest"
	"gamedex/internal/testing/porttest"
)

// TestHAProxyOfThePage checks that people can sign in through HAProxy with the configuration
// of https.md, and that it redirects plain HTTP.
func TestHAProxyOfThePage(t *testing.T) {
	t.Parallel()
	dir, service, plain := t.TempDir(), porttest.Addr(t), porttest.Addr(t)
	site := httptest.NewTLSServer(http.NotFoundHandler())
	defer site.Close()
	proxy := enginetest.NewHAProxy(t, func(addr string) string {
		_, text, _ := strings.Cut(read(t, operationsPages+"https.md"), "\nHAProxy ")
		_, text, _ = strings.Cut(text, "```\n")
		text, _, _ = strings.Cut(text, "```")
		for old, replacement := range map[string]string{
			"bind :80\n": "bind " + plain + "\n", "bind :443 ": "bind " + addr + " ", "127.0.0.1:8080": service,
			"/etc/ssl/games.example.pem": certificateFile(t, site),
		} {
			if strings.Count(text, old) != 1 {
				t.Fatalf("https.md: want %q once in the block for HAProxy:\n%s", old, text)
			}
			text = strings.Replace(text, old, replacement, 1)
		}
		return text
	})
	start(t, dir, "--addr", service, "--public-url", "https://games.example", "--trusted-proxies", "127.0.0.1")
	must(t, dir, "a long enough password\n", "user", "create", "ann@example.org", "--password-stdin")

	form := url.Values{"email": {"ann@example.org"}, "password": {"a long enough password"}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://games.example/signin", strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Origin": {"https://games.example"}}
	through := site.Client().Transport.(*http.Transport).Clone()
	defer through.CloseIdleConnections()
	through.TLSClientConfig.ServerName = "example.com" // for which the certificate is
	through.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		to := proxy.Addr
		if strings.HasSuffix(addr, ":80") {
			to = plain
		}
		return new(net.Dialer).DialContext(ctx, network, to)
	}
	res, err := through.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusSeeOther || len(res.Cookies()) == 0 || !res.Cookies()[0].Secure || res.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("signing in: %d with %v", res.StatusCode, res.Header)
	}
	if req, err = http.NewRequestWithContext(t.Context(), http.MethodGet, "http://games.example/a?b", http.NoBody); err != nil {
		t.Fatal(err)
	}
	if res, err = through.RoundTrip(req); err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusMovedPermanently || res.Header.Get("Location") != "https://games.example/a?b" {
		t.Errorf("over plain HTTP: %d with %v", res.StatusCode, res.Header)
	}
}

// certificateFile writes a server's certificate and key into one file, as HAProxy reads them.
func certificateFile(t *testing.T, site *httptest.Server) string {
	t.Helper()
	pair := site.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "gamedex-site-") // the proxy may have another user
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	file := filepath.Join(dir, "site.pem")
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...)
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(file, text, 0o644)); err != nil {
		t.Fatal(err)
	}
	return file
}
