package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gamedex/internal/testing/enginetest"
	"gamedex/internal/testing/porttest"
)

// pageProxy is a proxy of https.md in a test.
type pageProxy struct {
	program  string
	after    string            // what precedes its block on the page
	change   map[string]string // of the block, for addresses and files of this machine
	wrap     string            // what is around the block, with %s for it
	redirect int               // the status with which it redirects plain HTTP
}

// proxiesOfThePage listen at tls and plain, with a file that has the certificate and its key.
// DIR is their folder.
func proxiesOfThePage(tls, plain, file string) []pageProxy {
	_, tlsPort, _ := strings.Cut(tls, ":")
	_, plainPort, _ := strings.Cut(plain, ":")
	return []pageProxy{
		{"haproxy", "\nHAProxy ", map[string]string{"bind :80\n": "bind " + plain + "\n", "bind :443 ": "bind " + tls + " ", "/etc/ssl/games.example.pem": file}, "%s", http.StatusMovedPermanently},
		{"nginx", "\nnginx ", map[string]string{
			"listen 443 ": "listen " + tls + " ", "listen 80;": "listen " + plain + ";", "/etc/letsencrypt/live/games.example/fullchain.pem": file, "/etc/letsencrypt/live/games.example/privkey.pem": file,
			"    listen [::]:443 ssl http2;\n": "", "    listen [::]:80;\n": "", // not every machine has IPv6
		}, "pid DIR/pid; events {}\nhttp { access_log off; client_body_temp_path DIR/body; proxy_temp_path DIR/proxy; fastcgi_temp_path DIR/f; uwsgi_temp_path DIR/u; scgi_temp_path DIR/s;\n%s}", http.StatusMovedPermanently},
		{"caddy", "\nCaddy ", map[string]string{"games.example {\n": "games.example {\n    tls " + file + " " + file + "\n"},
			"{\n    admin off\n    skip_install_trust\n    http_port " + plainPort + "\n    https_port " + tlsPort + "\n    storage file_system DIR\n}\n%s", http.StatusPermanentRedirect},
	}
}

// startProxyOfThePage starts a proxy with the configuration of https.md for a service at an address.
func startProxyOfThePage(t *testing.T, program, service, plain, file string) (proxy *enginetest.WebProxy, tt pageProxy) {
	t.Helper()
	proxy = enginetest.NewWebProxy(t, program, func(addr, dir string) string {
		all := proxiesOfThePage(addr, plain, file)
		tt = all[slices.IndexFunc(all, func(p pageProxy) bool { return p.program == program })]
		_, text, _ := strings.Cut(read(t, operationsPages+"https.md"), tt.after)
		_, text, _ = strings.Cut(text, "```\n")
		text, _, _ = strings.Cut(text, "```")
		tt.change["127.0.0.1:8080"] = service
		for old, replacement := range tt.change {
			if strings.Count(text, old) != 1 {
				t.Fatalf("https.md: want %q once in the block for %s:\n%s", old, tt.program, text)
			}
			text = strings.Replace(text, old, replacement, 1)
		}
		return strings.ReplaceAll(fmt.Sprintf(tt.wrap, text), "DIR", dir)
	})
	return proxy, tt
}

// TestProxiesOfThePage checks that people can sign in through each proxy with the configuration
// of https.md, and that it redirects plain HTTP.
func TestProxiesOfThePage(t *testing.T) {
	t.Parallel()
	file, trusted := selfSigned(t, "games.example")
	for _, named := range proxiesOfThePage("", "", file) {
		t.Run(named.program, func(t *testing.T) {
			t.Parallel()
			dir, service, plain := t.TempDir(), porttest.Addr(t), porttest.Addr(t)
			proxy, tt := startProxyOfThePage(t, named.program, service, plain, file)
			start(t, dir, "--addr", service, "--public-url", "https://games.example", "--trusted-proxies", "127.0.0.1")
			must(t, dir, "a long enough password\n", "user", "create", "ann@example.org", "--password-stdin")
			signInThrough(t, proxy.Addr, plain, trusted, tt)
		})
	}
}

// signInThrough signs in through a proxy, and follows no redirect.
func signInThrough(t *testing.T, addr, plain string, trusted *x509.CertPool, tt pageProxy) {
	t.Helper()
	form := url.Values{"email": {"ann@example.org"}, "password": {"a long enough password"}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://games.example/signin", strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Origin": {"https://games.example"}}
	through := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}
	defer through.CloseIdleConnections()
	through.DialContext = func(ctx context.Context, network, asked string) (net.Conn, error) {
		to := addr
		if strings.HasSuffix(asked, ":80") {
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
	if res.StatusCode != tt.redirect || res.Header.Get("Location") != "https://games.example/a?b" {
		t.Errorf("over plain HTTP: %d with %v", res.StatusCode, res.Header)
	}
}

// selfSigned returns a file with a new certificate for a host, and its key, and the pool that
// trusts it.
func selfSigned(t *testing.T, host string) (file string, trusted *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{host}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "gamedex-site-") // the proxy may have another user
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	file = filepath.Join(dir, "site.pem")
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
	text := append(slices.Clone(public), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...)
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(file, text, 0o644)); err != nil {
		t.Fatal(err)
	}
	trusted = x509.NewCertPool()
	trusted.AppendCertsFromPEM(public)
	return file, trusted
}
