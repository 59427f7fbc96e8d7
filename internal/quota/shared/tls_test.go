package shared_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gamedex/internal/quota"
	"gamedex/internal/quota/shared"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
	"gamedex/internal/testing/porttest"
)

// TestTLS counts on a server whose certificate is trusted, and refuses one whose
// certificate is not.
func TestTLS(t *testing.T) {
	enginetest.NeedRedis(t)
	known, cert := newTLSServer(t, trusted)
	stranger, _ := newTLSServer(t, newCertificate)
	t.Setenv("SSL_CERT_FILE", cert) // read at the first connection of this process
	s := open(t, config(t, "rediss://"+known))
	await.That(t, "the server", func() bool { return !s.Alone() })
	if d := take(t, s, "key", quota.Limits{Minute: 5, Day: 5}); d.Day.Used != 1 || s.Alone() {
		t.Errorf("%+v, alone: %v", d, s.Alone())
	}
	other, err := shared.Open(t.Context(), config(t, "rediss://"+stranger))
	if _, ok := errors.AsType[*shared.Fault](err); !ok || !strings.Contains(err.Error(), "the server's certificate is not trusted") {
		t.Errorf("%v, want that the certificate is not trusted", err)
	}
	if err == nil {
		other.Close()
	}
}

// certificate is a certificate of this machine, which its own key has signed.
type certificate struct{ cert, key []byte }

// trusted is the certificate that the tests trust. A process reads only once whom it
// trusts.
var trusted = sync.OnceValues(newCertificate)

func newCertificate() (certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return certificate{}, err
	}
	draft := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, draft, draft, key.Public(), key)
	if err != nil {
		return certificate{}, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	return certificate{
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}),
	}, err
}

// newTLSServer starts a server with a certificate, and returns the address for TLS and
// the file of the certificate.
func newTLSServer(t *testing.T, make func() (certificate, error)) (addr, cert string) {
	t.Helper()
	c, err := make()
	must(t, err)
	dir, err := enginetest.NewFolder()
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, text := range map[string][]byte{cert: c.cert, key: c.key} {
		must(t, os.WriteFile(path, text, 0o644))
	}
	addr = porttest.Addr(t)
	_, port, err := net.SplitHostPort(addr)
	must(t, err)
	enginetest.NewRedis(t, "--tls-port", port, "--tls-cert-file", cert, "--tls-key-file", key, "--tls-auth-clients", "no")
	return addr, cert
}
